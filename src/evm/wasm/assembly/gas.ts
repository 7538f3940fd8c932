// How an opcode function reports a failure: it returns minus a reason of the layout instead of the gas left. Where the price of
// the opcode is known, MISSING holds the gas that was lacking, for tracers.
import { F_SPILLED, MISSING, OUT_OF_GAS, RESERVOIR, SPILLED, STATE_USED } from '../layout'

/** Out of gas where the price is beyond any gas limit, or was not computed. */
export const NO_GAS: i64 = -i64(OUT_OF_GAS)

/** Out of gas where the price is known. `gas`: the gas minus the whole price, below zero. */
export function lacking(gas: i64): i64 {
  store<i64>(MISSING, -gas)
  return NO_GAS
}

/** Charges state gas (EIP-8037): to the reservoir, and to the gas if that is empty. Returns the gas left; below zero, nothing is charged. */
export function chargeState(gas: i64, cost: i64): i64 {
  const reservoir = load<i64>(RESERVOIR)
  const spilled = cost > reservoir ? cost - reservoir : 0
  gas -= spilled
  if (gas < 0) return gas
  store<i64>(RESERVOIR, reservoir - cost + spilled)
  store<i64>(SPILLED, load<i64>(SPILLED) + spilled)
  store<i64>(STATE_USED, load<i64>(STATE_USED) + cost)
  return gas
}

/** Gives state gas back: first what the frame's gas has paid, then to the reservoir. Returns the gas left. */
export function refundState(frame: usize, gas: i64, cost: i64): i64 {
  const used = load<i64>(STATE_USED)
  // Only a proposal's price can make more than was used.
  const given = cost < used ? cost : used
  const own = load<i64>(SPILLED) - load<i64>(frame, F_SPILLED)
  const repaid = given < own ? given : own
  store<i64>(SPILLED, load<i64>(SPILLED) - repaid)
  store<i64>(RESERVOIR, load<i64>(RESERVOIR) + given - repaid)
  store<i64>(STATE_USED, used - given)
  return gas + repaid
}

/** The gas that a frame gets back for what spilled when a frame that it called has filled the reservoir again. */
// @inline
export function repaid(frame: usize): i64 {
  const reservoir = load<i64>(RESERVOIR)
  if (reservoir === 0) return 0
  const own = load<i64>(SPILLED) - load<i64>(frame, F_SPILLED)
  const most = own < reservoir ? own : reservoir
  store<i64>(SPILLED, load<i64>(SPILLED) - most)
  store<i64>(RESERVOIR, reservoir - most)
  return most
}
