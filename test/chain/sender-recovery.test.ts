// Senders from threads: those of the keys that signed, and nothing for signatures that belong to nobody.
import { createRequire } from 'node:module'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SenderRecovery } from '../../src/chain/sender-recovery.ts'
import { RecoveryThread } from '../../src/chain/sender-recovery-thread.ts'
import { bigToFixed } from '../../src/lib/hex.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { publicKeyToAddress } from '../../src/primitives/signature.ts'
import { signatureOf } from '../../src/primitives/transaction.ts'
import type { SignedTransaction } from '../../src/primitives/types.ts'
import { keyAt, openSmallChain, signed } from './support.ts'

const transactions = Array.from({ length: 130 }, (_, n) => signed(n % 4, BigInt(n)))
/** Of this nothing can be recovered any more: only memory answers. */
const blank = (transaction: SignedTransaction): SignedTransaction => ({ ...transaction, r: 0n })

function openSenders(threads: number): SenderRecovery {
  const senders = new SenderRecovery(threads)
  onTestFinished(() => senders.close())
  return senders
}

test.each([1, 2])('%i threads foresee the senders', async (threads) => {
  const senders = openSenders(threads)
  await Promise.all([senders.prefetch(transactions.slice(0, 65)), senders.prefetch(transactions)])
  for (const [n, transaction] of transactions.entries())
    expect(senders.of(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('a sender thread takes several batches at once, repeatedly', async () => {
  const senders = openSenders(1)
  const many = Array.from({ length: 2500 }, (_, n) => signed(n % 4, BigInt(n)))
  await senders.prefetch(many.slice(0, 2200))
  await senders.prefetch(many)
  for (const [n, transaction] of many.entries()) expect(senders.of(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('an invalid signature stays an error at any position', async () => {
  const senders = openSenders(1)
  const [first, second, ...others] = transactions
  if (first === undefined || second === undefined) throw new Error('there are many')
  // No point of the curve has 5 as its x; and s = 0 is no scalar.
  const nobody = { ...first, r: 5n }
  const malformed = { ...second, s: 0n }
  await senders.prefetch([nobody, ...others.slice(0, 80), malformed])
  for (const bad of [nobody, malformed]) expect(() => senders.of(bad)).toThrow('invalid sender')
  for (const [n, other] of others.slice(0, 80).entries()) {
    expect(senders.of(blank(other))).toBe(keyAt((n + 2) % 4).address)
  }
})

test('a few transactions are not sent to the thread, and what was sent is recovered after it was closed', async () => {
  const senders = openSenders(1)
  await senders.prefetch(transactions.slice(0, 3))
  for (const transaction of transactions.slice(0, 3)) expect(() => senders.of(blank(transaction))).toThrow()
  const prefetched = senders.prefetch(transactions)
  await senders.close()
  await prefetched
  expect(senders.of(transactions[0] ?? signed(0, 0n))).toBe(keyAt(0).address)
})

test('requests for single senders are answered together, and each fails alone', async () => {
  const senders = openSenders(1)
  const asked = transactions.map((transaction) => senders.recover(transaction))
  const nobody = senders.recover({ ...signed(3, 999n), r: 5n })
  await expect(nobody).rejects.toThrow('invalid sender')
  expect(await Promise.all(asked)).toEqual(transactions.map((_, n) => keyAt(n % 4).address))
  for (const [n, transaction] of transactions.entries())
    expect(await senders.recover(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('the requests of one turn of the event loop wake the sender thread once', async () => {
  const senders = openSenders(1)
  const waking = vi.spyOn(Atomics, 'notify')
  onTestFinished(() => waking.mockRestore())
  const asked = transactions.map((transaction) => senders.recover(transaction))
  expect(await Promise.all(asked)).toEqual(transactions.map((_, n) => keyAt(n % 4).address))
  expect(waking).toHaveBeenCalledTimes(1)
})

test('a prefetched block is imported as any other, and a malformed one fails at its import', async () => {
  const maker = await openSmallChain()
  const taker = await openSmallChain()
  for (let n = 0n; n < 70n; n++) await maker.submit(signed(0, n, { gasLimit: 30_000n }).raw)
  const { block } = await maker.produce()
  const raw = encodeBlock(block)
  taker.expected.expect(raw)
  const broken = raw.subarray(0, raw.length - 1)
  taker.expected.expect(broken)
  await expect(taker.importBlock(broken)).rejects.toThrow()
  const imported = await taker.importBlock(raw)
  expect(imported.block.header.hash).toBe(block.header.hash)
  expect(imported.block.transactions.map(({ from }) => from)).toEqual(block.transactions.map(() => keyAt(0).address))
  expect(block.transactions.length).toBeGreaterThan(60)
})

test('a thread of a platform without native curve recovers the same keys, in WebAssembly', async () => {
  const path = createRequire(import.meta.url).resolve('tiny-secp256k1')
  const thread = new RecoveryThread({ isNative: false, path })
  onTestFinished(() => thread.close())
  const signatures = transactions.map((transaction) => signatureOf(transaction) ?? raise('a signature is malformed'))
  const [first = raise('there are many')] = signatures
  // No point of the curve has 5 as its x.
  const nobody = { ...first, compact: Uint8Array.of(...bigToFixed(5n, 32), ...first.compact.subarray(32)) }
  const asked = [nobody, ...signatures].map((signature) => thread.recover(signature))
  thread.flush()
  const keys = await Promise.all(asked)
  expect(keys[0]).toBeUndefined()
  for (const [n, key] of keys.slice(1).entries()) expect(key && publicKeyToAddress(key)).toBe(keyAt(n % 4).address)
})

function raise(problem: string): never {
  throw new Error(problem)
}
