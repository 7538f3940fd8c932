// The stack trace of a failed execution, by what the execution did: from the frame that failed outward through those that
// passed the failure on, and within each frame through its internal calls, which the markers of the source map delimit.
// Hardhat's and Tenderly's debuggers do the same. An inner failure that was caught is no part of it.
import { equalBytes, toHex, ZERO_ADDRESS } from '../lib/hex.ts'
import type { Recording } from '../runtime/tracing/step-recorder.ts'
import type { CallTree } from '../runtime/types.ts'
import { precompileName } from '../spec/fork-config.ts'
import { contractName, methodName } from './abi.ts'
import { type DebugCode, type DebugContext, debugCodeOf, type Location } from './debug-info.ts'
import type { EnumNames } from './enum-members.ts'
import { enumsIn, merged } from './enum-names.ts'
import { failureInWords } from './failure-words.ts'
import { type FailedFrame, type InternalCall, internalCalls, isCreation, lastPlace, stopOf } from './internal-calls.ts'
import { nativeAt, nativeEnums } from './native-sources.ts'
import { cut, FULL, type Style } from './words.ts'

/** A line of a stack trace: a function that had not returned. */
export type StackLine = {
  /** `Vault._check`; of an unknown contract its address with the function or selector. */
  readonly name: string
  readonly location: Location | undefined
  /** The program counter if there are no sources; undefined: no code ran. */
  readonly pc: number | undefined
}

export type StackTrace = {
  /** Why it failed: `NotEnough(who: 0x…, has: 0, wants: 5000)`. */
  readonly reason: string
  /** Innermost first. */
  readonly lines: readonly StackLine[]
}

const RETURNDATACOPY = 0x3e
const JUMPDEST = 0x5b
/** Most steps of an ending that functions share. */
const MOST_SHARED = 64
/** Most lines: as many as frames. */
const MOST_LINES = 1024

/** Lines of a source, and the number of the first. */
export type Excerpt = { readonly first: number; readonly lines: readonly string[] }
/** Lines before and after a place, and most characters of a line. */
const AROUND = 3
const LONGEST_LINE = 300

/** The lines around a place. */
export const excerptAt = ({ line, source }: Location): Excerpt => ({
  first: Math.max(1, line - AROUND),
  lines: source.lines(line - AROUND, line + AROUND).map((text) => cut(text, LONGEST_LINE)),
})

/** Finds the code of each frame once. */
export type DebugOf = (frame: CallTree) => Promise<DebugCode | undefined>

export function debugOf(known: DebugContext, { frames }: Recording): DebugOf {
  const found = new Map<Uint8Array, Map<CallTree['to'], Promise<DebugCode | undefined>>>()
  return async (frame) => {
    const code = frames.get(frame)?.code
    if (code === undefined || code.length === 0) return undefined
    const same = found.get(code) ?? new Map<CallTree['to'], Promise<DebugCode | undefined>>()
    found.set(code, same)
    const debug = same.get(frame.to) ?? debugCodeOf(known, { code, address: frame.to, isCreation: isCreation(frame) })
    same.set(frame.to, debug)
    return debug
  }
}

/** undefined: the message did not fail. */
export async function stackTraceOf(
  context: DebugContext,
  recording: Recording,
  style: Style = FULL,
  find: DebugOf = debugOf(context, recording),
): Promise<StackTrace | undefined> {
  if (recording.root.error === undefined) return undefined
  const path = await failedFrames(recording, find)
  const codes = new Map(path.flatMap(({ frame, debug }) => (debug ? [[frame, debug] as const] : [])))
  const known = {
    ...context,
    enums: enumsOf(
      context,
      path.map(({ frame }) => frame),
      codes,
    ),
  }
  const [innermost = { frame: recording.root, steps: undefined, debug: undefined }] = path.slice(-1)
  const reason = failureInWords(known, recording, innermost, style)
  const lines: StackLine[] = []
  for (const [i, failed] of [...path.entries()].reverse()) {
    if (lines.length < MOST_LINES) lines.push(...linesOf(known, recording, failed, path[i + 1]?.frame, style))
  }
  return { reason, lines: lines.slice(0, MOST_LINES) }
}

/** The code of each frame that has sources. */
export async function codesOf({ frames }: Recording, find: DebugOf): Promise<ReadonlyMap<CallTree, DebugCode>> {
  const codes = new Map<CallTree, DebugCode>()
  for (const frame of frames.keys()) {
    const code = await find(frame)
    if (code !== undefined) codes.set(frame, code)
  }
  return codes
}

