// What a failing disk says, as the errors of this program. Words for clients hold no path; what the system or LevelDB said
// goes into `detail`, which is logged only.
import { ChainError } from '../lib/errors.ts'

/** The message of the ChainError `disk-failure` for a write that found no room, on the disk or in a quota. */
export const DISK_FULL = 'disk full'
/** The message for a disk that fails in another way: a fault of the hardware, a limit of files, mounted read-only. */
export const DISK_FAILS = 'disk failure'

/** Codes of the system for "no room". LevelDB hands on the system's text only (`strerror`, in the C library's words). */
const NO_ROOM = /\b(ENOSPC|EDQUOT)\b|no space left on device|(disk )?quota exceeded/i
/** Codes and texts for limits that pass when something else is closed. */
const NO_HANDLE = /\b(EMFILE|ENFILE|ENOMEM)\b|too many open files|cannot allocate memory/i

/** A failure of the disk as ChainError `disk-failure`; one that is a ChainError already stays as it is. */
export function diskError(error: unknown): ChainError {
  if (error instanceof ChainError) return error
  const said = wordsOf(error)
  return new ChainError('disk-failure', NO_ROOM.test(said) ? DISK_FULL : DISK_FAILS, undefined, said)
}

/** Whether the failure says that there is no room. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof ChainError && error.code === 'disk-failure' && error.message === DISK_FULL

/** Whether waiting may help by itself: room may be made, handles may be closed. */
export const isTransient = (error: ChainError): boolean => isDiskFull(error) || NO_HANDLE.test(error.detail ?? '')

/** abstract-level puts what LevelDB said into the cause of its own error. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
