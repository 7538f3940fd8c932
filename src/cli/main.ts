#!/usr/bin/env node
// The program's entry. Exit codes: 0 done, 1 failed or refused, 2 the command line itself is wrong.
import { runCommandLine } from './program.ts'

// A closed output pipe (`kestrel start | head -1`) is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const code = await runCommandLine(process.argv.slice(2))
if (code !== 0) process.exitCode = code
