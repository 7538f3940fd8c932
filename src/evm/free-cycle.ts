// Whether code could run for ever without gas under a table of opcodes. Any loop runs a JUMPDEST, a JUMP or JUMPI, and an opcode
// that leaves more items than it takes, for the destination; any recursion runs a call or creation, and an opcode that needs
// no item, because each frame begins with an empty stack. A price by a function of a module counts as paid: what it leaves
// unpaid is bounded (`gas/unpaid-work.ts`).
import type { OpcodeTable, Operation, StackEffect } from './opcode-table.ts'

const JUMPDEST = 0x5b
const JUMPS = [0x56, 0x57]
const CALLS = [0xf0, 0xf1, 0xf2, 0xf4, 0xf5, 0xfa]
/** Of an opcode that may do anything to the stack. */
const ANY: StackEffect = { pops: 0, pushes: 1 }

/** The names of opcodes that cost nothing and make a cycle together; undefined: there is none. */
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
