// The client of worker.ts. The worker starts at the first request and never keeps the process alive. Every request is
// answered, even when the worker dies; the next request then starts a new one.
import { Worker } from 'node:worker_threads'
import type { Compiled } from '../wasm/compiler.ts'

/** `table`: the opcode table in the format of OPCODES. */
export type CompileRequest = { readonly code: Uint8Array; readonly table: Uint8Array }

type Done = (compiled: Compiled | undefined) => void

export class CompilerThread {
  /** JavaScript source of the worker. */
  readonly #program: string
  #worker: Worker | undefined
  /** The callbacks of unanswered requests, in order. */
  readonly #waiting: Done[] = []

  constructor(program: string) {
    this.#program = program
  }

  /** Resolves to undefined if there is no compiled form. Never rejects. */
  compile({ code, table }: CompileRequest): Promise<Compiled | undefined> {
    return new Promise((resolve) => {
      try {
        this.#worker ??= this.#start()
        // Copies, because posting a view sends its whole buffer.
        this.#worker.postMessage({ code: Uint8Array.from(code), table: Uint8Array.from(table) })
        this.#waiting.push(resolve)
      } catch {
        resolve(undefined)
      }
    })
  }

  #start(): Worker {
    // Without the module loaders of this process, such as tsx.
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
