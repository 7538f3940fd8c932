// How an opcode reports that it failed: instead of the gas that is left it returns a reason of the layout below zero. Where
// the price of the opcode is known, MISSING says by how much it exceeded the gas that there was.
import { MISSING, OUT_OF_GAS } from '../layout'

/** Want of gas where the price is beyond any gas, or not worked out. */
export const NO_GAS: i64 = -i64(OUT_OF_GAS)

/** Want of gas: `gas` is what is left after the whole price, below zero. */
export function lacking(gas: i64): i64 {
  store<i64>(MISSING, -gas)
  return NO_GAS
}
