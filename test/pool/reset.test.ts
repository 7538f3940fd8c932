// How the pool follows the head. Numbers are computed by hand.
import { describe, expect, test } from 'vitest'
import type { Address } from '../../src/lib/hex.ts'
import type { AdmissionRules } from '../../src/pool/admission.ts'
import { Pool } from '../../src/pool/txpool.ts'
import {
  alice,
  bob,
  carol,
  GWEI,
  head,
  names,
  nonces,
  open,
  osaka,
  ready,
  refusal,
  send,
  transaction,
} from './support.ts'

describe('resetting the pool to a new head', () => {
  test('drops mined transactions and keeps the rest in order', () => {
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

  test('promotes transactions behind a gap that the chain has closed', () => {
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

  test('queues all transactions when the state is rewound', () => {
    const pool = open(head(nonces([alice, 2n])))
    for (const nonce of [2n, 3n]) send(pool, { nonce })
    pool.reset(head())
    expect(ready(pool)).toEqual([])
    expect(pool.nextNonce(alice)).toBe(0n)
    for (const nonce of [0n, 1n]) send(pool, { nonce })
    expect(ready(pool)).toEqual(['1/0', '1/1', '1/2', '1/3'])
  })

  test('drops each transaction whose fee cap is below a higher base fee floor, and queues those after it', () => {
    const pool = open()
    for (const [nonce, cap] of [
      [0n, 9n],
      [1n, 8n],
      [2n, 9n],
    ] as const)
      send(pool, { nonce, maxFeePerGas: cap * GWEI })
    pool.reset(head({ baseFeePerGas: 20n * GWEI, minBaseFee: 8n * GWEI }))
    expect(pool.pending).toBe(3)
    pool.reset(head({ baseFeePerGas: 20n * GWEI, minBaseFee: 8n * GWEI + 1n }))
    expect([pool.pending, pool.queued]).toEqual([1, 1])
    // Remaining transactions are checked again when the floor rises further.
    pool.reset(head({ baseFeePerGas: 20n * GWEI, minBaseFee: 10n * GWEI }))
    expect([pool.pending, pool.queued]).toEqual([0, 0])
  })

  test('drops each transaction that the balance cannot cover, and queues those after it', () => {
    const pool = open()
    // 21,000 gas at 10 gwei is 210,000 gwei; the values are 0 and 1 wei.
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

  test('drops transactions above a lower gas limit or a new gas cap', () => {
    const pool = open()
    send(pool, { gasLimit: 30_000n })
    pool.reset(head({ gasLimit: 29_999n }))
    expect(ready(pool)).toEqual([])

    let fork: AdmissionRules = { ...osaka, transactionGasCap: undefined }
    const crossing = new Pool(head(), () => fork)
    crossing.add(transaction({ gasLimit: 16_777_217n }), undefined)
    expect(ready(crossing)).toEqual(['1/0'])
    fork = osaka
    crossing.reset(head())
    expect(ready(crossing)).toEqual([])
  })

  test('reads the state only of senders with transactions in the pool', () => {
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
