// The result of solidityTracer: the call tree of messages and internal calls with functions, places and values in words, the gas of
// each line, and on request what is read from and written to storage. docs/debugging.md describes the fields.
import { ChainError } from '../lib/errors.ts'
import { type Address, type Hex, toHex, toQuantity } from '../lib/hex.ts'
import type { Recording } from '../runtime/tracing/step-recorder.ts'
import type { ExplainOptions } from '../runtime/tracing/tracers.ts'
import type { CallTree } from '../runtime/types.ts'
import { CONSOLE, consoleText } from './console.ts'
import type { DebugCode, DebugContext } from './debug-info.ts'
import { failureInWords } from './failure-words.ts'
import { isCreation } from './internal-calls.ts'
import {
  codesOf,
  debugOf,
  enumsOf,
  logsByFrame,
  messageName,
  placeInWords,
  stackInWords,
  stackTraceOf,
} from './stack-trace.ts'
import { KECCAK256, SLOAD, SSTORE, type StorageFrame, StorageSteps } from './storage-steps.ts'
import { callInWords, eventInWords, FULL, resultInWords } from './words.ts'

export type LineGas = { readonly file: string; readonly line: number; gas: number; steps: number }

/** A call within a contract's code. */
export type InternalFrame = {
  readonly type: 'INTERNAL'
  readonly function: string
  /** `contracts/Vault.sol:28:9` */
  readonly calledAt?: string
  readonly gasUsed: number
  /** What it prints, if it is a function of a console library that does nothing else. */
  readonly console?: string
  readonly calls?: readonly Frame[]
}

/** What a contract has logged: `Transfer(from: 0x…, to: 0x…, value: 5)`, or the data in hex. */
export type EventFrame = { readonly type: 'EVENT'; readonly address: Address; readonly event: string }

/** Coins that a native contract has moved. */
type TransferFrame = {
  readonly type: 'TRANSFER'
  readonly from: Address
  readonly to: Address
  readonly value: Hex
}

/** A message. Quantities as in callTracer. */
export type MessageFrame = {
  readonly type: CallTree['type']
  readonly function: string
  readonly calledAt?: string
  readonly from: Address
  readonly to?: Address
  readonly value: Hex
  readonly gas: Hex
  readonly gasUsed: Hex
  readonly input: Hex
  readonly output?: Hex
  /** `Vault.put(amount: 77)` */
  readonly call?: string
  /** `0x70…79C8, total: 5` */
  readonly returns?: string
  /** In geth's words, and why. */
  readonly error?: string
  readonly reason?: string
  /** What it prints, if it is a call of the console. */
  readonly console?: string
  readonly lines?: readonly LineGas[]
  readonly calls?: readonly Frame[]
}

export type Frame = MessageFrame | InternalFrame | EventFrame | StorageFrame | TransferFrame

export type SolidityTrace = MessageFrame & {
  readonly steps: number
  /** Whether the first steps were not kept: their lines and internal calls are missing. */
  readonly isCut?: true
  /** How many reads and writes of storage, and events, are not shown because there are too many. */
  readonly leftOut?: { readonly storage: number; readonly events: number }
  readonly stack?: readonly string[]
  /** Of the lines that ran. */
  readonly sources?: readonly { readonly path: string; readonly text: string }[]
}

const JUMP = 0x56
const LOG0 = 0xa0
const LOG4 = 0xa4
/** Functions of Hardhat's and forge-std's libraries. */
const CONSOLE_LIBRARY = /^console2?\./
/** Bytes of a frame, of an internal call and of a line in the answer, roughly. */
const FRAME_BYTES = 500
const CALL_BYTES = 150
const LINE_BYTES = 80
const EVENT_BYTES = 200
const STORAGE_BYTES = 500
const TRANSFER_BYTES = 150
/** Most events that are described. */
const MOST_EVENTS = 10_000
/** Levels of messages and internal calls from which on internal calls are not shown, since JSON is written by recursion. */
const DEEPEST = 1024

