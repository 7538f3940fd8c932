// The chain's only signals. Listeners run in the order they came; one that throws does not silence the others.
import type { LiveEvents } from './types.ts'

type Signals = {
  block: Parameters<Parameters<LiveEvents['on']>[1]>
  pending: unknown[]
  removed: unknown[]
}
type Listener = (...values: never[]) => void

export class Live implements LiveEvents {
  readonly #listeners: Record<keyof Signals, Set<Listener>> = {
    block: new Set(),
    pending: new Set(),
    removed: new Set(),
  }
  readonly #onError: (error: unknown) => void

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  on(event: keyof Signals, listener: Listener): () => void {
    this.#listeners[event].add(listener)
    return () => {
      this.#listeners[event].delete(listener)
    }
  }

  emit(event: keyof Signals, ...values: unknown[]): void {
    for (const listener of [...this.#listeners[event]]) {
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
