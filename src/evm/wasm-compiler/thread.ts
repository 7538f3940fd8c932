// The client of worker.ts. The worker starts at the first request and never keeps the process alive. Every request is
// answered, even when the worker dies; the next request then starts a new one.
import { Worker } from 'node:worker_threads'
import type { Compiled } from '../wasm/compiler.ts'

/** `table`: the fork's, as it lies at OPCODES. */
export type CompileRequest = { readonly code: Uint8Array; readonly table: Uint8Array }

type Done = (compiled: Compiled | undefined) => void

export class CompilerThread {
  /** The worker's text. */
  readonly #program: string
  #worker: Worker | undefined
  /** The callbacks of unanswered requests, in order. */
  readonly #waiting: Done[] = []

  constructor(program: string) {
    this.#program = program
  }

  /** Resolves to undefined when there is no compiled form. Never rejects. */
  compile({ code, table }: CompileRequest): Promise<Compiled | undefined> {
    return new Promise((resolve) => {
      try {
        this.#worker ??= this.#start()
        // Copies: a view would be sent with all that lies around it.
        this.#worker.postMessage({ code: Uint8Array.from(code), table: Uint8Array.from(table) })
        this.#waiting.push(resolve)
      } catch {
        resolve(undefined)
      }
    })
  }

  #start(): Worker {
    // Loaders that the process was started with are of no use to it.
    const worker = new Worker(this.#program, { eval: true, execArgv: [] })
    const end = (): void => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const done of this.#waiting.splice(0)) done(undefined)
      void worker.terminate()
    }
    worker.on('message', (compiled: Compiled | undefined) => {
      if (this.#worker === worker) this.#waiting.shift()?.(compiled)
    })
    worker.on('messageerror', end)
    worker.on('error', end)
    worker.on('exit', end)
    worker.unref()
    return worker
  }
}
