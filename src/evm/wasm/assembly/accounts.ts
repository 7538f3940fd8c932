// BALANCE, EXTCODESIZE and EXTCODEHASH, on the stack in memory. `sp` is the address above the top item. They return the gas
// left, or minus a reason of the layout. The account gets warm even if the opcode fails.
import { ADDRESS, GAS_CODE_READ, PARAMETERS, WORDS } from '../layout'
import { lacking } from './gas'
import * as host from './host'
import { fromBytes, setSmall, toAddress } from './word'

/** The word at which the host writes its result. */
const ANSWER: usize = WORDS + 32

/** Charges for accessing the account of a stack word (EIP-2929). Returns the gas left, which may be below zero. */
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

/** As `access`, for an opcode that reads the code too (EIP-8038). */
export function accessCode(at: usize, gas: i64): i64 {
  return access(at, gas) - load<i64>(PARAMETERS, GAS_CODE_READ)
}

/** EXTCODESIZE */
export function sizeOfCode(sp: usize, gas: i64): i64 {
  gas = accessCode(sp - 32, gas)
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
