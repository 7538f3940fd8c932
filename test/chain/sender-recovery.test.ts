// Sender recovery in threads: the addresses of the signing keys, and errors for invalid signatures.
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
/** A transaction with an invalid signature, so that only the cache can know its sender. */
const blank = (transaction: SignedTransaction): SignedTransaction => ({ ...transaction, r: 0n })

function openSenders(threads: number): SenderRecovery {
  const senders = new SenderRecovery(threads)
  onTestFinished(() => senders.close())
  return senders
}

test.each([1, 2])('%i threads recover senders in advance', async (threads) => {
  const senders = openSenders(threads)
  await Promise.all([senders.prefetch(transactions.slice(0, 65)), senders.prefetch(transactions)])
  for (const [n, transaction] of transactions.entries())
    expect(senders.of(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('a sender thread handles several batches at once, repeatedly', async () => {
  const senders = openSenders(1)
  const many = Array.from({ length: 2500 }, (_, n) => signed(n % 4, BigInt(n)))
  await senders.prefetch(many.slice(0, 2200))
  await senders.prefetch(many)
  for (const [n, transaction] of many.entries()) expect(senders.of(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('an invalid signature is an error at any position of a batch', async () => {
  const senders = openSenders(1)
  const [first, second, ...others] = transactions
  if (first === undefined || second === undefined) throw new Error('there are many')
  // No point of the curve has x = 5, and s = 0 is not allowed.
  const unrecoverable = { ...first, r: 5n }
  const malformed = { ...second, s: 0n }
  await senders.prefetch([unrecoverable, ...others.slice(0, 80), malformed])
  for (const bad of [unrecoverable, malformed]) expect(() => senders.of(bad)).toThrow('invalid sender')
  for (const [n, other] of others.slice(0, 80).entries()) {
    expect(senders.of(blank(other))).toBe(keyAt((n + 2) % 4).address)
  }
})

test('few transactions are not sent to the thread, and those sent are recovered even if it is closed', async () => {
  const senders = openSenders(1)
  await senders.prefetch(transactions.slice(0, 3))
  for (const transaction of transactions.slice(0, 3)) expect(() => senders.of(blank(transaction))).toThrow()
  const prefetched = senders.prefetch(transactions)
  await senders.close()
  await prefetched
  expect(senders.of(transactions[0] ?? signed(0, 0n))).toBe(keyAt(0).address)
})

test('requests for single senders are batched, and fail separately', async () => {
  const senders = openSenders(1)
  const recoveries = transactions.map((transaction) => senders.recover(transaction))
  const unrecoverable = senders.recover({ ...signed(3, 999n), r: 5n })
  await expect(unrecoverable).rejects.toThrow('invalid sender')
  expect(await Promise.all(recoveries)).toEqual(transactions.map((_, n) => keyAt(n % 4).address))
  for (const [n, transaction] of transactions.entries())
    expect(await senders.recover(blank(transaction))).toBe(keyAt(n % 4).address)
})

test('requests in one turn of the event loop wake the sender thread once', async () => {
  const senders = openSenders(1)
  const waking = vi.spyOn(Atomics, 'notify')
  onTestFinished(() => waking.mockRestore())
  const recoveries = transactions.map((transaction) => senders.recover(transaction))
  expect(await Promise.all(recoveries)).toEqual(transactions.map((_, n) => keyAt(n % 4).address))
  expect(waking).toHaveBeenCalledTimes(1)
})

test('a prefetched block is imported like any other, and a malformed one fails at its import', async () => {
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

test('a thread on a platform without native secp256k1 recovers the same keys in WebAssembly', async () => {
  const path = createRequire(import.meta.url).resolve('tiny-secp256k1')
  const thread = new RecoveryThread({ isNative: false, path })
  onTestFinished(() => thread.close())
  const signatures = transactions.map((transaction) => signatureOf(transaction) ?? raise('a signature is malformed'))
  const [first = raise('there are many')] = signatures
  // No point of the curve has x = 5.
  const unrecoverable = { ...first, compact: Uint8Array.of(...bigToFixed(5n, 32), ...first.compact.subarray(32)) }
  const recoveries = [unrecoverable, ...signatures].map((signature) => thread.recover(signature))
  thread.flush()
  const keys = await Promise.all(recoveries)
  expect(keys[0]).toBeUndefined()
  for (const [n, key] of keys.slice(1).entries()) expect(key && publicKeyToAddress(key)).toBe(keyAt(n % 4).address)
})

function raise(problem: string): never {
  throw new Error(problem)
}
