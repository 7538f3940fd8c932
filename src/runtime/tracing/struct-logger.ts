// geth's default tracer: one record for each opcode, as it stands before it runs, with its whole gas.

import { addressOf } from '../../evm/state-adapter.ts'
import type { RunState } from '../../evm/tables.ts'
import type { Step } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, type Hex, padLeft, toHash, toHex, toQuantity } from '../../lib/hex.ts'
import type { StateView } from '../../state/types.ts'
import type { MessageResult } from '../execute-message.ts'
import type { TraceContext, Tracer } from './tracer.ts'

export type StructLogOptions = {
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** Records at most; 0 for no limit. */
  readonly limit: number
}

/** How much more the traces of one request may hold, in characters of their answer. */
export type TraceBudget = { left: number }

type StructLog = {
  pc: number
  op: string
  gas: number
  gasCost: number
  depth: number
  error?: string
  stack?: Hex[]
  memory?: Hex[]
  storage?: Record<Hash, Hash>
  returnData?: Hex
  refund?: number
}

export class StructLogger implements Tracer {
  readonly #options: StructLogOptions
  readonly #budget: TraceBudget
  readonly #logs: StructLog[] = []
  /** Slots seen so far by contract; what a revert takes back stays, as in geth. */
  readonly #storage = new Map<Address, Record<Hash, Hash>>()
  /** The last stack that was shown, and how: most of the next one is the same. */
  #words: readonly bigint[] = []
  #shown: Hex[] = []
  #view: StateView | undefined

  constructor(options: StructLogOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
  }

  start({ machine }: TraceContext): void {
    this.#view = machine.view
  }

  step({ state, opcode, cost, memorySize, error }: Step): void {
    const { limit, disableStack, enableMemory, enableReturnData, disableStorage } = this.#options
    if (limit !== 0 && this.#logs.length >= limit) return
    const log: StructLog = {
      pc: state.programCounter,
      op: opcode.name,
      gas: Number(state.gasLeft),
      gasCost: Number(cost),
      depth: state.env.depth + 1,
    }
    if (error !== undefined) log.error = error
    if (!disableStack) log.stack = this.#stackOf(state)
    if (enableMemory && memorySize > 0) log.memory = memoryWords(state, memorySize)
    if (enableReturnData && state.returnBytes.length > 0) log.returnData = toHex(state.returnBytes)
    const storage = disableStorage ? undefined : this.#storageAt(state, opcode.name)
    if (storage !== undefined) log.storage = storage
    if (state.gasRefund > 0n) log.refund = Number(state.gasRefund)
    this.#logs.push(log)
    this.#budget.left -= sizeOf(log)
    if (this.#budget.left < 0) throw new ChainError('limit-exceeded', TOO_LARGE)
  }

  result({ gasUsed, error, returnData }: MessageResult): unknown {
    const hasOutput = error === undefined || error === 'execution reverted'
    return {
      gas: Number(gasUsed),
      failed: error !== undefined,
      returnValue: hasOutput ? toHex(returnData) : '0x',
      structLogs: this.#logs,
    }
  }

  #stackOf({ stack }: RunState): Hex[] {
    const words = stack.getStack()
    const shown = words.map((word, i) => (word === this.#words[i] && this.#shown[i]) || toQuantity(word))
    this.#words = words
    this.#shown = shown
    return shown
  }

  /** All slots of the contract seen so far, at an SLOAD or SSTORE: this one included, with the value it reads or writes. */
  #storageAt({ stack, env }: RunState, op: string): Record<Hash, Hash> | undefined {
    const needed = op === 'SLOAD' ? 1 : op === 'SSTORE' ? 2 : Number.POSITIVE_INFINITY
    if (stack.length < needed) return undefined
    const [slot = 0n, written = 0n] = stack.peek(needed)
    const of = addressOf(env.address)
    const key = word(slot)
    const value = op === 'SSTORE' ? word(written) : toHash(padLeft(this.#view?.word(of, key) ?? new Uint8Array(0), 32))
    const seen = { ...this.#storage.get(of), [key]: value }
    this.#storage.set(of, seen)
    return seen
  }
}

const TOO_LARGE = 'the trace is too large: set a limit, or leave out stack, memory or storage'

/** Characters of a record's JSON, roughly; words are counted in full. */
function sizeOf({ stack, memory, storage }: StructLog): number {
  const slots = storage === undefined ? 0 : Object.keys(storage).length
  return 100 + (stack?.length ?? 0) * 30 + (memory?.length ?? 0) * 70 + slots * 140
}

const word = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}` as Hash

const WORD_DIGITS = 64

/** Memory as words; what was paid for and never written is zero. */
function memoryWords({ memory }: RunState, size: number): Hex[] {
  const digits = Buffer.from(memory._store.buffer, memory._store.byteOffset, memory._store.length)
    .toString('hex', 0, size)
    .padEnd(size * 2, '0')
  return Array.from({ length: size / 32 }, (_, i): Hex => `0x${digits.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS)}`)
}
