// The contracts of `contracts/`: compiled once, deployed on a target, called with ABI arguments.
import {
  concat,
  decodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
} from 'viem'
import { type Contract, compileSolidity } from '../test/support/solc.ts'
import { post } from './load/http.ts'
import { type Call, deployer, GAS_LIMIT, recipient, senders, sign } from './senders.ts'
import type { Target } from './target.ts'

const { contracts } = compileSolidity('bench/contracts')

type ContractName =
  | 'Token'
  | 'CompactToken'
  | 'LayeredToken'
  | 'Proxy'
  | 'Compute'
  | 'Slots'
  | 'Factory'
  | 'Router'
  | 'Pair'

export function contractNamed(name: ContractName): Contract {
  const contract = contracts.get(name)
  if (contract === undefined) throw new Error(`no contract ${name}`)
  return contract
}

export const callData = (name: ContractName, functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: contractNamed(name).abi, functionName, args })

export type Receipt = { readonly status: string; readonly contractAddress: Hex | null; readonly transactionHash: Hex }

/** Sends a transaction and polls for its receipt without a pause. Throws when the transaction failed. */
export async function sendAndWait(target: Target, raw: Hex): Promise<Receipt> {
  const hash = await target.rpc('eth_sendRawTransaction', raw)
  for (;;) {
    const receipt = (await target.rpc('eth_getTransactionReceipt', hash)) as Receipt | null
    if (receipt === null) continue
    if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`)
    return receipt
  }
}

/** Sends as the deployer with its next nonce, and waits. */
export async function transact(target: Target, call: Call): Promise<Receipt> {
  const nonce = Number(await target.rpc('eth_getTransactionCount', deployer, 'pending'))
  return sendAndWait(target, sign(deployer, nonce, call))
}

export async function deploy(target: Target, name: ContractName, args?: readonly unknown[]): Promise<Hex> {
  const { abi, bytecode } = contractNamed(name)
  const data = encodeDeployData({ abi, bytecode, args })
  const { contractAddress } = await transact(target, { data, gas: 5_000_000n })
  if (contractAddress === null) throw new Error(`${name} was not made`)
  return contractAddress
}

/** Deploys a token and gives every sender, and the deployer, a large balance. */
export const deployToken = (target: Target): Promise<Hex> =>
  deploy(target, 'Token', [[deployer, ...senders], 10n ** 24n])

/** Tokens of several styles, deployed, with a large balance for every sender. */
export async function deployTokens(target: Target): Promise<readonly { readonly style: string; readonly at: Hex }[]> {
  const holders = [[deployer, ...senders], 10n ** 24n] as const
  const implementation = await deploy(target, 'LayeredToken')
  const initial = callData('LayeredToken', 'initialize', holders)
  return [
    { style: 'plain', at: await deployToken(target) },
    { style: 'assembly', at: await deploy(target, 'CompactToken', holders) },
    { style: 'behind a proxy', at: await deploy(target, 'Proxy', [implementation, initial]) },
  ]
}

/** Slots that one transaction writes. */
const WRITTEN = 1000

/** Deploys a contract with a mapping of this many words, a multiple of 1,000. */
export async function deploySlots(target: Target, count: number): Promise<Hex> {
  const slots = await deploy(target, 'Slots')
  for (let first = 0; first < count; first += WRITTEN) {
    const data = callData('Slots', 'fill', [BigInt(first), BigInt(WRITTEN)])
    await transact(target, { to: slots, data, gas: 30_000_000n })
  }
  return slots
}

/** Number `index` of the transfers of a token, by the senders in turn, each from nonce 0 on. */
export function tokenTransfer(token: Hex, index: number): Hex {
  const data = callData('Token', 'transfer', [recipient(index), 1n])
  const from = senders[index % senders.length] ?? '0x'
  return sign(from, Math.floor(index / senders.length), { to: token, data, gas: 100_000n })
}

/** Mines a block of the first `count` transfers of a token. */
export async function mineTransfers(target: Target, token: Hex, count: number): Promise<{ block: unknown; last: Hex }> {
  const transfers = Array.from({ length: count }, (_, index) => tokenTransfer(token, index))
  await target.rpc('evm_setAutomine', false)
  for (const raw of transfers) await target.rpc('eth_sendRawTransaction', raw)
  await target.rpc('evm_mine')
  await target.rpc('evm_setAutomine', true)
  return { block: await target.rpc('eth_blockNumber'), last: keccak256(transfers.at(-1) ?? '0x') }
}

/** An eth_call that returns a result and the gas that it used. */
export type Work = {
  readonly result: bigint
  readonly gas: bigint
  /** Runs it once more, with another seed, and returns milliseconds. */
  run(): Promise<number>
}

/** Appends a seed to the arguments: functions without a seed parameter ignore it. */
export async function work(target: Target, to: Hex, data: Hex): Promise<Work> {
  let seed = 0
  const callNow = () => ({ to, data: concat([data, numberToHex(seed, { size: 32 })]), gas: numberToHex(GAS_LIMIT) })
  const output = (await target.rpc('eth_call', callNow(), 'latest')) as Hex
  const [result, gas] = decodeAbiParameters([{ type: 'uint256' }, { type: 'uint256' }], output)
  const end = `${numberToHex(gas, { size: 32 }).slice(2)}"`
  return {
    result,
    gas,
    async run() {
      seed++
      const body = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [callNow(), 'latest'] }
      const request = post(target.url, JSON.stringify(body))
      const began = performance.now()
      const answer = await target.ask(request)
      const took = performance.now() - began
      if (!answer.includes(end)) throw new Error(`another answer: ${answer.toString().slice(0, 300)}`)
      return took
    },
  }
}