/** Throws ChainError `limit-exceeded` if it is too large. */
export async function solidityTrace(
  context: DebugContext,
  recording: Recording,
  { withSources }: ExplainOptions,
): Promise<SolidityTrace> {
  const { steps, root } = recording
  const find = debugOf(context, recording)
  const code = await codesOf(recording, find)
  const known = { ...context, enums: enumsOf(context, recording.frames.keys(), code) }
  const stack = await stackTraceOf(context, recording, FULL, find)
  const storage = recording.values && (await StorageSteps.of(known, recording))
  const description = new Description(known, recording, code, storage)
  const tree = description.message(root, undefined)
  const leftOut = { storage: storage?.leftOut ?? 0, events: Math.max(0, recording.logs.length - MOST_EVENTS) }
  return {
    ...tree,
    steps: steps.count,
    ...(steps.first > 0 && { isCut: true }),
    ...(leftOut.storage + leftOut.events > 0 && { leftOut }),
    ...(stack && { stack: stackInWords(stack) }),
    ...(withSources && { sources: description.sources() }),
  }
}

type RecordedLog = Recording['logs'][number]
type Mutable<T> = { -readonly [K in keyof T]: T[K] }
/** A call that runs; without a node it is of no function of the sources, or called by the dispatcher. */
type Open = { readonly node: Mutable<InternalFrame> | undefined; readonly gas: number; readonly calls: Frame[] }

class Description {
  readonly #known: DebugContext
  readonly #recording: Recording
  readonly #code: ReadonlyMap<CallTree, DebugCode>
  readonly #logs: ReadonlyMap<CallTree, readonly RecordedLog[]>
  /** Files of the lines that ran. */
  readonly #files = new Set<string>()
  readonly #storage: StorageSteps | undefined
  /** Levels of the tree that are open. */
  #depth = 0
  #events = 0

  constructor(
    known: DebugContext,
    recording: Recording,
    code: ReadonlyMap<CallTree, DebugCode>,
    storage: StorageSteps | undefined,
  ) {
    this.#known = known
    this.#storage = storage
    this.#recording = recording
    this.#code = code
    this.#logs = logsByFrame(recording.logs)
  }

  message(frame: CallTree, caller: DebugCode | undefined): MessageFrame {
    this.#spend(FRAME_BYTES + 2 * (frame.input.length + frame.output.length))
    this.#depth++
    const known = this.#known
    const steps = this.#recording.frames.get(frame)
    const debug = this.#code.get(frame)
    const place = steps && caller?.locate(steps.calledAt)
    const hasSteps = steps !== undefined && (debug !== undefined || this.#storage !== undefined)
    this.#storage?.begin(frame)
    const body = hasSteps ? this.#body(frame, debug) : this.#plain(frame)
    this.#storage?.end()
    const calls = [...this.#transfers(frame), ...body.calls]
    const { type, from, to, value, gas, gasUsed, input, output, error } = frame
    const words = to === null || isCreation(frame) ? undefined : callInWords(known, to, input, FULL)
    const returned = to === null || isCreation(frame) ? undefined : resultInWords(known, to, frame, FULL)
    const printed = to === CONSOLE ? consoleText(input) : undefined
    this.#depth--
    return {
      type,
      function: body.name ?? messageName(known, frame, FULL),
      ...(place && { calledAt: placeInWords(place) }),
      from,
      ...(to !== null && { to }),
      value: toQuantity(value),
      gas: toQuantity(gas),
      gasUsed: toQuantity(gasUsed),
      input: toHex(input),
      ...(output.length > 0 && { output: toHex(output) }),
      ...(words !== undefined && { call: words }),
      ...(error === undefined && returned !== undefined && { returns: returned }),
      ...(error !== undefined && {
        error,
        reason: failureInWords(known, this.#recording, { frame, steps, debug }, FULL),
      }),
      ...(printed !== undefined && { console: printed }),
      ...(body.lines.length > 0 && { lines: body.lines }),
      ...(calls.length > 0 && { calls }),
    }
  }

  /** What a native contract has moved. Its events come after it. */
  #transfers({ coinTransfers = [] }: CallTree): TransferFrame[] {
    this.#spend(TRANSFER_BYTES * coinTransfers.length)
    return coinTransfers.map(({ from, to, value }) => ({ type: 'TRANSFER', from, to, value: toQuantity(value) }))
  }

  #spend(bytes: number): void {
    const { budget } = this.#recording
    budget.left -= bytes
    if (budget.left < 0) throw new ChainError('limit-exceeded', 'the trace is too large')
  }

  /** Of a frame whose steps are not walked through: only its messages and events. */
  #plain(frame: CallTree): Body {
    const calls: Frame[] = []
    const events = this.#eventsOf(frame)
    for (const [position, inner] of frame.calls.entries()) {
      events.until(position, calls)
      calls.push(this.message(inner, undefined))
    }
    events.until(frame.calls.length, calls)
    return { name: undefined, lines: [], calls }
  }

