// Why a frame failed, in words: its revert data, or, where the compiler's own checks revert without data, what the last steps did.
import { toHex } from '../lib/hex.ts'
import type { Recording } from '../runtime/tracing/step-recorder.ts'
import type { CallTree } from '../runtime/types.ts'
import { precompileName } from '../spec/fork-config.ts'
import { contractAbi } from './abi.ts'
import { indexOf } from './abi-index.ts'
import type { DebugCode, DebugContext } from './debug-info.ts'
import { type FailedFrame, internalCalls, isCreation, lastPlace, stopOf } from './internal-calls.ts'
import { nativeAt } from './native-sources.ts'
import { cut, errorInWords, type Style } from './words.ts'

const CALLVALUE = 0x34
const EXTCODESIZE = 0x3b
/** Steps between a check of the compiler and its REVERT. */
const CHECK = 32

/** The reason of the innermost failure. */
export function failureInWords(known: DebugContext, recording: Recording, failed: FailedFrame, style: Style): string {
  const { frame } = failed
  const { error = 'execution failed', output } = frame
  if (error !== 'execution reverted') return error.startsWith('invalid opcode: INVALID') ? INVALID : error
  if (output.length > 0) {
    const words = errorInWords(known, frame.to ?? undefined, output, style)
    return words ?? `custom error ${cut(toHex(output), style.longest)}`
  }
  return (failed.debug && checkInWords(known, recording, failed, failed.debug, style)) ?? 'reverted without a reason'
}

const INVALID = 'invalid opcode (before Solidity 0.8 also a failed assert, index, division or enum)'

/** What a check of the compiler has refused. */
function checkInWords(
  known: DebugContext,
  recording: Recording,
  failed: FailedFrame,
  debug: DebugCode,
  style: Style,
): string | undefined {
  const { frame } = failed
  const site = siteOf(recording, failed, debug)
  const isAtEntry = debug.functionAt(site.pc) === undefined || debug.isWholeFunction(site.pc)
  if (frame.value > 0n && isAtEntry && lastStep(recording, frame, CALLVALUE) !== undefined)
    return `value sent to a ${isCreation(frame) ? 'constructor' : 'function'} that is not payable`
  return (
    callInWords(known, recording, failed, debug, site.pc, style) ??
    (isAtEntry
      ? entryInWords(known, frame, site.isInFunction, debug.functionAt(site.pc)?.kind === 'getter')
      : undefined)
  )
}

/** A call of an account without code, or data that are too short for what is returned. */
function callInWords(
  known: DebugContext,
  recording: Recording,
  { frame }: FailedFrame,
  debug: DebugCode,
  site: number,
  style: Style,
): string | undefined {
  const { frames, steps } = recording
  const last = frame.calls.at(-1)
  const ran = last && frames.get(last)
  const check = lastStep(recording, frame, EXTCODESIZE)
  const isChecked = check !== undefined && check >= (ran?.end ?? 0) && debug.isSameRange(steps.pc(check), site)
  if (isChecked) return 'call of an account without code'
  if (last === undefined || ran === undefined || last.error !== undefined || last.to === null) return undefined
  if (!debug.isSameRange(ran.calledAt, site)) return undefined
  const isEmpty =
    ran.code.length === 0 && nativeAt(known.spec, last.to) === undefined && precompileName(last.to) === undefined
  if (isEmpty) return `call of an account without code (${style.address(last.to)})`
  return `${style.address(last.to)} returned ${last.output.length} bytes, which are not what its interface says`
}

/** The dispatcher has found no function, or the function's arguments cannot be decoded. */
function entryInWords(
  known: DebugContext,
  { input, to, type }: CallTree,
  isInFunction: boolean,
  isGetter: boolean,
): string | undefined {
  if (type === 'CREATE' || type === 'CREATE2') return "the constructor's arguments cannot be decoded"
  const selector = toHex(input.subarray(0, 4))
  const abi = to === null ? undefined : contractAbi(known, to)
  if (isGetter) return 'there is no such element, or the arguments cannot be decoded'
  if (isInFunction) return 'the arguments cannot be decoded'
  const [found] = (abi && indexOf(abi).functions.get(selector)) ?? []
  if (found !== undefined)
    return input.length < 4 + 32 * found.inputs.length ? 'the arguments cannot be decoded' : undefined
  if (input.length === 0) return 'a call without data, and there is no receive or fallback function'
  if (input.length < 4) return 'call data without a function selector, and there is no fallback function'
  return `the function selector ${selector} is not recognised, and there is no fallback function`
}

/** Where a frame failed, without what the compiler adds. */
function siteOf(recording: Recording, failed: FailedFrame, debug: DebugCode) {
  const { until, pc } = stopOf(recording, failed, undefined)
  const calls = internalCalls(recording, failed.frame, debug, until)
  const entered = calls.findLastIndex(({ to }) => debug.functionAt(to) !== undefined)
  const isOwn = debug.functionAt(pc) !== undefined
  const added = calls[entered + 1]?.from ?? lastPlace(recording, failed.frame, debug, calls[entered]?.step ?? -1, until)
  const site = isOwn ? pc : (added ?? pc)
  return { pc: site, isInFunction: entered >= 0 || debug.functionAt(site) !== undefined }
}

/** The last step of an opcode among the last steps of a frame. */
function lastStep({ steps, frames }: Recording, frame: CallTree, op: number): number | undefined {
  const own = frames.get(frame)
  if (own === undefined) return undefined
  let left = CHECK
  for (let step = own.end - 1; step >= Math.max(own.first, steps.first) && left > 0; step--) {
    if (steps.depth(step) !== own.depth) continue
    if (steps.op(step) === op) return step
    left--
  }
  return undefined
}
