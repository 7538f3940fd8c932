// Reference: the chain of the JSON-RPC conformance suite, recorded from go-ethereum, and @ethereumjs/tx for senders.
import { readFileSync } from 'node:fs'
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { RLP } from '@ethereumjs/rlp'
import { createTxFromRLP } from '@ethereumjs/tx'
import { describe, expect, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { fromHex, toHex } from '../../src/lib/hex.ts'
import {
  blockSize,
  decodeBlock,
  EMPTY_UNCLES_HASH,
  encodeBlock,
  encodeWithdrawal,
  splitBlocks,
  unclesHash,
} from '../../src/primitives/block.ts'
import { kzg } from '../../src/primitives/kzg.ts'
import { hasLowS, recoverSender } from '../../src/primitives/transaction.ts'

const file = readFileSync(new URL('../conformance/execution-apis/chain.rlp', import.meta.url))
const encodings = [...splitBlocks(new Uint8Array(file))]
const blocks = encodings.map(decodeBlock)

describe('the blocks of the conformance chain', () => {
  test('are 54 blocks', () => {
    expect(encodings).toHaveLength(54)
    expect(blocks.map(({ header }) => header.number)).toEqual(encodings.map((_, index) => BigInt(index + 1)))
    const counts = [0, 0, 0, 0, 0]
    for (const { type } of blocks.flatMap(({ transactions }) => transactions)) counts[type] = (counts[type] ?? 0) + 1
    expect(counts).toEqual([196, 23, 23, 6, 1])
  })

  test('encode to their original bytes', () => {
    for (const [index, block] of blocks.entries()) {
      const encoding = encodings[index] ?? new Uint8Array()
      expect(Buffer.compare(encodeBlock(block), encoding), `block ${index + 1}`).toBe(0)
      expect(blockSize(block)).toBe(encoding.length)
    }
  })

  test('are linked by their hashes up to the recorded head', () => {
    for (const [index, block] of blocks.slice(1).entries()) {
      expect(block.header.parentHash).toBe(blocks[index]?.header.hash)
    }
    expect(blocks.at(-1)?.header.hash).toBe('0xd226371d0b1551adb03fb52b71f08e3e11247fe9b1af994768af8cdaa8e7dcd7')
  })

  test('have the uncles that their headers commit to', () => {
    for (const { header, uncles } of blocks) expect(unclesHash(uncles)).toBe(header.sha3Uncles)
    expect(blocks.filter(({ uncles }) => uncles.length > 0)).toHaveLength(18)
    expect(unclesHash([])).toBe(EMPTY_UNCLES_HASH)
  })

  test('have withdrawals from block 39 on', () => {
    for (const { header, withdrawals } of blocks) expect(withdrawals !== undefined).toBe(header.number >= 39n)
  })

  test('have the senders that @ethereumjs/tx finds', () => {
    const common = new Common({
      chain: { ...Mainnet, chainId: 3503995874084926 },
      hardfork: Hardfork.Prague,
      customCrypto: { kzg },
    })
    const transactions = blocks.flatMap(({ transactions }) => transactions)
    expect(transactions.every(hasLowS)).toBe(true)
    for (const transaction of transactions) {
      const reference = createTxFromRLP(transaction.raw, { common })
      expect(transaction.hash).toBe(toHex(reference.hash()))
      expect(recoverSender(transaction)).toBe(reference.getSenderAddress().toString())
    }
  })
})

test('a withdrawal has four fields (EIP-4895)', () => {
  const address = toHex(new Uint8Array(20).fill(0xaa)) as Parameters<typeof encodeWithdrawal>[0]['address']
  const encoding = encodeWithdrawal({ index: 0n, validatorIndex: 5n, address, amount: 1000n })
  // A list of 1 + 1 + 21 + 3 bytes.
  expect(toHex(encoding)).toBe(`0xda8005${`94${'aa'.repeat(20)}`}8203e8`)
})

describe('a malformed block is refused', () => {
  const last = encodings.at(-1) ?? new Uint8Array()
  const [header, transactions, uncles, withdrawals] = RLP.decode(last) as Uint8Array[]
  const rebuild = (...parts: unknown[]) => RLP.encode(parts as Uint8Array[])
  const legacy = blocks[1]?.transactions.find(({ type }) => type === 0)?.raw ?? new Uint8Array()

  test('unless rebuilt without a fault', () => {
    expect(toHex(rebuild(header, transactions, uncles, withdrawals))).toBe(toHex(last))
  })

  test.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['two parts', rebuild(header, transactions)],
    ['five parts', rebuild(header, transactions, uncles, withdrawals, [])],
    ['a header that is a string', rebuild(new Uint8Array(3), transactions, uncles, withdrawals)],
    ['transactions that are a string', rebuild(header, new Uint8Array(3), uncles, withdrawals)],
    ['a broken transaction', rebuild(header, [Uint8Array.of(2, 0xc0)], uncles, withdrawals)],
    ['an empty transaction', rebuild(header, [new Uint8Array(0)], uncles, withdrawals)],
    ['a legacy transaction in a string', rebuild(header, [legacy], uncles, withdrawals)],
    ['an uncle that is a string', rebuild(header, transactions, [new Uint8Array(3)], withdrawals)],
    [
      'a withdrawal of three fields',
      rebuild(header, transactions, uncles, [[new Uint8Array(0), new Uint8Array(0), new Uint8Array(20)]]),
    ],
    ['an extra byte at the end', Uint8Array.of(...last, 0)],
    ['a truncated block', last.subarray(0, -1)],
  ])('%s', (_, encoding) => {
    expect(() => decodeBlock(encoding)).toThrow(expect.objectContaining({ name: 'ChainError', code: 'invalid-block' }))
  })

  test('a file that ends within a block yields the blocks before it first', () => {
    const seen: Uint8Array[] = []
    const read = () => {
      for (const block of splitBlocks(new Uint8Array(file).subarray(0, -1))) seen.push(block)
    }
    expect(read).toThrow(ChainError)
    expect(read).toThrow(expect.objectContaining({ code: 'invalid-block' }))
    expect(seen).toHaveLength(2 * 53)
  })

  test('an empty file has no blocks', () => {
    expect([...splitBlocks(fromHex('0x'))]).toEqual([])
  })
})
