// The opcode table as seen by an opcode proposal, with go-ethereum's names and numbers. A proposal works on a draft; the fork's
// own table is never changed.
import type { ForkRules } from '../spec/fork-rules.ts'
import { STACK_LIMIT } from './gas/gas-rules.ts'
import { type MemorySize, ownMemorySize } from './gas/memory-gas.ts'
import type { Execute } from './opcode-frame.ts'
import {
  type DynamicGas,
  forkTable,
  hasDynamicGas,
  type OpcodeTable,
  type Operation as Plan,
  type StackEffect,
  withChanges,
} from './opcode-table.ts'

/** An opcode after the changes of earlier proposals. Setters throw RangeError for invalid values. */
export interface ProposalOperation {
  readonly number: number
  /** geth's name: `CREATE2`. */
  readonly name: string
  /** Charged first. go-ethereum's number, even if an engine charges it elsewhere. */
  readonly constantGas: bigint
  readonly minStack: number
  /** As set last; initially 1024. */
  readonly maxStack: number
  /**
   * Replaces what the opcode does. The fork's dynamic gas and memory size are removed: the frame charges for what the function
   * does. With `effect` the stack is also checked before it runs.
   */
  setExecute(run: Execute, effect?: StackEffect): this
  setConstantGas(gas: bigint): this
  /** Replaces the gas in addition to the constant part, including that of warm and cold access; null removes it. */
  setDynamicGas(gas: DynamicGas | null): this
  /** With fewer items before the opcode, it fails with a stack underflow. */
  setMinStack(items: number): this
  /** With more items after the opcode, it fails with a stack overflow; with `semantics: 'entry'`, with more items before it. */
  setMaxStack(items: number, options?: { readonly semantics: 'after' | 'entry' }): this
  /** Bytes of memory it touches, from 0. The dynamic gas must charge for them; `expansionGas` computes the price. */
  setMemorySize(size: MemorySize | null): this
}

/** A new opcode. Defaults: no gas, no memory, and a required stack height equal to the number of items popped. */
export type Definition = Partial<StackEffect> & {
  readonly execute: Execute
  readonly constantGas?: bigint
  readonly dynamicGas?: DynamicGas
  readonly minStack?: number
  readonly maxStack?: number
  readonly memorySize?: MemorySize
}

export interface JumpTable {
  /** A defined opcode by its name (`CREATE2`) or number. Throws RangeError for any other. */
  op(nameOrNumber: string | number): ProposalOperation
  /** Whether the number is defined in this fork, after the changes of earlier proposals. */
  has(number: number): boolean
  /** Defines an opcode with an unused number and name. Throws RangeError if either is in use. */
  define(number: number, name: string, definition: Definition): ProposalOperation
  /** Throws RangeError for an opcode that touches memory without dynamic gas to pay for it. */
  validate(): void
}

const INVALID = 0xfe
/** The maximum number of items that an opcode can pop; a limit of the stack height before an opcode includes them. */
const MOST_POPS = 1024
const OPCODE_NAME = /^[A-Z][A-Z0-9]{0,31}$/

/** The largest stack height before an opcode that does not overflow the stack after it. */
export const maxStackAtEntry = (pops: number, pushes: number): number => STACK_LIMIT + pops - pushes

/**
 * The fork's table after `change`; the draft passed to `change` is closed when it returns. `boundsWork`: whether unpaid work is
 * bounded. Throws the errors of `change`.
 */
export function buildTable(rules: ForkRules, change?: (table: JumpTable) => void, boundsWork = true): OpcodeTable {
  const own = forkTable(rules)
  if (change === undefined) return own
  const draft = new TableDraft(own)
  try {
    change(draft)
    draft.validate()
  } finally {
    draft.isOpen = false
  }
  return withChanges(own, draft.changes, boundsWork)
}

class TableDraft implements JumpTable {
  isOpen = true
  /** The changed operations by number. */
  readonly changes = new Map<number, Plan>()
  readonly #own: OpcodeTable['operations']
  readonly #operations = new Map<number, ChangedOperation>()

  constructor({ operations }: OpcodeTable) {
    this.#own = operations
  }

  op(nameOrNumber: string | number): ProposalOperation {
    const code = typeof nameOrNumber === 'number' ? nameOrNumber : this.#numberOf(nameOrNumber)
    const plan = code === undefined ? undefined : this.#at(code)
    if (plan === undefined) throw new RangeError(`no opcode ${describeOpcode(nameOrNumber)}`)
    return this.#operations.get(plan.code) ?? this.#change(plan, hasDynamicGas(plan.name))
  }

  has(number: number): boolean {
    return this.#at(number) !== undefined
  }

