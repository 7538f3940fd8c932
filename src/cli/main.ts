#!/usr/bin/env node
// The door: how any failure leaves the program: one line on standard error. A stack trace is shown only to those who set
// KESTREL_TRACE, to hunt a bug.
// Exit codes: 0 done, 1 failed or refused, 2 the command line itself is wrong.
import { exitCodeOf, explain } from './explain.ts'
import { createProgram } from './program.ts'
import { asksAll, versionLines } from './version.ts'

// A reader that goes away (`kestrel start | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  if (asksAll(process.argv.slice(2))) process.stdout.write(versionLines())
  else await createProgram().parseAsync()
} catch (error) {
  const { code, isTold } = exitCodeOf(error)
  if (!isTold) {
    process.stderr.write(`kestrel: ${explain(error)}\n`)
    if (process.env.KESTREL_TRACE !== undefined) console.error(error)
  }
  process.exitCode = code
}
