// EIP-150, "all but one 64th" (63/64): the most gas that a frame may pass to a message. The interpreter in
// `wasm/assembly/calls.ts` applies the same divisor to the calls that it opens without the host.
import { CALL_GAS_DIVISOR } from './gas-rules.ts'

/** The most gas that a call or creation gets: 63/64 of the gas left, rounded up. Exact below 2^53. */
export const maxMessageGas = (left: number): number => left - Math.floor(left / CALL_GAS_DIVISOR)

/** The same for gas of any size. */
export const maxMessageGasBig = (left: bigint): bigint => left - left / BigInt(CALL_GAS_DIVISOR)
