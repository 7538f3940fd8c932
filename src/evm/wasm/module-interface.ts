// What the interpreter asks of the host while it runs, as `assembly/host.ts` declares it: from places in the engine's memory
// to addresses and words, and back.
import type { Address, Hash } from '../../lib/hex.ts'
import { WORDS } from './layout.ts'
import type { Memory } from './memory.ts'

/** What opcodes ask of the state, for the frame that runs. */
export interface OpcodeHost {
  /** The interpreter has stored a word, of which it could tell only now. */
  store(account: Address, key: Hash, value: Uint8Array): void
  /** The transaction's refund grows; below zero: what was added before is taken back. */
  addRefund(gas: number): void
  /** The interpreter asks for something: there may be frames that it has opened by itself. */
  adoptFrames(): void
  /** Whether the slot was cold (EIP-2929); it is warm from now on. */
  accessSlot(key: Hash): boolean
  word(key: Hash): Uint8Array
  /** The word at the beginning of the transaction (EIP-2200). */
  original(key: Hash): Uint8Array
  tload(key: Hash): Uint8Array
  tstore(key: Hash, value: Uint8Array): void
  access(address: Address): number
  balance(address: Address): bigint
  selfBalance(): bigint
  code(address: Address): Uint8Array
  codeHash(address: Address): Hash | undefined
  blockHash(number: bigint): Hash | undefined
  blobHash(index: number): Hash | undefined
  log(topics: Hash[], data: Uint8Array): void
}

/** The engine as its imports use it; an interface, so that this file does not import the class that imports it. */
type ImportingEngine = Memory & {
  readonly host: OpcodeHost | undefined
  readonly compiled: { compileHot(code: number): void }
  /** To be called when the memory may have grown. */
  refresh(): void
  /** Writes the slots that the interpreter stored by itself to the host. */
  flushStores(): void
  /** Writes one of them, by its address. */
  flushSlot(slot: number): void
}

/** The second word of an answer. */
const ANSWER = WORDS + 32

export function hostImports(engine: ImportingEngine): Record<string, unknown> {
  // The interpreter may have grown the memory since the host looked at it last.
  const host = (): OpcodeHost => {
    engine.refresh()
    if (engine.host === undefined) throw new Error('the engine runs without a host')
    engine.host.adoptFrames()
    return engine.host
  }
  return {
    accessSlot: (withOriginal: number) => {
      const opcodeHost = host()
      const key = engine.key()
      const isCold = opcodeHost.accessSlot(key)
      engine.answer(opcodeHost.word(key))
      if (withOriginal !== 0) engine.answer(opcodeHost.original(key), ANSWER + 32)
      return isCold ? 1 : 0
    },
    hot: (code: number) => {
      engine.refresh()
      engine.compiled.compileHot(code)
    },
    flushStores: () => {
      engine.refresh()
      engine.flushStores()
    },
    flushSlot: (slot: number) => {
      engine.refresh()
      engine.flushSlot(slot)
    },
    tload: () => engine.answer(host().tload(engine.key())),
    tstore: () => host().tstore(engine.key(), engine.value()),
    access: () => host().access(engine.address()),
    balance: () => engine.answerBig(host().balance(engine.address())),
    selfBalance: () => engine.answerBig(host().selfBalance()),
    codeSize: () => host().code(engine.address()).length,
    codeHash: () => engine.answerHex(host().codeHash(engine.address())),
    copyCode: (to: number, offset: number, length: number) => {
      const part = host()
        .code(engine.address())
        .subarray(offset, offset + length)
      engine.bytes.set(part, to)
      engine.bytes.fill(0, to + part.length, to + length)
    },
    copyReturn: (to: number, offset: number, length: number) => {
      engine.refresh()
      engine.bytes.set(engine.longReturn.subarray(offset, offset + length), to)
    },
    blockHash: (number: number) => engine.answerHex(host().blockHash(BigInt(number))),
    blobHash: (index: number) => engine.answerHex(host().blobHash(index)),
    log: (count: number, at: number, length: number) => {
      const opcodeHost = host()
      const topics: Hash[] = []
      for (let i = 0; i < count; i++) topics.push(engine.hashAt(WORDS + 32 * i))
      opcodeHost.log(topics, engine.slice(at, length))
    },
  }
}

// What the engine's module exports: see `assembly/index.ts`.

export type EngineExports = {
  readonly memory: WebAssembly.Memory
  /** Of functions: compiled codes are called through it. */
  readonly table: WebAssembly.Table
  run(): number
  /** One opcode of the current frame; PAUSED, or why the frame does not go on. */
  step(): number
  /** Up to `most` opcodes, each with a record in the log; as `step`, or LOG_FULL or LOG_SLOT. */
  logSteps(most: number): number
  /** Up to `most` opcodes, up to the next that is marked; as `step`, or MARKED. */
  runToMarked(most: number): number
  /** The head of the record that waits, and its end. */
  writeHead(cost: bigint, errorLength: number): void
  endRecord(moreRefund: bigint): void
  cacheAccount(address: number, code: number, codeLength: number, jumps: number, account: number): void
  analyse(code: number, length: number, jumps: number): void
  reserve(end: bigint): number
  /** Pays for a frame's memory up to `end` and grows it; what is left of the gas, below zero where it does not suffice. */
  touch(frame: number, end: bigint, gas: bigint): bigint
  /** What compiled code calls, by name. */
  readonly [name: string]: unknown
}
