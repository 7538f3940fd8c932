// Foundry against a fork of anvil: forge test and forge script, and an anvil that forks the fork. `foundry-sample` is the project,
// `foundry` has the packages.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, type Hex, http, parseAbi } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { findAnvil } from '../../bench/contenders.ts'
import type { RunningNode } from '../../src/library.ts'
import { forkOf } from '../support/forked.ts'
import { freePort, temporaryFolder } from '../support/process.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const CHAIN = 7777
/** Blocks before the vault. */
const EARLIER = 3
const abi = parseAbi(['function total() view returns (uint256)'])

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

  /** Runs forge in the project; returns what it prints. */
  const run = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const env = { ...process.env, SOLC: createRequire(import.meta.url).resolve('solc'), ...more }
    const ran = promisify(execFile)(forge, args, { cwd: folder.path, env })
    const { stdout } = await ran.catch((error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    })
    return stdout
  }
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
