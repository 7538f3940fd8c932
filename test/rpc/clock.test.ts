// The chain's clock as clients see it: on native chains blocks may share a second, so load does not make the clock run ahead; a
// chain with a geth genesis keeps Ethereum's rule. Searches by time order blocks of one second by number.
import { describe, expect, it, onTestFinished } from 'vitest'
import { startNode } from '../../src/node.ts'
import type { ChainSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, nodeOptions, testChain, withClients } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { temporaryFolder } from '../support/process.ts'

type Test = Awaited<ReturnType<typeof testChain>>

const alice = account(0).address
const wallClock = (): number => Math.floor(Date.now() / 1000)
const hex = (value: number): string => `0x${value.toString(16)}`

async function times({ viem }: Test): Promise<number[]> {
  const head = Number(await viem.getBlockNumber())
  const blocks = Array.from({ length: head + 1 }, (_, number) => viem.getBlock({ blockNumber: BigInt(number) }))
  return (await Promise.all(blocks)).map(({ timestamp }) => Number(timestamp))
}

const newest = async ({ viem }: Test): Promise<number> => Number((await viem.getBlock()).timestamp)

/** Mines `count` transfers, each in a block of its own. */
async function transfers({ rpc }: Test, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await rpc('eth_sendTransaction', { from: alice, to: alice })
}

/** A native chain with Ethereum's rule for timestamps. */
function strictSpec(): ChainSpec {
  const spec = presets.kestrel()
  if (spec.native === undefined) throw new Error('the preset has no native section')
  return { ...spec, native: { ...spec.native, clock: 'strictly-increasing' } }
}

describe('the clock under load', () => {
  it('stays at the machine’s clock, and moves forward by evm_increaseTime', { timeout: 60_000 }, async () => {
    const test = await testChain()
    await transfers(test, 120)
    const all = await times(test)
    expect(all.length).toBe(121)
    expect(all.every((time, i) => time >= (all[i - 1] ?? 0))).toBe(true)
    const before = await newest(test)
    expect(before).toBeLessThanOrEqual(wallClock())
    expect(await test.rpc('evm_increaseTime', 100)).toBeLessThanOrEqual(101)
    await test.rpc('evm_mine')
    const moved = (await newest(test)) - before
    expect(moved).toBeGreaterThanOrEqual(100)
    // Plus the time that has passed on the machine's clock since the last transfer.
    expect(moved).toBeLessThanOrEqual(100 + wallClock() - before)
  })

  it.each([
    ['a chain of a geth genesis', () => plainSpec(alice)],
    ['a chain whose genesis sets that rule', strictSpec],
  ])('runs ahead on %s, and evm_increaseTime moves it forward from there', async (_, spec) => {
    const test = await testChain({ spec: spec() })
    await transfers(test, 30)
    const all = (await times(test)).slice(1)
    expect(all.every((time, i) => time > (all[i - 1] ?? 0))).toBe(true)
    const before = await newest(test)
    expect(await test.rpc('evm_increaseTime', 100)).toBeGreaterThanOrEqual(100)
    await test.rpc('evm_mine')
    expect((await newest(test)) - before).toBeGreaterThanOrEqual(100)
    expect((await newest(test)) - before).toBeLessThan(110)
    expect((await test.raw('evm_setNextBlockTimestamp', await newest(test))).error?.code).toBe(-32602)
    expect((await test.raw('anvil_setBlockTimestampInterval', 0)).error?.code).toBe(-32602)
  })
})

describe('development methods for the clock', () => {
  it('accept the newest block’s timestamp for the next one, and refuse an earlier one', async () => {
    const test = await testChain()
    const time = wallClock() + 1_000
    await test.rpc('evm_mine', time)
    expect(await test.rpc('evm_setNextBlockTimestamp', time)).toBeNull()
    await test.rpc('evm_mine')
    await test.rpc('evm_mine', time)
    expect((await times(test)).slice(1)).toEqual([time, time, time])
    for (const method of ['evm_setNextBlockTimestamp', 'evm_mine']) {
      const { error } = await test.raw(method, time - 1)
      expect(error?.message).toBe(`timestamp ${time - 1} is before the latest block's timestamp ${time}`)
    }
  })

  it('move forward from the newest block when the clock was set back', async () => {
    const test = await testChain()
    await test.rpc('evm_mine')
    const before = await newest(test)
    expect(await test.rpc('evm_setTime', before - 5_000)).toBeLessThanOrEqual(-5_000)
    await test.rpc('evm_mine')
    // No block is before its parent.
    expect(await newest(test)).toBe(before)
    await test.rpc('evm_increaseTime', hex(50))
    await test.rpc('evm_mine')
    expect((await newest(test)) - before).toBeGreaterThanOrEqual(50)
    expect((await newest(test)) - before).toBeLessThan(55)
  })

  it('move forward under a fixed interval, which continues from there', async () => {
    const test = await testChain()
    await test.rpc('evm_mine')
    const before = await newest(test)
    await test.rpc('anvil_setBlockTimestampInterval', 12)
    await test.rpc('evm_increaseTime', 100)
    await test.rpc('evm_increaseTime', 1)
    await test.mine(2)
    expect((await times(test)).slice(-2)).toEqual([before + 101, before + 113])
    await test.rpc('evm_setTime', before + 500)
    await test.mine(2)
    expect((await times(test)).slice(-2)).toEqual([before + 500, before + 512])
    await test.rpc('anvil_setBlockTimestampInterval', 0)
    await test.mine(2)
    expect((await times(test)).slice(-2)).toEqual([before + 512, before + 512])
  })

  it('move forward from a block that is being built', async () => {
    const test = await testChain()
    const time = wallClock() + 10_000
    const { producer } = test.node
    await Promise.all([producer.mine(1n, undefined, BigInt(time)), producer.increaseTime(100n)])
    expect(await newest(test)).toBe(time)
    await test.rpc('evm_mine')
    expect((await newest(test)) - time).toBeGreaterThanOrEqual(100)
    expect((await newest(test)) - time).toBeLessThan(105)
  })
})

