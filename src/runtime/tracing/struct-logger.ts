// geth's default tracer: one record for each opcode, with the machine's state before it runs and its total gas cost.
import { type FrameState, type Step, stackItem } from '../../evm/tracer.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToWord, EMPTY_BYTES, type Hash, padLeft, toHash, toHex, toQuantity } from '../../lib/hex.ts'
import { PreserializedList } from '../../lib/preserialized-json.ts'
import type { StateView } from '../../state/types.ts'
import type { MessageResult } from '../execute-message.ts'
import type { TraceContext, Tracer } from './tracer.ts'

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

/** The slots of a contract that were read or written so far; `text`: the same as the members of a JSON object. */
type SeenSlots = { readonly values: Map<Hash, Hash>; text: string }

/** Writes each record as JSON at once, because most of it repeats the record before: building objects would take most of the time. */
export class StructLogger implements Tracer {
  readonly #options: StructLogOptions
  readonly #budget: TraceBudget
  readonly #logs = new PreserializedList()
  /** Slots seen so far, by contract. Reverted writes stay, as in geth. */
  readonly #storage = new Map<Address, SeenSlots>()
  /** The last stack and its JSON items, which the next stack mostly repeats. */
  readonly #words: bigint[] = []
  readonly #shown: string[] = []
  #view: StateView | undefined

  constructor(options: StructLogOptions, budget: TraceBudget) {
    this.#options = options
    this.#budget = budget
  }

  start({ machine }: TraceContext): void {
    this.#view = machine.view
  }

  get readsMemory(): boolean {
    return this.#options.enableMemory
  }

  step({ frame, opcode, cost, memorySize, error }: Step): void {
    const { limit, disableStack, enableMemory, enableReturnData, disableStorage } = this.#options
    if (limit !== 0 && this.#logs.length >= limit) return
    const { pc, gas, refund, depth } = frame
    let log = `{"pc":${pc},"op":${JSON.stringify(opcode.name)},"gas":${Number(gas)}`
    log += `,"gasCost":${Number(cost)},"depth":${depth + 1}`
    if (error !== undefined) log += `,"error":${JSON.stringify(error)}`
    if (!disableStack) log += `,"stack":[${this.#stackOf(frame)}]`
    if (enableMemory && memorySize > 0) log += `,"memory":${memoryWords(frame, memorySize)}`
    const returnData = enableReturnData ? frame.returnData : EMPTY_BYTES
    if (returnData.length > 0) log += `,"returnData":"${toHex(returnData)}"`
    const storage = disableStorage ? undefined : this.#storageAt(frame, opcode.name)
    if (storage !== undefined) log += `,"storage":{${storage}}`
    if (refund > 0n) log += `,"refund":${Number(refund)}`
    this.#add(`${log}}`)
  }

  result({ gasUsed, error, returnData }: MessageResult): unknown {
    const hasOutput = error === undefined || error === 'execution reverted'
    return {
      gas: Number(gasUsed),
      failed: error !== undefined,
      returnValue: hasOutput ? toHex(returnData) : '0x',
      structLogs: this.#logs.json(),
    }
  }

  #add(log: string): void {
    this.#budget.left -= log.length
    if (this.#budget.left < 0) throw new ChainError('limit-exceeded', TOO_LARGE)
    this.#logs.add(log)
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
  #storageAt(frame: FrameState, op: string): string | undefined {
    const needed = op === 'SLOAD' ? 1 : op === 'SSTORE' ? 2 : Number.POSITIVE_INFINITY
    if (frame.stack.length < needed) return undefined
    const of = frame.address
    const key = bigToWord(stackItem(frame, 0))
    const value =
      op === 'SSTORE' ? bigToWord(stackItem(frame, 1)) : toHash(padLeft(this.#view?.word(of, key) ?? EMPTY_BYTES, 32))
    const seen = this.#storage.get(of) ?? { values: new Map(), text: '' }
    this.#storage.set(of, seen)
    const known = seen.values.get(key)
    if (known === value) return seen.text
    seen.values.set(key, value)
    if (known === undefined) seen.text += `${seen.text === '' ? '' : ','}"${key}":"${value}"`
    else seen.text = Array.from(seen.values, ([key, value]) => `"${key}":"${value}"`).join(',')
    return seen.text
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
