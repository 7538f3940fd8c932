// Divides code into basic blocks: sequences of opcodes with one entry and one exit. Each block has its constant gas and the
// bounds on the stack height under which no opcode of it under- or overflows.
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { opcodeOf } from '../opcodes.ts'

/** The fork's table, as it lies at OPCODES. */
export type OpcodePrices = Uint8Array

export type Op = {
  readonly pc: number
  readonly code: number
  /** Of a PUSH. */
  readonly value: bigint
  /** Constant gas of what comes after it in the block. */
  rest: number
  /** Neither it nor what comes after it in the block can fail for anything but want of gas, when the stack suits the block. */
  isSure: boolean
}

export type BasicBlock = {
  readonly pc: number
  readonly ops: readonly Op[]
  /** Constant gas of all opcodes. */
  readonly cost: number
  /** Items that it needs, and the most that there may be, when it begins. */
  readonly need: number
  readonly most: number
  /** Where code goes on behind its last opcode: at most the code's length, where a STOP is implied. */
  readonly end: number
}

const JUMPDEST = 0x5b
const PUSH0 = 0x5f
const NEVER = 65_535
const WORD = 32
/** Opcodes of a block, so that what a trace has to keep in mind is bounded. */
const LONGEST = 100

const isPush = (code: number): boolean => code >= PUSH0 && code <= 0x7f
/** STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const ENDS = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe, 0xff])
/** JUMPI, and what sends messages. */
const CUTS = new Set([0x57, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa])

/** What a static frame refuses, or a refund below zero. */
const CHANGES = new Set([0x55, 0x5d, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1, 0xf5, 0xff])

export const isCut = (code: number): boolean => CUTS.has(code)

export class BasicBlocks {
  readonly code: Uint8Array
  /** Whether a jump may land there, per byte. */
  readonly #jumpdests: Uint8Array
  readonly #known = new Map<number, BasicBlock>()
  readonly #costs = new Uint32Array(256)
  readonly #least = new Uint16Array(256)
  readonly #most = new Uint16Array(256)

  constructor(code: Uint8Array, table: OpcodePrices) {
    this.code = code
    this.#jumpdests = new Uint8Array(code.length)
    for (let pc = 0; pc < code.length; pc++) {
      const op = code[pc] ?? 0
      if (op === JUMPDEST) this.#jumpdests[pc] = 1
      else if (isPush(op)) pc += op - PUSH0
    }
    const view = new DataView(table.buffer, table.byteOffset, table.byteLength)
    for (let op = 0; op < 256; op++) {
      this.#costs[op] = view.getUint32(op * 8, true)
      this.#least[op] = view.getUint16(op * 8 + 4, true)
      this.#most[op] = view.getUint16(op * 8 + 6, true)
    }
  }

  isJumpdest(pc: number): boolean {
    return this.#jumpdests[pc] === 1
  }

  /** Whether a fork has the opcode. */
  exists(code: number): boolean {
    return this.#least[code] !== NEVER
  }

  /** The block that begins there. What lies behind the code's end is a STOP. */
  at(pc: number): BasicBlock {
    const known = this.#known.get(pc)
    if (known !== undefined) return known
    const block = this.#cut(pc)
    this.#known.set(pc, block)
    return block
  }

  #cut(begin: number): BasicBlock {
    const { code } = this
    const ops: Op[] = []
    let [pc, cost, height, need, most] = [begin, 0, 0, 0, STACK_LIMIT]
    for (;;) {
      const op = code[pc] ?? 0
      if (op === JUMPDEST && pc !== begin) break
      if (!this.exists(op)) {
        // Whoever comes here fails: it is charged nothing and asks nothing.
        ops.push({ pc, code: op, value: 0n, rest: 0, isSure: false })
        pc++
        break
      }
      const bytes = isPush(op) ? op - PUSH0 : 0
      ops.push({ pc, code: op, value: bytes === 0 ? 0n : this.#pushed(pc + 1, bytes), rest: 0, isSure: false })
      cost += this.#costs[op] ?? 0
      // A log's topics are missed only after it is paid, and so they are not in the table.
      const isLog = op >= 0xa0 && op <= 0xa4
      const least = Math.max(isLog ? op - 0xa0 + 2 : 0, (this.#least[op] ?? 0) / WORD)
      need = Math.max(need, least - height)
      most = Math.min(most, (this.#most[op] ?? 0) / WORD - height)
      height += growth(op)
      pc += bytes + 1
      if (ENDS.has(op) || CUTS.has(op) || ops.length === LONGEST) break
    }
    let rest = 0
    let isSure = true
    for (const [i, op] of [...ops.entries()].reverse()) {
      op.rest = rest
      isSure &&= this.#isSure(op.code, ops[i - 1])
      op.isSure = isSure
      if (this.exists(op.code)) rest += this.#costs[op.code] ?? 0
    }
    // A PUSH that the code's end cuts off ends at the implied STOP, not behind the bytes that it lacks.
    return { pc: begin, ops, cost, need, most, end: Math.min(pc, code.length) }
  }

  /** Jumps whose target stands right before them. */
  *jumps(): Iterable<{ readonly pc: number; readonly target: number }> {
    const { code } = this
    for (let pc = 0; pc < code.length; pc++) {
      const op = code[pc] ?? 0
      if (!isPush(op)) continue
      const bytes = op - PUSH0
      const next = code[pc + bytes + 1]
      if ((next === 0x56 || next === 0x57) && bytes > 0 && bytes <= 3) {
        const target = Number(this.#pushed(pc + 1, bytes))
        if (this.isJumpdest(target)) yield { pc, target }
      }
      pc += bytes
    }
  }

  /** Constant gas of an opcode. */
  cost(code: number): number {
    return this.exists(code) ? (this.#costs[code] ?? 0) : 0
  }

  /** Whether an opcode fails for want of gas only. `before`: the one before it in its block. */
  #isSure(code: number, before: Op | undefined): boolean {
    if (!this.exists(code)) return false
    if (code !== 0x56 && code !== 0x57) return !CHANGES.has(code)
    return before !== undefined && isPush(before.code) && this.isJumpdest(Number(before.value))
  }

  #pushed(at: number, bytes: number): bigint {
    const hex = Buffer.from(this.code.subarray(at, at + bytes)).toString('hex')
    return BigInt(`0x${hex.padEnd(2 * bytes, '0')}`)
  }
}

/** By how many items an opcode makes the stack higher. */
function growth(code: number): number {
  const { pops, pushes } = opcodeOf(code)
  return pushes - pops
}
