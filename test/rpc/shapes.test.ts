// Wire shapes compared with responses of go-ethereum recorded by ethereum/execution-apis (CC0): recorded.json has them with the
// RLP of the blocks. The comparison is exact: no key may be missing or added.
import { describe, expect, it, test } from 'vitest'
import type { MinedReceipt } from '../../src/chain/types.ts'
import { fromHex, hexToAddress, hexToHash } from '../../src/lib/hex.ts'
import { decodeBlock } from '../../src/primitives/block.ts'
import { matchesLog } from '../../src/primitives/log-criteria.ts'
import { decodeSigned } from '../../src/primitives/transaction.ts'
import type { Block, TransactionType } from '../../src/primitives/types.ts'
import { revertError } from '../../src/rpc/errors.ts'
import { criteriaOf } from '../../src/rpc/log-search.ts'
import { wireBlock, wireHeader, wireUncle } from '../../src/rpc/shapes/block.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from '../../src/rpc/shapes/call.ts'
import { logFilter } from '../../src/rpc/shapes/log-filter.ts'
import { logJson, logsOf, minedReceipts, wireLog, wireReceipt, wireRemovedLog } from '../../src/rpc/shapes/receipt.ts'
import { wireTransaction } from '../../src/rpc/shapes/transaction.ts'
import recorded from './recorded.json' with { type: 'json' }

function readBlock(rlp: string): Block {
  const block = decodeBlock(fromHex(rlp))
  return { ...block, transactions: block.transactions.map(({ raw }) => decodeSigned(raw)) }
}
const { genesis, london, prague, osaka } = recorded.blocks

describe('the JSON of a block', () => {
  test.each([
    ['genesis', genesis, 'full'],
    ['London', london, 'hashes'],
    ['Prague', prague, 'hashes'],
    ['Osaka with its transactions', osaka, 'full'],
  ] as const)('%s', (_, { rlp, answer }, transactions) => {
    expect(wireBlock(readBlock(rlp), transactions)).toEqual(answer)
  })

  it('is that of a header without the body, and that of an uncle without body and transactions', () => {
    const { header } = readBlock(london.rlp)
    const { size, transactions, uncles, ...wire } = london.answer
    expect(wireHeader(header)).toEqual(wire)
    const { size: uncleSize, ...uncle } = wireUncle(header)
    expect(uncle).toEqual({ ...wire, uncles: [] })
    expect(Number(uncleSize)).toBeLessThan(Number(size))
  })

  it('has its withdrawals', () => {
    const withdrawal = { index: 1n, validatorIndex: 2n, address: hexToAddress(`0x${'11'.repeat(20)}`), amount: 3n }
    const block = { ...readBlock(prague.rlp), withdrawals: [withdrawal] }
    expect(wireBlock(block, 'hashes').withdrawals).toEqual([
      { index: '0x1', validatorIndex: '0x2', address: withdrawal.address, amount: '0x3' },
    ])
  })
})

describe('the JSON of a transaction', () => {
  const { header, transactions } = readBlock(prague.rlp)
  const setCode = transactions[1]
  if (setCode === undefined) throw new Error('the recorded block has six transactions')

  it('has its block when mined', () => {
    expect(wireTransaction(setCode, { header, index: 1 })).toEqual(recorded.setCodeTransaction)
  })

  it('that is pending has no position, and has its fee cap as gasPrice', () => {
    expect(wireTransaction({ ...setCode, maxFeePerGas: 0x100n }, undefined)).toEqual({
      ...recorded.setCodeTransaction,
      blockHash: null,
      blockNumber: null,
      blockTimestamp: null,
      transactionIndex: null,
      gasPrice: '0x100',
      maxFeePerGas: '0x100',
    })
  })

  it('has base fee plus tip as gas price, at most its fee cap (EIP-1559)', () => {
    const price = (maxFeePerGas: bigint) =>
      wireTransaction(
        { ...setCode, maxFeePerGas, maxPriorityFeePerGas: 2n },
        { header: { ...header, baseFeePerGas: 10n }, index: 0 },
      ).gasPrice
    expect([price(100n), price(12n), price(11n)]).toEqual(['0xc', '0xc', '0xb'])
  })

  it('has blob fields only with type 3', () => {
    const hash = hexToHash(`0x01${'22'.repeat(31)}`)
    const blob = wireTransaction({ ...setCode, type: 3, maxFeePerBlobGas: 7n, blobVersionedHashes: [hash] }, undefined)
    expect(blob).toMatchObject({ type: '0x3', maxFeePerBlobGas: '0x7', blobVersionedHashes: [hash], yParity: '0x0' })
    expect(blob).not.toHaveProperty('authorizationList')
  })
})

type RecordedReceipt = (typeof recorded.receipts)[keyof typeof recorded.receipts]