/** The enums in the sources of the code of frames, and those of the native contracts among them. */
export function enumsOf(
  known: DebugContext,
  frames: Iterable<CallTree>,
  code: ReadonlyMap<CallTree, DebugCode>,
): EnumNames {
  const natives = new Set([...frames].flatMap(({ to }) => (to !== null && nativeAt(known.spec, to) ? [to] : [])))
  return merged([
    ...[...new Set(code.values())].map(({ info }) => enumsIn(info.sources)),
    ...[...natives].map((of) => nativeEnums(known, of)),
  ])
}

/** Logs by their frames, in order. */
export function logsByFrame(logs: Recording['logs']): ReadonlyMap<CallTree, Recording['logs']> {
  const found = new Map<CallTree, Recording['logs'][number][]>()
  for (const log of logs) {
    const same = found.get(log.frame)
    if (same === undefined) found.set(log.frame, [log])
    else same.push(log)
  }
  return found
}

/** The frames through which the failure of a message went, outermost first. */
export async function failedFrames(recording: Recording, find: DebugOf): Promise<readonly FailedFrame[]> {
  const path: FailedFrame[] = []
  for (let frame: CallTree | undefined = recording.root; frame !== undefined; ) {
    const failed: FailedFrame = { frame, steps: recording.frames.get(frame), debug: await find(frame) }
    path.push(failed)
    frame = cause(recording, failed)
  }
  return path
}

/** The trace as text: the reason with the innermost function, then a line for each other. */
export function stackInWords({ reason, lines }: StackTrace): readonly string[] {
  const [first, ...others] = lines.map(lineInWords)
  return first === undefined ? [reason] : [`${reason} ${first}`, ...others]
}

export function lineInWords({ name, location, pc }: StackLine): string {
  if (location !== undefined) return `at ${name} (${placeInWords(location)})`
  return pc === undefined ? `at ${name}` : `at ${name} (no sources; pc ${pc})`
}

export const placeInWords = ({ file, line, column }: Location): string => `${file}:${line}:${column}`

/** The inner message whose failure a frame has passed on. */
function cause({ steps, frames }: Recording, { frame, steps: own, debug }: FailedFrame): CallTree | undefined {
  const at = frame.calls.findLastIndex(({ error }) => error !== undefined)
  const inner = frame.calls[at]
  if (inner === undefined || frame.error !== 'execution reverted') return undefined
  if (inner.output.length > 0 && equalBytes(inner.output, frame.output)) return inner
  const isLast = frame.calls.slice(at + 1).every(({ type }) => type === 'SELFDESTRUCT')
  if (!isLast || own === undefined || frame.output.length > 0) return undefined
  const ran = frames.get(inner)
  // Refused, as a transfer without the balance.
  if (ran === undefined) return inner
  // The compiler's own check of the call.
  if (debug?.isSameRange(ran.calledAt, own.lastPc)) return inner
  if (inner.output.length > 0) return undefined
  for (let step = Math.max(ran.end, steps.first); step < own.end; step++) {
    if (steps.op(step) === RETURNDATACOPY) return inner
  }
  return undefined
}

// --- within a frame

function linesOf(
  known: DebugContext,
  recording: Recording,
  failed: FailedFrame,
  inner: CallTree | undefined,
  style: Style,
): readonly StackLine[] {
  const { frame, steps, debug } = failed
  const { until, pc } = stopOf(recording, failed, inner)
  if (debug === undefined) {
    const ran = steps !== undefined && steps.code.length > 0 && steps.end > steps.first
    if (!ran && inner === undefined && !isBuiltIn(known, frame)) return []
    return [{ name: messageName(known, frame, style), location: undefined, pc: ran ? pc : undefined }]
  }
  const lines = functionsAt(recording, frame, debug, until, pc)
  const called = isCreation(frame) ? 'constructor' : functionName(known, frame)
  const isCalled = (name: string) => name.slice(name.lastIndexOf('.') + 1) === called
  if (lines.length > 0) {
    if (isCalled(lines.at(-1)?.name ?? '')) return lines
    // The function itself may be inlined in the dispatcher.
    const outer = lastPlace(recording, frame, debug, -1, until, ({ name }) => isCalled(name))
    const found = outer === undefined ? undefined : debug.functionAt(outer)
    if (outer !== undefined && found !== undefined)
      return [...lines, { name: found.name, location: debug.locate(outer), pc: outer }]
    const name = messageName(known, frame, style)
    const location = debug.definition(name)
    return location === undefined ? lines : [...lines, { name, location, pc: undefined }]
  }
  const contract = debug.contractAt(pc) ?? contractName(known, frame.to ?? ZERO_ADDRESS)
  const name = contract === undefined ? called : `${contract}.${called}`
  // Code of the compiler has the place of the whole contract, or none.
  const place = debug.functionAt(pc) === undefined ? debug.definition(name) : undefined
  return [{ name, location: place ?? debug.locate(pc), pc: undefined }]
}

