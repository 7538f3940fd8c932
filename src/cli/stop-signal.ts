// Ends of a command that runs until a signal stops it.
import { constants } from 'node:os'
import { flushLog } from '../lib/log.ts'

/** Milliseconds in which a second signal is ignored: under npm Ctrl-C arrives twice, from the terminal and from npm. */
const SAME_KEYSTROKE = 500

/** Resolves at the first signal to stop; the next one ends the process at once. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let first: number | undefined
    const onSignal = (signal: NodeJS.Signals) => {
      if (first === undefined) {
        first = performance.now()
        resolve(signal)
      } else if (performance.now() - first > SAME_KEYSTROKE) dieOf(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  })
}

/**
 * Ends the process by the signal's default action, because `process.exit` waits for disk calls that may never return. In a
 * container process 1 ignores the signal, so `process.exit` follows.
 */
export function dieOf(signal: NodeJS.Signals): never {
  process.removeAllListeners(signal)
  flushLog()
  process.kill(process.pid, signal)
  process.exit(128 + constants.signals[signal])
}
