// The step log: struct logs as JSON text, for tracers that need only those (`StepLog`). The interpreter writes the records
// (`assembly/step-log.ts`); the host adds storage, and ends the records of opcodes that fail or that it carries out.
import { padLeft, toHash } from '../../lib/hex.ts'
import { opcodeOf } from '../opcodes.ts'
import type { StepLog } from '../tracer.ts'
import type { ActiveFrame, Execution, RunProgress } from './frames.ts'
import type { Instance } from './instance.ts'
import {
  F_GAS,
  LOG_AT,
  LOG_COUNT,
  LOG_END,
  LOG_ERROR,
  LOG_ERROR_BYTES,
  LOG_FLAGS,
  LOG_FULL,
  LOG_HEIGHT,
  LOG_KEY,
  LOG_MEMORY,
  LOG_NAME_BYTES,
  LOG_NAMES,
  LOG_OFFSETS,
  LOG_OP,
  LOG_PACKED,
  LOG_RETURN,
  LOG_SHOWN,
  LOG_SLOT,
  LOG_STACK,
  LOG_STORAGE,
  LOG_TEXT,
  LOG_TOP,
  PAUSED,
} from './layout.ts'
import { StepCosts } from './step-costs.ts'
import { stepFrame } from './step-tracing.ts'

const SLOAD = 0x54
const SSTORE = 0x55

/** Bounds between two checks of the clock: opcodes, accessed slots, and turns that end with a call. */
const STEPS_PER_LOOK = 1024
const SLOTS_PER_LOOK = 8
const TURNS_PER_LOOK = 16
/** Bytes of text from which on it is passed to the tracer before the next turn. */
const MUCH_TEXT = 1 << 18
/** Bytes that may follow the storage in a record, with the slack that the engine writes beyond the end. */
const RECORD_END = 64

const OPCODE_NAMES = (() => {
  const names = Buffer.alloc(256 * LOG_NAME_BYTES)
  for (let code = 0; code < 256; code++) {
    const at = code * LOG_NAME_BYTES
    names[at] = names.write(opcodeOf(code).name, at + 1, 'latin1')
  }
  return names
})()

/** The log of a run, if its tracer wants one and no proposal has changed an opcode. */
export const logOf = ({ host, rules }: Pick<Execution, 'host' | 'rules'>): StepLog | undefined =>
  rules.table.changed.size === 0 ? host.tracer?.stepLog : undefined

/** Prepares the log. To be called before the first frame of a transaction: its frames are placed after the log. */
export function openLog(engine: Instance, { shows, isPacked, keepsTop }: StepLog): void {
  engine.reserve(LOG_END)
  engine.top = LOG_END
  const { bytes, words } = engine
  bytes.set(OPCODE_NAMES, LOG_NAMES)
  words[LOG_FLAGS >>> 2] =
    (shows.stack ? LOG_STACK : 0) |
    (shows.memory ? LOG_MEMORY : 0) |
    (shows.returnData ? LOG_RETURN : 0) |
    (shows.storage ? LOG_STORAGE : 0) |
    (isPacked ? LOG_PACKED : 0) |
    (keepsTop ? LOG_TOP : 0)
  words[LOG_AT >>> 2] = LOG_TEXT
  words[LOG_COUNT >>> 2] = 0
  words[LOG_SHOWN >>> 2] = 0
  words[LOG_OFFSETS >>> 2] = 0
}

/** Whether the next opcode is to be logged. Passes the text on when it is long, or when the tracer limits the records. */
export function isLogging(engine: Instance, log: StepLog): boolean {
  const isMuch = (engine.words[LOG_AT >>> 2] ?? 0) - LOG_TEXT >= MUCH_TEXT
  // Safe here because no record is open: the end of an open record is written at the end of the text.
  if (isMuch || log.left !== Number.POSITIVE_INFINITY) takeLog(engine, log)
  return log.left > 0
}

/** Passes packed records on before a message begins or ends, so that the tracer knows which of them are the message's. */
export function takeSteps(run: Execution): void {
  const log = logOf(run)
  if (log?.isPacked) takeLog(run.engine, log)
}

/** Passes the text written so far to the tracer. */
export function takeLog({ bytes, words }: Instance, log: StepLog): void {
  const end = words[LOG_AT >>> 2] ?? 0
  if (end === LOG_TEXT) return
  const count = words[LOG_COUNT >>> 2] ?? 0
  words[LOG_AT >>> 2] = LOG_TEXT
  words[LOG_COUNT >>> 2] = 0
  log.add(Buffer.from(bytes.subarray(LOG_TEXT, end)), count)
}

