// Forks with native modules: they begin anew on the forked chain's state, for its contracts and its coins. The forked chain is a kestrel,
// so that it has modules of its own at the same addresses.
import { join } from 'node:path'
import { decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hex, pad, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorsToPromote } from '../../src/chain/promote.ts'
import type { RunningNode } from '../../src/library.ts'
import { formatSpec, parseSpec } from '../../src/spec/genesis-file.ts'
import { KNOWN_CHAINS } from '../../src/spec/known-chains.ts'
import { presets, withNative } from '../../src/spec/presets.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'
import { folder, runHere } from '../cli/support.ts'
import { DISTRIBUTION, abi as distributionAbi } from '../precompiles/distribution-support.ts'
import { A, COIN, delegate, delegationOf, STAKING, abi as stakingAbi } from '../precompiles/staking-support.ts'
import { token } from '../support/contracts.ts'
import { chainToFork, type Forked, forkOf } from '../support/forked.ts'
import { forwarder } from '../support/forwarder.ts'

const BANK = '0x0000000000000000000000000000000000000804'
const VESTING = '0x0000000000000000000000000000000000000803'
/** A contract that holds tokens and coins, and passes its calldata on to the staking contract. */
const POOL = '0x00000000000000000000000000000000000b0001'
const WHALE = '0x00000000000000000000000000000000000a11ce'

/** Defines kestrel_7. */
const AVERAGE = join(import.meta.dirname, '../../docs/examples/average.mjs')

let forked: Forked
let tokenAt: Hex

const accountOf = (node: RunningNode) => node.accounts[0]?.address as Hex
type Receipt = {
  readonly status: Hex
  readonly gasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly contractAddress: Hex
  readonly transactionHash: Hex
}
const send = async (node: RunningNode, request: object): Promise<Receipt> => {
  const hash = await node.request<Hex>('eth_sendTransaction', [{ gas: '0x7a120', from: accountOf(node), ...request }])
  return node.request('eth_getTransactionReceipt', [hash])
}
const call = (node: RunningNode, to: Hex, data: Hex) => node.request<Hex>('eth_call', [{ to, data }, 'latest'])
const balanceOf = async (node: RunningNode, of: Hex) =>
  BigInt(await node.request<Hex>('eth_getBalance', [of, 'latest']))
const tokensOf = (node: RunningNode, of: Hex) =>
  call(node, tokenAt, encodeFunctionData({ abi: token.abi, functionName: 'balanceOf', args: [of] }))
const delegatedBy = async (node: RunningNode, of: Hex): Promise<bigint> => {
  const data = await call(node, STAKING, delegationOf(of))
  return decodeFunctionResult({ abi: stakingAbi, functionName: 'delegation', data })[1].amount
}
const rewardsOf = async (node: RunningNode, of: Hex): Promise<bigint> => {
  const named = { abi: distributionAbi, functionName: 'delegationRewards' } as const
  const data = await call(node, DISTRIBUTION, encodeFunctionData({ ...named, args: [of, A] }))
  return decodeFunctionResult({ ...named, data })[0]?.amount ?? 0n
}
/** The bank's first slot is the supply of the base coin. */
const supplyOf = async (node: RunningNode) =>
  BigInt(await node.request<Hex>('eth_getStorageAt', [BANK, '0x0', 'latest']))
const read = async <T>({ url }: RunningNode, path: string): Promise<T> => (await fetch(`${url}${path}`)).json() as T
type Validator = { readonly status: string; readonly tokens: string; readonly delegators_count: number }
const validatorsOf = async (node: RunningNode) => {
  const { items } = await read<{ items: Validator[] }>(node, '/api/v2/native/validators')
  return items.map(({ status, tokens, delegators_count }) => [status, tokens, delegators_count])
}
const isNative = async (node: RunningNode) => (await read<{ fork: { native: boolean } }>(node, '/health')).fork.native
const NEW_VALIDATOR = ['bonded', (1_000n * COIN).toString(), 1]
const isWhole = async (node: RunningNode) => expect(await node.request('dev_invariants')).toEqual([])
/** What a node shows that was reached by the same way. */
const shown = async (node: RunningNode) => [
  await node.request('eth_getBlockByNumber', ['latest', false]),
  await supplyOf(node),
  await delegatedBy(node, POOL),
  await validatorsOf(node),
]