  /** Puts the logs of a frame into lists of calls, in order. */
  #eventsOf(frame: CallTree) {
    const logs = this.#logs.get(frame) ?? []
    let next = 0
    const put = ({ log }: RecordedLog, calls: Frame[]): void => {
      if (++this.#events > MOST_EVENTS) return
      this.#spend(EVENT_BYTES + 2 * log.data.length)
      const event = eventInWords(this.#known, log, FULL) ?? toHex(log.data)
      calls.push({ type: 'EVENT', address: log.address, event })
    }
    return {
      /** The next one, if the frame made it before its call at a position. */
      one(position: number, calls: Frame[]): void {
        const log = logs[next]
        if (log === undefined || log.position > position) return
        put(log, calls)
        next++
      },
      /** All that it made before its call at a position. */
      until(position: number, calls: Frame[]): void {
        for (let log = logs[next]; log !== undefined && log.position <= position; log = logs[++next]) put(log, calls)
      },
    }
  }

  /** The sources of the lines that ran. */
  sources(): NonNullable<SolidityTrace['sources']> {
    const found = new Map<string, string>()
    for (const debug of this.#code.values()) {
      for (const [path, { bytes }] of debug.texts) {
        if (!this.#files.has(path) || found.has(path)) continue
        this.#spend(bytes.length)
        found.set(path, bytes.toString('utf8'))
      }
    }
    return [...found].map(([path, text]) => ({ path, text }))
  }

  /** Walks through the steps of a frame. */
  #body(frame: CallTree, debug: DebugCode | undefined): Body {
    const { steps, frames } = this.#recording
    const own = frames.get(frame)
    const top: Open = { node: undefined, gas: 0, calls: [] }
    const open: Open[] = [top]
    const lines = debug && new Lines(debug, (bytes) => this.#spend(bytes))
    let name: string | undefined
    let step = Math.max(own?.first ?? 0, steps.first)
    const rest = Number(frame.gas - frame.gasUsed)
    const events = this.#eventsOf(frame)
    const gasAt = (at: number): number => (at < (own?.end ?? 0) ? steps.gas(at) : rest)
    for (const [position, inner] of [...frame.calls, undefined].entries()) {
      const ran = inner && frames.get(inner)
      const end = ran?.first ?? (inner === undefined ? (own?.end ?? 0) : step)
      for (; step < end; step++) {
        const pc = steps.pc(step)
        const isCall = ran !== undefined && step === end - 1
        const next = isCall ? Math.max(ran.end, step + 1) : step + 1
        lines?.add(pc, steps.gas(step) - gasAt(next) - (isCall && inner ? Number(inner.gasUsed) : 0))
        const op = steps.op(step)
        if (op >= LOG0 && op <= LOG4) events.one(position, open.at(-1)?.calls ?? top.calls)
        else if (op === SSTORE || op === SLOAD || op === KECCAK256) this.#putStorage(step, op, open.at(-1)?.calls)
        if (op !== JUMP || step + 1 >= end || debug === undefined) continue
        if (debug.isOut(pc) && open.length > 1) close(open.pop(), gasAt(next))
        else if (debug.isInto(pc)) {
          const called = this.#enter(debug, pc, steps.pc(next), gasAt(next), open)
          name ??= called
        }
      }
      events.until(position, open.at(-1)?.calls ?? top.calls)
      if (inner === undefined) break
      const levels = open.length - 1
      this.#depth += levels
      open.at(-1)?.calls.push(this.message(inner, debug))
      this.#depth -= levels
      if (ran !== undefined) step = Math.max(step, ran.end)
    }
    for (const left of open.slice(1)) close(left, rest)
    const sorted = lines?.sorted() ?? []
    for (const { file } of sorted) this.#files.add(file)
    return { name, lines: sorted, calls: top.calls }
  }

  #putStorage(step: number, op: number, calls: Frame[] | undefined): void {
    const access = this.#storage?.at(step, op)
    if (access === undefined) return
    const { variables = [] } = access
    this.#spend(variables.reduce((sum, of) => sum + 2 * of.value.length + of.name.length + 100, STORAGE_BYTES))
    calls?.push(access)
  }

  /** An internal call begins. Returns the function's name if the dispatcher has called it. */
  #enter(debug: DebugCode, from: number, to: number, gas: number, open: Open[]): string | undefined {
    const outer = open.at(-1)?.calls ?? []
    const entered = debug.functionAt(to)
    const isInner = debug.functionAt(from) !== undefined && !debug.isWholeFunction(from)
    if (entered === undefined || !isInner || this.#depth + open.length > DEEPEST) {
      open.push({ node: undefined, gas, calls: outer })
      return isInner ? undefined : entered?.name
    }
    this.#spend(CALL_BYTES)
    const place = debug.locate(from)
    const calls: Frame[] = []
    const node = {
      type: 'INTERNAL',
      function: entered.name,
      ...(place && { calledAt: placeInWords(place) }),
      gasUsed: 0,
    } as const
    const shown: Mutable<InternalFrame> = { ...node, calls }
    outer.push(shown)
    open.push({ node: shown, gas, calls })
    return undefined
  }
}

