// Turns any error into an exit code and one line for the terminal, which names the file, port or flag.
import { CommanderError } from 'commander'
import { ChainError, describeError } from '../lib/errors.ts'

/** An error of the command line itself, independent of files and chain. The exit code is 2. */
export class WrongCommandLine extends ChainError {}

/** Error codes of the operating system as text. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder',
  EEXIST: 'exists already',
  ENOSPC: 'no space left on the device',
  EROFS: 'the file system is read-only',
  EMFILE: 'too many open files',
  EADDRINUSE: 'the port is in use by another program; choose another with --port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host',
}

/** The exit code of a failure, and whether its message was printed already. */
export function exitCodeOf(error: unknown): { readonly code: number; readonly isPrinted: boolean } {
  // Commander has printed the error, or the requested help.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, isPrinted: true }
  return { code: error instanceof WrongCommandLine ? 2 : 1, isPrinted: false }
}

/** The first line of an error's message; for an error of the operating system, its path or address and the reason. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const firstLine = describeError(error).split('\n', 1)[0] ?? ''
  if (error instanceof ChainError || !('code' in error)) return firstLine
  const reason = REASONS[String(error.code)]
  return reason === undefined ? firstLine : `${subject(error)}: ${reason}`
}

/** The path or address that the operating system refused. */
function subject(error: Error & { path?: unknown; address?: unknown; port?: unknown; hostname?: unknown }): string {
  if (typeof error.path === 'string') return error.path
  if (typeof error.port === 'number') return `cannot listen on ${error.address}:${error.port}`
  return typeof error.hostname === 'string' ? error.hostname : (error.message.split('\n', 1)[0] ?? '')
}
