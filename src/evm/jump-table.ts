// The opcode table as an improvement proposal sees it: geth's names and numbers over the library's entries.
// A proposal works on the copy that `buildTable` hands out; the library's own entries are never touched.
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import type { OpcodeTable, RunState } from './tables.ts'

type OpcodeMap = OpcodeTable['map']
type Entry = OpcodeMap[number]

export interface Operation {
  /** Charged before anything else: geth's number, also where the library books it elsewhere. */
  readonly constantGas: bigint
  /** Replaces what the opcode does. */
  setExecute(run: (state: RunState) => void | Promise<void>): this
  setConstantGas(gas: bigint): this
  /** Replaces the gas beside the constant part, warm and cold access included. */
  setDynamicGas(gas: (state: RunState) => bigint): this
  /** Fewer items before it runs are a stack underflow. */
  setMinStack(items: number): this
  /** More items after it ran are a stack overflow. */
  setMaxStack(items: number): this
  /** Bytes of memory it touches, from 0; the dynamic gas has to charge for them, `expansionGas` tells how much. */
  setMemorySize(size: (state: RunState) => bigint): this
}

export interface JumpTable {
  /** An opcode of this fork by its name, `CREATE2`. Throws RangeError for any other. */
  op(name: string): Operation
}

/** Opens the entries for change. */
export function jumpTable(map: OpcodeMap, common: Common): JumpTable {
  const operations = new Map<string, Operation>()
  return {
    op(name) {
      const known = operations.get(name)
      if (known !== undefined) return known
      const code = map.findIndex(({ opcodeInfo }) => opcodeInfo.fullName === name && !opcodeInfo.isInvalid)
      const entry = map[code]
      if (entry === undefined) throw new RangeError(`no opcode ${name} in this fork`)
      const operation = new ChangedOperation(entry, bookedElsewhere(name, common), (changed) => {
        map[code] = changed
      })
      operations.set(name, operation)
      return operation
    },
  }
}

const WARM_ACCESS = [
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'BALANCE',
  'EXTCODESIZE',
  'EXTCODECOPY',
  'EXTCODEHASH',
]

/** What geth counts as constant gas and the library does not; negative the other way round. */
export function bookedElsewhere(name: string, common: Common): bigint {
  if (WARM_ACCESS.includes(name) && common.isActivatedEIP(2929)) return 100n
  if (/^LOG[0-4]$/.test(name)) return -375n
  return name === 'EXP' ? -10n : 0n
}

type Change = {
  execute?: (state: RunState) => void | Promise<void>
  constantGas?: bigint
  dynamicGas?: (state: RunState) => bigint
  minStack?: number
  maxStack?: number
  memorySize?: (state: RunState) => bigint
}

class ChangedOperation implements Operation {
  readonly #entry: Entry
  readonly #elsewhere: bigint
  readonly #put: (entry: Entry) => void
  readonly #change: Change = {}

  constructor(entry: Entry, elsewhere: bigint, put: (entry: Entry) => void) {
    this.#entry = entry
    this.#elsewhere = elsewhere
    this.#put = put
  }

  get constantGas(): bigint {
    return this.#change.constantGas ?? this.#entry.opcodeInfo.feeBigInt + this.#elsewhere
  }

  setExecute(execute: NonNullable<Change['execute']>): this {
    return this.#set({ execute })
  }

  setConstantGas(constantGas: bigint): this {
    if (BigInt.asUintN(64, constantGas) !== constantGas) throw new RangeError(`constant gas ${constantGas}`)
    return this.#set({ constantGas })
  }

  setDynamicGas(dynamicGas: NonNullable<Change['dynamicGas']>): this {
    return this.#set({ dynamicGas })
  }

  setMinStack(minStack: number): this {
    return this.#set({ minStack: stackSize(minStack) })
  }

  setMaxStack(maxStack: number): this {
    return this.#set({ maxStack: stackSize(maxStack) })
  }

  setMemorySize(memorySize: NonNullable<Change['memorySize']>): this {
    return this.#set({ memorySize })
  }

  #set(change: Change): this {
    Object.assign(this.#change, change)
    // Where the dynamic part is replaced, nothing is booked elsewhere any more.
    const fee = this.#change.dynamicGas === undefined ? this.constantGas - this.#elsewhere : this.constantGas
    this.#put(changedEntry(this.#entry, this.#change, fee))
    return this
  }
}

const STACK_LIMIT = 1024

function stackSize(items: number): number {
  if (!Number.isInteger(items) || items < 0 || items > STACK_LIMIT) throw new RangeError(`stack of ${items} items`)
  return items
}

/** The entry as the interpreter runs it. `fee` may be negative: the library's own gas function then adds at least as much. */
function changedEntry(entry: Entry, change: Change, fee: bigint): Entry {
  const { opcodeInfo } = entry
  const { minStack = 0, maxStack = STACK_LIMIT, dynamicGas, memorySize, execute } = change
  const innerGas = opcodeInfo.dynamicGas ? entry.gasHandler : undefined
  return {
    opcodeInfo: Object.assign(Object.create(Object.getPrototypeOf(opcodeInfo)), opcodeInfo, {
      fee: Number(fee),
      feeBigInt: fee,
      isAsync: opcodeInfo.isAsync || execute !== undefined,
      dynamicGas: true,
    }),
    gasHandler(state, gas, common) {
      if (state.stack.length < minStack) throw new EVMError(EVMError.errorMessages.STACK_UNDERFLOW)
      if (dynamicGas !== undefined) return gas + dynamicGas(state)
      // The interpreter awaits either kind of handler.
      return innerGas === undefined ? gas : (innerGas(state, gas, common) as bigint)
    },
    opHandler(state, common) {
      if (memorySize !== undefined) expandMemory(state, memorySize(state))
      const check = () => {
        if (state.stack.length > maxStack) throw new EVMError(EVMError.errorMessages.STACK_OVERFLOW)
      }
      const running = execute === undefined ? entry.opHandler(state, common) : execute(state)
      return running instanceof Promise ? running.then(check) : check()
    },
  }
}

const wordsOf = (bytes: bigint): bigint => (bytes + 31n) / 32n
const memoryCost = (words: bigint): bigint => words * 3n + (words * words) / 512n

/** Gas of growing the memory to so many bytes (Yellow Paper, appendix H); zero when it is that large already. */
export function expansionGas(state: RunState, size: bigint): bigint {
  const words = wordsOf(size)
  return words > state.memoryWordCount ? memoryCost(words) - memoryCost(state.memoryWordCount) : 0n
}

function expandMemory(state: RunState, size: bigint): void {
  const words = wordsOf(size)
  if (words <= state.memoryWordCount) return
  state.memory.extend(0, Number(words) * 32)
  state.memoryWordCount = words
  state.highestMemCost = memoryCost(words)
}
