// The part of the WebAssembly API that the engine uses; Node's types do not declare it.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: Record<string, unknown>
  }
  class Memory {
    /** Pages of 64 KiB. */
    constructor(size: { readonly initial: number })
    readonly buffer: ArrayBuffer
  }
  interface Table {
    /** Returns the former length. */
    grow(by: number): number
    set(place: number, value: unknown): void
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
