// Runs the functions of a changed opcode table on sample frames, to find those that do not depend on their frame alone: with a
// counter in a closure, say, nodes that ran different calls would disagree on a block. Such a function shows itself when every
// sample comes twice and other functions and frames come in between. It is a trial: what only happens on other frames, or rarely,
// is not found.
import { EMPTY_BYTES, type Hash, hexToAddress, hexToHash, toHex } from '../lib/hex.ts'
import { forkGas } from './gas/fork-gas.ts'
import { afterLimit, type OpcodeTable, type Operation } from './opcode-table.ts'
import { topItems } from './proposal-functions.ts'
import { type EngineFrame, runOpcode } from './run-opcode.ts'

export type Unsteady = { readonly opcode: string; readonly part: 'execute' | 'dynamic gas' | 'memory size' }

type Sample = { readonly word: (index: number) => bigint; readonly gas: bigint }
const SAMPLES: readonly Sample[] = [
  { word: (index) => BigInt(index + 1), gas: 1_000_000n },
  { word: (index) => BigInt(index + 1) * 0x0123456789abcdefn ** 4n, gas: 100_000n },
]
const ITEMS = 32
const MEMORY = 64

type Part = Unsteady & { readonly run: (frame: SampleFrame) => unknown }

/** The first function that did different things on the same frame; undefined: there is none. `own`: the fork's table. */
export function unsteadyFunction(table: OpcodeTable, own: OpcodeTable): Unsteady | undefined {
  const parts = [...table.changed].sort((a, b) => a - b).flatMap((code) => partsOf(table.operations[code]))
  const first = new Map<string, string>()
  // Twice at once finds every change of a state, and backward a function that another one has told something.
  for (const order of [parts, parts.toReversed()]) {
    for (const [index, sample] of SAMPLES.entries()) {
      for (const part of order.flatMap((each) => [each, each])) {
        const { opcode, part: name, run } = part
        const key = `${opcode} ${name} ${index}`
        const effect = effectOf(run, new SampleFrame(sample, own))
        const before = first.get(key)
        if (before !== undefined && before !== effect) return { opcode, part: name }
        first.set(key, effect)
      }
    }
  }
  return undefined
}

function partsOf(operation: Operation | undefined): Part[] {
  if (operation === undefined) return []
  const { name: opcode, execute, dynamicGas, memorySize } = operation
  const parts: Part[] = []
  if (typeof memorySize === 'function') parts.push({ opcode, part: 'memory size', run: (frame) => memorySize(frame) })
  if (typeof dynamicGas === 'function')
    parts.push({ opcode, part: 'dynamic gas', run: (frame) => dynamicGas(frame, BigInt(MEMORY)) })
  if (execute !== undefined) {
    const run = (frame: SampleFrame) => {
      const { end, gasLeft, taken, pushed } = runOpcode(execute, frame, afterLimit(operation))
      return [end?.failure, end && toHex(end.output), gasLeft, taken, ...pushed]
    }
    parts.push({ opcode, part: 'execute', run })
  }
  return parts
}

/** What a function did, as text. The words of an error are not part of it: they enter no state. */
function effectOf(run: Part['run'], frame: SampleFrame): string {
  let answer: unknown
  try {
    answer = run(frame)
  } catch {
    answer = 'threw'
  }
  return [answer, ...frame.changes].map(String).join(' ')
}

const SELF = hexToAddress(`0x${'51'.repeat(20)}`)
const CALLER = hexToAddress(`0x${'ca'.repeat(20)}`)

/** A frame whose world is nothing but sample values. It notes what it is told to change. */
class SampleFrame implements EngineFrame {
  readonly changes: string[] = []
  readonly stack: EngineFrame['stack']
  readonly rules: EngineFrame['rules']
  readonly own: OpcodeTable
  readonly host: EngineFrame['host']
  readonly gasLeft: bigint
  readonly programCounter = 1
  readonly code = Uint8Array.of(0x5b, 0x00)
  readonly callData = Uint8Array.from({ length: 68 }, (_, index) => index)
  readonly returnData = Uint8Array.from({ length: 32 }, (_, index) => 0xff - index)
  readonly env = { address: SELF, caller: CALLER, callValue: 7n, depth: 1, isStatic: false }
  #memory = Uint8Array.from({ length: MEMORY }, (_, index) => 3 * index)
  readonly #slots = new Map<Hash, Uint8Array>()

  constructor({ word, gas }: Sample, own: OpcodeTable) {
    this.gasLeft = gas
    this.own = own
    this.rules = { gas: forkGas(own.rules), forks: own.rules }
    this.stack = { length: ITEMS, item: word, peek: (count) => topItems(count, ITEMS, word) }
    const transient = new Map<Hash, Uint8Array>()
    this.host = {
      view: { balance: () => 10n ** 18n, code: () => this.code, originalWord: (_, key) => this.load(key) },
      accessJournal: { isWarm: () => true, warm: () => undefined, warmSlot: () => false },
      transient: {
        load: (_, key) => transient.get(key) ?? EMPTY_BYTES,
        store: (_, key, value) => {
          this.changes.push(`transient ${key} ${toHex(value)}`)
          transient.set(key, value)
        },
      },
      stateAccesses: undefined,
      outer: { from: CALLER, gasPrice: 1_000_000_000n, block: SAMPLE_BLOCK },
      chainId: 1n,
    }
  }

  get memory(): EngineFrame['memory'] {
    const read = (offset: number, length: number) => {
      const copy = new Uint8Array(length)
      copy.set(this.#memory.subarray(offset, offset + length))
      return copy
    }
    return { read }
  }

  get memoryWordCount(): bigint {
    return BigInt(this.#memory.length / 32)
  }

  growMemory(bytes: bigint): void {
    if (bytes <= this.#memory.length) return
    const grown = new Uint8Array(Number(bytes))
    grown.set(this.#memory)
    this.#memory = grown
  }

  writeMemory(offset: number, bytes: Uint8Array): void {
    this.changes.push(`memory ${offset} ${toHex(bytes)}`)
    this.#memory.set(bytes, offset)
  }

  load(key: Hash): Uint8Array {
    return this.#slots.get(key) ?? EMPTY_BYTES
  }

  store(key: Hash, word: Uint8Array): void {
    this.changes.push(`storage ${key} ${toHex(word)}`)
    this.#slots.set(key, word)
  }

  useState(gasLeft: bigint, gas: bigint): bigint {
    return gasLeft - gas
  }

  addRefund(gas: number): void {
    this.changes.push(`refund ${gas}`)
  }

  addLog(topics: Hash[], data: Uint8Array): void {
    this.changes.push(`log ${topics} ${toHex(data)}`)
  }
}

const SAMPLE_BLOCK = {
  number: 1_000n,
  timestamp: 1_700_000_000n,
  coinbase: CALLER,
  gasLimit: 36_000_000n,
  difficulty: 0n,
  prevRandao: hexToHash(`0x${'ab'.repeat(32)}`),
  baseFeePerGas: 7n,
  blobBaseFee: 1n,
  slotNumber: 0n,
}
