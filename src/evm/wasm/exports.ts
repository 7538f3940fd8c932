// What the engine's module exports: see `assembly/index.ts`.

export type EngineExports = {
  readonly memory: WebAssembly.Memory
  /** Of functions: compiled codes are called through it. */
  readonly table: WebAssembly.Table
  run(): number
  /** One opcode of the current frame; PAUSED, or why the frame does not go on. */
  step(): number
  rememberAccount(address: number, code: number, codeLength: number, jumps: number, account: number): void
  analyse(code: number, length: number, jumps: number): void
  reserve(end: bigint): number
  /** What compiled code calls, by name. */
  readonly [name: string]: unknown
}
