// Conversions between tokens of external pairs and their coins: the calls to the token's contract. The contract is not trusted:
// the module's token balance is compared before and after.

import { decodeFunctionResult, encodeFunctionData, getAddress, parseAbi } from 'viem'
import type { InnerMessage, InnerResult } from '../evm/native-call.ts'
import { type Address, bytesToBig, fromHex, toHex } from '../lib/hex.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Pair, TokenMetadata } from '../modules/erc20/layout.ts'
import type { Modules } from '../modules/index.ts'
import { reverted } from '../modules/module.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import type { ContractCall } from './define.ts'

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256 balance)',
  'function transfer(address to, uint256 amount) returns (bool success)',
  'function name() view returns (string name)',
  'function symbol() view returns (string symbol)',
  'function decimals() view returns (uint8 decimals)',
])

const balanceOf = (owner: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] }))
const transferTo = (to: Address, amount: bigint): Uint8Array =>
  fromHex(encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] }))

/** Old tokens return nothing, new ones return true. */
const isTrue = (answer: Uint8Array): boolean =>
  answer.length === 0 || (answer.length === 32 && bytesToBig(answer) === 1n)

/** What a conversion needs of the call. */
type Converting = {
  readonly modules: Modules
  callContract(message: ContractCall): Promise<Uint8Array>
}

/** Transfers tokens from their owner, without needing an allowance, and mints coins for them. Throws ChainError. */
export async function tokensToCoins(call: Converting, pair: Pair, owner: Address, amount: bigint): Promise<void> {
  const { token } = pair
  const before = await heldTokens(call, token)
  const message = { from: owner, to: token, input: transferTo(MODULE_ACCOUNT.erc20, amount), isStatic: false }
  if (!isTrue(await call.callContract(message))) throw reverted(`transfer of token ${getAddress(token)} failed`)
  const expected = before + amount
  const actual = await heldTokens(call, token)
  if (actual !== expected) {
    const found = `invalid token balance - expected: ${expected}, actual: ${actual}`
    throw reverted(`${found}: post transfer balance invariant failed`)
  }
  call.modules.erc20.mintCoins(pair, owner, amount)
}

async function heldTokens({ callContract }: Converting, token: Address): Promise<bigint> {
  const holder = MODULE_ACCOUNT.erc20
  const answer = await callContract({ from: holder, to: token, input: balanceOf(holder), isStatic: true })
  if (answer.length < 32) throw reverted(`failed to retrieve balance: ${getAddress(token)} is no token`)
  return bytesToBig(answer.subarray(0, 32))
}

const LONGEST_NAME = 128

/** A token's metadata. Throws ChainError if it does not answer as an ERC-20 token. */
export async function readTokenMetadata({ callContract }: Converting, token: Address): Promise<TokenMetadata> {
  const ask = async (functionName: 'name' | 'symbol' | 'decimals'): Promise<string> => {
    const input = fromHex(encodeFunctionData({ abi, functionName }))
    const answer = await callContract({ from: MODULE_ACCOUNT.erc20, to: token, input, isStatic: true })
    try {
      const value = String(decodeFunctionResult({ abi, functionName, data: toHex(answer) }))
      if (Buffer.byteLength(value, 'utf8') <= LONGEST_NAME) return value
    } catch {
      // The caller reports the error below.
    }
    throw reverted(`${getAddress(token)} has no ${functionName} that an ERC-20 token would have`)
  }
  return { name: await ask('name'), symbol: await ask('symbol'), decimals: BigInt(await ask('decimals')) }
}

/** Gas limit of a transfer out of escrow: more than any token needs. */
const RETURN_GAS = 500_000n

/** Once these calls have used this much gas in a block, the remaining ones run in the next block. */
const RETURN_GAS_A_BLOCK = 5_000_000n

/**
 * Converts coins released from escrow back into tokens, at the end of a block. `callContract` sends a message of the protocol.
 * If the contract does not pay, the holder keeps the coins.
 */
export async function returnTokens(
  { erc20 }: Modules,
  callContract: (message: InnerMessage) => MaybePromise<InnerResult>,
): Promise<void> {
  for (let used = 0n; used < RETURN_GAS_A_BLOCK; ) {
    const due = erc20.takeDueTokens()
    if (due === undefined) return
    const { token, holder, amount } = due
    const input = transferTo(holder, amount)
    const message = { from: MODULE_ACCOUNT.erc20, to: token, input, gasLimit: RETURN_GAS, isStatic: false }
    const { error, output, gasUsed } = await callContract(message)
    used += gasUsed
    erc20.settle(due, error === undefined && isTrue(output))
  }
}
