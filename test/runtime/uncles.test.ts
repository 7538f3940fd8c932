// Valid uncles of a proof-of-work block (Yellow Paper, section 11.1): their headers follow the same rules as blocks' headers,
// relative to their own parents. Difficulties follow the formula of Byzantium (EIP-100): 9 to 17 seconds after a parent without
// uncles the difficulty does not change.
import { describe, expect, it } from 'vitest'
import { hexToAddress, hexToHash, ZERO_ADDRESS, ZERO_HASH } from '../../src/lib/hex.ts'
import { unclesHash } from '../../src/primitives/block.ts'
import { sealHeader } from '../../src/primitives/header.ts'
import { EMPTY_BLOOM } from '../../src/primitives/receipt.ts'
import type { Header, SealedHeader } from '../../src/primitives/types.ts'
import { checkHeader } from '../../src/runtime/check-header.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import { parseGenesis } from '../../src/spec/genesis-file.ts'
import { emptyView } from '../support/native.ts'

/** The rules under test do not read the state. */
const state = await emptyView()
const DIFFICULTY = 10_000_000n
const GAS_LIMIT = 8_000_000n
const NO_UNCLES = hexToHash('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')

function runtimeOf(until: 'istanbul' | 'london', dao: { daoForkBlock?: number; daoForkSupport?: boolean } = {}) {
  const forks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
  if (until === 'london') forks.push('berlin', 'london')
  const config = { chainId: 1, ...Object.fromEntries(forks.map((fork) => [`${fork}Block`, 100])), homesteadBlock: 0 }
  const alloc = {}
  return new Runtime(
    parseGenesis({ config: { ...config, ...dao }, difficulty: '0x989680', gasLimit: '0x7a1200', alloc }),
  )
}

/** A header ten seconds after its parent; all other fields are constant. */
function childOf(parent: SealedHeader, fields: Partial<Header> = {}): SealedHeader {
  const { hash, ...same } = parent
  const next = { number: parent.number + 1n, timestamp: parent.timestamp + 10n, parentHash: hash }
  return sealHeader({ ...same, ...next, sha3Uncles: NO_UNCLES, ...fields })
}

const first = (baseFeePerGas?: bigint): SealedHeader =>
  sealHeader({
    parentHash: ZERO_HASH,
    sha3Uncles: NO_UNCLES,
    coinbase: ZERO_ADDRESS,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    difficulty: DIFFICULTY,
    number: 200n,
    gasLimit: GAS_LIMIT,
    gasUsed: GAS_LIMIT / 2n,
    timestamp: 1_000n,
    extraData: '0x',
    mixHash: ZERO_HASH,
    nonce: '0x0000000000000000',
    baseFeePerGas,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
    blockAccessListHash: undefined,
    slotNumber: undefined,
  })

/** A chain of `length` blocks, oldest first, and the verdict on a block on its head that has uncles. */
function chainOf(length: number, runtime = runtimeOf('istanbul'), baseFee?: bigint) {
  const blocks = [first(baseFee)]
  for (let last = blocks[0]; last !== undefined && blocks.length < length; blocks.push(last)) last = childOf(last)
  const at = (index: number): SealedHeader => {
    const header = blocks.at(index)
    if (header === undefined) throw new Error(`there is no block ${index}`)
    return header
  }
  const recent = [...blocks].reverse().slice(0, 7)
  const verdictOn = (uncles: readonly Header[], earlier: ReadonlyMap<SealedHeader, readonly Header[]> = new Map()) => {
    const header = childOf(at(-1), { sha3Uncles: unclesHash(uncles) })
    const ancestry = {
      parent: at(-1),
      totalDifficulty: DIFFICULTY * BigInt(length),
      recent: recent.map((ancestor) => ({ header: ancestor, uncles: earlier.get(ancestor) ?? [] })),
    }
    return () => checkHeader(runtime, { header, uncles }, ancestry, state)
  }
  return { at, verdictOn }
}

/** A block of another miner at the height of one of the chain. */
const other = (fields: Partial<Header> = {}): Partial<Header> => ({
  coinbase: hexToAddress(`0x${'ab'.repeat(20)}`),
  ...fields,
})

