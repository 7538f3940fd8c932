// Announces blocks one at a time, in order of commit. Rendering never slows the chain: if many blocks wait, only the first ones
// and the newest are rendered.
import type { ExecutedBlock } from '../../runtime/types.ts'
import { type ExplorerContext, withContext } from '../context.ts'
import type { Explorer } from '../explorer.ts'
import { announceBlock, announceCollated, announceRemoval } from './announce.ts'

/** Maximum blocks that wait to be rendered. Of further ones only the newest is rendered. */
const MOST_WAITING_BLOCKS = 32

export class Announcer {
  readonly #explorer: Explorer
  #waiting = 0
  /** The newest block that was skipped because too many waited. */
  #skipped: ExecutedBlock | undefined
  #settled = Promise.resolve()

  constructor(explorer: Explorer) {
    this.#explorer = explorer
  }

  /** Settles when everything so far has been announced. */
  get settled(): Promise<void> {
    return this.#settled
  }

  block(executed: ExecutedBlock): void {
    const { hub } = this.#explorer
    if (hub.hasNoListeners) return
    announceCollated(hub, executed)
    if (this.#waiting >= MOST_WAITING_BLOCKS) this.#skipped = executed
    else this.#render(executed)
  }

  removal(): void {
    const { hub } = this.#explorer
    this.#skipped = undefined
    if (!hub.hasNoListeners) this.#enqueue((context) => announceRemoval(context, hub))
  }

  #render(executed: ExecutedBlock): void {
    this.#enqueue((context) => announceBlock(context, this.#explorer.hub, executed))
  }

  #enqueue(announce: (context: ExplorerContext) => Promise<void>): void {
    this.#waiting += 1
    this.#settled = this.#settled
      .then(() => withContext(this.#explorer, announce))
      .catch((error: unknown) =>
        this.#explorer.log.warn({ err: error }, 'a block could not be announced on the explorer’s socket'),
      )
      .finally(() => {
        this.#waiting -= 1
        const newest = this.#skipped
        if (this.#waiting > 0 || newest === undefined) return
        this.#skipped = undefined
        this.#render(newest)
      })
  }
}
