// Limits of the pool, and which transactions are evicted when it is full.
import { describe, expect, test } from 'vitest'
import { account, alice, bob, carol, GWEI, head, open, ready, refusal, send } from './support.ts'

describe('limits of the pool', () => {
  const tip = (gwei: bigint) => ({ maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: gwei * GWEI })

  test('a full pool evicts its worst transaction, only for a better one', () => {
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
    // Of two tips of 3 the later transaction is evicted.
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

  test('a sender does not evict its own transactions', () => {
    const pool = open(head(), { pending: 1 })
    send(pool, { nonce: 0n, ...tip(1n) })
    expect(() => send(pool, { nonce: 1n, ...tip(9n) })).toThrow(refusal('txpool is full'))
    expect(ready(pool)).toEqual(['1/0'])
  })

  test('a replacement is accepted by a full pool', () => {
    const pool = open(head(), { pending: 1, accountPending: 1 })
    send(pool, { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n })
    const next = send(pool, { maxFeePerGas: 110n, maxPriorityFeePerGas: 11n })
    expect([...pool.content().pending.values()]).toEqual([[next]])
  })

  test('queued transactions have a separate limit', () => {
    const pool = open(head(), { queued: 1 })
    send(pool, { from: alice, nonce: 1n, ...tip(1n) })
    expect(() => send(pool, { from: bob, nonce: 1n, ...tip(1n) })).toThrow(refusal('txpool is full'))
    send(pool, { from: bob, nonce: 0n, ...tip(1n) })
    send(pool, { from: carol, nonce: 1n, ...tip(2n) })
    expect([...pool.content().queued.keys()]).toEqual([carol])
  })

  test('the number of transactions per account is limited', () => {
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
    // Alice's first transaction evicts bob's with a tip of 1; her own last, worst transactions are evicted next.
    send(pool, { from: alice, nonce: 0n, ...tip(9n) })
    expect(ready(pool)).toEqual(['1/0', '1/1'])
    expect(pool.nextNonce(alice)).toBe(2n)
  })

  test('the size of the pool in bytes is limited', () => {
    const pool = open(head(), { bytes: 300 })
    const raw = new Uint8Array(150)
    const first = send(pool, { from: alice, raw })
    send(pool, { from: bob, raw })
    expect(() => send(pool, { from: carol, raw, ...tip(90n) })).toThrow(refusal('txpool is full'))
    pool.remove(first.hash)
    send(pool, { from: carol, raw })
  })

  test('10,000 transactions of 50 senders are accepted and ready at once', () => {
    const pool = open()
    for (let nonce = 199n; nonce >= 0n; nonce--) {
      for (let sender = 1; sender <= 50; sender++) send(pool, { from: account(sender), nonce })
    }
    expect(ready(pool)).toHaveLength(10_000)
  })
})
