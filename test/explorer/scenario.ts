// A node with helpers for contracts, for tests of the explorer; it runs until the tests of the file have ended.
import { type Abi, getAddress, type Hex, type TransactionReceipt } from 'viem'
import { afterAll, beforeAll } from 'vitest'
import { type Node, type NodeOptions, startNode } from '../../src/node.ts'
import { nodeOptions, withClients } from '../support/chain.ts'
import { frames, token } from '../support/contracts.ts'
import { compileSolidity } from '../support/solc.ts'
import { api } from './support.ts'

const { contracts } = compileSolidity('test/indexer/contracts')

export type Deployed = { readonly address: Hex; readonly abi: Abi; readonly receipt: TransactionReceipt }
export type Scenario = ReturnType<typeof scenarioOn>

export const ZERO = `0x${'00'.repeat(20)}` as const

/** A node for all tests of a file; `prepare` runs before the first of them. */
export function scenario<T>(prepare: (on: Scenario) => Promise<T>, options: () => Partial<NodeOptions> = () => ({})) {
  let made: { readonly node: Node; readonly value: Scenario & { readonly made: T } } | undefined
  beforeAll(async () => {
    const node = await startNode(nodeOptions(options()))
    const on = scenarioOn(node)
    made = { node, value: { ...on, made: await prepare(on) } }
  }, 120_000)
  afterAll(() => made?.node.close())
  return () => {
    if (made === undefined) throw new Error('the scenario has not begun')
    return made.value
  }
}

export function scenarioOn(node: Node) {
  const clients = withClients(node)
  const { viem, walletOf } = clients

  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    return viem.waitForTransactionReceipt({ hash, pollingInterval: 10 })
  }

  /** Calls a contract in a transaction, which may fail. The gas limit is fixed, so that the call is not estimated first. */
  async function call(
    to: Pick<Deployed, 'address' | 'abi'>,
    functionName: string,
    args: readonly unknown[],
    from = 0,
    value = 0n,
  ) {
    const { address, abi } = to
    return receiptOf(await walletOf(from).writeContract({ address, abi, functionName, args, value, gas: 4_000_000n }))
  }

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Deployed> {
    const own: Readonly<Record<string, { abi: Abi; bytecode: Hex }>> = { Token: token, Frames: frames }
    const { abi, bytecode } = own[name] ?? contracts.get(name) ?? { abi: [], bytecode: '0x' }
    const receipt = await receiptOf(await walletOf(0).deployContract({ abi, bytecode, args, gas: 8_000_000n }))
    return { address: getAddress(receipt.contractAddress ?? ZERO), abi, receipt }
  }

  /** The result of a view function on the state after a block. */
  const answer = (
    of: Deployed,
    functionName: string,
    args: readonly unknown[],
    blockNumber: bigint,
  ): Promise<unknown> => viem.readContract({ address: of.address, abi: of.abi, functionName, args, blockNumber })

  const send = async (from: number, to: Hex | undefined, value = 0n, more: { data?: Hex; gas?: bigint } = {}) =>
    receiptOf(await walletOf(from).sendTransaction({ to, value, ...more }))

  return { ...clients, ...api(clients.url), receiptOf, call, deploy, answer, send }
}

/** A Unix time in the API's format. */
export const isoTime = (seconds: bigint): string =>
  `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.000000Z`
