// A message from outside that only moves value, to an account without code: the most frequent of all, and it needs no
// engine. It is what the engine would do with it: begin, move, end; there is nothing that could fail or be undone.
import type { EVMResult } from '@ethereumjs/evm'
import { EMPTY_BYTES } from '../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { OuterMessage } from './machine-parts.ts'
import { faultOfMoving, moveValue } from './wasm/moving.ts'
import type { Surroundings } from './wasm/surroundings.ts'

/** undefined: there is more to it, and nothing has happened yet. */
export function plainTransfer(around: Surroundings, message: OuterMessage): EVMResult | undefined {
  const { from, to, value, gasLimit, data } = message
  if (to === null || around.nativeAt(to) !== undefined || around.precompileAt(to) !== undefined) return undefined
  const there = around.view.account(to)
  if (there !== undefined && there.codeHash !== EMPTY_CODE_HASH) return undefined
  if (faultOfMoving(around.view, from, to, value) !== undefined) return undefined
  around.began(() => ({ type: 'CALL', from, to, value, gas: gasLimit, input: data, depth: 0 }))
  moveValue(around, from, to, value)
  around.transient.clear()
  const result: EVMResult = { execResult: { returnValue: EMPTY_BYTES, executionGasUsed: 0n } }
  around.ended(result)
  return result
}
