// The chain's only events. Listeners run in the order of registration; an error in one is reported and the others still run.
import type { ChainEvents } from './types.ts'

type EventValues = {
  block: Parameters<Parameters<ChainEvents['on']>[1]>
  pending: unknown[]
  removed: unknown[]
  edited: unknown[]
  snapshot: unknown[]
}
type Listener = (...values: never[]) => void

export class ChainEventEmitter implements ChainEvents {
  /** Lists are replaced, not mutated, so listeners may be added or removed while an event is emitted. */
  readonly #listeners: Record<keyof EventValues, readonly Listener[]> = {
    block: [],
    pending: [],
    removed: [],
    edited: [],
    snapshot: [],
  }
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  on(event: keyof EventValues, listener: Listener): () => void {
    const listeners = this.#listeners
    if (!listeners[event].includes(listener)) listeners[event] = [...listeners[event], listener]
    return () => {
      listeners[event] = listeners[event].filter((other) => other !== listener)
    }
  }

  emit(event: keyof EventValues, ...values: unknown[]): void {
    for (const listener of this.#listeners[event]) {
      try {
        listener(...(values as never[]))
      } catch (error) {
        this.fail(error)
      }
    }
  }

  /** Reports an error that no request can be answered with. */
  fail(error: unknown): void {
    this.#onError(error)
  }
}