describe('an uncle', () => {
  it.each([2, 3, 4, 5, 6, 7])('may be a child of the ancestor %i generations above', (generation) => {
    const { at, verdictOn } = chainOf(10)
    expect(verdictOn([childOf(at(-generation), other())])).not.toThrow()
  })

  it.each([1, 8, 9])('may not be a child of the ancestor %i generations above', (generation) => {
    const { at, verdictOn } = chainOf(10)
    expect(verdictOn([childOf(at(-generation), other())])).toThrow('an uncle is no child of a recent ancestor')
  })

  it('may be one of two, but not one of three, not a duplicate, and not an uncle of an ancestor', () => {
    const { at, verdictOn } = chainOf(10)
    const [one, two, three] = [2, 3, 4].map((generation) => childOf(at(-generation), other()))
    if (one === undefined || two === undefined || three === undefined) throw new Error('unreachable')
    expect(verdictOn([one, two])).not.toThrow()
    expect(verdictOn([one, two, three])).toThrow('too many uncles')
    expect(verdictOn([one, one])).toThrow('an uncle is named twice')
    expect(verdictOn([two], new Map([[at(-1), [two]]]))).toThrow('an uncle is named twice')
    expect(verdictOn([at(-2)])).toThrow('an uncle is an ancestor')
  })

  // 8,000,000 / 1024 = 7,812.5: a gas limit may differ from the parent's by less than 7,812.
  it.each<[string, Partial<Header>, string]>([
    ['number of its parent', { number: 207n }, 'number 207 does not follow 207'],
    ['number of the block', { number: 210n }, 'number 210 does not follow 207'],
    ['time of its parent', { timestamp: 1_070n }, "timestamp 1070 is not after the parent's 1070"],
    ['time before its parent', { timestamp: 1_069n }, "timestamp 1069 is not after the parent's 1070"],
    ['gas limit too high', { gasLimit: GAS_LIMIT + 7_812n }, 'gas limit 8007812 is too far'],
    ['gas limit too low', { gasLimit: GAS_LIMIT - 7_812n }, 'gas limit 7992188 is too far'],
    ['gas used over the limit', { gasUsed: GAS_LIMIT + 1n }, 'gas used 8000001 is over the limit 8000000'],
    ['extra data of 33 bytes', { extraData: `0x${'00'.repeat(33)}` }, 'extra data is longer than 32 bytes'],
    ['difficulty', { difficulty: DIFFICULTY + 1n }, 'difficulty is 10000001, want 10000000'],
    // 1 - 20 / 9 = -1: 10,000,000 - 10,000,000 / 2048 = 9,995,118.
    ['difficulty for its timestamp', { timestamp: 1_090n }, 'difficulty is 10000000, want 9995118'],
    ['base fee before London', { baseFeePerGas: 7n }, 'baseFeePerGas is not known yet'],
  ])('may not have a wrong %s', (_, fields, words) => {
    const { at, verdictOn } = chainOf(10)
    expect(at(-3)).toMatchObject({ number: 207n, timestamp: 1_070n })
    const uncle = childOf(at(-3), other(fields))
    expect(verdictOn([uncle])).toThrow(`uncle ${uncle.hash}: `)
    expect(verdictOn([uncle])).toThrow(words)
  })

  it.each<[string, Partial<Header>]>([
    ['gas limit', { gasLimit: GAS_LIMIT + 7_811n }],
    ['gas limit', { gasLimit: GAS_LIMIT - 7_811n }],
    ['gas used', { gasUsed: GAS_LIMIT }],
    ['extra data', { extraData: `0x${'00'.repeat(32)}` }],
    ['difficulty', { timestamp: 1_090n, difficulty: 9_995_118n }],
  ])('may have any other %s', (_, fields) => {
    const { at, verdictOn } = chainOf(10)
    expect(verdictOn([childOf(at(-3), other(fields))])).not.toThrow()
  })

  it('has the base fee that follows from its parent since London', () => {
    // Parents use half of their gas limit, which is the target, so the fee does not change.
    const { at, verdictOn } = chainOf(10, runtimeOf('london'), 1_000n)
    expect(verdictOn([childOf(at(-3), other())])).not.toThrow()
    expect(verdictOn([childOf(at(-3), other({ baseFeePerGas: 1_001n }))])).toThrow('base fee is 1001, want 1000')
    expect(verdictOn([childOf(at(-3), other({ baseFeePerGas: undefined }))])).toThrow('baseFeePerGas is missing')
  })

  it('has the mark of the DAO fork at the same heights as blocks', () => {
    // The fork is at 201: blocks 201 to 210 and uncles of these heights have the mark.
    const mark = '0x64616f2d686172642d666f726b'
    const runtime = runtimeOf('istanbul', { daoForkBlock: 50, daoForkSupport: true })
    expect(chainOf(10, runtime).verdictOn([])).not.toThrow()
    const near = parseGenesis({
      config: { chainId: 1, homesteadBlock: 0, daoForkBlock: 201, daoForkSupport: true },
      difficulty: '0x989680',
      gasLimit: '0x7a1200',
      alloc: {},
    })
    // Homestead's formula: 1 - 10 / 10 = 0, the difficulty does not change.
    const parent = first()
    const block = childOf(parent, { extraData: mark })
    const next = childOf(block, { extraData: mark })
    const recent = [block, parent].map((header) => ({ header, uncles: [] }))
    const named = (uncle: SealedHeader) => () => {
      const header = sealHeader({ ...next, sha3Uncles: unclesHash([uncle]) })
      const ancestry = { parent: block, totalDifficulty: 2n * DIFFICULTY, recent }
      checkHeader(new Runtime(near), { header, uncles: [uncle] }, ancestry, state)
    }
    expect(named(childOf(parent, other({ extraData: mark })))).not.toThrow()
    expect(named(childOf(parent, other()))).toThrow('bad DAO pro-fork extra data')
  })
})
