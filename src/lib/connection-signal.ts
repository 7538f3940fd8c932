// An AbortSignal for each client connection, so that work can stop when nobody waits for its result any more. The signal
// is aborted when the connection is closed. A client that has only ended its sending side still reads: that is not a close.
import type { EventEmitter } from 'node:events'

const signals = new WeakMap<EventEmitter, AbortSignal>()

/** The signal of a connection: a socket, or a WebSocket. Call it while the connection is open. */
export function connectionSignal(connection: EventEmitter): AbortSignal {
  const known = signals.get(connection)
  if (known !== undefined) return known
  const controller = new AbortController()
  connection.once('close', () => controller.abort())
  signals.set(connection, controller.signal)
  return controller.signal
}

const clients = new WeakMap<AbortSignal, string>()

/** Remembers the client whose connection a signal belongs to. Clients without a share of their own are not named. */
export const setClient = (signal: AbortSignal, client: string): unknown => clients.set(signal, client)

/** The client of a connection's signal; undefined for one without a share of its own. */
export const clientOf = (signal: AbortSignal): string | undefined => clients.get(signal)

/** For work that no connection asked for. Never aborted. */
export const NO_CONNECTION: AbortSignal = new AbortController().signal
