// Questions to contracts on the state after the head: what no table can know. Nothing they do stays.
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToFixed, bytesToBig, fromHex, ZERO_ADDRESS } from '../lib/hex.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import type { ExplorerContext } from './define.ts'

/** Enough for a balance behind a proxy. */
const GAS = 100_000n
/** balanceOf(address) */
const BALANCE_OF = fromHex('0x70a08231')
/** supplyOf(address) of the native bank; the zero address is the coin itself. */
const SUPPLY_OF = fromHex('0x62400e4c')

/** What a token says an address has; undefined when it does not answer with a number. */
export const balanceNow = (context: ExplorerContext, token: Address, of: Address): Promise<bigint | undefined> =>
  numberFrom(context, token, BALANCE_OF, of)

/** Base units of the coin in existence; undefined on a plain chain, where nobody counts them. */
export const coinSupply = async (context: ExplorerContext): Promise<bigint | undefined> =>
  context.spec.native === undefined ? undefined : numberFrom(context, NATIVE_CONTRACT.bank, SUPPLY_OF, ZERO_ADDRESS)

async function numberFrom(
  { chain, head }: ExplorerContext,
  to: Address,
  selector: Uint8Array,
  argument: Address,
): Promise<bigint | undefined> {
  const data = Buffer.concat([selector, bigToFixed(BigInt(argument), 32)])
  try {
    const { returnData, error } = await chain.call({ to, data, gas: GAS }, { hash: head.hash })
    return error === undefined && returnData.length === 32 ? bytesToBig(returnData) : undefined
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
