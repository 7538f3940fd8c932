// Runs JavaScript of clients in QuickJS (compiled to WebAssembly) with limits of time, memory and stack. The script sees
// nothing of the node but the functions given to `hostObject`. Every error of the script becomes a ScriptFailure.
import variant from '@jitl/quickjs-singlefile-mjs-release-sync'
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import type { Deadline } from '../lib/deadline.ts'
import { ScriptFailure } from '../runtime/tracing/tracer.ts'

/** Bytes of the objects of one sandbox, its result included. */
const MEMORY_LIMIT = 128 << 20
/** Bytes of stack: enough for some thousand nested calls. */
const STACK_LIMIT = 256 << 10
/** Characters of an error message. */
const MAX_MESSAGE = 1_000
/** The file name of the client's code in stack traces, as in go-ethereum. */
const SCRIPT_NAME = '<eval>'

/** Values that may be passed into a sandbox and out of it. */
export type SandboxValue = string | number | boolean | undefined | Uint8Array
export type HostFunctions = Readonly<Record<string, (...args: (string | number)[]) => SandboxValue>>

/** QuickJS, for any number of sandboxes. After an error of QuickJS itself it is broken, with all its sandboxes. */
export type ScriptInterpreter = { readonly module: QuickJSWASMModule; isBroken: boolean }

/** Loads QuickJS, which takes about 40 ms. */
export async function loadScriptInterpreter(): Promise<ScriptInterpreter> {
  return { module: await newQuickJSWASMModuleFromVariant(variant), isBroken: false }
}

/** One script's QuickJS context. Close it after use, because its memory is not garbage-collected. */
export class Sandbox {
  readonly #engine: ScriptInterpreter
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #handles: QuickJSHandle[] = []
  /** The message of what stopped the script. */
  #stopReason: string | undefined
  /** An error thrown by a function of the node: the script must not catch it. */
  #hostError: unknown
  #isOpen = true

