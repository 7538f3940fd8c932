// Turns any error into one line for the terminal, which names the file, port or flag, and into an exit code.
import { CommanderError } from 'commander'
import { ChainError, describeError } from '../lib/errors.ts'
import { WrongCommandLine } from './flags.ts'

/** Reasons of the operating system, in words. */
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

/** The exit code of a failure, and whether its message has been printed already. */
export function exitCodeOf(error: unknown): { readonly code: number; readonly isTold: boolean } {
  // Commander has said what is wrong, or has shown what was asked for.
  if (error instanceof CommanderError) return { code: error.exitCode === 0 ? 0 : 2, isTold: true }
  return { code: error instanceof WrongCommandLine ? 2 : 1, isTold: false }
}

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const firstLine = describeError(error).split('\n', 1)[0] ?? ''
  if (error instanceof ChainError || !('code' in error)) return firstLine
  const reason = REASONS[String(error.code)]
  return reason === undefined ? firstLine : `${subject(error)}: ${reason}`
}

/** What the operating system refused: a path, or an address to listen on. */
function subject(error: Error & { path?: unknown; address?: unknown; port?: unknown; hostname?: unknown }): string {
  if (typeof error.path === 'string') return error.path
  if (typeof error.port === 'number') return `cannot listen on ${error.address}:${error.port}`
  return typeof error.hostname === 'string' ? error.hostname : (error.message.split('\n', 1)[0] ?? '')
}
