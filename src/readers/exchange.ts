// Requests as text between the node and one of its threads, in both directions: each side asks what the other one answers. The
// requests of one turn of the event loop are one message, and short answers are gathered into one.
import { clientOf, setClient } from '../lib/connection-signal.ts'
import type { JsonChunk } from '../rpc/chunked-json.ts'
import type { ThreadAnswer } from '../rpc/define.ts'
import type { ExchangeMessage, Question, Reply } from './messages.ts'

/** Milliseconds for collecting short answers into one message. Clients of long answers need not wait. */
const GATHERING = 0.25

type Post = (message: ExchangeMessage, owned: ArrayBuffer[]) => void
/** Answers the other side; undefined: that side must answer itself. */
type Answer = (text: string, signal: AbortSignal) => Promise<ThreadAnswer | undefined>
type Waiting = {
  readonly settle: (answer: ThreadAnswer | undefined) => void
  readonly fail: (error: Error) => void
}

export class Exchange {
  readonly #post: Post
  readonly #answer: Answer
  readonly #waiting = new Map<number, Waiting>()
  /** Open connections of this side with requests, by their signals. */
  readonly #asking = new Map<AbortSignal, number>()
  /** Connections of the other side. */
  readonly #asked = new Map<number, AbortController>()
  #questions: Question[] = []
  #replies: Reply[] = []
  #lastReplies = 0
  #lastId = 0
  #hasEnded = false

  constructor(post: Post, answer: Answer) {
    this.#post = post
    this.#answer = answer
  }

  /** Number of requests that the other side has not answered. */
  get load(): number {
    return this.#waiting.size
  }

  /** Asks the other side; undefined: this side must answer. Rejects when it ends by a failure. Aborting `signal` ends the work. */
  ask(text: string, signal: AbortSignal): Promise<ThreadAnswer | undefined> {
    if (this.#hasEnded || signal.aborted) return Promise.resolve(undefined)
    const id = ++this.#lastId
    if (this.#questions.length === 0) setImmediate(() => this.#sendQuestions())
    this.#questions.push({ id, connection: this.#connectionOf(signal), client: clientOf(signal), text })
    return new Promise((settle, fail) => this.#waiting.set(id, { settle, fail }))
  }

  receive(message: ExchangeMessage): void {
    if (message.kind === 'replies') this.#settle(message.replies)
    else if (message.kind === 'questions') for (const question of message.questions) void this.#reply(question)
    else {
      this.#asked.get(message.connection)?.abort()
      this.#asked.delete(message.connection)
    }
  }

  /** The other side has ended: its work here ends, and what it was asked fails, or is for this side to answer. */
  end(failure: Error | undefined): void {
    this.#hasEnded = true
    for (const { settle, fail } of this.#waiting.values()) {
      if (failure === undefined) settle(undefined)
      else fail(failure)
    }
    this.#waiting.clear()
    for (const controller of this.#asked.values()) controller.abort()
    this.#asked.clear()
  }

  #sendQuestions(): void {
    if (this.#hasEnded || this.#questions.length === 0) return
    this.#post({ kind: 'questions', questions: this.#questions }, [])
    this.#questions = []
  }

  #connectionOf(signal: AbortSignal): number {
    const known = this.#asking.get(signal)
    if (known !== undefined) return known
    const connection = ++this.#lastId
    this.#asking.set(signal, connection)
    const onClosed = () => {
      this.#asking.delete(signal)
      // The other side knows the connection by its questions.
      this.#sendQuestions()
      if (!this.#hasEnded) this.#post({ kind: 'closed', connection }, [])
    }
    signal.addEventListener('abort', onClosed, { once: true })
    return connection
  }

  #settle(replies: readonly Reply[]): void {
    for (const { id, answer } of replies) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      waiting?.settle(answer && { ...answer, chunks: answer.chunks?.map(received) })
    }
  }

  async #reply({ id, text, connection, client }: Question): Promise<void> {
    const answer = await this.#answer(text, this.#signalOf(connection, client))
    this.#replies.push({ id, answer })
    if (performance.now() - this.#lastReplies > GATHERING) this.#sendReplies()
    else if (this.#replies.length === 1) setImmediate(() => this.#sendReplies())
  }

  #sendReplies(): void {
    if (this.#replies.length === 0 || this.#hasEnded) return
    this.#lastReplies = performance.now()
    const owned: ArrayBuffer[] = []
    const replies = this.#replies.map(({ id, answer }): Reply => {
      if (answer?.chunks === undefined) return { id, answer }
      return { id, answer: { ...answer, chunks: answer.chunks.map((chunk) => movable(chunk, owned)) } }
    })
    this.#replies = []
    this.#post({ kind: 'replies', replies }, owned)
  }

  #signalOf(connection: number, client: string | undefined): AbortSignal {
    const known = this.#asked.get(connection)
    if (known !== undefined) return known.signal
    const controller = new AbortController()
    this.#asked.set(connection, controller)
    if (client !== undefined) setClient(controller.signal, client)
    return controller.signal
  }
}

/** A chunk whose buffer holds nothing else; bytes are added to `owned` and transferred, not copied. */
function movable(chunk: JsonChunk, owned: ArrayBuffer[]): JsonChunk {
  if (typeof chunk === 'string') return chunk
  const { buffer } = chunk
  const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength && !owned.includes(buffer)
  const memory = isAlone ? buffer : Uint8Array.from(chunk).buffer
  owned.push(memory)
  return Buffer.from(memory)
}

/** Structured cloning turns a Buffer into a Uint8Array. */
const received = (chunk: JsonChunk): JsonChunk =>
  typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
