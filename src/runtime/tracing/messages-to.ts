// Collects the messages to one account, for what contracts print. Bounded: a loop may send a million.
import type { EnterEvent } from '../../evm/tracer.ts'
import type { Address } from '../../lib/hex.ts'
import type { SentMessage, SentMessages } from '../types.ts'
import type { Tracer } from './tracer.ts'

/** Messages that are kept, and bytes of one's input; a longer one is kept as empty. */
const MOST = 100
const MOST_BYTES = 1 << 16

export class MessagesTo implements Tracer {
  readonly #receiver: Address
  readonly #first: SentMessage[] = []
  #count = 0
  /** The accounts whose code runs, by depth. */
  readonly #codes: (Address | null)[] = []

  constructor(receiver: Address) {
    this.#receiver = receiver
  }

  keepsInput(length: number): boolean {
    return length <= MOST_BYTES && this.#first.length < MOST
  }

  enter({ from, to, input, depth }: EnterEvent): void {
    this.#codes[depth] = to
    if (to !== this.#receiver || depth === 0) return
    this.#count++
    if (this.#first.length < MOST) this.#first.push({ by: this.#codes[depth - 1] ?? from, input })
  }

  /** undefined: there were none. */
  get messages(): SentMessages | undefined {
    return this.#count === 0 ? undefined : { first: this.#first, count: this.#count }
  }

  result(): undefined {
    return undefined
  }
}
