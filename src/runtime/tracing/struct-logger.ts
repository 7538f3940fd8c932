// geth's default tracer: one record for each opcode: the machine's state before it runs, and its total gas cost.
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
  /** Records at most; 0 for no limit. */
  readonly limit: number
}

/** How much more the traces of one request may hold, in characters of their answer. */
export type TraceBudget = { left: number }

/** Storage that a contract's code has met, as the inside of a JSON object. */
type Met = { readonly values: Map<Hash, Hash>; text: string }

/** Records are written at once: as objects they would be most of the work, as most of each has stood in the one before. */
export class StructLogger implements Tracer {
  readonly #options: StructLogOptions
  readonly #budget: TraceBudget
  readonly #logs = new PreserializedList()
  /** Slots seen so far by contract; what a revert takes back stays, as in geth. */
  readonly #storage = new Map<Address, Met>()
  /** The last stack that was shown, and how: most of the next one is the same. */
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

  /** All slots of the contract seen so far, at an SLOAD or SSTORE: this one included, with the value it reads or writes. */
  #storageAt(frame: FrameState, op: string): string | undefined {
    const needed = op === 'SLOAD' ? 1 : op === 'SSTORE' ? 2 : Number.POSITIVE_INFINITY
    if (frame.stack.length < needed) return undefined
    const of = frame.address
    const key = bigToWord(stackItem(frame, 0))
    const value =
      op === 'SSTORE' ? bigToWord(stackItem(frame, 1)) : toHash(padLeft(this.#view?.word(of, key) ?? EMPTY_BYTES, 32))
    const met = this.#storage.get(of) ?? { values: new Map(), text: '' }
    this.#storage.set(of, met)
    const known = met.values.get(key)
    if (known === value) return met.text
    met.values.set(key, value)
    if (known === undefined) met.text += `${met.text === '' ? '' : ','}"${key}":"${value}"`
    else met.text = Array.from(met.values, ([key, value]) => `"${key}":"${value}"`).join(',')
    return met.text
  }
}

const TOO_LARGE = 'the trace is too large: set a limit, or leave out stack, memory or storage'

const WORD_DIGITS = 64

/** Memory as words; what was paid for and never written is zero. */
function memoryWords(frame: FrameState, size: number): string {
  const memory = frame.memory(0, size)
  const digits = Buffer.from(memory.buffer, memory.byteOffset, memory.length).toString('hex')
  const words = Array.from({ length: size / 32 }, (_, i) => digits.slice(i * WORD_DIGITS, (i + 1) * WORD_DIGITS))
  return `["0x${words.join('","0x')}"]`
}
