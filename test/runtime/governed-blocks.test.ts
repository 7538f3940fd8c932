// What governance decides about later blocks of a running chain: the gas limit of headers, which moves by less than 1/1024 of the
// parent's (Yellow Paper, equation 47), and the upgrade before which the program stops.
import { type Hex, toHex } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { fromHex } from '../../src/lib/hex.ts'
import { decodeBlock, encodeBlock } from '../../src/primitives/block.ts'
import { sealHeader } from '../../src/primitives/header.ts'
import { requireProgram } from '../../src/runtime/program-upgrades.ts'
import { govChain, governed, message, VOTING } from '../precompiles/gov-support.ts'
import { openFresh } from '../support/network.ts'

const spec = governed({ version: 2, params: { votingPeriod: Number(VOTING) } })
const GENESIS = 36_000_000n
const maxGas = (gas: bigint) => message('/cosmos.consensus.v1.MsgUpdateParams', { block: { max_gas: gas.toString() } })
const upgrade = (height: bigint, info = 'https://example.org/v2') =>
  message('/cosmos.upgrade.v1beta1.MsgSoftwareUpgrade', { plan: { name: 'v2', height: height.toString(), info } })

async function decided(messages: (head: bigint) => readonly object[]) {
  const chain = await govChain({ spec })
  const head = () => chain.viem.getBlockNumber({ cacheTime: 0 })
  const id = await chain.propose(messages(await head()))
  await chain.voteAll(id)
  await chain.conclude(id)
  return { ...chain, head, at: await head() }
}

describe('a block gas limit of governance', () => {
  it('is approached from the next block on, whatever the producer wants', async () => {
    const { viem, rpc, mine, at } = await decided(() => [maxGas(37_000_000n)])
    const limit = async (blockNumber: bigint) => (await viem.getBlock({ blockNumber })).gasLimit
    expect(await limit(at)).toBe(GENESIS)
    await rpc('evm_setBlockGasLimit', toHex(20_000_000n))
    await mine(40)
    // 36,000,000 / 1024 = 35,156, of which the step is one less.
    expect(await limit(at + 1n)).toBe(GENESIS + 35_155n)
    expect(await limit(at + 2n)).toBe(36_035_155n + 35_189n)
    // 28 steps of at least 35,155 are 984,340, and 29 are more than a million.
    expect(await limit(at + 28n)).toBeLessThan(37_000_000n)
    expect(await limit(at + 29n)).toBe(37_000_000n)
    expect(await limit(at + 40n)).toBe(37_000_000n)
    expect(await rpc('kestrel_getConsensusParams', 'latest')).toEqual({
      gasLimit: toHex(37_000_000n),
      maxBytes: null,
      blockTimeMs: null,
      evidence: null,
    })
    expect(await rpc('kestrel_getConsensusParams', toHex(at - 1n))).toMatchObject({ gasLimit: null })
  })

  it('is checked in imported blocks', async () => {
    const { rpc, mine, at } = await decided(() => [maxGas(37_000_000n)])
    await mine(1)
    const copy = await openFresh(spec)
    for (let number = 1n; number <= at; number++)
      await copy.importBlock(fromHex((await rpc('debug_getRawBlock', toHex(number))) as Hex))
    const block = decodeBlock(fromHex((await rpc('debug_getRawBlock', toHex(at + 1n))) as Hex))
    const other = { ...block, header: sealHeader({ ...block.header, gasLimit: GENESIS }) }
    await expect(copy.importBlock(encodeBlock(other))).rejects.toThrow('gas limit is 36000000, want 36035155')
    await copy.importBlock(encodeBlock(block))
    expect(copy.head.hash).toBe(block.header.hash)
  })
})

describe('a time between blocks of governance', () => {
  it('makes the blocks of a chain of one node', async () => {
    const time = message('/cosmos.consensus.v1.MsgUpdateParams', { block_time_ms: 1_000 })
    const { head, at } = await decided(() => [time])
    // Nobody sends or mines.
    await vi.waitUntil(async () => (await head()) >= at + 2n, { timeout: 20_000, interval: 100 })
    expect(await head()).toBeGreaterThanOrEqual(at + 2n)
  })
})

describe('an upgrade of the program', () => {
  it('ends the chain of a program that does not know it, before its height', async () => {
    const { rpc, raw, mine, head, at, node } = await decided((now) => [upgrade(now + 10n)])
    const upgrades = (await rpc('kestrel_getUpgrades')) as {
      name: string
      height: Hex
      applied: boolean
      info: string
    }[]
    expect(upgrades).toMatchObject([{ name: 'v2', applied: false, info: 'https://example.org/v2' }])
    const height = BigInt(upgrades[0]?.height ?? 0)
    await mine(Number(height - at - 1n))
    expect(await head()).toBe(height - 1n)
    const line = `UPGRADE "v2" NEEDED at height: ${height}: https://example.org/v2`
    expect((await raw('evm_mine')).error).toMatchObject({ message: line })
    expect(await node.failed).toMatchObject({ message: line, plan: { name: 'v2', height } })
    expect(await head()).toBe(height - 1n)
  })

  it('passes a program that knows it, and stops that before', () => {
    const plan = { name: 'v2', height: 100n, info: '', change: undefined }
    const knows = { known: new Set(['v2']), skipped: new Set<bigint>() }
    const lacks = { known: new Set<string>(), skipped: new Set<bigint>() }
    expect(requireProgram(plan, undefined, 99n, lacks)).toBe(false)
    expect(() => requireProgram(plan, undefined, 100n, lacks)).toThrow('UPGRADE "v2" NEEDED at height: 100: ')
    expect(requireProgram(plan, undefined, 100n, knows)).toBe(false)
    expect(() => requireProgram(plan, undefined, 99n, knows)).toThrow('BINARY UPDATED BEFORE TRIGGER! UPGRADE "v2"')
    const done = { name: 'v2', height: 100n, isProgram: true }
    expect(() => requireProgram(undefined, done, 120n, lacks)).toThrow('which this version does not know')
    expect(requireProgram(undefined, done, 120n, knows)).toBe(false)
    expect(requireProgram(plan, undefined, 100n, { ...lacks, skipped: new Set([100n]) })).toBe(true)
    expect(requireProgram({ ...plan, change: { addProposals: [], removeProposals: [] } }, undefined, 100n, lacks)).toBe(
      false,
    )
  })
})
