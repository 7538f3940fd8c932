// The floor of the base fee, `kestrel.feeMarket.minBaseFee`: EIP-1559's base fee, but at least this parameter, which governance
// may change from one block to the next. Fees are computed by hand: an empty block takes an eighth off.
import { type Hex, parseGwei, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { fromHex } from '../../src/lib/hex.ts'
import { decodeBlock, encodeBlock } from '../../src/primitives/block.ts'
import { sealHeader } from '../../src/primitives/header.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { govChain, governed, message, submit, VOTING } from '../precompiles/gov-support.ts'
import { account } from '../support/chain.ts'
import { openFresh } from '../support/network.ts'

const FLOOR = parseGwei('0.1')
const COST = 21_000n

/** The preset with this floor; undefined: a chain from before the parameter existed. */
function specWith(minBaseFee: bigint | undefined): GenesisSpec {
  const spec = governed({ params: { votingPeriod: Number(VOTING) } })
  return { ...spec, native: { ...spec.native, feeMarket: { burnBaseFee: false, minBaseFee } } }
}

const setFloor = (wei: bigint) =>
  message('/ethermint.feemarket.v1.MsgUpdateParams', { params: { min_base_fee: wei.toString() } })

async function chainWith(minBaseFee: bigint | undefined) {
  const chain = await govChain({ spec: specWith(minBaseFee) })
  const { viem, rpc, propose, voteAll, conclude, walletOf } = chain
  return {
    ...chain,
    baseFeeOf: async (blockNumber?: bigint) => {
      const { baseFeePerGas } = await viem.getBlock(blockNumber === undefined ? {} : { blockNumber })
      return baseFeePerGas
    },
    /** Passes a proposal that sets the floor; returns the number of the block that changes it. */
    async decide(wei: bigint) {
      const id = await propose([setFloor(wei)])
      await voteAll(id)
      await conclude(id)
      return viem.getBlockNumber({ cacheTime: 0 })
    },
    floorAfter: (block: bigint) => rpc('kestrel_getFeeMarketParams', toHex(block)),
    signed: async (fields: { maxFeePerGas: bigint; maxPriorityFeePerGas?: bigint; nonce?: number }, from = 0) => {
      const { nonce = await viem.getTransactionCount({ address: account(from).address }) } = fields
      const request = { to: account(5).address, value: 1n, gas: COST, maxPriorityFeePerGas: 0n, ...fields, nonce }
      return walletOf(from).signTransaction({ ...request, type: 'eip1559' })
    },
  }
}

describe('a floor in the genesis', () => {
  it('stops the fall of the base fee', async () => {
    const { mine, baseFeeOf, rpc, viem } = await chainWith(FLOOR)
    await mine(30)
    // 10^9 * 0.875^17 is 103.3 million wei; one more step would be 90.4 million.
    expect(await baseFeeOf(17n)).toBe(103_308_703n)
    expect(await baseFeeOf(18n)).toBe(FLOOR)
    expect(await baseFeeOf(30n)).toBe(FLOOR)
    expect(await rpc('eth_baseFee')).toBe(toHex(FLOOR))
    // A quarter of headroom and a tip of 1 gwei.
    expect(await rpc('eth_gasPrice')).toBe(toHex(FLOOR + FLOOR / 4n + parseGwei('1')))
    const { baseFeePerGas } = await viem.getFeeHistory({ blockCount: 3, blockNumber: 18n, rewardPercentiles: [] })
    expect(baseFeePerGas).toEqual([118_067_089n, 103_308_703n, FLOOR, FLOOR])
    const pending = await viem.getFeeHistory({ blockCount: 1, blockTag: 'pending', rewardPercentiles: [] })
    expect(pending.baseFeePerGas).toEqual([FLOOR, FLOOR])
    const simulated = await rpc('eth_simulateV1', { blockStateCalls: [{}, {}], validation: true }, 'latest')
    expect(simulated).toMatchObject([{ baseFeePerGas: toHex(FLOOR) }, { baseFeePerGas: toHex(FLOOR) }])
  })

  it('is the minimum price of a transfer', async () => {
    const { mine, signed, rpc, raw, balance, baseFeeOf } = await chainWith(FLOOR)
    await mine(20)
    const below = await raw('eth_sendRawTransaction', await signed({ maxFeePerGas: FLOOR - 1n }))
    expect(below.error).toMatchObject({
      code: -32000,
      message: 'transaction underpriced: gas fee cap 99999999, minimum needed 100000000',
    })
    const before = await balance()
    await rpc('eth_sendRawTransaction', await signed({ maxFeePerGas: FLOOR }))
    expect(await baseFeeOf()).toBe(FLOOR)
    expect(before - (await balance())).toBe(COST * FLOOR + 1n)
  })

  it('applies to a base fee that evm methods set', async () => {
    const { raw, rpc, mine, baseFeeOf } = await chainWith(FLOOR)
    const { error } = await raw('anvil_setNextBlockBaseFeePerGas', toHex(FLOOR - 1n))
    expect(error).toMatchObject({ message: 'base fee 99999999 is below the floor of this chain, 100000000' })
    await rpc('anvil_setNextBlockBaseFeePerGas', toHex(FLOOR))
    await mine()
    expect(await baseFeeOf()).toBe(FLOOR)
  })

  it('is checked in imported blocks', async () => {
    const { mine, rpc } = await chainWith(FLOOR)
    await mine(20)
    const copy = await openFresh(specWith(FLOOR))
    for (let number = 1; number <= 19; number++)
      await copy.importBlock(fromHex((await rpc('debug_getRawBlock', toHex(number))) as Hex))
    const block = decodeBlock(fromHex((await rpc('debug_getRawBlock', toHex(20))) as Hex))
    const lower = { ...block, header: sealHeader({ ...block.header, baseFeePerGas: FLOOR - 1n }) }
    await expect(copy.importBlock(encodeBlock(lower))).rejects.toThrow('base fee is 99999999, want 100000000')
    await copy.importBlock(encodeBlock(block))
    expect(copy.head.hash).toBe(block.header.hash)
  })
})

describe('a governance vote on the floor', () => {
  it('applies from the next block on, and every block keeps its own floor', async () => {
    const { decide, mine, baseFeeOf, floorAfter, rpc, node } = await chainWith(0n)
    await mine(40)
    const raised = await decide(parseGwei('5'))
    expect(await floorAfter(raised - 1n)).toEqual({ minBaseFee: '0x0' })
    expect(await floorAfter(raised)).toEqual({ minBaseFee: toHex(parseGwei('5')) })
    expect(await rpc('eth_baseFee')).toBe(toHex(parseGwei('5')))
    await mine(2)
    expect(await baseFeeOf(raised)).toBeLessThan(parseGwei('1'))
    expect(await baseFeeOf(raised + 1n)).toBe(parseGwei('5'))
    expect(await baseFeeOf(raised + 2n)).toBe(parseGwei('5'))

    const lowered = await decide(0n)
    await mine()
    expect(await baseFeeOf(lowered)).toBe(parseGwei('5'))
    expect(await baseFeeOf(lowered + 1n)).toBeLessThan(parseGwei('5'))
    expect(await rpc('dev_invariants')).toEqual([])

    // A copy executes all blocks again, each with the floor of its height.
    const copy = await openFresh(specWith(0n))
    for (let number = 1n; number <= lowered + 1n; number++)
      await copy.importBlock(fromHex((await rpc('debug_getRawBlock', toHex(number))) as Hex))
    expect(copy.head.hash).toBe(node.chain.head.hash)
  })

  it('drops pool transactions that can no longer be mined', async () => {
    const { decide, mine, signed, rpc } = await chainWith(0n)
    await mine(20)
    const gap = { nonce: 7 }
    const poor = await rpc('eth_sendRawTransaction', await signed({ ...gap, maxFeePerGas: parseGwei('2') }, 3))
    const rich = await rpc('eth_sendRawTransaction', await signed({ ...gap, maxFeePerGas: parseGwei('9') }, 4))
    await decide(parseGwei('5'))
    expect(await rpc('eth_getTransactionByHash', poor)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', rich)).toMatchObject({ hash: rich })
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
  })

  it('is refused when it is not an amount of wei, or one that no transaction could pay', async () => {
    const { refusal } = await chainWith(0n)
    expect(await refusal(submit([setFloor(2n ** 64n)]))).toMatch(/expected at most 18446744073709551615 wei/)
    const wrong = message('/cosmos.evm.feemarket.v1.MsgUpdateParams', { params: { min_base_fee: '0.1' } })
    expect(await refusal(submit([wrong]))).toMatch(/expected a whole number/)
  })
})

describe('a chain whose genesis has no floor', () => {
  it('is unchanged: the same block 0, a base fee down to 7 wei, and no such message', async () => {
    const without = await openFresh(specWith(undefined))
    const zero = await openFresh(specWith(0n))
    expect(without.head.hash).toBe(zero.head.hash)
    expect((await openFresh(specWith(FLOOR))).head.hash).not.toBe(without.head.hash)

    const { mine, baseFeeOf, refusal, floorAfter, rpc, raw, signed } = await chainWith(undefined)
    // A value in the parameter's slot has no effect on this chain.
    await rpc('anvil_setStorageAt', MODULE_ACCOUNT.evm, toHex(1n), toHex(FLOOR, { size: 32 }))
    await mine(160)
    expect(await baseFeeOf()).toBe(7n)
    expect(await floorAfter(160n)).toEqual({ minBaseFee: null })
    expect((await raw('eth_sendRawTransaction', await signed({ maxFeePerGas: 7n }))).error).toBeUndefined()
    expect(await refusal(submit([setFloor(FLOOR)]))).toMatch(
      /unable to resolve type URL \/ethermint.feemarket.v1.MsgUpdateParams/,
    )
  })
})
