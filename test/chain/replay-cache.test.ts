// Traces within a full block, in any order: each shows the state after the preceding transactions, and transactions replayed
// for one trace are not replayed for the next.
import type { Hex } from 'viem'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BlockReplay } from '../../src/runtime/tracing/replay.ts'
import { asm, playground } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const COUNT = 60
const SLOT = `0x${'0'.repeat(64)}`
/** Code that counts its calls in slot 0. */
const COUNTER = asm('PUSH1 0x01', 'PUSH0', 'SLOAD', 'ADD', 'PUSH0', 'SSTORE')

/** A chain, and the hashes of 60 calls of a counter, all in one block. */
async function counted() {
  const chain = await testChain()
  const { contract, send, rpc } = playground(chain)
  const to = await contract(COUNTER)
  const mineCalls = async (): Promise<Hex[]> => {
    await rpc('evm_setAutomine', false)
    const hashes: Hex[] = []
    for (let i = 0; i < COUNT; i++) hashes.push(await send(to))
    await rpc('evm_mine')
    await rpc('evm_setAutomine', true)
    const block = await rpc('eth_getBlockByNumber', 'latest', false)
    expect(block.transactions).toEqual(hashes)
    return hashes
  }
  /** The counter before the transaction. */
  const countBefore = async (hash: Hex | undefined): Promise<number> => {
    const { structLogs } = await rpc('debug_traceTransaction', hash)
    const load = structLogs.find(({ op }: { op: string }) => op === 'SLOAD')
    return Number(load.storage[SLOT])
  }
  return { chain, rpc, send, to, mineCalls, countBefore }
}

describe('traces of transactions of a full block', () => {
  it('show the state before each, in whatever order they are requested', async () => {
    const { mineCalls, countBefore, rpc } = await counted()
    const hashes = await mineCalls()
    const order = [59, 0, 58, 57, 1, 2, 3, 30, 29, 31, 59, 17, 8, 16, 24, 0, 59]
    for (const index of order) expect(await countBefore(hashes[index])).toBe(index)
    const { number } = await rpc('eth_getBlockByNumber', 'latest', false)
    const whole = await rpc('debug_traceBlockByNumber', number, { tracer: 'prestateTracer' })
    for (const index of [0, 33, 59]) {
      const alone = await rpc('debug_traceTransaction', hashes[index], { tracer: 'prestateTracer' })
      expect(alone).toEqual(whole[index].result)
    }
  })

  it('begin the block once, and replay each transaction once', async () => {
    const { mineCalls, countBefore, chain } = await counted()
    const hashes = await mineCalls()
    chain.node.chain.traces.forgetAbove(0n)
    const begin = vi.spyOn(BlockReplay, 'begin')
    const trace = vi.spyOn(BlockReplay.prototype, 'trace')
    const advanced: number[] = []
    const advance = BlockReplay.prototype.advance
    vi.spyOn(BlockReplay.prototype, 'advance').mockImplementation(async function (this: BlockReplay, to, pause) {
      const from = this.position
      await advance.call(this, to, pause)
      advanced.push(this.position - from)
    })
    for (const hash of hashes) await countBefore(hash)
    expect(begin).toHaveBeenCalledTimes(1)
    expect(trace).toHaveBeenCalledTimes(COUNT)
    // In block order each trace ends where the next one begins.
    expect(advanced.reduce((sum, count) => sum + count, 0)).toBe(0)
    // Backwards, a cached position is at most 8 transactions away.
    await countBefore(hashes[20])
    expect(advanced.reduce((sum, count) => sum + count, 0)).toBeLessThan(8)
    expect(begin).toHaveBeenCalledTimes(1)
  })

  it('show the new state when the chain was rolled back and built again', async () => {
    const { mineCalls, countBefore, rpc, to } = await counted()
    const snapshot = await rpc('evm_snapshot')
    const first = await mineCalls()
    expect(await countBefore(first[40])).toBe(40)
    await rpc('evm_revert', snapshot)
    await rpc('anvil_setStorageAt', to, SLOT, `0x${'5'.padStart(64, '0')}`)
    const second = await mineCalls()
    expect(await countBefore(second[40])).toBe(45)
    expect(await countBefore(second[39])).toBe(44)
  })

  it('can run concurrently', async () => {
    const { mineCalls, countBefore } = await counted()
    const hashes = await mineCalls()
    const indices = [50, 10, 50, 51, 9, 59]
    expect(await Promise.all(indices.map((index) => countBefore(hashes[index])))).toEqual(indices)
  })
})
