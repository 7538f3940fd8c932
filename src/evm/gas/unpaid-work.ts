// Unpaid work: the part of the fork's price that a table of proposals does not charge. For a transaction it is limited to its
// gas limit, for a block to the block's gas limit (`boundsWork` of the table), so proposals can at most double the work that
// gas buys. All engines count the same at the same opcodes.
import type { OpcodeTable, Operation } from '../opcode-table.ts'
import { opcodeOf } from '../opcodes.ts'
import { COPY_WORD, KECCAK_WORD, LOG_BYTE, LOG_TOPIC } from './gas-rules.ts'
import { expansionGas, ownMemorySize, type PriceState } from './memory-gas.ts'

/** Calling a proposal's function: 3 µs on the library's interpreter. Our slowest precompiles charge one gas per 60 ns. */
const FUNCTION_WORK = 50n

/** An opcode whose dynamic gas the proposal sets: the charged price, and the frame and memory size it was computed for. */
type Charge = { readonly gas: bigint; readonly size: bigint; readonly state: PriceState }

/**
 * Unpaid work of an opcode, in gas. `own`: the fork's entry; undefined for a new opcode. Without `charge` the dynamic gas is
 * the fork's and therefore paid.
 */
export function unpaidWork(operation: Operation, own: Operation | undefined, charge?: Charge): bigint {
  const { execute, dynamicGas, memorySize, constantGas } = operation
  let work = execute === undefined && own !== undefined ? own.constantGas : 0n
  if (charge !== undefined) work += dynamicWork(operation, charge)
  const runsModule = [execute, dynamicGas, memorySize].some((part) => typeof part === 'function')
  if (runsModule && work < FUNCTION_WORK) work = FUNCTION_WORK
  const paid = charge?.gas ?? constantGas
  return work > paid ? work - paid : 0n
}

/** Limit of unpaid work for a message with this gas. */
export const workLimit = ({ boundsWork }: OpcodeTable, gas: bigint): bigint => (boundsWork ? gas : UNBOUNDED)
/** Above the gas of any message; sums with it are exact in the engine. */
const UNBOUNDED = 1n << 61n

/** The stack index of the length, and gas for each word of it. */
const BY_WORD: Readonly<Record<string, readonly [item: number, gas: number]>> = {
  KECCAK256: [1, KECCAK_WORD],
  CALLDATACOPY: [2, COPY_WORD],
  CODECOPY: [2, COPY_WORD],
  EXTCODECOPY: [3, COPY_WORD],
  RETURNDATACOPY: [2, COPY_WORD],
  MCOPY: [2, COPY_WORD],
  // EIP-3860, and the hash for the address.
  CREATE: [2, 2],
  CREATE2: [2, 2 + KECCAK_WORD],
}
/** Added to the warm price of an account (EIP-2929). Every access counts as cold, so that work depends only on operands. */
const COLD = 2_500n
/** Work that does not depend on operands. */
const FIXED: Readonly<Record<string, bigint>> = {
  SLOAD: 2_100n,
  SSTORE: 5_000n,
  LOG0: 375n,
  LOG1: 375n,
  LOG2: 375n,
  LOG3: 375n,
  LOG4: 375n,
  EXP: 10n,
  BALANCE: COLD,
  EXTCODESIZE: COLD,
  EXTCODECOPY: COLD,
  EXTCODEHASH: COLD,
  SELFDESTRUCT: COLD,
  CALL: COLD,
  CALLCODE: COLD,
  DELEGATECALL: COLD,
  STATICCALL: COLD,
}
const EXP_BYTE = 50n

/** The fork's dynamic gas for these operands and memory. */
function dynamicWork({ code, name, execute }: Operation, { size, state }: Charge): bigint {
  const { pops } = opcodeOf(code)
  if (execute !== undefined || state.stack.length < pops) return expansionGas(state, size)
  const items = state.stack.peek(pops)
  const item = (index: number): bigint => items[index] ?? 0n
  const own = ownMemorySize(name)?.(state) ?? 0n
  let work = (FIXED[name] ?? 0n) + expansionGas(state, own > size ? own : size)
  const [length, gas] = BY_WORD[name] ?? []
  if (length !== undefined && gas !== undefined) work += ((item(length) + 31n) / 32n) * BigInt(gas)
  if (name.startsWith('LOG')) work += BigInt(LOG_TOPIC * (pops - 2)) + BigInt(LOG_BYTE) * item(1)
  if (name === 'EXP') work += EXP_BYTE * BigInt(Math.ceil(item(1).toString(16).length / 2))
  return work
}
