// EIP-150, "all but one 64th" (63/64): how much gas a frame may hand to a message that it sends. The interpreter in
// `wasm/assembly/calls.ts` applies the same divisor to the calls that it opens by itself.
import { CALL_GAS_DIVISOR } from './gas-rules.ts'

/** The most gas that a call or creation gets of the gas that is left: 63/64, rounded up. Exact below 2^53. */
export const maxMessageGas = (left: number): number => left - Math.floor(left / CALL_GAS_DIVISOR)

/** The same for gas of any size. */
export const maxMessageGasBig = (left: bigint): bigint => left - left / BigInt(CALL_GAS_DIVISOR)
