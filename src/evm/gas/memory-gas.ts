// The memory that an operation touches and the gas of its expansion (Yellow Paper, appendix H), for proposals' functions: the
// fork's own opcodes do this themselves.
import type { Address } from '../../lib/hex.ts'
import { MEMORY_QUADRATIC_DIVISOR, MEMORY_WORD } from './gas-rules.ts'

/** The frame, as seen by a function that prices an opcode; the same in all engines. */
export interface PriceState {
  readonly stack: {
    readonly length: number
    /** The topmost items, the top first. */
    peek(count: number): bigint[]
  }
  readonly memory: { read(offset: number, length: number): Uint8Array }
  /** Words of memory that the frame has paid for. */
  readonly memoryWordCount: bigint
  readonly gasLeft: bigint
  readonly programCounter: number
  readonly code: Uint8Array
  readonly env: {
    readonly address: Address
    readonly caller: Address
    readonly callValue: bigint
    readonly depth: number
    readonly isStatic: boolean
  }
}

export type MemorySize = (state: PriceState) => bigint

/** The stack positions of an area's offset and length; the length may be a constant instead. */
type Area = { readonly offset: number; readonly length: number } | { readonly offset: number; readonly bytes: bigint }

const CALL_AREAS: readonly Area[] = [
  { offset: 3, length: 4 },
  { offset: 5, length: 6 },
]
const STATIC_CALL_AREAS: readonly Area[] = [
  { offset: 2, length: 3 },
  { offset: 4, length: 5 },
]
const AREAS: Readonly<Record<string, readonly Area[]>> = {
  KECCAK256: [{ offset: 0, length: 1 }],
  CALLDATACOPY: [{ offset: 0, length: 2 }],
  CODECOPY: [{ offset: 0, length: 2 }],
  EXTCODECOPY: [{ offset: 1, length: 3 }],
  RETURNDATACOPY: [{ offset: 0, length: 2 }],
  MLOAD: [{ offset: 0, bytes: 32n }],
  MSTORE: [{ offset: 0, bytes: 32n }],
  MSTORE8: [{ offset: 0, bytes: 1n }],
  MCOPY: [
    { offset: 0, length: 2 },
    { offset: 1, length: 2 },
  ],
  LOG0: [{ offset: 0, length: 1 }],
  LOG1: [{ offset: 0, length: 1 }],
  LOG2: [{ offset: 0, length: 1 }],
  LOG3: [{ offset: 0, length: 1 }],
  LOG4: [{ offset: 0, length: 1 }],
  CREATE: [{ offset: 1, length: 2 }],
  CREATE2: [{ offset: 1, length: 2 }],
  CALL: CALL_AREAS,
  CALLCODE: CALL_AREAS,
  DELEGATECALL: STATIC_CALL_AREAS,
  STATICCALL: STATIC_CALL_AREAS,
  RETURN: [{ offset: 0, length: 1 }],
  REVERT: [{ offset: 0, length: 1 }],
}

/** The memory that an opcode touches under the fork's own rules; undefined if it touches none. */
export function ownMemorySize(name: string): MemorySize | undefined {
  const areas = AREAS[name]
  if (areas === undefined) return undefined
  const needed = Math.max(...areas.map((area) => Math.max(area.offset, 'length' in area ? area.length : 0))) + 1
  return ({ stack }) => {
    const items = stack.peek(needed)
    const ends = areas.map((area) => {
      const length = 'bytes' in area ? area.bytes : (items[area.length] ?? 0n)
      return length === 0n ? 0n : (items[area.offset] ?? 0n) + length
    })
    return ends.reduce((most, end) => (end > most ? end : most), 0n)
  }
}

const WORD = 32n
/** More than any block's gas could pay for (8.6 billion), and still little memory for a machine: the limit for free memory. */
const MOST_MEMORY = 1n << 26n

/** The size in bytes, rounded up to whole words; undefined if no memory can be that large. */
export function roundToWords(bytes: bigint): bigint | undefined {
  const rounded = ((bytes + WORD - 1n) / WORD) * WORD
  return bytes < 0n || rounded > MOST_MEMORY ? undefined : rounded
}

const wordsOf = (bytes: bigint): bigint => (bytes + WORD - 1n) / WORD
const memoryCost = (words: bigint): bigint =>
  words * BigInt(MEMORY_WORD) + (words * words) / BigInt(MEMORY_QUADRATIC_DIVISOR)

/** Gas for expanding the memory to a size in bytes; zero if it is that large already. */
export function expansionGas(state: Pick<PriceState, 'memoryWordCount'>, bytes: bigint): bigint {
  const words = wordsOf(bytes)
  return words > state.memoryWordCount ? memoryCost(words) - memoryCost(state.memoryWordCount) : 0n
}

/** The words of a size in bytes, and the gas of expanding an empty memory to it. */
export function memoryGas(bytes: bigint): { readonly words: bigint; readonly cost: bigint } {
  const words = wordsOf(bytes)
  return { words, cost: memoryCost(words) }
}
