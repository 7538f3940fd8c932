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
  /** Pays for a frame's memory up to `end` and grows it; what is left of the gas, below zero where it does not suffice. */
  touch(frame: number, end: bigint, gas: bigint): bigint
  /** What compiled code calls, by name. */
  readonly [name: string]: unknown
}
