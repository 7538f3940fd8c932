// The pool's behaviour by example: queues, replacement, limits, and following the chain. Numbers by hand.
import { describe, expect, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import type { Address } from '../../src/lib/hex.ts'
import { Pool, type PoolLimits } from '../../src/pool/txpool.ts'
import type { PoolHead } from '../../src/pool/types.ts'
import type { Transaction } from '../../src/primitives/types.ts'
import { account, GWEI, hash, head, osaka, transaction } from './support.ts'

const alice = account(1)
const bob = account(2)
const carol = account(3)

const open = (at: PoolHead = head(), limits?: Partial<PoolLimits>) => new Pool(at, () => osaka, limits)
const names = (transactions: Iterable<Transaction>) =>
  [...transactions].map(({ from, nonce }) => `${Number(from)}/${nonce}`)
const ready = (pool: Pool) => names(pool.ready())
const refusal = (words: string) => new ChainError('transaction-rejected', words)
const send = (pool: Pool, fields: Partial<Transaction>): Transaction => {
  const sent = transaction(fields)
  pool.add(sent, undefined)
  return sent
}
const nonces = (...entries: [Address, bigint][]) => ({ nonces: new Map(entries) })

describe('nonces', () => {
  test('a gap waits, and closing it makes all behind it executable', () => {
    const pool = open()
    const pending: bigint[] = []
    pool.onPending(({ nonce }) => pending.push(nonce))
    send(pool, { nonce: 2n })
    send(pool, { nonce: 1n })
    send(pool, { nonce: 4n })
    expect(ready(pool)).toEqual([])
    expect(pool.hasReady()).toBe(false)
    expect(pool.nextNonce(alice)).toBe(0n)
    expect(pending).toEqual([])

    send(pool, { nonce: 0n })
    expect(ready(pool)).toEqual(['1/0', '1/1', '1/2'])
    expect(pool.hasReady()).toBe(true)
    expect(pool.nextNonce(alice)).toBe(3n)
    expect(pending).toEqual([0n, 1n, 2n])
    const { pending: executable, queued } = pool.content()
    expect(names(executable.get(alice) ?? [])).toEqual(['1/0', '1/1', '1/2'])
    expect(names(queued.get(alice) ?? [])).toEqual(['1/4'])
  })

  test('content lists gapped transactions in nonce order', () => {
    const pool = open()
    for (const nonce of [9n, 3n, 7n]) send(pool, { nonce })
    expect(names(pool.content().queued.get(alice) ?? [])).toEqual(['1/3', '1/7', '1/9'])
    expect(pool.content().pending.has(alice)).toBe(false)
  })

  test('the next nonce of a stranger is the state’s', () => {
    expect(open(head(nonces([bob, 7n]))).nextNonce(bob)).toBe(7n)
  })

  test('nonces beyond 2^53 keep their distance', () => {
    const far = 2n ** 60n
    const pool = open(head(nonces([alice, far])))
    send(pool, { nonce: far + 1n })
    send(pool, { nonce: far })
    expect(ready(pool)).toEqual([`1/${far}`, `1/${far + 1n}`])
    expect(pool.nextNonce(alice)).toBe(far + 2n)
  })

  test('taking one out leaves a gap behind it', () => {
    const pool = open()
    const sent = [0n, 1n, 2n].map((nonce) => send(pool, { nonce }))
    expect(pool.remove(sent[1]?.hash ?? hash(0))).toBe(true)
    expect(pool.remove(sent[1]?.hash ?? hash(0))).toBe(false)
    expect(ready(pool)).toEqual(['1/0'])
    expect(pool.nextNonce(alice)).toBe(1n)
    expect(names(pool.content().queued.get(alice) ?? [])).toEqual(['1/2'])
    send(pool, { nonce: 1n })
    expect(ready(pool)).toEqual(['1/0', '1/1', '1/2'])
  })
})

describe('lookup', () => {
  test('by hash, with blobs, until it is gone', () => {
    const pool = open()
    const blob = transaction({
      type: 3,
      maxFeePerBlobGas: 1n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}` as Transaction['hash']],
    })
    const sidecar = {
      version: 0 as const,
      blobs: [new Uint8Array(131_072)],
      commitments: [new Uint8Array(48)],
      proofs: [new Uint8Array(48)],
    }
    expect(() => pool.add(blob, undefined)).toThrow(refusal('missing sidecar in blob transaction'))
    pool.add(blob, sidecar)
    expect(pool.get(blob.hash)).toBe(blob)
    expect(pool.sidecar(blob.hash)).toBe(sidecar)
    expect(() => pool.add(blob, sidecar)).toThrow(refusal('already known'))
    pool.clear()
    expect(pool.get(blob.hash)).toBeUndefined()
    expect(pool.sidecar(blob.hash)).toBeUndefined()
    pool.add(blob, sidecar)
    expect(ready(pool)).toEqual(['1/0'])
  })

  test('clear forgets everyone', () => {
    const pool = open()
    const removed: string[] = []
    pool.onRemoved(({ from, nonce }) => removed.push(`${Number(from)}/${nonce}`))
    send(pool, { nonce: 0n })
    send(pool, { nonce: 5n })
    send(pool, { from: bob })
    pool.clear()
    expect(ready(pool)).toEqual([])
    expect(pool.content().queued.size).toBe(0)
    expect(pool.nextNonce(alice)).toBe(0n)
    expect(removed.sort()).toEqual(['1/0', '1/5', '2/0'])
  })
})

describe('order', () => {
  test('by effective tip at the base fee, first come first', () => {
    // At a base fee of 8 gwei alice's cap of 10 leaves 2, whatever tip she names; bob pays 3; carol 2, but later.
    const pool = open(head({ baseFeePerGas: 8n * GWEI }))
    send(pool, { from: alice, maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 9n * GWEI })
    send(pool, { from: carol, maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI })
    send(pool, { from: bob, maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 3n * GWEI })
    expect(ready(pool)).toEqual(['2/0', '1/0', '3/0'])
    // At 1 gwei alice's tip counts in full.
    pool.reset(head({ baseFeePerGas: GWEI }))
    expect(ready(pool)).toEqual(['1/0', '2/0', '3/0'])
  })

  test('a poor first transaction holds up a rich second one', () => {
    const pool = open()
    send(pool, { from: alice, nonce: 0n, maxPriorityFeePerGas: 1n * GWEI })
    send(pool, { from: alice, nonce: 1n, maxPriorityFeePerGas: 9n * GWEI })
    send(pool, { from: bob, nonce: 0n, maxPriorityFeePerGas: 5n * GWEI })
    send(pool, { from: bob, nonce: 1n, maxPriorityFeePerGas: 2n * GWEI })
    expect(ready(pool)).toEqual(['2/0', '2/1', '1/0', '1/1'])
  })

  test('a cap below the base fee waits, with all behind it', () => {
    const pool = open(head({ baseFeePerGas: 10n * GWEI }))
    send(pool, { nonce: 0n, maxFeePerGas: 10n * GWEI })
    send(pool, { nonce: 1n, maxFeePerGas: 10n * GWEI - 1n })
    send(pool, { nonce: 2n, maxFeePerGas: 20n * GWEI })
    expect(ready(pool)).toEqual(['1/0'])
    expect(pool.nextNonce(alice)).toBe(3n)
    pool.reset(head({ baseFeePerGas: 10n * GWEI + 1n }))
    expect(ready(pool)).toEqual([])
    expect(pool.hasReady()).toBe(false)
    pool.reset(head({ baseFeePerGas: 9n * GWEI }))
    expect(ready(pool)).toEqual(['1/0', '1/1', '1/2'])
  })

  test('a blob fee cap below the blob base fee waits', () => {
    const pool = open(head({ blobBaseFee: 5n }))
    const blob = transaction({
      type: 3,
      maxFeePerBlobGas: 4n,
      blobVersionedHashes: [`0x01${'00'.repeat(31)}` as Transaction['hash']],
    })
    const bytes = [new Uint8Array(48)]
    pool.add(blob, { version: 0, blobs: bytes, commitments: bytes, proofs: bytes })
    expect(ready(pool)).toEqual([])
    pool.reset(head({ blobBaseFee: 4n }))
    expect(ready(pool)).toEqual(['1/0'])
  })

  test('an iteration in progress leaves out what has gone and follows a replacement', () => {
    const pool = open()
    send(pool, { from: alice, maxPriorityFeePerGas: 3n * GWEI })
    send(pool, { from: bob, maxPriorityFeePerGas: 2n * GWEI })
    const old = send(pool, { from: carol, maxPriorityFeePerGas: GWEI })
    const seen: Transaction[] = []
    let second: Transaction | undefined
    for (const one of pool.ready()) {
      seen.push(one)
      if (one.from !== alice) continue
      pool.reset(head(nonces([bob, 1n])))
      second = send(pool, { from: carol, maxFeePerGas: 11n * GWEI, maxPriorityFeePerGas: 2n * GWEI })
    }
    expect(names(seen)).toEqual(['1/0', '3/0'])
    expect(seen[1]).toBe(second)
    expect(seen[1]).not.toBe(old)
  })

  test('each iteration starts anew', () => {
    const pool = open()
    send(pool, {})
    const iterable = pool.ready()
    expect(names(iterable)).toEqual(['1/0'])
    expect(names(iterable)).toEqual(['1/0'])
  })
})

describe('replacement', () => {
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas })

  test.each([
    ['ten per cent on both', fees(110n * GWEI, 11n * GWEI), true],
    ['a wei less of the fee cap', fees(110n * GWEI - 1n, 11n * GWEI), false],
    ['a wei less of the tip', fees(110n * GWEI, 11n * GWEI - 1n), false],
    ['the fee cap alone', fees(200n * GWEI, 10n * GWEI), false],
    ['the tip alone', fees(100n * GWEI, 20n * GWEI), false],
  ])('%s', (_, raised, taken) => {
    const pool = open()
    const removed: Transaction[] = []
    pool.onRemoved((gone) => removed.push(gone))
    const old = send(pool, fees(100n * GWEI, 10n * GWEI))
    send(pool, { nonce: 1n })
    const next = transaction(raised)
    if (!taken) {
      expect(() => pool.add(next, undefined)).toThrow(refusal('replacement transaction underpriced'))
      expect(pool.get(old.hash)).toBe(old)
      expect([...pool.ready()][0]).toBe(old)
      return
    }
    pool.add(next, undefined)
    expect(pool.get(old.hash)).toBeUndefined()
    expect([...pool.ready()][0]).toBe(next)
    expect(ready(pool)).toEqual(['1/0', '1/1'])
    expect(removed).toEqual([old])
  })

  test('small fees round down, but must rise', () => {
    // 110 % of 15 is 16.5, so 16 do; 110 % of 5 is 5.5, so 5 would do, but it is no more than before.
    const pool = open()
    send(pool, fees(15n, 5n))
    expect(() => send(pool, fees(16n, 5n))).toThrow(refusal('replacement transaction underpriced'))
    send(pool, fees(16n, 6n))
  })

  test('of a gapped transaction follows the same rule', () => {
    const pool = open()
    send(pool, { nonce: 5n, ...fees(100n, 10n) })
    expect(() => send(pool, { nonce: 5n, ...fees(109n, 11n) })).toThrow(refusal('replacement transaction underpriced'))
    const next = send(pool, { nonce: 5n, ...fees(110n, 11n) })
    expect(pool.content().queued.get(alice)).toEqual([next])
  })

  test.each([
    ['double of everything', 200n, 20n, 6n, true],
    ['a fee cap short of double', 199n, 20n, 6n, false],
    ['a tip short of double', 200n, 19n, 6n, false],
    ['a blob fee short of double', 200n, 20n, 5n, false],
  ])('blobs: %s', (_, feeCap, tip, blobFee, taken) => {
    const pool = open()
    const bytes = [new Uint8Array(48)]
    const sidecar = { version: 0 as const, blobs: bytes, commitments: bytes, proofs: bytes }
    const blob = (maxFeePerBlobGas: bigint, price: Partial<Transaction>) =>
      transaction({
        type: 3,
        maxFeePerBlobGas,
        blobVersionedHashes: [`0x01${'00'.repeat(31)}` as Transaction['hash']],
        ...price,
      })
    pool.add(blob(3n, fees(100n, 10n)), sidecar)
    const add = () => pool.add(blob(blobFee, fees(feeCap, tip)), sidecar)
    if (taken) expect(add).not.toThrow()
    else expect(add).toThrow(refusal('replacement transaction underpriced'))
  })
})

describe('reset', () => {
  test('drops what was mined and keeps the rest in line', () => {
    const pool = open()
    const removed: string[] = []
    pool.onRemoved(({ from, nonce }) => removed.push(`${Number(from)}/${nonce}`))
    for (const nonce of [0n, 1n, 2n, 4n]) send(pool, { nonce })
    pool.reset(head(nonces([alice, 2n])))
    expect(removed).toEqual(['1/0', '1/1'])
    expect(ready(pool)).toEqual(['1/2'])
    expect(pool.nextNonce(alice)).toBe(3n)
    expect(() => send(pool, { nonce: 1n })).toThrow(refusal('nonce too low: next nonce 2, tx nonce 1'))
  })

  test('promotes what stood behind a gap that the chain has closed', () => {
    const pool = open()
    for (const nonce of [0n, 3n, 4n, 6n]) send(pool, { nonce })
    const pending: bigint[] = []
    pool.onPending(({ nonce }) => pending.push(nonce))
    pool.reset(head(nonces([alice, 3n])))
    expect(ready(pool)).toEqual(['1/3', '1/4'])
    expect(pending).toEqual([3n, 4n])
    pool.reset(head(nonces([alice, 7n])))
    expect(pool.content()).toEqual({ pending: new Map(), queued: new Map() })
  })

  test('queues everything when the state goes back', () => {
    const pool = open(head(nonces([alice, 2n])))
    for (const nonce of [2n, 3n]) send(pool, { nonce })
    pool.reset(head())
    expect(ready(pool)).toEqual([])
    expect(pool.nextNonce(alice)).toBe(0n)
    for (const nonce of [0n, 1n]) send(pool, { nonce })
    expect(ready(pool)).toEqual(['1/0', '1/1', '1/2', '1/3'])
  })

  test('drops what the balance cannot pay, each for itself, and queues what stands behind', () => {
    const pool = open()
    // 21,000 gas at 10 gwei is 210,000 gwei, and one wei, or none.
    for (const [nonce, value] of [
      [0n, 0n],
      [1n, 1n],
      [2n, 0n],
    ] as const)
      send(pool, { nonce, value })
    pool.reset(head({ balances: new Map([[alice, 210_000n * GWEI]]) }))
    expect(ready(pool)).toEqual(['1/0'])
    expect(names(pool.content().queued.get(alice) ?? [])).toEqual(['1/2'])
    pool.reset(head({ balances: new Map([[alice, 210_000n * GWEI - 1n]]) }))
    expect(pool.content()).toEqual({ pending: new Map(), queued: new Map() })
  })

  test('drops what is over a lower gas limit, and over EIP-7825’s cap from Osaka', () => {
    const pool = open()
    send(pool, { gasLimit: 30_000n })
    pool.reset(head({ gasLimit: 29_999n }))
    expect(ready(pool)).toEqual([])

    let fork = { ...osaka, osaka: false }
    const crossing = new Pool(head(), () => fork)
    crossing.add(transaction({ gasLimit: 16_777_217n }), undefined)
    expect(ready(crossing)).toEqual(['1/0'])
    fork = osaka
    crossing.reset(head())
    expect(ready(crossing)).toEqual([])
  })

  test('asks the state only about senders that have transactions here', () => {
    const pool = open()
    send(pool, { from: alice })
    send(pool, { from: bob, nonce: 3n })
    send(pool, { from: carol })
    pool.reset(head(nonces([carol, 1n])))
    const asked: Address[] = []
    const next = head()
    pool.reset({
      ...next,
      nonce: (of) => {
        asked.push(of)
        return next.nonce(of)
      },
    })
    expect(asked).toEqual([alice, bob])
  })
})

describe('limits', () => {
  const tip = (gwei: bigint) => ({ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: gwei * GWEI })

  test('a full pool lets the worst go for a better one, and only for a better one', () => {
    const pool = open(head(), { pending: 3 })
    const removed: string[] = []
    pool.onRemoved(({ from, nonce }) => removed.push(`${Number(from)}/${nonce}`))
    send(pool, { from: alice, nonce: 0n, ...tip(2n) })
    send(pool, { from: bob, nonce: 0n, ...tip(5n) })
    send(pool, { from: bob, nonce: 1n, ...tip(3n) })
    expect(() => send(pool, { from: carol, ...tip(2n) })).toThrow(refusal('txpool is full'))
    expect(removed).toEqual([])
    send(pool, { from: carol, ...tip(3n) })
    expect(removed).toEqual(['1/0'])
    // Of two tips of 3 the later one goes.
    send(pool, { from: account(4), ...tip(4n) })
    expect(removed).toEqual(['1/0', '3/0'])
    expect(ready(pool)).toEqual(['2/0', '4/0', '2/1'])
  })

  test('eviction takes a sender’s last transaction and never opens a gap', () => {
    const pool = open(head(), { pending: 2 })
    send(pool, { from: alice, nonce: 0n, ...tip(1n) })
    send(pool, { from: alice, nonce: 1n, ...tip(4n) })
    send(pool, { from: bob, ...tip(5n) })
    expect(ready(pool)).toEqual(['2/0', '1/0'])
    expect(pool.content().queued.size).toBe(0)
  })

  test('nobody pushes out transactions of their own', () => {
    const pool = open(head(), { pending: 1 })
    send(pool, { nonce: 0n, ...tip(1n) })
    expect(() => send(pool, { nonce: 1n, ...tip(9n) })).toThrow(refusal('txpool is full'))
    expect(ready(pool)).toEqual(['1/0'])
  })

  test('a replacement fits into a full pool', () => {
    const pool = open(head(), { pending: 1, accountPending: 1 })
    send(pool, { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n })
    const next = send(pool, { maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
    expect([...pool.content().pending.values()]).toEqual([[next]])
  })

  test('gapped transactions have a place of their own', () => {
    const pool = open(head(), { queued: 1 })
    send(pool, { from: alice, nonce: 1n, ...tip(1n) })
    expect(() => send(pool, { from: bob, nonce: 1n, ...tip(1n) })).toThrow(refusal('txpool is full'))
    send(pool, { from: bob, nonce: 0n, ...tip(1n) })
    send(pool, { from: carol, nonce: 1n, ...tip(2n) })
    expect([...pool.content().queued.keys()]).toEqual([carol])
  })

  test('one account may not have more than its share', () => {
    const pool = open(head(), { accountPending: 2, accountQueued: 1 })
    for (const nonce of [0n, 1n, 4n]) send(pool, { nonce })
    expect(() => send(pool, { nonce: 2n })).toThrow(refusal('account limit exceeded: pooled 3 txs'))
    expect(() => send(pool, { nonce: 5n })).toThrow(refusal('account limit exceeded: pooled 3 txs'))
    send(pool, { from: bob })
  })

  test('a closed gap does not fill the pool beyond its limit', () => {
    const pool = open(head(), { pending: 2 })
    send(pool, { from: bob, ...tip(1n) })
    for (const nonce of [1n, 2n, 3n]) send(pool, { from: alice, nonce, ...tip(nonce) })
    // Bob's tip of 1 makes room for alice's first; her own worst last ones go next.
    send(pool, { from: alice, nonce: 0n, ...tip(9n) })
    expect(ready(pool)).toEqual(['1/0', '1/1'])
    expect(pool.nextNonce(alice)).toBe(2n)
  })

  test('the pool holds so many bytes and no more', () => {
    const pool = open(head(), { bytes: 300 })
    const raw = new Uint8Array(150)
    const first = send(pool, { from: alice, raw })
    send(pool, { from: bob, raw })
    expect(() => send(pool, { from: carol, raw, ...tip(90n) })).toThrow(refusal('txpool is full'))
    pool.remove(first.hash)
    send(pool, { from: carol, raw })
  })

  test('10,000 transactions of 50 senders fit, and are ready at once', () => {
    const pool = open()
    for (let nonce = 199n; nonce >= 0n; nonce--) {
      for (let sender = 1; sender <= 50; sender++) send(pool, { from: account(sender), nonce })
    }
    expect(ready(pool)).toHaveLength(10_000)
  })
})
