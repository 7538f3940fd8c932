// Any failure as one line for people: what is wrong, with which file, port or flag.
import { ChainError, wordsForPeople } from '../lib/errors.ts'

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

export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const firstLine = wordsForPeople(error).split('\n', 1)[0] ?? ''
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
