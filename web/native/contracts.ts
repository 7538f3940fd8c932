// Calls of the native contracts: their addresses and ABIs; a transaction is simulated before the wallet signs it.
import { type Abi, decodeFunctionResult, encodeFunctionData } from 'viem'
import distributionAbi from '../../solidity/abi/Distribution.json'
import govAbi from '../../solidity/abi/Gov.json'
import slashingAbi from '../../solidity/abi/Slashing.json'
import stakingAbi from '../../solidity/abi/Staking.json'
import { describeError } from '../contract/errors.ts'
import { type Connection, send } from '../contract/wallets.ts'
import { isHex, rpc } from '../rpc.ts'

type NativeContract = { readonly address: string; readonly abi: Abi }

const isAbiItem = (item: unknown): item is Abi[number] =>
  typeof item === 'object' && item !== null && typeof Reflect.get(item, 'type') === 'string'

const contract = (tail: string, abi: readonly unknown[]): NativeContract => ({
  address: `0x${tail.padStart(40, '0')}`,
  abi: abi.filter(isAbiItem),
})

/** The addresses are those of Evmos and never change. */
export const STAKING = contract('800', stakingAbi)
export const DISTRIBUTION = contract('801', distributionAbi)
export const GOV = contract('805', govAbi)
export const SLASHING = contract('806', slashingAbi)

/** A call of a native contract by the connected account. */
export type NativeCall = {
  readonly contract: NativeContract
  readonly functionName: string
  readonly args: readonly unknown[]
}

/** Simulates a call, then has the wallet sign and send it; returns the hash. Throws Error with the revert reason. */
export async function sendNative(
  connection: Connection,
  { contract, functionName, args }: NativeCall,
): Promise<string> {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args })
  try {
    await rpc('eth_call', { from: connection.account, to: contract.address, data }, 'pending')
    return await send(connection, { to: contract.address, data, value: 0n })
  } catch (error) {
    throw new Error(describeError(error, contract.abi))
  }
}

/** The decoded result of a view function. Throws RpcError, and Error without an answer. */
export async function readNative({ contract, functionName, args }: NativeCall): Promise<unknown> {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args })
  const answer = await rpc('eth_call', { to: contract.address, data }, 'latest')
  if (!isHex(answer)) throw new Error('The node gave no answer.')
  return decodeFunctionResult({ abi: contract.abi, functionName, data: answer })
}