type Body = { readonly name: string | undefined; readonly lines: readonly LineGas[]; readonly calls: readonly Frame[] }

function close(call: Open | undefined, gas: number): void {
  if (call?.node === undefined) return
  call.node.gasUsed = call.gas - gas
  if (call.calls.length === 0) delete call.node.calls
  const [only, ...others] = call.calls
  const printed = only !== undefined && 'console' in only ? only.console : undefined
  if (printed !== undefined && others.length === 0 && CONSOLE_LIBRARY.test(call.node.function))
    call.node.console = printed
}

/** The gas and steps of each line. */
class Lines {
  readonly #debug: DebugCode
  readonly #spend: (bytes: number) => void
  readonly #byPc: (LineGas | null)[] = []
  #last: LineGas | null = null
  readonly #lines = new Map<string, LineGas>()

  constructor(debug: DebugCode, spend: (bytes: number) => void) {
    this.#debug = debug
    this.#spend = spend
  }

  add(pc: number, gas: number): void {
    let line = this.#byPc[pc]
    if (line === undefined) {
      line = this.#lineOf(pc)
      this.#byPc[pc] = line
    }
    // What the compiler adds counts for the line before it.
    line ??= this.#last
    if (line === null) return
    this.#last = line
    line.gas += gas
    line.steps++
  }

  #lineOf(pc: number): LineGas | null {
    const place = this.#debug.lineAt(pc)
    if (place === undefined) return null
    const [file, line] = place
    const key = `${file}:${line}`
    const known = this.#lines.get(key)
    if (known !== undefined) return known
    this.#spend(LINE_BYTES + file.length)
    const fresh = { file, line, gas: 0, steps: 0 }
    this.#lines.set(key, fresh)
    return fresh
  }

  /** By file and line. */
  sorted(): readonly LineGas[] {
    return [...this.#lines.values()].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
  }
}
