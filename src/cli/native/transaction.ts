// Calls of native contracts: view functions, and transactions that are signed, sent and awaited until they are in a block.
import type { Abi, AbiFunction } from 'abitype'
import { encodeFunctionData, type Hex, parseEventLogs, type TransactionReceipt } from 'viem'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { precompilesWith } from '../../precompiles/index.ts'
import { NATIVE_INTERFACES } from '../../spec/chain-spec.ts'
import { type RpcClient, refusalOf } from '../rpc-client.ts'
import { type Contract, contractNamed, functionsNamed } from './contracts.ts'
import { addressOfSender, type Sender } from './sender.ts'

/** Throws ChainError when the chain lacks the contract, because a call would return empty data without an error. */
export async function requireContract({ viem }: RpcClient, { name, address }: Contract): Promise<void> {
  if ((await viem.getCode({ address })) === undefined)
    throw new ChainError('not-found', `this chain has no ${NAMES[name] ?? name}: there is no contract at ${address}`)
}

const NAMES: Readonly<Record<string, string>> = { gov: 'governance' }

const params = z.object({ minDeposit: z.array(z.object({ denom: z.string() })) })

/** The denomination of stakes, fees and deposits. */
export async function readBaseDenom(node: RpcClient): Promise<string> {
  const contract = contractNamed('gov')
  const [abi] = functionsNamed(contract, 'getParams')
  const [answer] = abi === undefined ? [] : await callContract(node, { contract, abi, args: [] })
  return params.parse(answer).minDeposit[0]?.denom ?? ''
}

export type NativeCall = { readonly contract: Contract; readonly abi: AbiFunction; readonly args: readonly unknown[] }

/** The values that a function returns, in the order of its outputs, on the state after `block` (default: the newest). */
export async function callContract(
  { viem }: RpcClient,
  { contract: { address }, abi, args }: NativeCall,
  { from, block }: { readonly from?: Hex | undefined; readonly block?: bigint | undefined } = {},
): Promise<readonly unknown[]> {
  const at = block === undefined ? { blockTag: 'latest' as const } : { blockNumber: block }
  const { name: functionName, outputs } = abi
  const result = await viem.readContract({ address, abi: [abi], functionName, args: [...args], account: from, ...at })
  return outputs.length === 1 ? [result] : Array.isArray(result) ? result : []
}

/** A call that does not revert on the newest state, with its gas limit. */
export type EstimatedCall = { readonly sender: Sender; readonly to: Hex; readonly data: Hex; readonly gas: bigint }

/** Estimates the gas, so that a call that would revert is not sent. Throws viem's errors. */
export async function estimateCall(
  { viem }: RpcClient,
  sender: Sender,
  { contract: { address: to }, abi, args }: NativeCall,
): Promise<EstimatedCall> {
  const data = encodeFunctionData({ abi: [abi], functionName: abi.name, args: [...args] })
  const gas = await viem.estimateGas({ account: addressOfSender(sender), to, data })
  // Add a fifth, because earlier transactions of the block may raise the cost; unused gas is refunded.
  return { sender, to, data, gas: gas + gas / 5n }
}

/** Signs and sends it; returns the hash. Throws viem's errors, and ChainError `unknown-account` when the node has no key. */
export async function submit({ viem }: RpcClient, { sender, ...call }: EstimatedCall): Promise<Hex> {
  try {
    return await viem.sendTransaction({ account: sender, ...call, chain: null })
  } catch (error) {
    if (refusalOf(error)?.message !== 'unknown account') throw error
    throw new ChainError(
      'unknown-account',
      `the node has no key of ${addressOfSender(sender)}; sign with --private-key-file or --keystore`,
    )
  }
}

/** Milliseconds to wait for a transaction's block. */
const RECEIPT_TIMEOUT = 60_000

/** Sends it and waits for its block. Throws ChainError when no block comes, and with the revert reason when it reverted. */
export async function send(node: RpcClient, call: EstimatedCall): Promise<TransactionReceipt> {
  const { viem } = node
  const hash = await submit(node, call)
  const receipt = await viem.waitForTransactionReceipt({ hash, timeout: RECEIPT_TIMEOUT }).catch((error) => {
    if (!(error instanceof Error) || error.name !== 'WaitForTransactionReceiptTimeoutError') throw error
    throw new ChainError(
      'limit-exceeded',
      `no block has taken transaction ${hash} in ${RECEIPT_TIMEOUT / 1000} s; it is still pending`,
    )
  })
  if (receipt.status === 'success') return receipt
  // Every node still has the state after the block, where the same call usually fails as well.
  const { sender, to, data, gas } = call
  const again = viem.call({ account: addressOfSender(sender), to, data, gas, blockNumber: receipt.blockNumber })
  const reason = await again.then(
    () => undefined,
    (error) => refusalOf(error)?.message,
  )
  const where = `transaction ${hash} reverted in block ${receipt.blockNumber}`
  throw new ChainError('execution-reverted', reason === undefined ? where : `${where}: ${reason}`)
}

/** `estimateCall`, then `send`. */
export const transact = async (node: RpcClient, sender: Sender, call: NativeCall): Promise<TransactionReceipt> =>
  send(node, await estimateCall(node, sender, call))

export type DecodedEvent = {
  readonly contract: string
  readonly event: Extract<Abi[number], { type: 'event' }>
  readonly args: Readonly<Record<string, unknown>>
}

/** The events of native contracts, in log order. An indexed string is known by its hash only. */
export const decodedEvents = ({ logs }: TransactionReceipt): DecodedEvent[] =>
  logs.flatMap((log) => {
    // Events that differ between interfaces have different topics.
    for (const { name, address, abi } of NATIVE_INTERFACES.flatMap(precompilesWith)) {
      const [found] = address === log.address.toLowerCase() ? parseEventLogs({ abi, logs: [log] }) : []
      const event = abi.find((entry) => entry.type === 'event' && entry.name === found?.eventName)
      if (event?.type !== 'event' || typeof found?.args !== 'object') continue
      return [{ contract: name, event, args: Object.fromEntries(Object.entries(found.args)) }]
    }
    return []
  })

export const blockOf = ({ transactionHash: transaction, blockNumber }: TransactionReceipt) => ({
  transaction,
  block: Number(blockNumber),
})
