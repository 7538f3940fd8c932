// Where an ERC-20 contract keeps a number: of the slots it reads to answer, the one that changes the answer.
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Chain } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToWord, bytesToBig, fromHex } from '../lib/hex.ts'

export const balanceCall = (account: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }))

export const allowanceCall = (owner: Address, spender: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }))

/** The slot that has to hold `wanted` for the call to return it. Throws `not-found` when no single slot does. */
export async function findSlot(
  chain: Chain,
  token: Address,
  data: Uint8Array,
  wanted: bigint,
): Promise<{ readonly contract: Address; readonly slot: bigint }> {
  const request = { to: token, data }
  const { accessList } = await chain.createAccessList(request, 'latest')
  for (const { address: contract, storageKeys } of accessList) {
    for (const key of storageKeys) {
      const stateDiff = new Map([[key, bigToWord(wanted)]])
      const { error, returnData } = await chain.call(request, 'latest', {
        stateOverrides: new Map([[contract, { stateDiff }]]),
      })
      if (error === undefined && returnData.length === 32 && bytesToBig(returnData) === wanted) {
        return { contract, slot: BigInt(key) }
      }
    }
  }
  throw new ChainError('not-found', `no storage slot of ${token} holds the value`)
}