/** The functions that a frame was in, innermost first. */
function functionsAt(
  recording: Recording,
  frame: CallTree,
  debug: DebugCode,
  until: number,
  pc: number,
): readonly StackLine[] {
  const lines: StackLine[] = []
  const add = (name: string, location: Location | undefined, at: number): void => {
    lines.push({ name, location, pc: at })
  }
  const calls = internalCalls(recording, frame, debug, until)
  let at = beforeShared(recording, frame, debug, calls.at(-1), until) ?? pc
  let before = until
  for (const { step, from, to } of [...calls].reverse()) {
    const entered = debug.functionAt(to)
    if (entered !== undefined) {
      // What the compiler adds to a function has no source.
      const own = debug.functionAt(at) ?? debug.functionAt(lastPlace(recording, frame, debug, step, before) ?? -1)
      if (own !== undefined && own !== entered) {
        // A modifier, or a function that the optimizer has inlined.
        add(own.name, debug.locate(at), at)
        at = lastPlace(recording, frame, debug, step, before, (found) => found === entered) ?? to
      } else if (debug.functionAt(at) === undefined) at = lastPlace(recording, frame, debug, step, before) ?? to
      add(entered.name, debug.locate(at), at)
    } else {
      // The compiler's own function; by the IR, with what it has inlined of the sources.
      const own = debug.functionAt(at)
      if (own !== undefined && debug.functionAt(from) === undefined) add(own.name, debug.locate(at), at)
    }
    at = from
    before = step
  }
  const outer = debug.functionAt(at)
  // The dispatcher's jump into a function has the place of the whole function; any other is of a recursion.
  const isOther = outer?.name !== lines.at(-1)?.name || !debug.isWholeFunction(at)
  if (outer !== undefined && isOther) add(outer.name, debug.locate(at), at)
  else if (lines.length === 0 && outer === undefined) {
    // The compiler gives what it adds to a contract the place of the contract.
    const last = lastPlace(recording, frame, debug, -1, until)
    const found = last === undefined ? undefined : debug.functionAt(last)
    if (last !== undefined && found !== undefined) add(found.name, debug.locate(last), last)
  }
  return lines
}

/**
 * The instruction before code that the optimizer shares among functions, as it does with equal endings: a few instructions behind an
 * ordinary jump, of another function than was entered. undefined: the frame did not end in such code.
 */
function beforeShared(
  { steps, frames }: Recording,
  frame: CallTree,
  debug: DebugCode,
  call: InternalCall | undefined,
  until: number,
): number | undefined {
  const entered = call && debug.functionAt(call.to)
  const shared = debug.functionAt(steps.pc(until - 1))
  const depth = frames.get(frame)?.depth
  if (call === undefined || entered === undefined || shared === undefined || shared === entered) return undefined
  const first = Math.max(call.step + 1, steps.first, until - MOST_SHARED)
  let start = until
  while (start > first && debug.functionAt(steps.pc(start - 1)) === shared) start--
  if (start === first || steps.op(start) !== JUMPDEST || debug.isInto(steps.pc(start - 1))) return undefined
  for (let step = start - 1; step >= first && steps.depth(step) === depth; step--) {
    const pc = steps.pc(step)
    if (debug.functionAt(pc) !== undefined) return pc
  }
  return undefined
}

// --- names

const isBuiltIn = ({ spec }: DebugContext, { to }: CallTree): boolean =>
  to !== null && (nativeAt(spec, to) !== undefined || precompileName(to) !== undefined)

/** `Vault.take`, `0x5FbD…0aa3.take`, `ecrecover`, `new contract`. */
export function messageName(known: DebugContext, frame: CallTree, { address }: Style): string {
  const { to } = frame
  if (isCreation(frame)) {
    const name = known.artifacts?.created(frame.input)?.name ?? (to === null ? undefined : contractName(known, to))
    return name === undefined ? 'a new contract' : `${name}.constructor`
  }
  if (to === null) return 'a message'
  const precompile = precompileName(to)
  if (precompile !== undefined) return precompile
  return `${contractName(known, to) ?? address(to)}.${functionName(known, frame)}`
}

/** The function that a message calls, by its input. */
function functionName(known: DebugContext, { to, input }: CallTree): string {
  if (input.length === 0) return 'receive'
  if (input.length < 4 || to === null) return 'fallback'
  const selector = toHex(input.subarray(0, 4))
  return methodName(known, to, selector) ?? selector
}