  define(number: number, name: string, definition: Definition): ProposalOperation {
    const isNumber = Number.isInteger(number) && number >= 0 && number <= 0xff
    if (!isNumber || number === INVALID) throw new RangeError(`${describeOpcode(number)} cannot be an opcode`)
    if (this.has(number)) throw new RangeError(`opcode ${describeOpcode(number)} is ${this.op(number).name} already`)
    if (!OPCODE_NAME.test(name)) throw new RangeError(`${name} cannot name an opcode: capital letters and digits`)
    if (this.#numberOf(name) !== undefined) throw new RangeError(`there is an opcode ${name} already`)
    const { execute, constantGas = 0n, pops, pushes, dynamicGas = null, memorySize = null } = definition
    const effect = pops === undefined || pushes === undefined ? undefined : { pops, pushes }
    const plan: Plan = {
      code: number,
      name,
      constantGas: 0n,
      minStack: 0,
      stackLimit: { items: STACK_LIMIT, at: 'after' },
      effect: undefined,
      execute,
      dynamicGas: null,
      memorySize: null,
    }
    const operation = this.#change(plan, false)
      .setExecute(execute, effect)
      .setConstantGas(constantGas)
      .setDynamicGas(dynamicGas)
      .setMemorySize(memorySize)
      .setMinStack(definition.minStack ?? pops ?? 0)
    return definition.maxStack === undefined ? operation : operation.setMaxStack(definition.maxStack)
  }

  validate(): void {
    for (const operation of this.#operations.values()) operation.validate()
  }

  /** The current operation. */
  #at(code: number): Plan | undefined {
    return this.changes.get(code) ?? this.#own[code]
  }

  #numberOf(name: string): number | undefined {
    const changed = [...this.changes.values()].find((plan) => plan.name === name)
    const own = this.#own.find((plan) => plan?.name === name || (name === 'PREVRANDAO' && plan?.code === 0x44))
    return (changed ?? own)?.code
  }

  #change(plan: Plan, hasOwnGas: boolean): ChangedOperation {
    const operation = new ChangedOperation(plan, hasOwnGas, (changed) => {
      if (!this.isOpen) throw new Error('the table is closed: a proposal changes it in `apply` only')
      this.changes.set(plan.code, changed)
    })
    this.#operations.set(plan.code, operation)
    return operation
  }
}

class ChangedOperation implements ProposalOperation {
  #plan: Plan
  /** Whether the fork's own entry has dynamic gas. */
  readonly #hasOwnGas: boolean
  readonly #put: (plan: Plan) => void

  constructor(plan: Plan, hasOwnGas: boolean, put: (plan: Plan) => void) {
    this.#plan = plan
    this.#hasOwnGas = hasOwnGas
    this.#put = put
  }

  get number(): number {
    return this.#plan.code
  }

  get name(): string {
    return this.#plan.name
  }

  get constantGas(): bigint {
    return this.#plan.constantGas
  }

  get minStack(): number {
    return this.#plan.minStack
  }

  get maxStack(): number {
    return this.#plan.stackLimit.items
  }

  setExecute(execute: Execute, effect?: StackEffect): this {
    requireFunction('execute', execute)
    const { dynamicGas, memorySize = null } = this.#plan
    this.#set({ execute, effect: undefined, dynamicGas: dynamicGas === 'own' ? null : dynamicGas, memorySize })
    if (effect === undefined) return this
    const { pops, pushes } = effect
    return this.#set({ effect: { pops: within(pops, STACK_LIMIT), pushes: within(pushes, STACK_LIMIT) } })
  }

  setConstantGas(constantGas: bigint): this {
    if (typeof constantGas !== 'bigint' || BigInt.asUintN(64, constantGas) !== constantGas)
      throw new RangeError(`constant gas ${constantGas}: expected a bigint from 0 to 2^64 - 1`)
    return this.#set({ constantGas })
  }

  setDynamicGas(dynamicGas: DynamicGas | null): this {
    if (dynamicGas !== null) requireFunction('dynamic gas', dynamicGas)
    return this.#set({ dynamicGas })
  }

  setMinStack(minStack: number): this {
    return this.#set({ minStack: within(minStack, STACK_LIMIT) })
  }

  setMaxStack(items: number, { semantics: at }: { semantics: 'after' | 'entry' } = { semantics: 'after' }): this {
    const most = at === 'after' ? STACK_LIMIT : STACK_LIMIT + (this.#plan.effect?.pops ?? MOST_POPS)
    return this.#set({ stackLimit: { items: within(items, most), at } })
  }

  setMemorySize(memorySize: MemorySize | null): this {
    if (memorySize !== null) requireFunction('memory size', memorySize)
    return this.#set({ memorySize })
  }

  validate(): void {
    const { name, dynamicGas, memorySize } = this.#plan
    const hasGas = dynamicGas === 'own' ? this.#hasOwnGas : dynamicGas !== null
    const touches = memorySize === undefined ? ownMemorySize(name) !== undefined : memorySize !== null
    if (touches && !hasGas) throw new RangeError(`${name} has a memory size and no dynamic gas to pay for it`)
  }

  #set(change: Partial<Plan>): this {
    const plan = { ...this.#plan, ...change }
    this.#put(plan)
    this.#plan = plan
    return this
  }
}

const describeOpcode = (nameOrNumber: string | number): string =>
  typeof nameOrNumber === 'number' ? `0x${nameOrNumber.toString(16).padStart(2, '0')}` : nameOrNumber

function within(items: number, most: number): number {
  if (!Number.isInteger(items) || items < 0 || items > most)
    throw new RangeError(`stack of ${items} items: expected 0 to ${most}`)
  return items
}

function requireFunction(what: string, given: unknown): void {
  if (typeof given !== 'function') throw new RangeError(`${what}: expected a function`)
}
