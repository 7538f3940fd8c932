// An AbortSignal for each client connection, so that work stops when no client waits for its result. The signal is aborted when
// the connection is closed. A client that has only half-closed the connection still reads, so this does not abort it.
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

/** Stores the client of a signal's connection. Clients without a share are not stored. */
export const setClient = (signal: AbortSignal, client: string): unknown => clients.set(signal, client)

/** The client of a connection's signal; undefined for one without a share. */
export const clientOf = (signal: AbortSignal): string | undefined => clients.get(signal)

/** For work without a connection. Never aborted. */
export const NO_CONNECTION: AbortSignal = new AbortController().signal