/** A recorded receipt as the chain stores it, decoded independently of the encoder. */
function readReceipt(answer: RecordedReceipt): MinedReceipt {
  const { header, transactions } = readBlock(london.rlp)
  const [transaction] = transactions
  if (transaction === undefined) throw new Error('the recorded block has transactions')
  const fields: Partial<Record<'root' | 'status' | 'blobGasUsed' | 'blobGasPrice', string>> = answer
  const { root, status, blobGasUsed, blobGasPrice } = fields
  return {
    header: {
      ...header,
      hash: hexToHash(answer.blockHash),
      number: BigInt(answer.blockNumber),
      timestamp: BigInt(answer.logs[0]?.blockTimestamp ?? '0x0'),
    },
    transaction: {
      ...transaction,
      hash: hexToHash(answer.transactionHash),
      from: hexToAddress(answer.from),
      to: answer.to === null ? null : hexToAddress(answer.to),
    },
    index: Number(answer.transactionIndex),
    firstLogIndex: Number(answer.logs[0]?.logIndex ?? '0x0'),
    receipt: {
      type: Number(answer.type) as TransactionType,
      status: status === undefined ? undefined : status === '0x1' ? 1 : 0,
      root: root === undefined ? undefined : hexToHash(root),
      cumulativeGasUsed: BigInt(answer.cumulativeGasUsed),
      gasUsed: BigInt(answer.gasUsed),
      bloom: fromHex(answer.logsBloom),
      logs: answer.logs.map((log) => ({
        address: hexToAddress(log.address),
        topics: log.topics.map(hexToHash),
        data: fromHex(log.data),
      })),
      contractAddress: answer.contractAddress === null ? null : hexToAddress(answer.contractAddress),
      effectiveGasPrice: BigInt(answer.effectiveGasPrice),
      blobGasUsed: blobGasUsed === undefined ? undefined : BigInt(blobGasUsed),
      blobGasPrice: blobGasPrice === undefined ? undefined : BigInt(blobGasPrice),
    },
  }
}

describe('the JSON of a log', () => {
  it.each(Object.keys(recorded.receipts) as (keyof typeof recorded.receipts)[])('is that of its fields: %s', (name) => {
    const logs = logsOf(readReceipt(recorded.receipts[name]))
    expect(logs.map(logJson)).toEqual(logs.map((log) => JSON.stringify(wireLog(log))))
  })

  it('has an empty list of topics for an anonymous log without indexed parameters', () => {
    const [mined] = logsOf(readReceipt(recorded.receipts.dynamicFee))
    expect(mined && JSON.parse(logJson({ ...mined, log: { ...mined.log, topics: [] } })).topics).toEqual([])
  })
})

describe('the JSON of a receipt', () => {
  test.each(['homestead', 'dynamicFee', 'blob'] as const)('%s', (name) => {
    expect(wireReceipt(readReceipt(recorded.receipts[name]))).toEqual(recorded.receipts[name])
  })

  it('of a failed transaction has status 0x0', () => {
    const mined = readReceipt(recorded.receipts.dynamicFee)
    const failed = wireReceipt({ ...mined, receipt: { ...mined.receipt, status: 0 } })
    expect(failed.status).toBe('0x0')
  })

  it('continues the block’s log count', () => {
    const block = readBlock(osaka.rlp)
    const { receipt } = readReceipt(recorded.receipts.blob)
    const placed = minedReceipts(block, [receipt, { ...receipt, logs: [] }, receipt])
    expect(placed.map(({ firstLogIndex }) => firstLogIndex)).toEqual([0, 1, 1])
    expect(placed.map(({ index, transaction }) => transaction === block.transactions[index])).toEqual([
      true,
      true,
      true,
    ])
  })
})

describe('a call object', () => {
  const request = (call: unknown) => toCallRequest(callObject.parse(call), 125n)
  const to = `0x${'11'.repeat(20)}`

  it('accepts data, input, or both when equal', () => {
    expect(request({ data: '0x01' }).data).toEqual(new Uint8Array([1]))
    expect(request({ input: '0x02' }).data).toEqual(new Uint8Array([2]))
    expect(request({ data: '0x03', input: '0x03' }).data).toEqual(new Uint8Array([3]))
    expect(() => request({ data: '0x01', input: '0x02' })).toThrow('not equal')
  })

  it('accepts null for absent fields, and ignores unknown ones', () => {
    expect(request({ from: null, to: null, value: null, accessList: null, extra: 1 })).toEqual({ to: null })
    expect(request({})).toEqual({})
  })

  it('accepts integers as JSON numbers, as the specification writes them', () => {
    expect(request({ to, gas: 21000, gasPrice: '0x1', value: 5 })).toEqual({ to, gas: 21000n, gasPrice: 1n, value: 5n })
  })

  it('is refused when its fields contradict each other or the chain', () => {
    expect(() => request({ gasPrice: '0x1', maxFeePerGas: '0x1' })).toThrow('both gasPrice and')
    expect(() => request({ chainId: '0x1' })).toThrow('want=125')
    expect(request({ chainId: '0x7d', type: '0x2' })).toEqual({})
  })

  it('reads access lists and authorizations (EIP-2930, EIP-7702)', () => {
    const key = `0x${'00'.repeat(31)}01`
    const authorization = {
      chainId: '0x1',
      address: to,
      nonce: '0x0',
      yParity: '0x0',
      r: `0x${'11'.repeat(32)}`,
      s: '0x2',
    }
    expect(
      request({
        accessList: [{ address: to, storageKeys: [key] }, { address: to }],
        authorizationList: [authorization],
      }),
    ).toEqual({
      accessList: [
        { address: to, storageKeys: [key] },
        { address: to, storageKeys: [] },
      ],
      authorizationList: [
        { chainId: 1n, address: to, nonce: 0n, yParity: 0n, r: BigInt(`0x${'11'.repeat(32)}`), s: 2n },
      ],
    })
  })
})

