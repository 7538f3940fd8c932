// Divides code into basic blocks: sequences of opcodes with one entry and one exit. Each block has its constant gas and the
// bounds on the stack height under which no opcode of it under- or overflows.
import { STACK_LIMIT } from '../gas/gas-rules.ts'
import { immediateBytes } from '../opcode-table.ts'
import { type Depths, depthsOf, hasDepths, opcodeOf } from '../opcodes.ts'

/** The opcode table of a fork, in the format of OPCODES (wasm/layout.ts). */
export type OpcodePrices = Uint8Array

export type Op = {
  readonly pc: number
  readonly code: number
  /** The constant of a PUSH, else 0. */
  readonly value: bigint
  /** Of DUPN, SWAPN and EXCHANGE; undefined if their immediate byte is not permitted. */
  readonly depths: Depths | undefined
  /** Constant gas of the opcodes after it in the block. */
  gasAfter: number
  /** Whether it and the opcodes after it in the block can fail for lack of gas only, given the block's bounds of stack height. */
  failsOnlyForGas: boolean
}

export type BasicBlock = {
  readonly pc: number
  readonly ops: readonly Op[]
  /** Constant gas of all opcodes. */
  readonly cost: number
  /** Bounds of the stack height, in items, at the start of the block. */
  readonly minHeight: number
  readonly maxHeight: number
  /** The program counter after its last opcode; at most the code's length, where a STOP is implied. */
  readonly end: number
}

const JUMPDEST = 0x5b
const PUSH0 = 0x5f
const NEVER = 65_535
const WORD = 32
/** Opcodes in one block, which bounds the size of a trace. */
const MAX_OPCODES = 100

const isPush = (code: number): boolean => code >= PUSH0 && code <= 0x7f
/** STOP, JUMP, RETURN, REVERT, INVALID, SELFDESTRUCT. */
const ENDS = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe, 0xff])
/** Opcodes that end a block, and after which execution continues: JUMPI, calls and creations. */
const RESUMES = new Set([0x57, 0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa])

/** Opcodes that fail in a static frame. */
const MODIFIES_STATE = new Set([0x55, 0x5d, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xf0, 0xf1, 0xf5, 0xff])

export const resumesAfter = (code: number): boolean => RESUMES.has(code)

export class BasicBlocks {
  readonly code: Uint8Array
  /** Per byte of code, 1 if it is a valid jump destination. */
  readonly #jumpdests: Uint8Array
  readonly #known = new Map<number, BasicBlock>()
  readonly #costs = new Uint32Array(256)
  readonly #required = new Uint16Array(256)
  readonly #maxHeight = new Uint16Array(256)

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
      this.#required[op] = view.getUint16(op * 8 + 4, true)
      this.#maxHeight[op] = view.getUint16(op * 8 + 6, true)
    }
  }

  isJumpdest(pc: number): boolean {
    return this.#jumpdests[pc] === 1
  }

  /** Whether the interpreter or the host runs the opcode, so that code continues after it: a proposal changed it. */
  isLeft(code: number): boolean {
    return !this.exists(code) && this.#maxHeight[code] !== 0
  }

  /** Whether the opcode can be compiled: the fork has it, and no proposal's function belongs to it. */
  exists(code: number): boolean {
    return this.#required[code] !== NEVER
  }

  /** The block that starts at `pc`. After the end of the code there is a STOP. */
  at(pc: number): BasicBlock {
    const known = this.#known.get(pc)
    if (known !== undefined) return known
    const block = this.#divide(pc)
    this.#known.set(pc, block)
    return block
  }

  #divide(begin: number): BasicBlock {
    const { code } = this
    const ops: Op[] = []
    let [pc, cost, height, minHeight, maxHeight] = [begin, 0, 0, 0, STACK_LIMIT]
    for (;;) {
      const op = code[pc] ?? 0
      if (op === JUMPDEST && pc !== begin) break
      const depths = hasDepths(op) ? depthsOf(op, code[pc + 1] ?? 0) : undefined
      if (!this.exists(op)) {
        // The interpreter runs it or fails: nothing is charged here, and nothing is required of the stack.
        ops.push({ pc, code: op, value: 0n, depths: undefined, gasAfter: 0, failsOnlyForGas: false })
        pc += 1 + immediateBytes(op)
        break
      }
      const bytes = isPush(op) ? op - PUSH0 : hasDepths(op) ? 1 : 0
      const value = isPush(op) && bytes > 0 ? this.#pushed(pc + 1, bytes) : 0n
      ops.push({ pc, code: op, value, depths, gasAfter: 0, failsOnlyForGas: false })
      cost += this.#costs[op] ?? 0
      const least = depths === undefined ? 0 : depths.deep + 1
      const required = Math.max(least, (this.#required[op] ?? 0) / WORD)
      minHeight = Math.max(minHeight, required - height)
      maxHeight = Math.min(maxHeight, (this.#maxHeight[op] ?? 0) / WORD - height)
      height += growth(op)
      pc += bytes + 1
      if (ENDS.has(op) || RESUMES.has(op) || ops.length === MAX_OPCODES) break
      // The interpreter fails an immediate byte that is not permitted.
      if (hasDepths(op) && depths === undefined) break
    }
    let rest = 0
    let failsOnlyForGas = true
    for (const [i, op] of [...ops.entries()].reverse()) {
      op.gasAfter = rest
      failsOnlyForGas &&= this.#failsOnlyForGas(op, ops[i - 1])
      op.failsOnlyForGas = failsOnlyForGas
      if (this.exists(op.code)) rest += this.#costs[op.code] ?? 0
    }
    // A PUSH whose constant is cut off by the end of the code ends at the implied STOP.
    return { pc: begin, ops, cost, minHeight, maxHeight, end: Math.min(pc, code.length) }
  }

  /** The JUMP and JUMPI opcodes directly after a PUSH1, PUSH2 or PUSH3 of a valid destination. `pc`: of the PUSH. */
  *staticJumps(): Iterable<{ readonly pc: number; readonly target: number }> {
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

  /** Whether an opcode can fail for lack of gas only. `before`: the one before it in its block. */
  #failsOnlyForGas({ code, depths }: Op, before: Op | undefined): boolean {
    if (!this.exists(code) || (hasDepths(code) && depths === undefined)) return false
    if (code !== 0x56 && code !== 0x57) return !MODIFIES_STATE.has(code)
    return before !== undefined && isPush(before.code) && this.isJumpdest(Number(before.value))
  }

  #pushed(at: number, bytes: number): bigint {
    const hex = Buffer.from(this.code.subarray(at, at + bytes)).toString('hex')
    return BigInt(`0x${hex.padEnd(2 * bytes, '0')}`)
  }
}

/** Change of the stack height by an opcode, in items. */
function growth(code: number): number {
  const { pops, pushes } = opcodeOf(code)
  return pushes - pops
}