describe('the limits of the clock', () => {
  it('timestamps do not exceed 64 bits', async () => {
    const test = await testChain()
    const last = (2n ** 64n - 1n).toString()
    expect((await test.raw('evm_increaseTime', last)).error).toMatchObject({ code: -32602 })
    await test.rpc('evm_mine')
    expect(await newest(test)).toBeLessThanOrEqual(wallClock())
    await test.rpc('hardhat_mine', 3, last)
    const { timestamp } = await test.viem.getBlock()
    expect(timestamp).toBe(2n ** 64n - 1n)
  })

  it('a clock that was moved forward continues from there after a restart', async () => {
    const folder = await temporaryFolder()
    onTestFinished(() => folder.remove())
    const first = withClients(await startNode(nodeOptions({ datadir: folder.path })))
    await first.rpc('evm_increaseTime', 86_400)
    await first.rpc('evm_mine')
    const before = await newest(first)
    await first.node.close()
    const test = await testChain({ datadir: folder.path })
    expect(await test.rpc('evm_increaseTime', 0)).toBeGreaterThan(86_000)
    await test.rpc('evm_mine')
    expect(await newest(test)).toBeGreaterThanOrEqual(before)
    expect(await newest(test)).toBeLessThan(before + 60)
  })
})

describe('blocks of one second', () => {
  /** Blocks 1 to 6: two in each of three seconds, ten seconds apart. */
  async function pairs(): Promise<Test & { first: number }> {
    const test = await testChain()
    const first = wallClock() + 1_000
    for (const time of [first, first, first + 10, first + 10, first + 20, first + 20]) await test.rpc('evm_mine', time)
    return { ...test, first }
  }

  it('are ordered by number in a search by time', async () => {
    const { url, first } = await pairs()
    const closest = async (timestamp: number, way: 'before' | 'after') => {
      const query = `module=block&action=getblocknobytime&timestamp=${timestamp}&closest=${way}`
      return ((await (await fetch(`${url}/api?${query}`)).json()) as { result: string }).result
    }
    // The last block at or before the time, and the first block at or after it.
    expect(await closest(first, 'before')).toBe('2')
    expect(await closest(first, 'after')).toBe('1')
    expect(await closest(first + 10, 'before')).toBe('4')
    expect(await closest(first + 10, 'after')).toBe('3')
    expect(await closest(first + 15, 'before')).toBe('4')
    expect(await closest(first + 15, 'after')).toBe('5')
    expect(await closest(first + 20, 'before')).toBe('6')
  })

  it('count in the explorer’s statistics', async () => {
    const { url, rpc, first } = await pairs()
    const get = async (path: string) => (await (await fetch(`${url}${path}`)).json()) as Record<string, unknown>
    // From block 1 to block 6: 20 seconds, five intervals.
    expect(await get('/api/v2/stats')).toMatchObject({ average_block_time: 4_000 })
    await rpc('evm_setTime', first + 20)
    await rpc('anvil_setBlockTimestampInterval', 0)
    await rpc('anvil_mine', '0x65')
    const stats = await get('/api/v2/stats')
    // A page must not refresh without a pause.
    expect(stats).toMatchObject({ average_block_time: 0, gas_prices_update_in: 1_000 })
    const countdown = await get('/api?module=block&action=getblockcountdown&blockno=1000')
    expect(countdown).toMatchObject({ result: { EstimateTimeInSec: '0.0' } })
  })

  it('are imported by another node; a block before its parent is refused', async () => {
    const { rpc } = await pairs()
    const raw = async (number: number) => (await rpc('debug_getRawBlock', hex(number))) as string
    const other = await testChain()
    for (let number = 1; number <= 6; number++) {
      await other.node.chain.importBlock(Buffer.from((await raw(number)).slice(2), 'hex'))
    }
    expect(other.node.chain.head.hash).toBe(
      ((await rpc('eth_getBlockByNumber', '0x6', false)) as { hash: string }).hash,
    )
    const strict = await testChain({ spec: strictSpec() })
    await strict.node.chain.importBlock(Buffer.from((await raw(1)).slice(2), 'hex'))
    const second = Buffer.from((await raw(2)).slice(2), 'hex')
    await expect(strict.node.chain.importBlock(second)).rejects.toThrow(/timestamp \d+ is not after the parent's/)
  })

  it('are simulated; a block before its parent is refused', async () => {
    const { raw, first } = await pairs()
    const at = (...seconds: number[]) => ({
      blockStateCalls: seconds.map((time) => ({ blockOverrides: { time: hex(first + time) } })),
    })
    const { result } = await raw('eth_simulateV1', at(20, 20, 21))
    expect((result as { timestamp: string }[]).map(({ timestamp }) => Number(timestamp) - first)).toEqual([20, 20, 21])
    expect((await raw('eth_simulateV1', at(20, 19))).error).toMatchObject({
      code: -38021,
      message: `block timestamps must be in order: ${first + 19} < ${first + 20}`,
    })
    const plain = await testChain({ spec: plainSpec(alice) })
    const now = wallClock() + 100
    const twice = { blockStateCalls: [now, now].map((time) => ({ blockOverrides: { time: hex(time) } })) }
    expect((await plain.raw('eth_simulateV1', twice)).error).toMatchObject({
      code: -38021,
      message: `block timestamps must be in order: ${now} <= ${now}`,
    })
  })
})
