// How an opcode function reports a failure: it returns minus a reason of the layout instead of the gas left. Where the price of
// the opcode is known, MISSING holds the gas that was lacking, for tracers.
import { MISSING, OUT_OF_GAS } from '../layout'

/** Out of gas where the price is beyond any gas limit, or was not computed. */
export const NO_GAS: i64 = -i64(OUT_OF_GAS)

/** Out of gas where the price is known. `gas`: the gas minus the whole price, below zero. */
export function lacking(gas: i64): i64 {
  store<i64>(MISSING, -gas)
  return NO_GAS
}
