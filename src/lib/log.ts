// Logging to standard error: one logger, with a child for each room. CONTRIBUTING.md says what is logged at which level.
// Standard output is for the results of commands. Every field of a record is cut to a bounded size and keeps its form, because
// some come from requests, which may have megabytes. Values whose names suggest secrets are replaced by `hidden`.
// Lines leave in groups, because a write per line costs a node that mines single transactions more than making the line.
import pino, { type Logger, type LoggerOptions } from 'pino'

export type { Logger }
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** Maximum number of characters of a refused request's parameters in a readable line. */
const SHOWN_PARAMS = 200
/** Milliseconds that a line below `warn` may wait, and characters that may wait with it. */
const WAIT = 50
const MOST_WAITING = 1 << 16

/** `json`: one JSON object per line, for machines; else readable lines. */
export function createLogger({ level, json }: { level: LogLevel; json: boolean }): Logger {
  const base: LoggerOptions = {
    level,
    base: null,
    formatters: { log: boundedFields },
    // Pino would copy errors completely; here they are bounded like all other fields.
    serializers: { err: (error) => error },
  }
  lines ??= new Lines()
  const out = lines
  if (json) {
    const logMethod: Hook = function logMethod(given, method, severity) {
      method.apply(this, boundedArguments(given) as typeof given)
      if (severity >= WARN) out.flush()
    }
    return pino({ ...base, hooks: { logMethod } }, out)
  }
  // Pino would make JSON first, which costs ten times as much as the readable line.
  const logMethod: Hook = function logMethod(given, _, severity) {
    out.write(readableLine(this, boundedArguments(given), severity))
    if (severity >= WARN) out.flush()
  }
  return pino({ ...base, hooks: { logMethod } }, out)
}

type Hook = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Pino's number of the level. */
const WARN = 40

/** The standard error of the process, once there is a logger. */
let lines: Lines | undefined

/** Writes the lines that wait; for an end of the process without the event `exit`. */
export const flushLog = (): void => lines?.flush()

/** Standard error. Lines wait up to WAIT ms, and none is lost when the process ends. */
class Lines {
  readonly #out = pino.destination({ dest: 2, sync: true })
  #waiting = ''
  #timer: NodeJS.Timeout | undefined

  constructor() {
    process.on('exit', this.flush)
  }

  write(line: string): void {
    this.#waiting += line
    if (this.#waiting.length > MOST_WAITING) this.flush()
    else this.#timer ??= setTimeout(this.flush, WAIT).unref()
  }

  readonly flush = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting !== '') this.#out.write(this.#waiting)
    this.#waiting = ''
  }
}

/** ANSI colours of the levels. */
const COLOURS: Readonly<Record<string, number>> = { TRACE: 90, DEBUG: 34, INFO: 32, WARN: 33, ERROR: 31, FATAL: 31 }

function readableLine(log: Logger, [first, second]: readonly unknown[], severity: number): string {
  const level = (pino.levels.labels[severity] ?? '').toUpperCase()
  const shown = process.stderr.isTTY ? `\u001b[${COLOURS[level]}m${level}\u001b[39m` : level
  const fields = isObject(first) ? { ...first, msg: second } : { msg: first }
  return `[${timeOfDay()}] ${shown}: ${readable({ ...bindingsOf(log), ...fields })}\n`
}

/** The fields of a child logger. */
const bindings = new WeakMap<Logger, object>()
function bindingsOf(log: Logger): object {
  const known = bindings.get(log) ?? log.bindings()
  bindings.set(log, known)
  return known
}

/** The local time, as hh:mm:ss. */
function timeOfDay(): string {
  const now = new Date()
  return [now.getHours(), now.getMinutes(), now.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

/** The text of a record: room, message, and the fields that explain a failure, each within FIELD_SIZE. */
function readable({ room, msg, method, params, error, err }: Record<string, unknown>): string {
  const words = [room === undefined ? '' : `${room}: `, method === undefined ? '' : `${method}  `, String(msg)]
  const reason = error === undefined ? undefined : bounded(error)
  if (isObject(reason) && 'message' in reason) words.push(`: ${reason.message}`)
  if (params !== undefined) words.push(`  ${shorten(JSON.stringify(boundedFields({ params })['params']))}`)
  // Contracts and clients choose some of this text: control characters in it must not reach the terminal.
  const line = words.join('').replace(/\p{Cc}/gu, ' ')
  const thrown = err === undefined ? undefined : bounded(err)
  // The stack of an unexpected error shows where it was thrown.
  return isObject(thrown) && 'stack' in thrown ? `${line}\n${thrown.stack}` : line
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const shorten = (text: string): string => (text.length <= SHOWN_PARAMS ? text : `${text.slice(0, SHOWN_PARAMS)}…`)

/** Maximum length of one field in characters, keys and values together. */
export const FIELD_SIZE = 2048
const DEEPEST = 8
const SECRET = /^(password|passphrase|privatekey|secret|mnemonic|keydata)$/i

/** The fields of a record, each within FIELD_SIZE. */
export const boundedFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, SECRET.test(name) ? 'hidden' : bounded(value)]),
  )

/** The value as JSON can represent it, within FIELD_SIZE; a note in place of an omitted part gives its size. */
export const bounded = (value: unknown): unknown => cut(value, { left: FIELD_SIZE }, 0)

/** Arguments of a logging call: an error given alone supplies the message, and a message is bounded like a field. */
export function boundedArguments(given: readonly unknown[]): unknown[] {
  const [first, ...rest] = given
  const all = first instanceof Error && rest.length === 0 ? [{ err: first }, first.message] : given
  return all.map((one) => (typeof one === 'string' ? bounded(one) : one))
}

type Budget = { left: number }

/** Subtracts the length of the result from the budget. Every value costs at least 4, so that cycles terminate. */
function cut(value: unknown, budget: Budget, depth: number): unknown {
  budget.left -= 4
  if (typeof value === 'string') return cutText(value, budget)
  if (typeof value === 'bigint') return cutText(value.toString(), budget)
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
  if (depth >= DEEPEST) return '…'
  if (value instanceof Error) return cutError(value, budget, depth)
  if ('toJSON' in value && typeof value.toJSON === 'function') return cut(value.toJSON(), budget, depth + 1)
  return Array.isArray(value) ? cutList(value, budget, depth) : cutObject(value, budget, depth)
}

function cutText(text: string, budget: Budget): string {
  const most = Math.max(0, budget.left)
  budget.left -= text.length
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`
}

function cutList(list: readonly unknown[], budget: Budget, depth: number): unknown[] {
  const copy: unknown[] = []
  for (const each of list) {
    if (budget.left <= 0) break
    copy.push(cut(each, budget, depth + 1))
  }
  return copy.length === list.length ? copy : [...copy, `… (${list.length} items)`]
}

function cutObject(object: object, budget: Budget, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const name in object) {
    if (!Object.hasOwn(object, name)) continue
    if (budget.left <= 0) {
      copy['…'] = 'more'
      break
    }
    const value: unknown = (object as Record<string, unknown>)[name]
    copy[cutText(name, budget)] = SECRET.test(name) ? 'hidden' : cut(value, budget, depth + 1)
  }
  return copy
}

/** Type, message and stack come first, because they are the most useful. */
function cutError(error: Error, budget: Budget, depth: number): Record<string, unknown> {
  const { name: type, message, stack, cause, ...rest } = error
  return cutObject({ type, message, stack, ...(cause !== undefined && { cause }), ...rest }, budget, depth)
}
