// geth's default tracer: one record for each opcode, with the machine's state before it runs and its total gas cost.
import { type FrameState, type Step, type StepLog, stackItem } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToWord, EMPTY_BYTES, type Hash, padLeft, toHash, toHex, toQuantity } from '../../lib/hex.ts'
import { PreserializedList } from '../../lib/preserialized-json.ts'
import type { StateView } from '../../state/types.ts'
import type { TraceContext, TraceOutcome, Tracer } from './tracer.ts'

export type StructLogOptions = {
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableMemory: boolean
  readonly enableReturnData: boolean
  /** Largest number of records; 0: no limit. */
  readonly limit: number
}

/** Characters left for the traces of one request. */
export type TraceBudget = { left: number }

/** Characters of a slot in the text, without a comma: two words of 66 in quotation marks, and a colon. */
const SLOT_LENGTH = 137
const STORAGE = ',"storage":{'

/** The slots of a contract that were read or written so far, as the member of a record. All slots have the same length. */
class SeenSlots {
  readonly #places = new Map<Hash, number>()
  #text = Buffer.alloc(1024)
  #end = this.#text.write(STORAGE, 'latin1')

  /** Adds a slot, or replaces its value; the text is valid until the next call. */
  see(key: Hash, value: Hash): Buffer {
    const known = this.#places.get(key)
    if (known === undefined) this.#append(key, value)
    else this.#text.write(value, known, 'latin1')
    this.#text[this.#end] = 0x7d
    return this.#text.subarray(0, this.#end + 1)
  }

  #append(key: Hash, value: Hash): void {
    if (this.#end + SLOT_LENGTH + 2 > this.#text.length) {
      const larger = Buffer.alloc(2 * this.#text.length)
      larger.set(this.#text)
      this.#text = larger
    }
    const comma = this.#places.size === 0 ? '' : ','
    const at = this.#end + this.#text.write(`${comma}"${key}":"`, this.#end, 'latin1')
    this.#places.set(key, at)
    this.#end = at + this.#text.write(`${value}"`, at, 'latin1')
  }
}

/**
 * Writes each record as JSON at once, because most of it repeats the previous record: building objects would take most of the
 * time. Engines that can write the records themselves (`StepLog`) are several times faster; `step` is for all others.
 */
export class StructLogger implements Tracer, StepLog {
  readonly #options: StructLogOptions
  readonly #budget: TraceBudget
  readonly #logs = new PreserializedList()
  /** Slots seen so far, by contract. Reverted writes stay, as in geth. */
  readonly #storage = new Map<Address, SeenSlots>()
  /** The last stack with its JSON items, most of which the next stack repeats. */
  readonly #words: bigint[] = []
  readonly #shown: string[] = []
  #view: StateView | undefined

  readonly shows: StepLog['shows']

  constructor(options: StructLogOptions, budget: TraceBudget) {
    this.shows = {
      stack: !options.disableStack,
      memory: options.enableMemory,
      returnData: options.enableReturnData,
      storage: !options.disableStorage,
    }
    this.#options = options
    this.#budget = budget
  }

  start({ machine }: TraceContext): void {
    this.#view = machine.view
  }

  get stepLog(): StepLog {
    return this
  }

  get left(): number {
    const { limit } = this.#options
    return limit === 0 ? Number.POSITIVE_INFINITY : Math.max(0, limit - this.#logs.length)
  }

  add(text: Buffer, records: number): void {
    this.#spend(text.length)
    this.#logs.addText(text, records)
  }

  storage(of: Address, key: Hash, value: Hash): Buffer {
    let seen = this.#storage.get(of)
    if (seen === undefined) {
      seen = new SeenSlots()
      this.#storage.set(of, seen)
    }
    return seen.see(key, value)
  }

  get readsMemory(): boolean {
    return this.#options.enableMemory
  }

  step({ frame, opcode, cost, memorySize, error }: Step): void {
    const { disableStack, enableMemory, enableReturnData, disableStorage } = this.#options
    if (this.left === 0) return
    const { pc, gas, refund, depth } = frame
    let log = `{"pc":${pc},"op":${JSON.stringify(opcode.name)},"gas":${Number(gas)}`
    log += `,"gasCost":${Number(cost)},"depth":${depth + 1}`
    if (error !== undefined) log += `,"error":${JSON.stringify(error)}`
    if (!disableStack) log += `,"stack":[${this.#stackOf(frame)}]`
    if (enableMemory && memorySize > 0) log += `,"memory":${memoryWords(frame, memorySize)}`
    const returnData = enableReturnData ? frame.returnData : EMPTY_BYTES
    if (returnData.length > 0) log += `,"returnData":"${toHex(returnData)}"`
    if (!disableStorage) log += this.#storageAt(frame, opcode.name)
    if (refund > 0n) log += `,"refund":${Number(refund)}`
    this.#spend(log.length)
    this.#logs.add(`${log}}`)
  }

  result({ gasUsed, error, returnData }: TraceOutcome): unknown {
    const hasOutput = error === undefined || error === 'execution reverted'
    return {
      gas: Number(gasUsed),
      failed: error !== undefined,
      returnValue: hasOutput ? toHex(returnData) : '0x',
      structLogs: this.#logs.json(),
    }
  }

  #spend(characters: number): void {
    this.#budget.left -= characters
    if (this.#budget.left < 0) throw new ChainError('limit-exceeded', TOO_LARGE)
  }

  #stackOf({ stack }: FrameState): string {
    const words = this.#words
    const shown = this.#shown
    for (const [i, word] of stack.entries()) {
      if (word === words[i]) continue
      words[i] = word
      shown[i] = `"${toQuantity(word)}"`
    }
    words.length = stack.length
    shown.length = stack.length
    return shown.join(',')
  }

  /** At an SLOAD or SSTORE: all slots of the contract seen so far, including this one with the value that it reads or writes. */
  #storageAt(frame: FrameState, op: string): string {
    const needed = op === 'SLOAD' ? 1 : op === 'SSTORE' ? 2 : Number.POSITIVE_INFINITY
    if (frame.stack.length < needed) return ''
    const of = frame.address
    const key = bigToWord(stackItem(frame, 0))
    const value =
      op === 'SSTORE' ? bigToWord(stackItem(frame, 1)) : toHash(padLeft(this.#view?.word(of, key) ?? EMPTY_BYTES, 32))
    return this.storage(of, key, value).toString('latin1')
  }
}

const TOO_LARGE = 'the trace is too large: set a limit, or leave out stack, memory or storage'

const WORD_DIGITS = 64

/** Memory as JSON words of 32 bytes. */
function memoryWords(frame: FrameState, size: number): string {
  const memory = frame.memory(0, size)
  const digits = Buffer.from(memory.buffer, memory.byteOffset, memory.length).toString('hex')
  const words = Array.from({ length: size / 32 }, (_, i) => digits.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS))
  return `["0x${words.join('","0x')}"]`
}
