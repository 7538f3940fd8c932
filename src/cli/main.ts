#!/usr/bin/env node
// The program's entry: parses the command line and prints any failure as one line on standard error. With KESTREL_TRACE set it
// prints the stack trace too.
// Exit codes: 0 done, 1 failed or refused, 2 the command line itself is wrong.
import { exitCodeOf, explain } from './explain.ts'
import { createProgram } from './program.ts'
import { isVerboseVersion, versionLines } from './version.ts'

// A closed output pipe (`kestrel start | head -1`) is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

try {
  if (isVerboseVersion(process.argv.slice(2))) process.stdout.write(versionLines())
  else await createProgram().parseAsync()
} catch (error) {
  const { code, isPrinted } = exitCodeOf(error)
  if (!isPrinted) {
    process.stderr.write(`kestrel: ${explain(error)}\n`)
    if (process.env.KESTREL_TRACE !== undefined) console.error(error)
  }
  process.exitCode = code
}
