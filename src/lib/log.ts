// The node's own voice, on standard error: one logger, one child per room. What belongs at which level stands in
// CONTRIBUTING.md. Standard output is left to what a command prints.
import pino, { type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** Characters of a refused request's parameters in a readable line. */
const SHOWN_PARAMS = 200

/** `json`: one JSON object per line, for machines; else readable lines. */
export function createLogger({ level, json }: { level: LogLevel; json: boolean }): Logger {
  const base: LoggerOptions = {
    level,
    base: null,
    formatters: { log: boundedFields },
    hooks: {
      logMethod(given, method) {
        method.apply(this, boundedArguments(given) as typeof given)
      },
    },
    // Errors are fields like all others.
    serializers: { err: (error) => error },
  }
  if (json) return pino(base, pino.destination({ dest: 2, sync: true }))
  return pino(
    base,
    pretty({
      destination: 2,
      sync: true,
      colorize: process.stderr.isTTY,
      translateTime: 'SYS:HH:MM:ss',
      messageFormat: readable,
      hideObject: true,
    }),
  )
}

/** The line of a record: its room, its message, and of its details those that tell why something failed. */
function readable(record: Record<string, unknown>): string {
  const { room, msg, method, params, error, err } = record
  const words = [room === undefined ? '' : `${room}: `, method === undefined ? '' : `${method}  `, String(msg)]
  if (isObject(error) && 'message' in error) words.push(`: ${error.message}`)
  if (params !== undefined) words.push(`  ${shorten(JSON.stringify(params))}`)
  // Contracts and callers choose some of these words: none of them may steer the terminal.
  const line = words.join('').replace(/\p{Cc}/gu, ' ')
  // An error that nobody expected: where it came from is what matters.
  return isObject(err) && 'stack' in err ? `${line}\n${err.stack}` : line
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const shorten = (text: string): string => (text.length <= SHOWN_PARAMS ? text : `${text.slice(0, SHOWN_PARAMS)}…`)

// Details of a log record, cut to a bounded size: some come from requests, which may have megabytes. What is kept has the form
// that it had, so that machines can still read it. Secrets are left out by their names.

/** Characters of one field, those of keys and values taken together. */
export const FIELD_SIZE = 2048
const DEEPEST = 8
const SECRET = /^(password|passphrase|privatekey|secret|mnemonic|keydata)$/i

/** The fields of a record, each within FIELD_SIZE. */
export function boundedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const hidden = carriesSecrets(fields.method) ? 'params' : undefined
  const kept = Object.entries(fields).filter(([name]) => name !== hidden)
  return Object.fromEntries(kept.map(([name, value]) => [name, bounded(value)]))
}

/** A value that JSON can carry within FIELD_SIZE; what is left out is counted in its place. */
export const bounded = (value: unknown): unknown => cut(value, { left: FIELD_SIZE }, 0)

/** Passwords and keys are arguments of these. */
const carriesSecrets = (method: unknown): boolean => String(method).startsWith('personal_')

/** Arguments of a logging call: an error alone tells its message, and no message is longer than a field. */
export function boundedArguments(given: readonly unknown[]): unknown[] {
  const [first, ...rest] = given
  const all = first instanceof Error && rest.length === 0 ? [{ err: first }, first.message] : given
  return all.map((one) => (typeof one === 'string' ? bounded(one) : one))
}

type Budget = { left: number }

/** Takes from the budget what the answer is long; every value costs something, so that cycles end. */
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
  const kept: unknown[] = []
  for (const each of list) {
    if (budget.left <= 0) break
    kept.push(cut(each, budget, depth + 1))
  }
  return kept.length === list.length ? kept : [...kept, `… (${list.length} items)`]
}

function cutObject(object: object, budget: Budget, depth: number): Record<string, unknown> {
  const kept: Record<string, unknown> = Object.create(null)
  for (const name in object) {
    if (!Object.hasOwn(object, name)) continue
    if (budget.left <= 0) {
      kept['…'] = 'more'
      break
    }
    const value: unknown = (object as Record<string, unknown>)[name]
    kept[cutText(name, budget)] = SECRET.test(name) ? 'hidden' : cut(value, budget, depth + 1)
  }
  return kept
}

/** Type, message and stack come first: they tell most. */
function cutError(error: Error, budget: Budget, depth: number): Record<string, unknown> {
  const { name: type, message, stack, cause, ...rest } = error
  return cutObject({ type, message, stack, ...(cause !== undefined && { cause }), ...rest }, budget, depth)
}
