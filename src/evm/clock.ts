// How long a message holds the thread: others get a turn in between, and a call that takes too long is stopped.
import { ChainError } from '../lib/errors.ts'
import type { Pause } from '../lib/scheduler.ts'

export class Clock {
  #jumps = 0
  readonly #pause: Pause

  constructor(pause: Pause) {
    this.#pause = pause
  }

  /** Undefined in the common case; else a promise that settles after other work had its turn. Throws at the deadline. */
  atJump(deadline: number | undefined): Promise<void> | undefined {
    // Between jumps may lie a whole contract's straight line, so not too many of them are let pass unseen.
    return (++this.#jumps & 3) === 0 ? this.look(deadline) : undefined
  }

  /** The same at once. `deadline` is in `performance.now()` milliseconds. */
  look(deadline: number | undefined): Promise<void> | undefined {
    const now = performance.now()
    if (deadline !== undefined && now > deadline) {
      throw new ChainError('limit-exceeded', 'execution aborted: the call took longer than this node allows')
    }
    return this.#pause(now)
  }
}
