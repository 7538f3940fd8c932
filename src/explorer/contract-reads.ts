// View calls of contracts on the state after the head, for numbers that are not in the index.
import type { Caller } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, bytesToBig, fromHex, ZERO_ADDRESS } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'

type At = { readonly chain: Caller; readonly head: SealedHeader; readonly spec: ChainSpec }

/** Base units of one coin. */
export const WEI = 10n ** 18n

export const coinSymbol = ({ spec }: Pick<At, 'spec'>): string => spec.native?.symbol ?? 'ETH'

/** Gas of a call: enough for a balance behind a proxy. */
const GAS = 100_000n
const SELECTOR = {
  /** balanceOf(address), of ERC-20 and ERC-721 */
  balanceOf: fromHex('0x70a08231'),
  totalSupply: fromHex('0x18160ddd'),
  /** balanceOf(address,uint256), of ERC-1155 */
  balanceOfId: fromHex('0x00fdd58e'),
  /** supplyOf(address) of the native bank; the zero address is the coin. */
  supplyOf: fromHex('0x62400e4c'),
}

/** Input of a token's `balanceOf`; with an id, of an ERC-1155's. */
export function balanceOfInput(holder: Address, id?: bigint): Uint8Array {
  const address = addressWord(holder)
  return id === undefined
    ? Buffer.concat([SELECTOR.balanceOf, address])
    : Buffer.concat([SELECTOR.balanceOfId, address, bigToFixed(id, 32)])
}

/** The number that a call returned; undefined if it failed or returned anything but one word. */
export const returnedNumber = (output: Uint8Array, error: unknown): bigint | undefined =>
  error === undefined && output.length === 32 ? bytesToBig(output) : undefined

/** A holder's balance by the token's `balanceOf`; undefined if it does not return a number. */
export const tokenBalance = (at: At, token: Address, holder: Address): Promise<bigint | undefined> =>
  callForNumber(at, token, balanceOfInput(holder))

/** A token's current total supply; undefined if it does not return a number. */
export const tokenSupply = (at: At, token: Address): Promise<bigint | undefined> =>
  callForNumber(at, token, SELECTOR.totalSupply)

/** Supply of the base coin in base units; undefined on a chain without native modules. */
export const coinSupply = async (at: At): Promise<bigint | undefined> =>
  at.spec.native === undefined
    ? undefined
    : callForNumber(at, NATIVE_CONTRACT.bank, Buffer.concat([SELECTOR.supplyOf, addressWord(ZERO_ADDRESS)]))

/** Base units as an exact decimal number of coins. */
export const toCoins = (amount: bigint): string => inUnits(amount, 18)

/** Wei as an exact decimal number of gwei. */
export const toGwei = (wei: bigint): string => inUnits(wei, 9)

/** Base units as an exact decimal number of units with so many decimals. */
export function inUnits(amount: bigint, decimals: number): string {
  const unit = 10n ** BigInt(decimals)
  const fraction = (amount % unit).toString().padStart(decimals, '0').replace(/0+$/, '')
  return `${amount / unit}${fraction === '' ? '' : `.${fraction}`}`
}

const addressWord = (address: Address): Uint8Array => bigToFixed(BigInt(address), 32)

async function callForNumber({ chain, head }: At, to: Address, data: Uint8Array) {
  try {
    const { returnData, error } = await chain.call({ to, data, gas: GAS }, { hash: head.hash })
    return returnedNumber(returnData, error)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