  constructor(engine: ScriptInterpreter, deadline: Deadline) {
    this.#engine = engine
    this.#runtime = engine.module.newRuntime()
    this.#runtime.setMemoryLimit(MEMORY_LIMIT)
    this.#runtime.setMaxStackSize(STACK_LIMIT)
    this.#runtime.setInterruptHandler(() => {
      if (deadline.isPast()) this.#stopReason ??= 'execution timeout'
      return this.#stopReason !== undefined
    })
    this.#context = this.#runtime.newContext()
  }

  /** Runs a script. The handle of its value is valid while the sandbox is open. */
  run(text: string, name = SCRIPT_NAME): QuickJSHandle {
    return this.#keep(this.#run(() => this.#context.evalCode(text, name)))
  }

  /** Makes an object of functions of the node. Bytes that they return become ArrayBuffers. */
  hostObject(functions: HostFunctions): QuickJSHandle {
    const context = this.#context
    const host = this.#keep(context.newObject())
    for (const [name, hostFunction] of Object.entries(functions)) {
      const made = context.newFunction(name, (...handles) => this.#callHost(hostFunction, handles))
      context.setProp(host, name, made)
      made.dispose()
    }
    return host
  }

  /** Stops the script with go-ethereum's message for its mistake. Called by a function of the node. */
  stop(message: string): never {
    this.#stopReason ??= message
    throw new Error(message)
  }

  property(object: QuickJSHandle, name: string): QuickJSHandle {
    return this.#keep(this.#context.getProp(object, name))
  }

  isTrue(object: QuickJSHandle, name: string): boolean {
    return this.#context.dump(this.property(object, name)) === true
  }

  /** Calls a function. `take` reads its value, which is then disposed of. Throws ScriptFailure. */
  call<T>(func: QuickJSHandle, args: readonly (SandboxValue | QuickJSHandle)[], take: (value: QuickJSHandle) => T): T {
    const handles = args.map((arg) => (isValue(arg) ? this.#toHandle(arg) : arg))
    try {
      const value = this.#run(() => this.#context.callFunction(func, this.#context.undefined, handles))
      try {
        return take(value)
      } finally {
        value.dispose()
      }
    } finally {
      for (const [i, handle] of handles.entries()) if (isValue(args[i])) handle.dispose()
    }
  }

  text(value: QuickJSHandle): string {
    return this.#context.getString(value)
  }

  /** Another handle of a value, which is valid while the sandbox is open. */
  keep(value: QuickJSHandle): QuickJSHandle {
    return this.#keep(value.dup())
  }

  /** Frees the sandbox. */
  close(): void {
    if (!this.#isOpen || this.#engine.isBroken) return
    this.#isOpen = false
    for (const handle of this.#handles) handle.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
  }

  // --- private

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle)
    return handle
  }

  /** Runs a part of the script and returns its value. A stopped script has failed, even if it caught the error. */
  #run(run: () => ReturnType<QuickJSContext['callFunction']>): QuickJSHandle {
    if (this.#stopReason !== undefined) throw new ScriptFailure(this.#stopReason)
    const outcome = this.#callEngine(run)
    if (this.#hostError !== undefined) throw this.#hostError
    if (outcome.error === undefined && this.#stopReason === undefined) return outcome.value
    const message = outcome.error === undefined ? (this.#stopReason ?? '') : this.#messageOf(outcome.error)
    outcome.dispose()
    throw new ScriptFailure(message)
  }

  /** Catches errors of QuickJS itself: the stack of the thread was used up before QuickJS reached its limit, or a bug. */
  #callEngine<T>(run: () => T): T {
    try {
      return run()
    } catch (error) {
      this.#engine.isBroken = true
      throw new ScriptFailure(
        error instanceof RangeError ? 'InternalError: stack overflow' : 'InternalError: the engine failed',
      )
    }
  }

  /** The message of a thrown value as in go-ethereum: the value as a string, and the position in the client's code. */
  #messageOf(error: QuickJSHandle): string {
    const thrown: unknown = this.#context.dump(error)
    const { name, message, stack } = Object(thrown) as { name?: unknown; message?: unknown; stack?: unknown }
    const isError = typeof message === 'string'
    const shown = isError ? `${name}: ${message}` : typeof thrown === 'object' ? '[object Object]' : String(thrown)
    const position = typeof stack === 'string' ? positionIn(stack) : undefined
    const text = (this.#stopReason ?? shown).slice(0, MAX_MESSAGE)
    return position === undefined ? text : `${text} at ${position}`
  }

  #callHost(hostFunction: HostFunctions[string], handles: readonly QuickJSHandle[]): QuickJSHandle {
    const context = this.#context
    const args = handles.map((handle) =>
      context.typeof(handle) === 'number' ? context.getNumber(handle) : context.getString(handle),
    )
    try {
      return this.#toHandle(hostFunction(...args))
    } catch (error) {
      if (this.#stopReason === undefined) {
        this.#hostError ??= error
        this.#stopReason = 'the node has failed'
      }
      throw error
    }
  }

  #toHandle(value: SandboxValue): QuickJSHandle {
    const context = this.#context
    if (value === undefined) return context.undefined
    if (typeof value === 'number') return context.newNumber(value)
    if (typeof value === 'string') return context.newString(value)
    if (typeof value === 'boolean') return value ? context.true : context.false
    return context.newArrayBuffer(value.slice().buffer)
  }
}

const isValue = (value: SandboxValue | QuickJSHandle): value is SandboxValue =>
  typeof value !== 'object' || value instanceof Uint8Array

/** `step (<eval>:1:53)`: the innermost position of a stack trace in the client's code. */
function positionIn(stack: string): string | undefined {
  const named = /at (\S+) \((<eval>:\d+:\d+)\)/.exec(stack)
  if (named !== null) return named[1] === SCRIPT_NAME ? named[2] : `${named[1]} (${named[2]})`
  return /at (<eval>:\d+:\d+)/.exec(stack)?.[1]
}
