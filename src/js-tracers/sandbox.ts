// JavaScript that nobody here has written, in an engine of its own: QuickJS as WebAssembly, with limits of time, memory and
// stack. Nothing of the node is in it but the functions that it is handed. Whatever happens in it ends as a ScriptFailure.
import variant from '@jitl/quickjs-singlefile-mjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { ScriptFailure } from '../runtime/tracing/tracer.ts'

/** Bytes that the objects of one sandbox may take, its answer included. */
const MEMORY = 128 << 20
/** Bytes of stack: some thousand calls within each other. */
const STACK = 256 << 10
/** Characters of what an error says. */
const LONGEST_MESSAGE = 1_000
/** The name that the client's code has in stacks, as in go-ethereum's. */
const CODE = '<eval>'

/** Values that go in and out of a sandbox. */
export type Plain = string | number | boolean | undefined | Uint8Array
export type HostFunctions = Readonly<Record<string, (...args: (string | number)[]) => Plain>>

/** QuickJS itself, for any number of sandboxes. A broken one has lost its own stack, and no sandbox of it can be used. */
export type Engine = { readonly module: QuickJSWASMModule; isBroken: boolean }

/** Loads the engine, in some 40 ms. */
export async function loadEngine(): Promise<Engine> {
  return { module: await newQuickJSWASMModuleFromVariant(variant), isBroken: false }
}

export class Sandbox {
  readonly #engine: Engine
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #kept: QuickJSHandle[] = []
  /** Why the code was stopped. */
  #stopped: string | undefined
  /** An error of a function of the node: the code may not catch it. */
  #thrown: unknown
  #isOpen = true

  /** `deadline` is in `performance.now()` milliseconds. */
  constructor(engine: Engine, deadline: number) {
    this.#engine = engine
    this.#runtime = engine.module.newRuntime()
    this.#runtime.setMemoryLimit(MEMORY)
    this.#runtime.setMaxStackSize(STACK)
    this.#runtime.setInterruptHandler(() => {
      if (performance.now() > deadline) this.#stopped ??= 'execution timeout'
      return this.#stopped !== undefined
    })
    this.#context = this.#runtime.newContext()
  }

  /** Runs the text of a script. Its value is kept while the sandbox is open. */
  run(text: string, name = CODE): QuickJSHandle {
    return this.#keep(this.#settle(() => this.#context.evalCode(text, name)))
  }

  /** An object with functions of the node. Bytes become ArrayBuffers. */
  hostObject(functions: HostFunctions): QuickJSHandle {
    const context = this.#context
    const host = this.#keep(context.newObject())
    for (const [name, of] of Object.entries(functions)) {
      const made = context.newFunction(name, (...handles) => this.#answer(of, handles))
      context.setProp(host, name, made)
      made.dispose()
    }
    return host
  }

  /** Stops the code for good, with go-ethereum's words for what it did wrong. To be called from a function of the node. */
  stop(words: string): never {
    this.#stopped ??= words
    throw new Error(words)
  }

  property(of: QuickJSHandle, name: string): QuickJSHandle {
    return this.#keep(this.#context.getProp(of, name))
  }

  isTrue(of: QuickJSHandle, name: string): boolean {
    return this.#context.dump(this.property(of, name)) === true
  }

  /** Calls a function; `take` reads its value, which is gone afterwards. Throws ScriptFailure, without the place's name. */
  call<T>(of: QuickJSHandle, args: readonly (Plain | QuickJSHandle)[], take: (value: QuickJSHandle) => T): T {
    const handles = args.map((arg) => (isPlain(arg) ? this.#in(arg) : arg))
    try {
      const value = this.#settle(() => this.#context.callFunction(of, this.#context.undefined, handles))
      try {
        return take(value)
      } finally {
        value.dispose()
      }
    } finally {
      for (const [i, handle] of handles.entries()) if (isPlain(args[i])) handle.dispose()
    }
  }

  text(value: QuickJSHandle): string {
    return this.#context.getString(value)
  }

  /** Another handle of a value, that lives while the sandbox is open. */
  keep(value: QuickJSHandle): QuickJSHandle {
    return this.#keep(value.dup())
  }

  /** Gives back what the sandbox holds. */
  close(): void {
    if (!this.#isOpen || this.#engine.isBroken) return
    this.#isOpen = false
    for (const handle of this.#kept) handle.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  // --- inside

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#kept.push(handle)
    return handle
  }

  /** The value of what ran. A script that was stopped has failed, even if it has caught what stopped it. */
  #settle(run: () => ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (this.#stopped !== undefined) throw new ScriptFailure(this.#stopped)
    const outcome = this.#survive(run)
    if (this.#thrown !== undefined) throw this.#thrown
    if (outcome.error === undefined && this.#stopped === undefined) return outcome.value
    const words = outcome.error === undefined ? (this.#stopped ?? '') : this.#wordsOf(outcome.error)
    outcome.dispose()
    throw new ScriptFailure(words)
  }

  /** An error of the engine itself: the thread's stack is used up before the engine's own limit, or a fault. */
  #survive<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.#engine.isBroken = true
      throw new ScriptFailure(
        error instanceof RangeError ? 'InternalError: stack overflow' : 'InternalError: the engine failed',
      )
    }
  }

  /** As go-ethereum shows what was thrown: the value as a string, and where in the client's code. */
  #wordsOf(error: QuickJSHandle): string {
    const thrown: unknown = this.#context.dump(error)
    const { name, message, stack } = Object(thrown) as { name?: unknown; message?: unknown; stack?: unknown }
    const isError = typeof message === 'string'
    const said = isError ? `${name}: ${message}` : typeof thrown === 'object' ? '[object Object]' : String(thrown)
    const place = typeof stack === 'string' ? placeIn(stack) : undefined
    const words = (this.#stopped ?? said).slice(0, LONGEST_MESSAGE)
    return place === undefined ? words : `${words} at ${place}`
  }

  #answer(of: HostFunctions[string], handles: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context
    const args = handles.map((handle) =>
      context.typeof(handle) === 'number' ? context.getNumber(handle) : context.getString(handle),
    )
    try {
      return this.#in(of(...args))
    } catch (error) {
      if (this.#stopped === undefined) {
        this.#thrown ??= error
        this.#stopped = 'the node has failed'
      }
      throw error
    }
  }

  #in(value: Plain): QuickJSHandle {
    const context = this.#context
    if (value === undefined) return context.undefined
    if (typeof value === 'number') return context.newNumber(value)
    if (typeof value === 'string') return context.newString(value)
    if (typeof value === 'boolean') return value ? context.true : context.false
    return context.newArrayBuffer(value.slice().buffer)
  }
}

const isPlain = (value: Plain | QuickJSHandle): value is Plain =>
  typeof value !== 'object' || value instanceof Uint8Array

/** `step (<eval>:1:53)`: the innermost place in a stack that is in the client's code. */
function placeIn(stack: string): string | undefined {
  const named = /at (\S+) \((<eval>:\d+:\d+)\)/.exec(stack)
  if (named !== null) return named[1] === CODE ? named[2] : `${named[1]} (${named[2]})`
  return /at (<eval>:\d+:\d+)/.exec(stack)?.[1]
}
