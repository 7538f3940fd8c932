// The maximum gas of one transaction: on native chains the block gas limit, unless the genesis has a cap; on other chains
// EIP-7825's 2^24 from Osaka on. Pool, estimate, fill, trace and import agree.
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ChainSpec } from '../../src/spec/chain-spec.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'

const from = account(0).address
const DEAR: Hex = '0x00000000000000000000000000000000000100b5'
/** PUSH1 0, PUSH3 2,975,999, MSTORE8, STOP: writes the last byte of the 93,000th word of memory. */
const EXPANDING: Hex = '0x6000622d68ff5300'
/** 21,000 for the transaction, 3 for each opcode, and memory by the Yellow Paper: 3 a word plus the square / 512. */
const COST = 21_000 + 3 * 3 + 3 * 93_000 + Math.floor(93_000 ** 2 / 512)
const hex = (value: number): string => `0x${value.toString(16)}`
const thirtyMillion = { from, to: DEAR, gas: hex(30_000_000) }

function specWith(change: (spec: ChainSpec) => ChainSpec['native']): ChainSpec {
  const spec = presets.kestrel()
  return { ...spec, native: change(spec) }
}
const withCap = (transactionGasCap: bigint): ChainSpec =>
  specWith(({ native }) => native && { ...native, transactionGasCap })

async function chainOf(spec?: ChainSpec, engine?: 'wasm' | 'library') {
  const test = await testChain({ ...(spec && { spec }), ...(engine && { engine }) })
  await test.rpc('anvil_setCode', DEAR, EXPANDING)
  return test
}

describe('without a gas cap for transactions', () => {
  it.each(['wasm', 'library'] as const)('a transaction may have 30,000,000 gas on the %s engine', async (engine) => {
    const { rpc, walletOf, viem } = await chainOf(undefined, engine)
    expect(Number(await rpc('eth_estimateGas', { from, to: DEAR }))).toBe(COST)
    expect(Number(await rpc('eth_estimateGas', thirtyMillion))).toBe(COST)
    expect(await rpc('eth_call', thirtyMillion, 'latest')).toBe('0x')
    expect(await rpc('eth_fillTransaction', { from, to: DEAR })).toMatchObject({ tx: { gas: hex(COST) } })
    const sent = (await rpc('eth_sendTransaction', thirtyMillion)) as Hex
    const signed = await walletOf(1).sendTransaction({ to: DEAR, gas: 36_000_000n })
    for (const [hash, gas] of [
      [sent, 30_000_000n],
      [signed, 36_000_000n],
    ] as const) {
      expect(await viem.getTransaction({ hash })).toMatchObject({ gas })
      expect(await viem.getTransactionReceipt({ hash })).toMatchObject({ status: 'success', gasUsed: BigInt(COST) })
      expect(await rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })).toMatchObject({ gasUsed: hex(COST) })
    }
  })

  it('more gas than the block gas limit is refused', async () => {
    const { raw } = await chainOf()
    const { error } = await raw('eth_sendTransaction', { ...thirtyMillion, gas: hex(36_000_001) })
    expect(error).toMatchObject({ code: -32000, message: 'exceeds block gas limit' })
  })

  it('a block with such a transaction is imported by another node, and simulated', async () => {
    const { rpc } = await testChain()
    await rpc('eth_sendTransaction', { ...thirtyMillion, to: from })
    const raw = (await rpc('debug_getRawBlock', '0x1')) as string
    const other = await testChain()
    await other.node.chain.importBlock(Buffer.from(raw.slice(2), 'hex'))
    expect(await other.rpc('eth_blockNumber')).toBe('0x1')
    const simulation = { blockStateCalls: [{ calls: [thirtyMillion] }], validation: false }
    expect(await other.rpc('eth_simulateV1', simulation)).toMatchObject([{ calls: [{ status: '0x1' }] }])
    const capped = await testChain({ spec: withCap(29_999_999n) })
    await expect(capped.node.chain.importBlock(Buffer.from(raw.slice(2), 'hex'))).rejects.toThrow(
      'transaction gas limit too high (cap: 29999999, tx: 30000000)',
    )
  })
})

describe('with a gas cap for transactions', () => {
  it.each([
    ['a cap in the genesis', withCap(17_000_000n), 17_000_000],
    ['EIP-7825 on a chain with a geth genesis', specWith(() => undefined), 2 ** 24],
  ])('%s is the maximum of transactions and estimates', async (_, spec, cap) => {
    const { rpc, raw } = await chainOf(spec)
    const message = `transaction gas limit too high (cap: ${cap}, tx: ${cap + 1})`
    expect((await raw('eth_sendTransaction', { from, to: from, gas: hex(cap + 1) })).error).toMatchObject({ message })
    const sent = await rpc('eth_sendTransaction', { from, to: from, gas: hex(cap) })
    expect(await rpc('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })
    // The contract needs more than the cap.
    const { error } = await raw('eth_estimateGas', { from, to: DEAR })
    expect(error?.message).toMatch(/^(out of gas|gas required exceeds allowance)/)
  })
})
