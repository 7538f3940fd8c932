// A message from outside that only moves value, to an account without code: the most frequent of all, and it needs no
// engine. It is what the engine would do with it: begin, move, end; there is nothing that could fail or be undone.
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { Host } from './host.ts'
import type { OuterMessage } from './message.ts'
import { type Result, resultWithoutCode } from './result.ts'
import { faultOfTransfer, transferValue } from './value-transfer.ts'

/** undefined: there is more to it, and nothing has happened yet. */
export function plainTransfer(host: Host, message: OuterMessage): Result | undefined {
  const { from, to, value, gasLimit, data, refund } = message
  if (to === null || host.nativeAt(to) !== undefined || host.precompileAt(to) !== undefined) return undefined
  const there = host.view.account(to)
  if (there !== undefined && there.codeHash !== EMPTY_CODE_HASH) return undefined
  if (faultOfTransfer(host.view, from, to, value) !== undefined) return undefined
  host.began(() => ({ type: 'CALL', from, to, value, gas: gasLimit, input: data, depth: 0 }))
  transferValue(host, from, to, value)
  host.transient.clear()
  const result = resultWithoutCode(refund)
  host.ended(result, undefined)
  return result
}