/** A frame whose opcodes are logged. */
class LoggedFrame extends StepCosts {
  readonly #engine: Instance
  readonly #active: ActiveFrame
  readonly #log: StepLog

  constructor(engine: Instance, active: ActiveFrame, log: StepLog) {
    super()
    this.#engine = engine
    this.#active = active
    this.#log = log
  }

  get number(): number {
    return this.#engine.words[LOG_OP >>> 2] ?? 0
  }

  get gas(): bigint {
    return this.#engine.loggedGas
  }

  get height(): number {
    return this.#engine.words[LOG_HEIGHT >>> 2] ?? 0
  }

  spent(): bigint {
    const { spilled, loggedSpilled } = this.#engine
    return this.gas - BigInt(this.#engine.gas(this.#active.frame, F_GAS)) - (spilled - loggedSpilled)
  }

  state(): undefined {
    return undefined
  }

  /** Ends the open record. */
  traceStep(run: Execution, cost = this.spent(), error?: string): void {
    const engine = this.#engine
    engine.writeHead(cost, error === undefined ? 0 : writeError(engine, error))
    const isStore = this.number === SSTORE
    if (this.#log.shows.storage && this.height >= (isStore ? 2 : 1) && (isStore || this.number === SLOAD)) {
      this.#addStorage(run, isStore)
    }
    // go-ethereum adds the refund when it computes the price of an SSTORE: before the event, and even if the gas is lacking.
    engine.endRecord(isStore && engine.missing > 0n ? engine.missingRefund : 0n)
  }

  #addStorage({ host: { view } }: Execution, isStore: boolean): void {
    const engine = this.#engine
    const key = engine.hashAt(LOG_KEY)
    const address = this.#active.message.to
    engine.flushStores()
    const value = isStore ? engine.hashAt(LOG_KEY + 32) : toHash(padLeft(view.word(address, key), 32))
    const text = this.#log.storage(address, key, value)
    const { bytes, words } = engine
    const at = words[LOG_AT >>> 2] ?? 0
    if (at + text.length + RECORD_END <= LOG_END) {
      bytes.set(text, at)
      words[LOG_AT >>> 2] = at + text.length
      return
    }
    takeLog(engine, this.#log)
    this.#log.add(Buffer.from(text), 0)
  }
}

/** Writes an error as JSON; its length. */
function writeError({ bytes }: Instance, error: string): number {
  const text = JSON.stringify(error)
  if (text.length > LOG_ERROR_BYTES) throw new Error(`an opcode fails with ${text.length} characters`)
  return bytes.write(text, LOG_ERROR, 'latin1')
}

/** Runs logged opcodes and adds storage to their records. Returns the reason of the stop; PAUSED: the turn is over. */
function runLogged(run: Execution, log: StepLog, traced: LoggedFrame): number {
  const { engine } = run
  const countOf = () => engine.words[LOG_COUNT >>> 2] ?? 0
  for (let turns = 0; turns < SLOTS_PER_LOOK; turns++) {
    const reason = engine.logSteps(Math.min(STEPS_PER_LOOK, log.left - countOf()))
    if (reason !== LOG_SLOT) return reason
    traced.traceStep(run)
    if (log.left <= countOf()) return PAUSED
  }
  return PAUSED
}

/** Runs and logs opcodes of the innermost frame. `react` carries out what the interpreter stopped for. */
export function logFrame(
  run: Execution,
  log: StepLog,
  react: (run: Execution, active: ActiveFrame, reason: number) => RunProgress,
): RunProgress {
  const { engine, host } = run
  const active = run.frames.at(-1)
  if (active === undefined) throw new Error('there is no frame to run')
  if (++run.turnCount % TURNS_PER_LOOK === 0) {
    const pause = host.pauseIfDue()
    if (pause !== undefined) return pause.then(() => undefined)
  }
  const traced = active.traced instanceof LoggedFrame ? active.traced : new LoggedFrame(engine, active, log)
  active.traced = traced
  engine.loggedRefund = run.substate.refund
  const reason = runLogged(run, log, traced)
  if (reason === LOG_FULL) {
    if (engine.words[LOG_AT >>> 2] === LOG_TEXT) return stepFrame(run, react)
    takeLog(engine, log)
    return host.pauseIfDue()?.then(() => undefined)
  }
  if (reason !== PAUSED) traced.traceRun(run, reason)
  if (reason === PAUSED) return host.pauseIfDue()?.then(() => undefined)
  engine.flushStores()
  return react(run, active, reason)
}
