// Work of many clients, one task at a time. Each client has a line of its own and the lines take turns, so that one client
// with much work delays another by one task. Lines are bounded: what is beyond is refused, not kept.
import { ChainError } from './errors.ts'

export type QueueLimits = {
  /** Tasks that wait, of all clients and of one. */
  readonly tasks: number
  readonly tasksPerClient: number
  /** Sum of the sizes of all that waits or runs, in whatever unit sizes are given. */
  readonly size: number
}

type Task = { readonly run: () => Promise<void>; readonly size: number }

export class FairQueue {
  readonly #limits: QueueLimits
  /** In the order of their turns: the line whose task runs goes to the end. */
  readonly #lines = new Map<string, Task[]>()
  #waiting = 0
  #size = 0
  #isRunning = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Queues a task, which must not reject. Throws ChainError `limit-exceeded` when too much waits already. */
  add(client: string, size: number, run: () => Promise<void>): void {
    const line = this.#lines.get(client) ?? []
    const isFull = this.#waiting >= this.#limits.tasks || line.length >= this.#limits.tasksPerClient
    // A task that is large by itself may wait alone.
    const isLarge = this.#size > 0 && this.#size + size > this.#limits.size
    if (isFull || isLarge) throw new ChainError('limit-exceeded', 'too much is waiting already; try again later')
    line.push({ run, size })
    this.#lines.set(client, line)
    this.#waiting++
    this.#size += size
    if (!this.#isRunning) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isRunning = true
    for (let task = this.#next(); task !== undefined; task = this.#next()) {
      await task.run()
      this.#size -= task.size
    }
    this.#isRunning = false
  }

  #next(): Task | undefined {
    const [first] = this.#lines
    if (first === undefined) return undefined
    const [client, line] = first
    const task = line.shift()
    this.#lines.delete(client)
    if (line.length > 0) this.#lines.set(client, line)
    this.#waiting--
    return task
  }
}
