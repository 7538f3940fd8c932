// Opcodes that read the call data, the transaction, the block and its ancestors. They have no dynamic gas. `sp` is one past the
// top item.

import { BLOCK_HASH_WINDOW } from '../../gas/gas-rules'
import { ENV_NUMBER, ENVIRONMENT, F_DATA, F_DATA_LENGTH, WORDS } from '../layout'
import * as host from './host'
import { copyPadded } from './memory'
import { clamped, copy, fromBytes, setSmall } from './word'

/** The word at which the host writes its result. */
const ANSWER: usize = WORDS + 32

/** A word of ENVIRONMENT, which does not change within the transaction. */
// @inline
export function environmentWord(to: usize, offset: i32): void {
  copy(to, usize(ENVIRONMENT) + usize(offset))
}

/** CALLDATALOAD */
export function dataAt(frame: usize, sp: usize): void {
  const p = sp - 32
  const at = clamped(p)
  const length = u64(load<u32>(frame, F_DATA_LENGTH))
  const data = usize(load<u32>(frame, F_DATA))
  if (at < length && at + 32 <= length) fromBytes(p, data + usize(at))
  else {
    copyPadded(WORDS, data, length, at, 32)
    fromBytes(p, WORDS)
  }
}

/** BLOCKHASH */
export function hashOfBlock(sp: usize): void {
  const p = sp - 32
  const number = load<u64>(ENVIRONMENT + ENV_NUMBER)
  const ancestor = clamped(p)
  if (ancestor >= number || number - ancestor > u64(BLOCK_HASH_WINDOW)) setSmall(p, 0)
  else {
    host.blockHash(f64(ancestor))
    fromBytes(p, ANSWER)
  }
}

/** BLOBHASH */
export function hashOfBlob(sp: usize): void {
  const index = clamped(sp - 32)
  if (index > 0xffff) setSmall(sp - 32, 0)
  else {
    host.blobHash(u32(index))
    fromBytes(sp - 32, ANSWER)
  }
}

/** SELFBALANCE, onto the stack. */
export function ownBalance(sp: usize): void {
  host.selfBalance()
  fromBytes(sp, ANSWER)
}
