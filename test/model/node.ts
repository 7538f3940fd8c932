// The node under test, as users see it: the built program in a process of its own, driven by JSON-RPC.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Abi,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  http,
  keccak256,
  numberToHex,
} from 'viem'
import { z } from 'zod'
import { compile } from '../support/solc.ts'
import { ABI, ACTOR_ABI, CONTRACT } from './abi.ts'
import type { Gas, Transaction } from './chain.ts'
import { encode } from './operations.ts'
import type { Address } from './state.ts'
import { genesisFile, signers } from './world.ts'

const PROGRAM = process.env.KESTREL_PROGRAM ?? join(import.meta.dirname, '../../dist/main.js')
const CHAIN_ID = 125
const GAS = 3_000_000n
const GAS_PRICE = 10_000_000_000n
/** Milliseconds that the program may take to answer. */
const STARTING = 60_000

const presetSchema = z.looseObject({
  alloc: z.record(z.string(), z.looseObject({ code: z.string().optional() })),
  kestrel: z.looseObject({
    compat: z.looseObject({}).optional(),
    authz: z.looseObject({}).optional(),
    modules: z.record(z.string(), z.looseObject({}).optional()),
  }),
})
const hex = z.string().transform((text) => text as Hex)
const outputSchema = z.object({
  contracts: z.record(
    z.string(),
    z.record(z.string(), z.object({ evm: z.object({ deployedBytecode: z.object({ object: z.string() }) }) })),
  ),
})
const receiptsSchema = z.array(
  z.object({
    transactionHash: hex,
    status: hex,
    gasUsed: hex,
    effectiveGasPrice: hex,
    logs: z.array(z.object({ address: hex, data: hex })),
  }),
)

function actorCode(): Hex {
  const content = readFileSync(join(import.meta.dirname, 'actor.sol'), 'utf8')
  const output = compile({
    language: 'Solidity',
    sources: { 'actor.sol': { content } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'prague',
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
    },
  })
  const code = outputSchema.parse(output).contracts['actor.sol']?.['Actor']?.evm.deployedBytecode.object
  if (code === undefined) throw new Error('actor.sol does not compile')
  return `0x${code}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

export type Sent = { readonly gas: Gas; readonly succeeded: boolean; readonly steps: readonly boolean[] }
export type ModelNode = Awaited<ReturnType<typeof startNode>>

const MODE = { must: 0, try: 1, undo: 2 } as const

/** Where a transaction goes and what it says. */
function callOf({ via, steps }: Transaction): { to: Address; data: Hex } {
  const calls = steps.map(({ mode, operation }) => ({ mode: MODE[mode], ...encode(operation) }))
  const [first] = calls
  if (first === undefined) throw new Error('a transaction without steps')
  if (via === undefined) return first
  const targets = calls.map(({ mode, to, data }) => ({ mode, target: to, data }))
  return { to: via, data: encodeFunctionData({ abi: ACTOR_ABI, functionName: 'run', args: [targets] }) }
}

/** Starts the program on a new chain in memory. */
export async function startNode() {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-model-'))
  const preset = presetSchema.parse(
    JSON.parse(execFileSync(process.execPath, [PROGRAM, 'genesis'], { encoding: 'utf8' })),
  )
  const genesis = join(folder, 'genesis.json')
  writeFileSync(genesis, JSON.stringify(genesisFile(preset, actorCode())))
  const url = `http://127.0.0.1:${await freePort()}`
  const port = new URL(url).port
  const flags = ['--in-memory', '--genesis', genesis, '--no-mining', '--order', 'fifo', '--port', port, '--silent']
  const child = spawn(process.execPath, [PROGRAM, 'start', ...flags], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => (errors += text))
  const stopWithUs = () => child.kill('SIGKILL')
  process.on('exit', stopWithUs)

  const client = createPublicClient({
    transport: http(`${url}/rpc`, { retryCount: 0, timeout: 120_000, batch: { batchSize: 500, wait: 0 } }),
  })
  const rpc = (method: string, ...params: unknown[]): Promise<unknown> =>
    client.request({ method: method as 'eth_chainId', params: params as never })
  const began = Date.now()
  while (
    !(await rpc('eth_chainId').then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() - began > STARTING)
      throw new Error(`the node does not answer:\n${errors}`)
    await sleep(30)
  }
  const nonces = new Map<Address, number>()

  async function sign(transaction: Transaction): Promise<Hex> {
    const { from } = transaction
    const signer = signers.get(from)
    if (signer === undefined) throw new Error(`no key of ${from}`)
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    return signer.signTransaction({
      ...callOf(transaction),
      type: 'legacy',
      chainId: CHAIN_ID,
      nonce,
      gas: GAS,
      gasPrice: GAS_PRICE,
    })
  }

  return {
    rpc,
    /** Calls a view of a native contract at the head. */
    read: (contract: keyof typeof CONTRACT, functionName: string, ...args: readonly unknown[]): Promise<unknown> =>
      client.readContract({ address: CONTRACT[contract], abi: ABI[contract] as Abi, functionName, args }),
    /** Mines a block of these transactions at a time; what became of each. */
    async block(time: bigint, transactions: readonly Transaction[]): Promise<Sent[]> {
      const hashes: Hex[] = []
      for (const transaction of transactions) {
        const signed = await sign(transaction)
        hashes.push(keccak256(signed))
        await rpc('eth_sendRawTransaction', signed)
      }
      await rpc('evm_setNextBlockTimestamp', numberToHex(time))
      await rpc('evm_mine')
      const receipts = receiptsSchema.parse(await rpc('eth_getBlockReceipts', 'latest'))
      if (receipts.map(({ transactionHash }) => transactionHash).join() !== hashes.join())
        throw new Error(`the block has ${receipts.length} transactions of ${hashes.length}, or in another order`)
      return receipts.map(({ status, gasUsed, effectiveGasPrice, logs }, index) => {
        const { via, steps = [] } = transactions[index] ?? {}
        const succeeded = status === '0x1'
        const ran = logs.findLast(({ address }) => address === via)
        const bits = ran === undefined ? (succeeded ? 1n : 0n) : hexToBigInt(ran.data)
        return {
          gas: { limit: GAS, used: hexToBigInt(gasUsed), price: hexToBigInt(effectiveGasPrice) },
          succeeded,
          steps: succeeded ? steps.map((_, step) => ((bits >> BigInt(step)) & 1n) === 1n) : [],
        }
      })
    },
    async stop(): Promise<void> {
      process.off('exit', stopWithUs)
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
