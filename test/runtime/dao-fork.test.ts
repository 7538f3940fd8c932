// The DAO fork (EIP-779): at the fork's block 116 accounts lose their balances to the refund contract, and ten blocks have
// `dao-hard-fork` as extra data; a chain that opposes the fork refuses this mark in the same ten blocks.
import { describe, expect, it } from 'vitest'
import { completeAttributes } from '../../src/chain/payload-attributes.ts'
import { type Address, type Hex, hexToAddress, ZERO_HASH } from '../../src/lib/hex.ts'
import type { SealedHeader } from '../../src/primitives/types.ts'
import { checkDaoExtraData } from '../../src/runtime/dao-fork.ts'
import accounts from '../../src/runtime/dao-fork-accounts.json' with { type: 'json' }
import { executeBlock } from '../../src/runtime/execute-block.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { forkAt, forkId } from '../../src/spec/forks.ts'
import { formatGenesis, parseGenesis } from '../../src/spec/genesis-file.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { genesisOn } from '../support/genesis.ts'

/** ASCII of `dao-hard-fork`. */
const MARK: Hex = `0x${Buffer.from('dao-hard-fork').toString('hex')}`
/** EIP-779: TheDAO itself, its extraBalance account, and the refund contract. */
const THE_DAO = hexToAddress('0xbb9bc244d798123fde783fcc1c72d3bb8c189413')
const EXTRA_BALANCE = hexToAddress('0x807640a13483f8ac783c557fcdf27be11ea4ac7a')
const REFUND = hexToAddress('0xbf4ed7b27f1d666546e30d74d50d173d20bca754')
const OTHER_ACCOUNT = hexToAddress(`0x${'12'.repeat(20)}`)

/** Every fork up to London from block 0. */
const LONDON = Object.fromEntries(
  ['eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul', 'berlin', 'london'].map(
    (fork) => [`${fork}Block`, 0],
  ),
)

function specOf(support: boolean, more: Record<string, unknown> = {}): GenesisSpec {
  return parseGenesis({
    config: { chainId: 1, homesteadBlock: 0, daoForkBlock: 2, daoForkSupport: support, ...more },
    difficulty: '0x20000',
    gasLimit: '0x1c9c380',
    alloc: {
      [THE_DAO]: { balance: '5000' },
      [EXTRA_BALANCE]: { balance: '700' },
      [REFUND]: { balance: '10' },
      [OTHER_ACCOUNT]: { balance: '3' },
    },
  })
}

/** Blocks 1 to `count`, each with the state after it. */
async function blocksOf(spec: GenesisSpec, count: number, extraData: Hex = '0x01') {
  let view = new StateStore(await openMemoryStore(), -1).at(-1)
  const { runtime, header } = genesisOn(view, spec)
  let parent: SealedHeader = header
  const made: { extraData: Hex; balance: (of: Address) => bigint; exists: (of: Address) => boolean }[] = []
  for (let i = 0; i < count; i++) {
    view = view.fork()
    const after = view
    const draft = completeAttributes(spec, parent, { timestamp: parent.timestamp + 1n, extraData })
    const { block } = await executeBlock(runtime, after, draft, [], () => ZERO_HASH, { pause: () => undefined })
    const exists = (of: Address) => after.account(of) !== undefined
    made.push({ extraData: block.header.extraData, balance: (of) => after.balance(of), exists })
    parent = block.header
  }
  return made
}

const balances = ({ balance }: { balance: (of: Address) => bigint }) =>
  [THE_DAO, EXTRA_BALANCE, REFUND, OTHER_ACCOUNT].map(balance)

describe('a chain that supports the fork', () => {
  it('moves the balances at the fork’s block only', async () => {
    const [before, at, after] = await blocksOf(specOf(true), 3)
    if (before === undefined || at === undefined || after === undefined) throw new Error('unreachable')
    expect(balances(before)).toEqual([5000n, 700n, 10n, 3n])
    expect(balances(at)).toEqual([0n, 0n, 5710n, 3n])
    expect(balances(after)).toEqual([0n, 0n, 5710n, 3n])
    // Before EIP-161 a debited account exists even if it was empty, as in geth.
    expect(accounts.map((account) => at.exists(hexToAddress(account)))).toEqual(accounts.map(() => true))
  })

  it('leaves no empty accounts when EIP-161 is active', async () => {
    const forks = { eip150Block: 2, eip155Block: 2, eip158Block: 2 }
    const [, at] = await blocksOf(specOf(true, forks), 2)
    expect(at && balances(at)).toEqual([0n, 0n, 5710n, 3n])
    expect(accounts.filter((account) => at?.exists(hexToAddress(account)))).toEqual([])
  })

  it('marks ten blocks, whatever extra data was requested', async () => {
    const made = await blocksOf(specOf(true), 12)
    expect(made.map(({ extraData }) => extraData)).toEqual(['0x01', ...Array(10).fill(MARK), '0x01'])
  })

  it.each([
    [1n, '0x', true],
    [1n, MARK, true],
    [2n, '0x', false],
    [2n, MARK, true],
    [11n, `${MARK}00`, false],
    [11n, MARK, true],
    [12n, '0x', true],
  ] as const)('accepts block %i with extra data %s: %s', (number, extraData, holds) => {
    expect(accepts(specOf(true), number, extraData)).toBe(holds)
  })

  it('sets no rules after the merge, as in geth', () => {
    const spec = specOf(true, { daoForkBlock: 0, terminalTotalDifficulty: 0, ...LONDON })
    expect(accepts(spec, 2n, '0x')).toBe(true)
  })
})

describe('a chain that opposes the fork', () => {
  it('moves no balances and does not mark its blocks, even if requested', async () => {
    const made = await blocksOf(specOf(false), 12, MARK)
    expect(made.map(({ extraData }) => extraData)).toEqual([MARK, ...Array(10).fill('0x'), MARK])
    expect(made.map(balances)).toEqual(Array(12).fill([5000n, 700n, 10n, 3n]))
  })

  it.each([
    [1n, MARK, true],
    [2n, MARK, false],
    [2n, '0x', true],
    [11n, MARK, false],
    [12n, MARK, true],
  ] as const)('accepts block %i with extra data %s: %s', (number, extraData, holds) => {
    expect(accepts(specOf(false), number, extraData)).toBe(holds)
  })

  it('is the same chain after its genesis file is written and read', () => {
    const spec = specOf(false)
    expect(spec.opposedDaoForkBlock).toBe(2n)
    expect(formatGenesis(spec)).toMatchObject({ config: { daoForkBlock: 2, daoForkSupport: false } })
    expect(parseGenesis(formatGenesis(spec))).toEqual(spec)
  })

  it('includes the block in its fork id, as geth does', () => {
    const at = { number: 0n, timestamp: 0n, merged: false }
    expect(forkId(specOf(false), ZERO_HASH, at)).toEqual(forkId(specOf(true), ZERO_HASH, at))
    expect(forkId(specOf(false), ZERO_HASH, at).next).toBe(2n)
  })
})

it('the list of the DAO fork has each account once', () => {
  expect(new Set(accounts).size).toBe(116)
  expect(accounts).toContain(THE_DAO)
  expect(accounts).toContain(EXTRA_BALANCE)
})

function accepts(spec: GenesisSpec, number: bigint, extraData: Hex): boolean {
  const fork = forkAt(spec, { number, timestamp: 0n, merged: false })
  try {
    checkDaoExtraData(spec, fork, { number, extraData } as SealedHeader)
    return true
  } catch {
    return false
  }
}
