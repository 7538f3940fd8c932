// The chain's only signals. Listeners run in the order they came; one that throws does not silence the others.
import type { ChainEvents } from './types.ts'

type Signals = {
  block: Parameters<Parameters<ChainEvents['on']>[1]>
  pending: unknown[]
  removed: unknown[]
}
type Listener = (...values: never[]) => void

export class ChainEventEmitter implements ChainEvents {
  /** Lists are replaced, never changed: who is being told is not disturbed by who comes or goes. */
  readonly #listeners: Record<keyof Signals, readonly Listener[]> = { block: [], pending: [], removed: [] }
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  on(event: keyof Signals, listener: Listener): () => void {
    const listeners = this.#listeners
    if (!listeners[event].includes(listener)) listeners[event] = [...listeners[event], listener]
    return () => {
      listeners[event] = listeners[event].filter((other) => other !== listener)
    }
  }

  emit(event: keyof Signals, ...values: unknown[]): void {
    for (const listener of this.#listeners[event]) {
      try {
        listener(...(values as never[]))
      } catch (error) {
        this.fail(error)
      }
    }
  }

  /** For errors that belong to nobody's request. */
  fail(error: unknown): void {
    this.#onError(error)
  }
}
