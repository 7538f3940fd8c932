// Foundry: forge test and forge script against a fork of anvil, and an anvil that forks the fork (the project is `foundry-sample`); native
// contracts in forge (the project is docs/examples/forge, with what `foundry-native` adds). `foundry` has the packages.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, getAddress, type Hex, http, parseAbi, parseEther } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findAnvil } from '../../bench/contenders.ts'
import type { RunningNode } from '../../src/library.ts'
import { type Node, startNode } from '../../src/node.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { ics20Chain } from '../precompiles/ics20-support.ts'
import { FIXTURE_MODULES, OPERATOR, openFixture } from '../precompiles/matrix-samples.ts'
import { account, nodeOptions, testChain } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { forkOf } from '../support/forked.ts'
import { type Clients, clientsOf, freePort, temporaryFolder } from '../support/process.ts'
import { encodeSteps, sampleCalls, sequenceSteps, singleSteps, tokenCalls } from './foundry-native/steps.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const CHAIN = 7777
/** Blocks before the vault. */
const EARLIER = 3
const abi = parseAbi(['function total() view returns (uint256)'])

const stakingViews = parseAbi([
  'struct Coin { string denom; uint256 amount; }',
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }',
  'struct PageResponse { bytes nextKey; uint64 total; }',
  'struct Validator { string operatorAddress; string consensusPubkey; bool jailed; uint8 status; uint256 tokens; uint256 delegatorShares; string description; int64 unbondingHeight; int64 unbondingTime; uint256 commission; uint256 minSelfDelegation; }',
  'function validators(string status, PageRequest page) view returns (Validator[], PageResponse)',
  'function delegation(address delegator, string validator) view returns (uint256, Coin)',
  'function allowance(address granter, address grantee, string message) view returns (uint256)',
])
const FIRST = { key: '0x', offset: 0n, limit: 0n, countTotal: false, reverse: false } as const

const anvil = findAnvil()
const forge = findForge()

function findForge(): string | undefined {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const require = createRequire(join(import.meta.dirname, 'foundry/package.json'))
  try {
    const inside = require.resolve(`@foundry-rs/forge-${process.platform}-${arch}/package.json`)
    return join(dirname(inside), `bin/forge${process.platform === 'win32' ? '.exe' : ''}`)
  } catch {
    return undefined
  }
}

/** An anvil with these flags that answers. */
async function anvilWith(program: string, ...flags: string[]): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort()
  const child = spawn(program, ['--port', String(port), ...flags], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }) })
  await vi.waitUntil(() => client.getChainId().catch(() => undefined), { timeout: 30_000 })
  return { child, url }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null) await once(child, 'exit')
}

