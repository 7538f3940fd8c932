// The native contracts as wallets call them: addresses, functions, and a call that is tried out before it is signed.
import { type Abi, decodeFunctionResult, encodeFunctionData } from 'viem'
import distributionAbi from '../../solidity/abi/Distribution.json'
import govAbi from '../../solidity/abi/Gov.json'
import slashingAbi from '../../solidity/abi/Slashing.json'
import stakingAbi from '../../solidity/abi/Staking.json'
import { describeError, isHex, rpc } from '../contract/rpc.ts'
import { type Connection, send } from '../contract/wallets.ts'

type NativeContract = { readonly address: string; readonly abi: Abi }

const isAbiItem = (item: unknown): item is Abi[number] =>
  typeof item === 'object' && item !== null && typeof Reflect.get(item, 'type') === 'string'

const contract = (tail: string, abi: readonly unknown[]): NativeContract => ({
  address: `0x${tail.padStart(40, '0')}`,
  abi: abi.filter(isAbiItem),
})

/** Their addresses are those of Evmos and never change. */
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

/** Tries a call out, then has it signed and sent; returns the hash. Throws Error with the contract's own words. */
export async function sendNative(
  connection: Connection,
  { contract, functionName, args }: NativeCall,
): Promise<string> {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args })
  try {
    await rpc('eth_call', [{ from: connection.account, to: contract.address, data }, 'pending'])
    return await send(connection, { to: contract.address, data, value: 0n })
  } catch (error) {
    throw new Error(describeError(error, contract.abi))
  }
}

/** The answer of a view function. Throws what the node answers. */
export async function readNative({ contract, functionName, args }: NativeCall): Promise<unknown> {
  const data = encodeFunctionData({ abi: contract.abi, functionName, args })
  const answer = await rpc('eth_call', [{ to: contract.address, data }, 'latest'])
  if (!isHex(answer)) throw new Error('The node gave no answer.')
  return decodeFunctionResult({ abi: contract.abi, functionName, data: answer })
}
