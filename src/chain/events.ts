// The chain's only events. Listeners run in the order of registration; an error in one is reported and the others still run.
import type { ChainEvents } from './types.ts'

type EventValues = {
  block: Parameters<Parameters<ChainEvents['on']>[1]>
  pending: unknown[]
  removed: unknown[]
}
type Listener = (...values: never[]) => void

export class ChainEventEmitter implements ChainEvents {
  /** Lists are replaced, never changed, so that a listener may come or go while an event is being emitted. */
  readonly #listeners: Record<keyof EventValues, readonly Listener[]> = { block: [], pending: [], removed: [] }
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

  /** Reports an error that belongs to no request. */
  fail(error: unknown): void {
    this.#onError(error)
  }
}
