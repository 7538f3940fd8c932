// The node's own voice, on standard error: one logger, one child per room. What belongs at which level stands in
// CONTRIBUTING.md. Standard output is left to what a command prints.
import pino, { type Logger, type LoggerOptions } from 'pino'
import pretty from 'pino-pretty'
import { boundedArguments, boundedFields } from './log-fields.ts'

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
