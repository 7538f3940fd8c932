// Opcodes that look at another account, on the stack in memory. `sp` is one past the top item; the answer is what is left of
// the gas, or a reason of the layout below zero. The account is warm even when the opcode fails.
import { ADDRESS, WORDS } from '../layout'
import { lacking } from './gas'
import * as host from './host'
import { fromBytes, setSmall, toAddress } from './word'

/** The second word of an answer. */
const ANSWER: usize = WORDS + 32

/** Touches the account of a stack word; what is left of the gas, also below zero. */
export function access(at: usize, gas: i64): i64 {
  toAddress(ADDRESS, at)
  return gas - i64(host.access())
}

/** BALANCE */
export function balance(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  host.balance()
  fromBytes(sp - 32, ANSWER)
  return gas
}

/** EXTCODESIZE */
export function sizeOfCode(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  setSmall(sp - 32, u64(host.codeSize()))
  return gas
}

/** EXTCODEHASH */
export function hashOfCode(sp: usize, gas: i64): i64 {
  gas = access(sp - 32, gas)
  if (gas < 0) return lacking(gas)
  host.codeHash()
  fromBytes(sp - 32, ANSWER)
  return gas
}
