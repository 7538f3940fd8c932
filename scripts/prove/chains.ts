// One live chain of a seed: a node makes blocks with hot code that calls accounts whose delegations change (EIP-7702), blobs and
// creations, across the forks BPO1, BPO2 and Amsterdam. go-ethereum imports the blocks and exports the same headers; this program
// imports them compiled eagerly and in the stress build, and executes them again on its other engines.
// tsx scripts/prove/chains.ts [--seed SEED] [--blocks 16]
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { toHex } from '../../src/lib/hex.ts'
import { splitItems, splitList } from '../../src/primitives/rlp.ts'
import { FOUND } from '../fuzz-geth/found.ts'
import { gethProgram } from '../fuzz-geth/geth.ts'
import { ChainTraffic, genesisOf } from './traffic.ts'

const { values } = parseArgs({ options: { seed: { type: 'string' }, blocks: { type: 'string', default: '16' } } })
const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
const blocks = Number(values.blocks)
const PROGRAM = join(import.meta.dirname, '../../dist/main.js')
const STARTING = 60_000
/** Seconds between blocks. */
const SPACING = 12
const run = promisify(execFile)

type Environment = Readonly<Record<string, string>>
const kestrel = (args: readonly string[], env: Environment = {}) =>
  run(process.execPath, [PROGRAM, ...args], { env: { ...process.env, ...env }, maxBuffer: 2 ** 26 })

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

/** A node that makes blocks on request; ends it when `use` has ended. */
async function withNode(datadir: string, use: (rpc: Rpc) => Promise<void>): Promise<void> {
  const args = ['start', '--datadir', datadir, '--port', String(await freePort()), '--no-mining']
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  try {
    const end = performance.now() + STARTING
    let url: string | undefined
    while (url === undefined) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`the node has not started: ${output}`)
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      await sleep(50)
    }
    await use(rpcOf(url))
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

type Rpc = (method: string, ...params: readonly unknown[]) => Promise<unknown>
const rpcOf =
  (url: string): Rpc =>
  async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }

/** Makes the blocks; the number of transactions in them. */
async function makeChain(datadir: string, start: number): Promise<number> {
  let transactions = 0
  await withNode(datadir, async (rpc) => {
    const traffic = new ChainTraffic(seed, async (address) =>
      BigInt((await rpc('eth_getTransactionCount', address, 'latest')) as string),
    )
    for (let number = 1; number <= blocks; number++) {
      for (const raw of await traffic.transactions()) {
        // Some are refused by the pool, such as what the sender cannot pay.
        await rpc('eth_sendRawTransaction', raw).catch(() => traffic.refused())
      }
      await rpc('evm_setNextBlockTimestamp', `0x${(start + SPACING * number).toString(16)}`)
      await rpc('evm_mine')
      const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as { transactions: unknown[] }
      transactions += block.transactions.length
    }
  })
  return transactions
}

type Check = { readonly name: string; readonly run: () => Promise<unknown> }

async function compare(geth: string, folder: string): Promise<{ executions: number; differences: number }> {
  const genesis = join(folder, 'genesis.json')
  const data = join(folder, 'data')
  const exported = join(folder, 'chain.rlp')
  const { stdout: base } = await run(geth, ['--dev', 'dumpgenesis'], { maxBuffer: 2 ** 26 })
  const made = genesisOf(JSON.parse(base), seed, { blocks, spacing: SPACING })
  await writeFile(genesis, JSON.stringify(made.genesis))
  await kestrel(['init', '--datadir', data, '--genesis', genesis])
  const transactions = await makeChain(data, made.start)
  await kestrel(['export', '--datadir', data, exported])
  const bytes = await readFile(exported)

  const imported = (name: string, env: Environment): Check => ({
    name,
    run: async () => {
      const copy = join(folder, name)
      await kestrel(['init', '--datadir', copy, '--genesis', genesis], env)
      await kestrel(['import', '--datadir', copy, exported], env)
    },
  })
  const executed = (engine: string, ...more: readonly string[]): Check => ({
    name: engine,
    run: () => kestrel(['check', '--execute', '--datadir', data, '--engine', engine, ...more]),
  })
  const flags = ['--datadir', join(folder, 'geth'), '--verbosity', '2']
  await run(geth, [...flags, 'init', '--state.scheme', 'path', genesis])
  const complaint = await run(geth, [...flags, '--state.scheme', 'path', 'import', exported]).then(
    ({ stderr }) => stderr,
    String,
  )
  const again = join(folder, 'geth.rlp')
  await run(geth, [...flags, 'export', again])
  // Its export begins with block 0, and adds block access lists, so the headers are compared.
  const accepted = [...splitItems(await readFile(again))].slice(1)
  const headers = (of: readonly Uint8Array[]) => Buffer.concat(of.map((block) => splitList(block)[0] ?? block))
  const isAccepted = headers([...splitItems(bytes)]).equals(headers(accepted))
  const problems = isAccepted ? [] : [`geth: ${complaint.slice(-2000)}`]
  const checks = [
    imported('eagerly', { KESTREL_COMPILE: 'eagerly' }),
    imported('stress', { KESTREL_STRESS: String(seed) }),
    executed('wasm'),
    // Of block access lists the library's engine has a record of its own; until it agrees, Amsterdam's blocks are left out.
    executed('library', '--to', String(made.beforeAmsterdam)),
  ]
  for (const check of checks) {
    await check.run().catch((error: unknown) => {
      const { stdout = '' } = error as { stdout?: string }
      problems.push(`${check.name}: ${String(error).slice(-2000)}${stdout.slice(-2000)}`)
    })
  }
  if (problems.length > 0) {
    const kept = join(FOUND, `${seed}.chain.json`)
    const blocks = toHex(bytes)
    await mkdir(FOUND, { recursive: true })
    await writeFile(kept, JSON.stringify({ genesis: made.genesis, blocks, valid: accepted.length }, null, 1))
    console.log(`chain of seed ${seed}, kept in ${kept}:\n${problems.join('\n')}`)
  }
  return { executions: transactions * (checks.length + 1), differences: problems.length }
}

const geth = await gethProgram('geth')
if (geth === undefined) throw new Error('there is no geth')
const folder = await mkdtemp(join(tmpdir(), 'prove-chain-'))
try {
  const found = await compare(geth, folder)
  console.log(
    `chain of seed ${seed}: ${blocks} blocks, ${found.executions} executions, ${found.differences} differences`,
  )
  if (found.differences > 0) process.exitCode = 1
  process.send?.(found)
  process.disconnect?.()
} finally {
  await rm(folder, { recursive: true, force: true })
}