beforeAll(async () => {
  forked = await chainToFork()
  const { origin } = forked
  const deployment = encodeDeployData({ ...token, args: ['Forked', parseEther('1000')] })
  tokenAt = (await send(origin, { data: deployment, gas: '0x2dc6c0' })).contractAddress
  await origin.request('anvil_setCode', [POOL, forwarder(STAKING)])
  await origin.request('anvil_setBalance', [POOL, toHex(50n * COIN)])
  const data = encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [POOL, 7n] })
  await send(origin, { to: tokenAt, data })
  await origin.request('anvil_setBalance', [WHALE, toHex(10_000_000n * COIN)])
  // What the forked chain has at the addresses of the modules.
  await send(origin, { to: POOL, data: delegate(3n * COIN, POOL) })
  await origin.request('anvil_setBalance', [VESTING, toHex(9n * COIN)])
  await origin.request('anvil_setStorageAt', [VESTING, '0x0', pad('0x09')])
  await origin.request('anvil_mine', ['0x2'])
})
afterAll(() => forked[Symbol.asyncDispose]())

describe('the native modules of a fork', () => {
  it('begin with the validators of the preset, whatever the forked chain has at their addresses', async () => {
    const { origin, proxy } = forked
    await using fork = await forkOf(proxy, { native: true })
    expect(await delegatedBy(origin, POOL)).toBe(3n * COIN)
    expect(await delegatedBy(fork, POOL)).toBe(0n)
    expect(await validatorsOf(fork)).toEqual([NEW_VALIDATOR, NEW_VALIDATOR, NEW_VALIDATOR])
    expect(await balanceOf(fork, VESTING)).toBe(0n)
    expect(await fork.request('eth_getStorageAt', [VESTING, '0x0', 'latest'])).toBe(pad('0x00'))
    // Ten accounts with 10,000, three operators with the 10 that they had, their stake of 1,000 and 10 for gas.
    expect(await supplyOf(fork)).toBe(103_060n * COIN)
    await isWhole(fork)
    expect(await isNative(fork)).toBe(true)
  })

  it('are off without the option', async () => {
    await using fork = await forkOf(forked.proxy)
    await expect(call(fork, POOL, delegate(COIN, POOL))).rejects.toThrow('execution reverted')
    expect((await fetch(`${fork.url}/api/v2/native/validators`)).status).toBe(404)
    expect(await isNative(fork)).toBe(false)
  })

  it.each(['compiled', 'library'] as const)(
    'take the coins of a contract of the forked chain and pay it, on the engine %s',
    async (engine) => {
      const { origin, proxy } = forked
      await using fork = await forkOf(proxy, { native: true, engine })
      const first = await send(fork, { to: POOL, data: delegate(5n * COIN, POOL) })
      expect(first.status).toBe('0x1')
      expect(await delegatedBy(fork, POOL)).toBe(5n * COIN)
      expect(await balanceOf(fork, POOL)).toBe((await balanceOf(origin, POOL)) - 5n * COIN)
      expect(await tokensOf(fork, POOL)).toBe(pad('0x07'))
      const second = await send(fork, { to: WHALE, value: '0x1' })
      await fork.request('evm_mine')
      const fees = [first, second].reduce((sum, of) => sum + BigInt(of.gasUsed) * BigInt(of.effectiveGasPrice), 0n)
      // 98 % after the community tax, 1005 of 3005 to the validator, 90 % after its commission, 5 of 1005 to the contract.
      const share = (fees * 98n * 1005n * 90n * 5n) / (100n * 3005n * 100n * 1005n)
      const rewards = await rewardsOf(fork, POOL)
      // A period's rewards for each token have 18 decimals, of 5 * 10^18 tokens.
      expect(rewards - share < 10n && share - rewards < 10n, `${rewards} is not ${share}`).toBe(true)
      expect(rewards).toBeGreaterThan(0n)
      await isWhole(fork)
    },
  )

  it('burn more coins of the forked chain than the supply counts', async () => {
    await using fork = await forkOf(forked.proxy, { native: true })
    await fork.request('anvil_impersonateAccount', [WHALE])
    const delegated = await send(fork, { from: WHALE, to: STAKING, data: delegate(5_000_000n * COIN, WHALE) })
    expect(delegated.status).toBe('0x1')
    await fork.request('anvil_mine', ['0x2'])
    await isWhole(fork)
    await fork.request('dev_reportDoubleSign', [A])
    await fork.request('anvil_mine', ['0x2'])
    // A double sign costs a twentieth.
    expect(await delegatedBy(fork, WHALE)).toBe(4_750_000n * COIN)
    expect(await supplyOf(fork)).toBe(0n)
    await isWhole(fork)
  })

  it('notice coins that nobody created', async () => {
    await using fork = await forkOf(forked.proxy, { native: true })
    await fork.request('anvil_setStorageAt', [BANK, '0x0', pad('0x00')])
    // The operators' 1,010 each: the accounts had their 10,000 before, one of them less what it has spent.
    const [broken] = await fork.request<string[]>('dev_invariants')
    expect(broken).toMatch(/^bank: accounts hold 303\d{19}, and the supply is 0$/)
  })

  it('leave the blocks of before as they were', async () => {
    const { origin, proxy } = forked
    const hash = await origin.request<{ transactions: Hex[] }>('eth_getBlockByNumber', ['0x1', false])
    await using fork = await forkOf(proxy, { native: true })
    const trace = ['debug_traceTransaction', [hash.transactions[0], { tracer: 'callTracer' }]] as const
    expect(await fork.request(...trace)).toEqual(await origin.request(...trace))
    expect(await fork.request('eth_getBalance', [VESTING, '0x1'])).toBe('0x0')
  })

  it('are there for the transactions before the one at which a fork begins', async () => {
    const { origin, proxy } = forked
    await origin.request('evm_setAutomine', [false])
    const request = { gas: '0x7a120', from: accountOf(origin), to: POOL, data: delegate(COIN, POOL) }
    const hashes = [await origin.request<Hex>('eth_sendTransaction', [request])]
    hashes.push(await origin.request<Hex>('eth_sendTransaction', [request]))
    await origin.request('evm_mine')
    await origin.request('evm_setAutomine', [true])
    await using fork = await forkOf(proxy, { native: true, forkTransactionHash: hashes[1] })
    expect(await delegatedBy(fork, POOL)).toBe(COIN)
    await isWhole(fork)
  })

  it('are not fetched, so nothing of them needs a proof', async () => {
    await using fork = await forkOf(forked.proxy, { native: true, forkVerify: true })
    expect((await send(fork, { to: POOL, data: delegate(COIN, POOL) })).status).toBe('0x1')
    expect(await tokensOf(fork, POOL)).toBe(pad('0x07'))
    await isWhole(fork)
  })

  it('have opcode proposals', async () => {
    await using fork = await forkOf(forked.proxy, { native: true, activate: ['kestrel_0'] })
    await using plain = await forkOf(forked.proxy, { native: true })
    // An empty contract: 21,000 + 32,000 for creating it; kestrel_0 makes CREATE in code dearer, so one contract makes another.
    const data = '0x5f5f5ff000'
    const used = async (node: RunningNode) => BigInt((await send(node, { data })).gasUsed)
    // 32,000 gas ten times.
    expect((await used(fork)) - (await used(plain))).toBe(9n * 32_000n)
    await expect(forkOf(forked.proxy, { activate: ['kestrel_0'] })).rejects.toThrow(
      '--activate: a fork has opcode proposals only with --native',
    )
  })

  it('have opcode proposals of a user, after anvil_reset too', async () => {
    const { proxy } = forked
    const activate = ['kestrel_0', 'kestrel_7']
    await using fork = await forkOf(proxy, { native: true, proposal: [AVERAGE], activate })
    expect(await fork.request('kestrel_getEvmParams')).toEqual({ extraEips: activate })
    await fork.request('anvil_reset', [{ forking: { jsonRpcUrl: proxy.url } }])
    expect(await fork.request('kestrel_getEvmParams')).toEqual({ extraEips: activate })
    expect((await send(fork, { to: WHALE, value: '0x1' })).status).toBe('0x1')
  })
})

