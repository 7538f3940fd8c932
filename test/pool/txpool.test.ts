// Examples of pending transactions and their order. Numbers are computed by hand.
import { describe, expect, test } from 'vitest'
import type { Transaction } from '../../src/primitives/types.ts'
import {
  alice,
  bob,
  carol,
  GWEI,
  hash,
  head,
  names,
  nonces,
  open,
  ready,
  refusal,
  send,
  transaction,
} from './support.ts'

describe('nonces in the pool', () => {
  test('with a gap wait, and closing it makes all transactions after it executable', () => {
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

  test('the next nonce of an unknown sender is that of the state', () => {
    expect(open(head(nonces([bob, 7n]))).nextNonce(bob)).toBe(7n)
  })

  test('beyond 2^53 are compared exactly', () => {
    const far = 2n ** 60n
    const pool = open(head(nonces([alice, far])))
    send(pool, { nonce: far + 1n })
    send(pool, { nonce: far })
    expect(ready(pool)).toEqual([`1/${far}`, `1/${far + 1n}`])
    expect(pool.nextNonce(alice)).toBe(far + 2n)
  })

  test('have a gap after a removal', () => {
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

describe('lookup in the pool', () => {
  test('finds a transaction by hash, with its blobs, until it is removed', () => {
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

  test('finds nothing after clear', () => {
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

describe('the order of ready transactions', () => {
  test('is by effective tip at the base fee, then by arrival', () => {
    // At a base fee of 8 gwei alice's cap of 10 leaves a tip of 2, whatever tip she set; bob's is 3; carol's 2, but later.
    const pool = open(head({ baseFeePerGas: 8n * GWEI }))
    send(pool, { from: alice, maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: 9n * GWEI })
    send(pool, { from: carol, maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 2n * GWEI })
    send(pool, { from: bob, maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: 3n * GWEI })
    expect(ready(pool)).toEqual(['2/0', '1/0', '3/0'])
    // At 1 gwei alice's tip is paid in full.
    pool.reset(head({ baseFeePerGas: GWEI }))
    expect(ready(pool)).toEqual(['1/0', '2/0', '3/0'])
  })

  test('has a sender’s first transaction before a better second one', () => {
    const pool = open()
    send(pool, { from: alice, nonce: 0n, maxPriorityFeePerGas: 1n * GWEI })
    send(pool, { from: alice, nonce: 1n, maxPriorityFeePerGas: 9n * GWEI })
    send(pool, { from: bob, nonce: 0n, maxPriorityFeePerGas: 5n * GWEI })
    send(pool, { from: bob, nonce: 1n, maxPriorityFeePerGas: 2n * GWEI })
    expect(ready(pool)).toEqual(['2/0', '2/1', '1/0', '1/1'])
  })

  test('leaves out a cap below the base fee, and all transactions after it', () => {
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

  test('leaves out a blob fee cap below the blob base fee', () => {
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

  test('drops removed transactions from an iteration in progress, and follows a replacement', () => {
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

  test('is the same for each new iteration', () => {
    const pool = open()
    send(pool, {})
    const iterable = pool.ready()
    expect(names(iterable)).toEqual(['1/0'])
    expect(names(iterable)).toEqual(['1/0'])
  })
})

describe('replacement of a transaction', () => {
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({ maxFeePerGas, maxPriorityFeePerGas })

  test.each([
    ['fee cap and tip ten per cent higher', fees(110n * GWEI, 11n * GWEI), true],
    ['a fee cap one wei too low', fees(110n * GWEI - 1n, 11n * GWEI), false],
    ['a tip one wei too low', fees(110n * GWEI, 11n * GWEI - 1n), false],
    ['a higher fee cap only', fees(200n * GWEI, 10n * GWEI), false],
    ['a higher tip only', fees(100n * GWEI, 20n * GWEI), false],
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

  test('with small fees may raise them by less than a tenth, but must raise them', () => {
    // 110 % of 15 is 16.5, so 16 suffices; 110 % of 5 is 5.5, so 5 would suffice, but it is not a raise.
    const pool = open()
    send(pool, fees(15n, 5n))
    expect(() => send(pool, fees(16n, 5n))).toThrow(refusal('replacement transaction underpriced'))
    send(pool, fees(16n, 6n))
  })

  test('of a queued transaction follows the same rule', () => {
    const pool = open()
    send(pool, { nonce: 5n, ...fees(100n, 10n) })
    expect(() => send(pool, { nonce: 5n, ...fees(109n, 11n) })).toThrow(refusal('replacement transaction underpriced'))
    const next = send(pool, { nonce: 5n, ...fees(110n, 11n) })
    expect(pool.content().queued.get(alice)).toEqual([next])
  })

  test.each([
    ['all fees doubled', 200n, 20n, 6n, true],
    ['a fee cap below double', 199n, 20n, 6n, false],
    ['a tip below double', 200n, 19n, 6n, false],
    ['a blob fee below double', 200n, 20n, 5n, false],
  ])('with blobs: %s', (_, feeCap, tip, blobFee, taken) => {
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
