// Finds the storage slot in which an ERC-20 contract keeps a balance or an allowance: it tries the slots that the getter
// reads, one by one, with the value overridden, until the getter returns that value.
import { encodeFunctionData, erc20Abi } from 'viem'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToWord, bytesToBig, fromHex } from '../../lib/hex.ts'

export const balanceCall = (account: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }))

export const allowanceCall = (owner: Address, spender: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }))

/** The slot whose value the call returns, tested with `value`. Throws `not-found` when there is no such slot. */
export async function findSlot(
  chain: Chain,
  token: Address,
  data: Uint8Array,
  value: bigint,
): Promise<{ readonly contract: Address; readonly slot: bigint }> {
  const request = { to: token, data }
  const { accessList } = await chain.createAccessList(request, 'latest')
  for (const { address: contract, storageKeys } of accessList) {
    for (const key of storageKeys) {
      const stateDiff = new Map([[key, bigToWord(value)]])
      const { error, returnData } = await chain.call(request, 'latest', {
        stateOverrides: new Map([[contract, { stateDiff }]]),
      })
      if (error === undefined && returnData.length === 32 && bytesToBig(returnData) === value) {
        return { contract, slot: BigInt(key) }
      }
    }
  }
  throw new ChainError('not-found', `no storage slot of ${token} holds the value`)
}
