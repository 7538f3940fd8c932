// The node's own voice, on standard error: one logger, one child per room. What belongs at which level stands in
// CONTRIBUTING.md. Standard output is left to what a command prints.
import pino, { type Logger } from 'pino'
import pretty from 'pino-pretty'

export type { Logger }
export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** `json`: one JSON object per line, for machines; else readable lines. */
export function createLogger({ level, json }: { level: LogLevel; json: boolean }): Logger {
  const base = { level, base: null }
  if (json) return pino(base, pino.destination({ dest: 2, sync: true }))
  return pino(
    base,
    pretty({
      destination: 2,
      sync: true,
      colorize: process.stderr.isTTY,
      translateTime: 'SYS:HH:MM:ss',
      ignore: 'pid,hostname,room',
      messageFormat: '{if room}{room}: {end}{msg}',
      hideObject: true,
    }),
  )
}
