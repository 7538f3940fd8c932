// A chain with contracts of `test/contracts/debugger/`, whose build the node has, and the debugger's methods on it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hex } from 'viem'
import { testChain } from './chain.ts'
import { compile } from './solc.ts'

/** The path of `scenario.sol` in its build. */
export const SCENARIO = 'contracts/scenario.sol'

type Place = { readonly file: string; readonly line: number; readonly column: number } | null
export type Position = {
  readonly step: number
  readonly isEnd: boolean
  readonly place: Place
  readonly op: {
    readonly pc: number
    readonly name: string
    readonly gas: number
    readonly depth: number
    readonly address: Hex
  }
  readonly frames: readonly {
    readonly function: string
    readonly kind: string
    readonly address: Hex
    readonly place: Place
  }[]
  readonly variables: readonly { readonly name: string; readonly value: string }[]
  readonly variablesNote: string | null
  readonly storage: readonly { readonly name: string; readonly value: string }[] | null
  readonly storageNote: string | null
  readonly slots: readonly { readonly slot: Hex; readonly value: Hex; readonly name?: string }[]
  readonly stack: readonly (Hex | null)[]
  readonly memory: Hex | null
  readonly memoryLength: number
  readonly returnData: Hex
  readonly events: readonly string[]
  readonly console: readonly string[]
}
type Call = { readonly function: string; readonly address: Hex; readonly calls: readonly Call[] }
export type Opened = {
  readonly steps: number
  readonly first: number
  readonly failure: number | null
  readonly block: Hex | null
  readonly files: readonly { readonly path: string }[]
  readonly calls: Call
}

export async function debuggedChain(
  file: string,
  settings: object = {},
  options: Parameters<typeof testChain>[0] = {},
) {
  const content = readFileSync(join(import.meta.dirname, '../contracts/debugger', file), 'utf8')
  const path = `contracts/${file}`
  const outputSelection = { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } }
  const all = { evmVersion: 'cancun', ...settings, outputSelection }
  const input = { language: 'Solidity', sources: { [path]: { content } }, settings: all }
  const output = compile(input)
  const chain = await testChain(options)
  const { rpc, raw } = chain
  const [from] = (await rpc('eth_accounts')) as Hex[]
  await rpc('hardhat_addCompilationResult', '0.8.30', input, output)
  /** A failed transaction has a hash, too. */
  const send = async (fields: object): Promise<Hex> => {
    const sent = await raw('eth_sendTransaction', { from, gas: '0x1c00000', ...fields })
    return (sent.result ?? (sent.error?.data as { txHash?: Hex } | undefined)?.txHash) as Hex
  }
  const code = (name: string, args: Hex = '0x'): Hex =>
    `0x${output.contracts?.[path]?.[name]?.evm.bytecode.object}${args.slice(2)}`
  const create = async (name: string, args?: Hex) => {
    const hash = await send({ data: code(name, args) })
    const receipt = (await rpc('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }
    return { hash, address: receipt.contractAddress }
  }
  const debug = (target: object) => debuggerOf(rpc, target)
  return { ...chain, address: from, path, input, output, send, code, create, debug }
}

/** The debugger's methods for a target. */
export const debuggerOf = (rpc: (method: string, ...params: unknown[]) => Promise<unknown>, target: object) => ({
  open: () => rpc('kestrel_openDebugger', target) as Promise<Opened>,
  move: (move: object) => rpc('kestrel_debuggerPosition', target, move) as Promise<Position>,
  steps: (from: number, count: number) => rpc('kestrel_debuggerSteps', target, from, count) as Promise<unknown[]>,
})