describe('a fork with native modules on disk', () => {
  it('goes on after a restart, has no fault, and can be indexed and executed again', async () => {
    const datadir = await folder()
    const fork = await forkOf(forked.proxy, { datadir, native: true })
    await send(fork, { to: POOL, data: delegate(5n * COIN, POOL) })
    await fork.request('anvil_mine', ['0x3'])
    const before = await shown(fork)
    await fork.stop()
    expect((await runHere('check', '--datadir', datadir)).stdout).toBe('')
    const executed = await runHere('check', '--datadir', datadir, '--execute', '--engine', 'library')
    expect(executed.stderr).toMatch(/: no difference\n$/)
    expect((await runHere('reindex', '--datadir', datadir)).code).toBe(0)
    expect((await runHere('check', '--datadir', datadir)).stdout).toBe('')

    await using again = await forkOf(forked.proxy, { datadir, forkUrl: [] })
    expect(await shown(again)).toEqual(before)
    expect((await send(again, { to: POOL, data: delegate(COIN, POOL) })).status).toBe('0x1')
    await isWhole(again)
    await again.request('anvil_reset')
    expect(await delegatedBy(again, POOL)).toBe(0n)
    expect(await validatorsOf(again)).toEqual([NEW_VALIDATOR, NEW_VALIDATOR, NEW_VALIDATOR])
    await isWhole(again)
  })

  it('goes on when its first states were pruned', async () => {
    const datadir = await folder()
    const fork = await forkOf(forked.proxy, { datadir, native: true, prune: 128 })
    await send(fork, { to: POOL, data: delegate(5n * COIN, POOL) })
    await fork.request('anvil_mine', ['0xa0'])
    await fork.stop()
    expect((await runHere('check', '--datadir', datadir)).stdout).toBe('')
    await using again = await forkOf(forked.proxy, { datadir, prune: 128, forkUrl: [] })
    await isWhole(again)
    expect((await send(again, { to: POOL, data: delegate(COIN, POOL) })).status).toBe('0x1')
    expect(await delegatedBy(again, POOL)).toBe(6n * COIN)
  })

  it('begins anew if its beginning was interrupted', async () => {
    const datadir = await folder()
    const first = await forkOf(forked.proxy, { datadir, native: true })
    const before = await shown(first)
    await first.stop()
    const store = await openStore(join(datadir, 'chain'))
    await store.write([{ type: 'put', key: KEY.meta('unfinished'), value: new Uint8Array(0) }])
    await store.close()
    await using again = await forkOf(forked.proxy, { datadir, native: true })
    expect(await shown(again)).toEqual(before)
    await isWhole(again)
  })

  it('agrees with the option, and one without modules is refused', async () => {
    const { proxy } = forked
    const [withModules, without] = [await folder(), await folder()]
    for (const [datadir, native] of [[withModules, true] as const, [without, false] as const])
      await (await forkOf(proxy, { datadir, native })).stop()
    await (await forkOf(proxy, { datadir: withModules, native: true })).stop()
    await expect(forkOf(proxy, { datadir: without, native: true })).rejects.toThrow(
      /^--native: .* holds a fork of chain 4242 .*, which began without native modules; choose another --datadir$/,
    )
    await expect(forkOf(proxy, { datadir: withModules, activate: ['kestrel_0'] })).rejects.toThrow(
      'which began without these proposals',
    )
  })

  it('cannot become a network', async () => {
    const datadir = await folder()
    const fork = await forkOf(forked.proxy, { datadir, native: true })
    await fork.request('evm_mine')
    await fork.stop()
    await expect(operatorsToPromote(join(datadir, 'chain'))).rejects.toThrow('it is a fork')
  })

  it('takes the place of another chain, and of itself', async () => {
    const datadir = await folder()
    const { proxy } = forked
    const reset = [{ forking: { jsonRpcUrl: proxy.url } }]
    const fork = await forkOf(proxy, { datadir, native: true, forkUrl: [] })
    await fork.request('anvil_reset', reset)
    await send(fork, { to: POOL, data: delegate(5n * COIN, POOL) })
    expect(await delegatedBy(fork, POOL)).toBe(5n * COIN)
    await fork.stop()
    // The option is known from the chain.
    await using again = await forkOf(proxy, { datadir })
    await again.request('anvil_reset', reset)
    expect(await validatorsOf(again)).toEqual([NEW_VALIDATOR, NEW_VALIDATOR, NEW_VALIDATOR])
    await isWhole(again)
  })
})

describe('the specification of a fork with native modules', () => {
  it.each([...KNOWN_CHAINS])('of chain %d is read as it was stored', (chainId, { forks }) => {
    const of = presets.kestrel({ chainId })
    const spec = withNative({ ...of, forks, native: undefined })
    expect(parseSpec(formatSpec(spec)).native).toEqual(spec.native)
  })
})
