// The imports and exports of the engine's module. The imports are the host functions that `assembly/host.ts` declares: each reads
// its arguments from the engine's memory (ADDRESS, WORDS), calls the `OpcodeHost`, and writes the result back.
import type { Address, Hash } from '../../lib/hex.ts'
import { S_KEY, WORDS } from './layout.ts'
import type { Memory } from './memory.ts'

/** The state access of opcodes, for the account that executes. */
export interface OpcodeHost {
  /** Names the contents of storage (`StateView`). */
  readonly storageId: number
  /** Writes a dirty slot. */
  store(account: Address, key: Hash, value: Uint8Array): void
  /** Adds to the transaction's refund; a negative number takes back an earlier refund. */
  addRefund(gas: number): void
  /** Called before each host function: the host takes over the frames that the interpreter has opened. */
  adoptFrames(): void
  /** Whether the slot was cold (EIP-2929); it is warm from now on. */
  accessSlot(key: Hash): boolean
  /** The transaction reads a slot (EIP-7928). */
  readSlot(account: Address, key: Hash): void
  /** Passes the engine's warm slots on to the journal. */
  takeSlots(): void
  word(key: Hash): Uint8Array
  /** The original value of the slot (EIP-2200). */
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
  /** Writes all dirty slots to the host. */
  flushStores(): void
  readonly slots: {
    readonly isJournaled: boolean
    set(slot: number, word: Uint8Array, original: Uint8Array): void
    accountOf(slot: number): Address
  }
}

/** WebAssembly passes integers of 32 bits with a sign. These are addresses, offsets and lengths from 0 to 2^32. */
const unsigned =
  (run: (a: number, b: number, c: number) => void) =>
  (a: number, b: number, c: number): void =>
    run(a >>> 0, b >>> 0, c >>> 0)

export function hostImports(engine: ImportingEngine): Record<string, unknown> {
  // The interpreter may have grown the memory, which detaches the host's views of it.
  const host = (): OpcodeHost => {
    engine.refresh()
    if (engine.host === undefined) throw new Error('the engine runs without a host')
    engine.host.adoptFrames()
    return engine.host
  }
  return {
    accessSlot: (slot: number) => {
      const opcodeHost = host()
      const key = engine.hashAt(slot + S_KEY)
      const isCold = engine.slots.isJournaled && opcodeHost.accessSlot(key)
      engine.slots.set(slot, opcodeHost.word(key), opcodeHost.original(key))
      return isCold ? 1 : 0
    },
    readSlot: (slot: number) => {
      engine.refresh()
      engine.host?.readSlot(engine.slots.accountOf(slot), engine.hashAt(slot + S_KEY))
    },
    takeSlots: () => host().takeSlots(),
    adoptFrames: () => {
      host()
    },
    hot: (code: number) => {
      engine.refresh()
      engine.compiled.compileHot(code)
    },
    flushStores: () => {
      engine.refresh()
      engine.flushStores()
    },
    tload: () => engine.answer(host().tload(engine.key())),
    tstore: () => host().tstore(engine.key(), engine.value()),
    access: () => host().access(engine.address()),
    balance: () => engine.answerBig(host().balance(engine.address())),
    selfBalance: () => engine.answerBig(host().selfBalance()),
    codeSize: () => host().code(engine.address()).length,
    codeHash: () => engine.answerHex(host().codeHash(engine.address())),
    copyCode: unsigned((to, offset, length) => {
      const part = host()
        .code(engine.address())
        .subarray(offset, offset + length)
      engine.bytes.set(part, to)
      engine.bytes.fill(0, to + part.length, to + length)
    }),
    copyReturn: unsigned((to, offset, length) => {
      engine.refresh()
      engine.bytes.set(engine.longReturn.subarray(offset, offset + length), to)
    }),
    blockHash: (number: number) => engine.answerHex(host().blockHash(BigInt(number))),
    blobHash: (index: number) => engine.answerHex(host().blobHash(index)),
    log: unsigned((count, at, length) => {
      const opcodeHost = host()
      const topics: Hash[] = []
      for (let i = 0; i < count; i++) topics.push(engine.hashAt(WORDS + 32 * i))
      opcodeHost.log(topics, engine.slice(at, length))
    }),
  }
}

// What the engine's module exports: see `assembly/index.ts`.

export type EngineExports = {
  readonly memory: WebAssembly.Memory
  /** The function table, through which compiled codes are called. */
  readonly table: WebAssembly.Table
  run(): number
  /** Runs one opcode of the current frame. Returns PAUSED if the frame can continue, else a reason. */
  step(): number
  /** Runs up to `most` opcodes with a record in the step log for each. Returns as `step`, or LOG_FULL or LOG_SLOT. */
  logSteps(most: number): number
  /** Runs up to `most` opcodes, and stops before one that is marked. Returns as `step`, or MARKED. */
  runToMarked(most: number): number
  /** Write the head and the end of the open record. */
  writeHead(cost: bigint, errorLength: number): void
  endRecord(moreRefund: bigint): void
  cacheAccount(address: number, code: number, codeLength: number, jumps: number, account: number): void
  analyse(code: number, length: number, jumps: number): void
  reserve(end: bigint): number
  /** Charges for a frame's memory up to `end` and grows it. Returns the gas left, or minus a reason. */
  touch(frame: number, end: bigint, gas: bigint): bigint
  /** State gas (EIP-8037): each takes the gas of a frame and returns what is left of it. */
  chargeState(gas: bigint, cost: bigint): bigint
  refundState(frame: number, gas: bigint, cost: bigint): bigint
  repaid(frame: number): bigint
  /** The functions that compiled code imports, by name. */
  readonly [name: string]: unknown
}
