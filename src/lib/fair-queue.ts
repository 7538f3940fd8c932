// Fair queueing (round robin): each client has a queue of its own, and the queues take turns, so that a client with much
// work delays another client by one task only.
import { ChainError } from './errors.ts'

/** Items of many clients, taken in rounds: one item of each client, in the order in which the clients arrived. */
export class FairQueue<Client, Item> {
  /** In the order of their turns. No queue is empty. */
  readonly #queues = new Map<Client, Item[]>()
  #size = 0

  /** Items of all clients. */
  get size(): number {
    return this.#size
  }

  sizeOf(client: Client): number {
    return this.#queues.get(client)?.length ?? 0
  }

  add(client: Client, item: Item): void {
    const queue = this.#queues.get(client)
    if (queue === undefined) this.#queues.set(client, [item])
    else queue.push(item)
    this.#size++
  }

  /** Takes the oldest item of the client whose turn it is, and moves that client to the end of the round. */
  next(): { readonly client: Client; readonly item: Item } | undefined {
    const [first] = this.#queues
    if (first === undefined) return undefined
    const [client, queue] = first
    const item = queue.shift()
    this.#queues.delete(client)
    if (queue.length > 0) this.#queues.set(client, queue)
    if (item === undefined) return undefined
    this.#size--
    return { client, item }
  }

  /** Takes the items of a client for which `isTaken` is true; the others keep their order. */
  takeIf(client: Client, isTaken: (item: Item) => boolean): Item[] {
    const queue = this.#queues.get(client) ?? []
    const taken = queue.filter(isTaken)
    if (taken.length === 0) return taken
    if (taken.length === queue.length) this.#queues.delete(client)
    else
      this.#queues.set(
        client,
        queue.filter((item) => !isTaken(item)),
      )
    this.#size -= taken.length
    return taken
  }

  clients(): Client[] {
    return [...this.#queues.keys()]
  }
}

export type QueueLimits = {
  /** Waiting tasks of all clients, and of one. */
  readonly tasks: number
  readonly tasksPerClient: number
  /** Sum of the sizes of all waiting and running tasks, in the caller's unit. */
  readonly size: number
}

type Task = { readonly run: () => Promise<void>; readonly size: number }

/** Runs tasks one at a time, fairly between clients. Tasks beyond the limits are refused. */
export class TaskQueue {
  readonly #limits: QueueLimits
  readonly #waiting = new FairQueue<string, Task>()
  #size = 0
  #isRunning = false

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  /** Queues a task, which must not reject. Throws ChainError `limit-exceeded` when too much waits already. */
  add(client: string, size: number, run: () => Promise<void>): void {
    const { tasks, tasksPerClient, size: maxSize } = this.#limits
    const isFull = this.#waiting.size >= tasks || this.#waiting.sizeOf(client) >= tasksPerClient
    // A task that alone exceeds the limit is accepted when no other task waits or runs.
    const isLarge = this.#size > 0 && this.#size + size > maxSize
    if (isFull || isLarge) throw new ChainError('limit-exceeded', 'too much is waiting already; try again later')
    this.#waiting.add(client, { run, size })
    this.#size += size
    if (!this.#isRunning) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isRunning = true
    for (let next = this.#waiting.next(); next !== undefined; next = this.#waiting.next()) {
      await next.item.run()
      this.#size -= next.item.size
    }
    this.#isRunning = false
  }
}
