// The connections that requests come over, as the work they ask for sees them: a signal for each, aborted when the
// connection is closed. A client that has only ended its own side still reads, and is answered.
import type { EventEmitter } from 'node:events'

const callers = new WeakMap<EventEmitter, AbortSignal>()

/** The signal of a connection: a socket, or a WebSocket. To be asked for while it is open. */
export function connectionSignal(connection: EventEmitter): AbortSignal {
  const known = callers.get(connection)
  if (known !== undefined) return known
  const controller = new AbortController()
  connection.once('close', () => controller.abort())
  callers.set(connection, controller.signal)
  return controller.signal
}

/** The caller of a request that came over no connection. */
export const NO_CONNECTION: AbortSignal = new AbortController().signal
