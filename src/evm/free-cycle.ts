// Detects opcode tables under which code could run forever without gas. Any loop executes a JUMPDEST, a JUMP or JUMPI, and an
// opcode that pushes more items than it pops, for the destination. Any recursion executes a call or creation, and an opcode
// that needs no item, because each frame begins with an empty stack. Gas by a proposal's function counts as nonzero: its unpaid
// work is bounded (`gas/unpaid-work.ts`).
import type { OpcodeTable, Operation, StackEffect } from './opcode-table.ts'

const JUMPDEST = 0x5b
const JUMPS = [0x56, 0x57]
const CALLS = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]
/** For an opcode with an unknown effect on the stack. */
const ANY: StackEffect = { pops: 0, pushes: 1 }

/** The names of free opcodes that together make a cycle; undefined: there is none. */
export function freeCycle({ operations }: OpcodeTable): readonly string[] | undefined {
  const free = operations.flatMap((operation) => (operation !== undefined && isFree(operation) ? [operation] : []))
  const among = (codes: readonly number[]) => free.find(({ code }) => codes.includes(code))
  const growing = free.filter(({ effect = ANY }) => effect.pushes > effect.pops)
  const loop = [among([JUMPDEST]), among(JUMPS), growing[0]]
  const recursion = [among(CALLS), growing.find(({ effect = ANY }) => effect.pops === 0)]
  const cycle = [loop, recursion].find((operations) => operations.every((operation) => operation !== undefined))
  return cycle?.flatMap((operation) => operation?.name ?? [])
}

/** The fork's own dynamic gas may be zero, as for a warm account. */
const isFree = ({ constantGas, dynamicGas, memorySize }: Operation): boolean =>
  constantGas === 0n && typeof dynamicGas !== 'function' && typeof memorySize !== 'function'