/** Runs forge in a project; returns what it prints. */
async function runForge(
  forge: string,
  project: string,
  args: readonly string[],
  more: Record<string, string> = {},
): Promise<string> {
  const env = { ...process.env, SOLC: createRequire(import.meta.url).resolve('solc'), ...more }
  const ran = promisify(execFile)(forge, args, { cwd: project, env, maxBuffer: 64 << 20 })
  const { stdout } = await ran.catch((error) => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
  return stdout
}

type Broadcast = { readonly transactions: readonly { hash: Hex; contractName: string | null; contractAddress: Hex }[] }

describe('Foundry on a fork', () => {
  if (anvil === undefined || forge === undefined) {
    it.skip(`is not tried: there is no ${anvil === undefined ? 'anvil' : 'forge'} here`, () => undefined)
    return
  }
  let origin: Awaited<ReturnType<typeof anvilWith>>
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let fork: RunningNode
  let deployed: Broadcast['transactions']
  let vault: Hex

  const run = (args: readonly string[], more?: Record<string, string>) => runForge(forge, folder.path, args, more)
  const script = async (name: string, url: string, more?: Record<string, string>) => {
    // A block for each transaction.
    const flags = ['--rpc-url', url, '--broadcast', '--slow', '--private-key', KEY]
    await run(['script', `script/${name}.s.sol`, ...flags], more)
    const written = join(folder.path, `broadcast/${name}.s.sol/${CHAIN}/run-latest.json`)
    return (JSON.parse(readFileSync(written, 'utf8')) as Broadcast).transactions
  }
  const totalOf = (url: string) =>
    createPublicClient({ transport: http(url) }).readContract({ address: vault, abi, functionName: 'total' })

  beforeAll(async () => {
    folder = await temporaryFolder()
    cpSync(join(import.meta.dirname, 'foundry-sample'), folder.path, { recursive: true })
    origin = await anvilWith(anvil, '--chain-id', String(CHAIN))
    const ask = (method: string, params: unknown[]) =>
      createPublicClient({ transport: http(origin.url) }).request({ method, params } as never)
    await ask('anvil_mine', [`0x${EARLIER.toString(16)}`])
    deployed = await script('Deploy', origin.url)
    vault = deployed.find(({ contractName }) => contractName === 'VaultProxy')?.contractAddress ?? '0x'
    await ask('anvil_mine', ['0x5'])
    fork = await forkOf({ url: origin.url })
  }, 120_000)
  afterAll(async () => {
    await fork.stop()
    await end(origin.child)
    await folder.remove()
  })

  it('forge script sends to it, and forge test runs on it and on both sides of the border', async () => {
    const border = Number(await fork.request('eth_blockNumber'))
    const sent = await script('Upgrade', fork.rpcUrl, { VAULT: vault })
    expect([await totalOf(fork.rpcUrl), await totalOf(origin.url)]).toEqual([13n, 2n])
    const env = {
      VAULT: vault,
      ADMIN: privateKeyToAddress(KEY),
      NODE: fork.rpcUrl,
      BORDER: String(border),
      FIRST: String(EARLIER),
      POKED_BEFORE: deployed.at(-1)?.hash ?? '',
      POKED_AFTER: sent[0]?.hash ?? '',
    }
    expect(await run(['test', '--fork-url', fork.rpcUrl], env)).toMatch(/5 tests passed, 0 failed/)
  })

  it('anvil forks it', async () => {
    await using other = await forkOf({ url: origin.url })
    await script('Upgrade', other.rpcUrl, { VAULT: vault })
    const { child, url } = await anvilWith(anvil, '--fork-url', other.rpcUrl)
    onTestFinished(() => end(child))
    expect(await totalOf(url)).toBe(13n)
    await script('Upgrade', url, { VAULT: vault })
    // 13, ten by the second version, ten by it again.
    expect([await totalOf(url), await totalOf(other.rpcUrl)]).toEqual([33n, 13n])
  })
})

describe('native contracts in Foundry', () => {
  if (forge === undefined) {
    it.skip('are not tried: there is no forge here', () => undefined)
    return
  }
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let node: Node
  let chain: Clients
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runForge(forge, folder.path, args, { FOUNDRY_SOLC: './solc.mjs', FOUNDRY_LINT_ON_BUILD: 'false', ...more })

  beforeAll(async () => {
    folder = await temporaryFolder()
    const copy = (from: string, to = '') =>
      cpSync(join(import.meta.dirname, from), join(folder.path, to), { recursive: true })
    copy('../../docs/examples/forge')
    copy('../../solidity', 'node_modules/kestrel-evm/solidity')
    copy('foundry-native')
    copy('foundry-sample/solc.mjs', 'solc.mjs')
    const spec = presets.kestrel()
    if (spec.native === undefined) throw new Error('the preset has no native modules')
    const modules = { ...spec, native: { ...spec.native, modules: FIXTURE_MODULES } }
    node = await startNode(nodeOptions({ spec: modules, gasLimit: 1_000_000_000n }))
    chain = clientsOf(node.url)
  }, 120_000)
  afterAll(async () => {
    await node.close()
    await folder.remove()
  })

  it('forge test runs the example on a fork of the node', async () => {
    const output = await run(['test', '--fork-url', node.url, '--match-contract', 'StakingManagerTest'])
    expect(output).toMatch(/5 tests passed, 0 failed/)
  })

  it('forge test calls those with cosmos/evm’s interfaces', async () => {
    const cosmos = await startNode(nodeOptions({ spec: presets['cosmos-evm']() }))
    onTestFinished(() => cosmos.close())
    await clientsOf(cosmos.url).dev.mine({ blocks: 2 })
    const output = await run(['test', '--fork-url', cosmos.url, '--match-contract', 'CosmosEvmTest'])
    expect(output).toMatch(/3 tests passed, 0 failed/)
  })

  it('forge script sends to them', async () => {
    const flags = ['--rpc-url', node.url, '--broadcast', '--skip-simulation', '--private-key', KEY]
    await run(['script', 'script/Stake.s.sol', ...flags])
    const written = join(folder.path, 'broadcast/Stake.s.sol/125/run-latest.json')
    const { transactions } = JSON.parse(readFileSync(written, 'utf8')) as Broadcast
    expect(transactions).toHaveLength(3)
    const manager = transactions[0]?.contractAddress ?? '0x'
    const owner = privateKeyToAddress(KEY)
    const staking = { address: NATIVE_CONTRACT.staking, abi: stakingViews } as const
    const validators = await chain.viem.readContract({
      ...staking,
      functionName: 'validators',
      args: ['BOND_STATUS_BONDED', FIRST],
    })
    const validator = validators[0][0]?.operatorAddress ?? ''
    const [, { amount }] = await chain.viem.readContract({
      ...staking,
      functionName: 'delegation',
      args: [owner, validator],
    })
    expect(amount).toBe(parseEther('4'))
    const grant = [owner, manager, '/cosmos.staking.v1beta1.MsgDelegate'] as const
    expect(await chain.viem.readContract({ ...staking, functionName: 'allowance', args: grant })).toBe(parseEther('6'))
  })

  it('answer, log and pay in forge test what they do on the node', async () => {
    const fixture = await openFixture(chain, async () => undefined)
    // forge pays its own deployments to the coinbase of the block that it forks from, so no caller may be that one.
    while ((await chain.viem.getBlock()).miner === account(OPERATOR).address.toLowerCase())
      await chain.dev.mine({ blocks: 1 })
    const calls = sampleCalls(fixture)
    // forge may read this folder.
    mkdirSync(join(folder.path, 'out'), { recursive: true })
    writeFileSync(join(folder.path, 'out/single.abi'), encodeSteps(await singleSteps(chain, calls)))
    writeFileSync(join(folder.path, 'out/sequence.abi'), encodeSteps(await sequenceSteps(chain, calls)))
    const output = await run(['test', '--fork-url', node.url, '--match-contract', 'SameAsOnTheNode'])
    expect(output).toMatch(/3 tests passed, 0 failed/)
  }, 600_000)

  it('call contracts of the fork, and those contracts log', async () => {
    const other = await ics20Chain()
    const hash = await other.walletOf(0).deployContract({ ...token, args: ['Token', 1000n] })
    await other.viem.waitForTransactionReceipt({ hash })
    const steps = await sequenceSteps(other, tokenCalls())
    expect(steps.filter(({ success }) => !success).map(({ name }) => name)).toEqual([])
    expect(new Set(steps.flatMap(({ logs }) => logs.map(({ emitter }) => getAddress(emitter)))).size).toBe(3)
    writeFileSync(join(folder.path, 'out/sequence.abi'), encodeSteps(steps))
    const output = await run(['test', '--fork-url', other.url, '--match-test', 'testSequence'])
    expect(output).toMatch(/1 tests? passed, 0 failed/)
  })

  it('are those of the fork that is active', async () => {
    const other = await testChain()
    await other.mine(3)
    const env = { FIRST: node.url, SECOND: other.url }
    expect(await run(['test', '--match-contract', 'ForksTest'], env)).toMatch(/3 tests passed, 0 failed/)
  })
})
