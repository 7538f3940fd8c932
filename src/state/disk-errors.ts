// Errors of the disk as ChainErrors. Messages for clients contain no paths; the system's or LevelDB's text goes into `detail`,
// which is only logged.
import { ChainError } from '../lib/errors.ts'

/** Message of the ChainError `disk-failure` for a write without space on the disk or in a quota. */
export const DISK_FULL = 'disk full'
/** The message for any other failure: a hardware fault, too many open files, a read-only mount. */
export const DISK_FAILS = 'disk failure'

/** The system's codes and texts for a full disk. LevelDB passes on the text only (`strerror` of the C library). */
const NO_ROOM = /\b(ENOSPC|EDQUOT)\b|no space left on device|(disk )?quota exceeded/i
/** Codes and texts for limits that end when other files are closed or memory is freed. */
const NO_HANDLE = /\b(EMFILE|ENFILE|ENOMEM)\b|too many open files|cannot allocate memory/i

/** An error as ChainError `disk-failure`. A ChainError is returned as it is. */
export function diskError(error: unknown): ChainError {
  if (error instanceof ChainError) return error
  const text = textOf(error)
  return new ChainError('disk-failure', NO_ROOM.test(text) ? DISK_FULL : DISK_FAILS, undefined, text)
}

/** Whether the disk, or a quota, is full. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof ChainError && error.code === 'disk-failure' && error.message === DISK_FULL

/** Whether the failure may end by itself: files may be deleted or closed. */
export const isTransient = (error: ChainError): boolean => isDiskFull(error) || NO_HANDLE.test(error.detail ?? '')

/** abstract-level puts LevelDB's error into the cause of its own. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
