// Logging to standard error: one logger, with a child for each room. CONTRIBUTING.md says what is logged at which level.
// Standard output is for the results of commands. Every field of a record is cut to a bounded size and keeps its form, because
// some come from requests, which may have megabytes. Values whose names suggest secrets are replaced by `hidden`.
// Lines leave in groups, because a write per line costs a node that mines single transactions more than making the line.
import pino, { type Logger, type LoggerOptions } from 'pino'
import { visibleLine } from './visible-text.ts'

export type { Logger }
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/**
 * A line below the readable line of a record, from the record's field `lines`; JSON has no such lines, since the other fields say the
 * same.
 */
export type LineBelow = { readonly text: string; readonly colour?: Colour }

/** Most characters of a line below. */
const LONGEST_BELOW = 1_000
const INDENT = '    '
/** Milliseconds that a line below `warn` may wait, and characters that may wait with it. */
const WAIT = 50
const MOST_WAITING = 1 << 16

/** `json`: one JSON object per line, for machines; else readable lines. */
export function createLogger({ level, json }: { level: LogLevel; json: boolean }): Logger {
  const base: LoggerOptions = {
    level,
    base: null,
    formatters: { log: ({ lines, ...fields }) => boundedFields(fields) },
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

// --- readable lines

/** ANSI colours. */
const COLOURS = { red: 31, green: 32, yellow: 33, blue: 34, grey: 90 }
export type Colour = keyof typeof COLOURS
const OF_LEVEL: Readonly<Record<string, Colour>> = { TRACE: 'grey', DEBUG: 'blue', INFO: 'green', WARN: 'yellow' }

/** FORCE_COLOR and NO_COLOR decide, in this order, and else whether the stream is a terminal. */
let hasColours: boolean | undefined
function usesColours({ isTTY }: NodeJS.WriteStream): boolean {
  const { FORCE_COLOR: force, NO_COLOR: no } = process.env
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false'
  return !no && isTTY && process.env.TERM !== 'dumb'
}

function coloured(text: string, colour: Colour | undefined): string {
  hasColours ??= usesColours(process.stderr)
  return hasColours ? inColour(text, colour) : text
}

const inColour = (text: string, colour: Colour | undefined): string =>
  colour === undefined ? text : `\u001b[${COLOURS[colour]}m${text}\u001b[39m`

/** Lines for standard output, as those below a record. */
export function outputLines(lines: readonly LineBelow[]): readonly string[] {
  const isColoured = usesColours(process.stdout)
  return lines.map(({ text, colour }) => inColour(visibleLine(shorten(text)), isColoured ? colour : undefined))
}

/** Characters of a message that fit in a line of the terminal; Infinity if standard error is none. */
export const lineWidth = (): number =>
  process.stderr.isTTY ? Math.max((process.stderr.columns || 80) - '[00:00:00] INFO: '.length, 40) : Infinity

function readableLine(log: Logger, [first, second]: readonly unknown[], severity: number): string {
  const level = (pino.levels.labels[severity] ?? '').toUpperCase()
  const fields = isObject(first) ? { ...first, msg: second } : { msg: first }
  const head = `[${timeOfDay()}] ${coloured(level, OF_LEVEL[level] ?? 'red')}: `
  return `${head}${readable({ ...bindingsOf(log), ...fields })}\n${'lines' in fields ? linesBelow(fields.lines) : ''}`
}

const linesBelow = (lines: unknown): string =>
  (lines as readonly LineBelow[])
    .map(({ text, colour }) => `${INDENT}${coloured(visibleLine(shorten(text)), colour)}\n`)
    .join('')

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

/** The text of a record: room, method and message. */
function readable({ room, msg, method, err }: Record<string, unknown>): string {
  const words = [room === undefined ? '' : `${room}: `, method === undefined ? '' : `${method}  `, String(msg)]
  // Contracts and clients choose some of this text.
  const line = visibleLine(words.join(''))
  const thrown = err === undefined ? undefined : bounded(err)
  // The stack of an unexpected error shows where it was thrown.
  return isObject(thrown) && 'stack' in thrown ? `${line}\n${thrown.stack}` : line
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const shorten = (text: string): string => (text.length <= LONGEST_BELOW ? text : `${text.slice(0, LONGEST_BELOW)}…`)

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