describe('overrides of calls', () => {
  const who = `0x${'AA'.repeat(20)}`
  const word = `0x${'00'.repeat(31)}01`

  it('of state are decoded by account', () => {
    const read = toStateOverrides(
      stateOverrides.parse({
        [who]: { balance: '0x1', nonce: 2, code: '0x60', stateDiff: { [word]: word }, movePrecompileToAddress: who },
      }),
    )
    expect([...read.keys()]).toEqual([who.toLowerCase()])
    expect(read.get(hexToAddress(who))).toEqual({
      balance: 1n,
      nonce: 2n,
      code: new Uint8Array([0x60]),
      stateDiff: new Map([[word, word]]),
      movePrecompileTo: who.toLowerCase(),
    })
  })

  it('of state refuse `state` together with `stateDiff`', () => {
    const both = stateOverrides.parse({ [who]: { state: {}, stateDiff: {} } })
    expect(() => toStateOverrides(both)).toThrow("has both 'state' and 'stateDiff'")
  })

  it('of the block are decoded as header fields', () => {
    const read = toBlockOverrides(
      blockOverrides.parse({
        number: '0x10',
        time: '0x20',
        gasLimit: '0x3ec',
        feeRecipient: who,
        baseFeePerGas: '0x7',
      }),
    )
    expect(read).toEqual({
      number: 16n,
      time: 32n,
      gasLimit: 1004n,
      feeRecipient: who.toLowerCase(),
      baseFeePerGas: 7n,
    })
  })
})

describe('the JSON of a log filter', () => {
  const a = `0x${'aa'.repeat(32)}`
  const b = `0x${'bb'.repeat(32)}`
  const who = `0x${'11'.repeat(20)}`
  const match = (filter: unknown) => criteriaOf(logFilter.parse(filter))

  it('accepts one or many addresses and topics, null and [] for any', () => {
    expect(match({})).toEqual({ addresses: [], topics: [] })
    expect(match({ address: who, topics: [a, null, [], [a, b]] })).toEqual({
      addresses: [who],
      topics: [[a], null, null, [a, b]],
    })
    expect(match({ address: [who], topics: [[a, null]] })).toEqual({ addresses: [who], topics: [null] })
  })

  test.each([
    { blockHash: a, fromBlock: '0x1' },
    { blockHash: a, toBlock: 'latest' },
    { topics: [a, a, a, a, a] },
    { address: '0x11' },
    { topics: ['0x11'] },
    { fromBlock: '1' },
    [],
    null,
  ])('refuses %j', (filter) => {
    expect(logFilter.safeParse(filter).success).toBe(false)
  })

  it('matches logs by address and by position', () => {
    const { header } = readBlock(london.rlp)
    const log = { address: hexToAddress(who), topics: [hexToHash(a), hexToHash(b)], data: new Uint8Array() }
    const mined = { log, header, transactionHash: hexToHash(a), transactionIndex: 0, logIndex: 0 }
    const matches = (filter: unknown) => matchesLog(log, match(filter))
    expect(
      [{}, { address: who }, { topics: [a] }, { topics: [null, b] }, { topics: [[b, a], [b]] }].map(matches),
    ).toEqual([true, true, true, true, true])
    const other = `0x${'22'.repeat(20)}`
    expect([{ address: other }, { topics: [b] }, { topics: [a, b, null] }].map(matches)).toEqual([false, false, false])
    expect(wireRemovedLog(mined)).toMatchObject({ address: who, removed: true, blockNumber: '0x1b' })
  })
})

test('a revert is in geth’s words', () => {
  const of = (reason?: string) => revertError(fromHex('0x12345678'), reason)
  expect(of()).toMatchObject({ code: 'execution-reverted', message: 'execution reverted', data: '0x12345678' })
  expect(of('user error')).toMatchObject({ message: 'execution reverted: user error', data: '0x12345678' })
})
