// The opcodes of a fork as in go-ethereum's jump table, with the changes of opcode proposals. Built once per fork and list of
// proposals, immutable and shared by all machines; every engine converts it to its own form.
import type { Fork } from '../spec/chain-spec.ts'
import type { ForkRules } from '../spec/fork-rules.ts'
import { STACK_LIMIT } from './gas/gas-rules.ts'
import type { MemorySize, PriceState } from './gas/memory-gas.ts'
import type { Execute } from './opcode-frame.ts'
import { hasDepths, type Opcode, opcodeOf } from './opcodes.ts'

/** `memorySize`: the memory that the operation touches, in bytes, rounded up to whole words. */
export type DynamicGas = (state: PriceState, memorySize: bigint) => bigint
/** Items popped and pushed, if they are always the same. */
export type StackEffect = { readonly pops: number; readonly pushes: number }
/** Maximum stack height after or before the operation. */
export type StackLimit = { readonly items: number; readonly at: 'after' | 'entry' }

/** The complete definition of an opcode. */
export type Operation = {
  readonly code: number
  readonly name: string
  /** Charged first. go-ethereum's number, even if an engine charges it elsewhere. */
  readonly constantGas: bigint
  readonly minStack: number
  readonly stackLimit: StackLimit
  /** undefined: it may leave any number of items. */
  readonly effect: StackEffect | undefined
  /** undefined: as in the fork. */
  readonly execute: Execute | undefined
  /** `own`: as in the fork; null: none. */
  readonly dynamicGas: DynamicGas | 'own' | null
  /** undefined: as in the fork. */
  readonly memorySize: MemorySize | null | undefined
}

export type OpcodeTable = {
  /** The rules of the table's fork. */
  readonly rules: ForkRules
  /** By number; undefined: not an opcode. */
  readonly operations: readonly (Operation | undefined)[]
  /** Numbers of the operations that proposals changed. */
  readonly changed: ReadonlySet<number>
  /** Whether the gas limit bounds unpaid work: see `gas/unpaid-work.ts`. */
  readonly boundsWork: boolean
}

/** Constant gas by go-ethereum's tiers, if no fork changed it; opcodes not named cost 0. */
const TIERS: readonly (readonly [gas: bigint, names: string])[] = [
  [1n, 'JUMPDEST'],
  [2n, 'ADDRESS ORIGIN CALLER CALLVALUE CALLDATASIZE CODESIZE GASPRICE RETURNDATASIZE COINBASE TIMESTAMP NUMBER'],
  [2n, 'DIFFICULTY GASLIMIT CHAINID BASEFEE BLOBBASEFEE POP PC MSIZE GAS PUSH0 SLOTNUM'],
  [3n, 'ADD SUB NOT LT GT SLT SGT EQ ISZERO AND OR XOR BYTE SHL SHR SAR CALLDATALOAD MLOAD MSTORE MSTORE8'],
  [3n, 'CALLDATACOPY CODECOPY RETURNDATACOPY MCOPY BLOBHASH DUPN SWAPN EXCHANGE'],
  [5n, 'MUL DIV SDIV MOD SMOD SIGNEXTEND SELFBALANCE CLZ'],
  [8n, 'ADDMOD MULMOD JUMP'],
  [10n, 'JUMPI'],
  [20n, 'BLOCKHASH'],
  [30n, 'KECCAK256'],
  [100n, 'TLOAD TSTORE'],
]
const CONSTANT = new Map(TIERS.flatMap(([gas, names]) => names.split(' ').map((name) => [name, gas] as const)))

/** Opcodes by the fork that introduced them. */
const SINCE: readonly (readonly [fork: Fork, names: string])[] = [
  ['homestead', 'DELEGATECALL'],
  ['byzantium', 'RETURNDATASIZE RETURNDATACOPY STATICCALL REVERT'],
  ['constantinople', 'SHL SHR SAR CREATE2 EXTCODEHASH'],
  ['istanbul', 'CHAINID SELFBALANCE'],
  ['london', 'BASEFEE'],
  ['shanghai', 'PUSH0'],
  ['cancun', 'TLOAD TSTORE MCOPY BLOBHASH BLOBBASEFEE'],
  ['osaka', 'CLZ'],
  ['amsterdamOpcodes', 'SLOTNUM DUPN SWAPN EXCHANGE'],
]
const BROUGHT_BY = new Map(SINCE.flatMap(([fork, names]) => names.split(' ').map((name) => [name, fork] as const)))

/** Constant gas that forks changed (EIP-150, EIP-1884, EIP-2929, EIP-8038): the newest fork first. */
const REPRICED: Readonly<Record<string, readonly (readonly [fork: Fork, gas: bigint])[]>> = {
  SLOAD: [
    ['berlin', 0n],
    ['istanbul', 800n],
    ['tangerineWhistle', 200n],
    ['chainstart', 50n],
  ],
  BALANCE: [
    ['berlin', 100n],
    ['istanbul', 700n],
    ['tangerineWhistle', 400n],
    ['chainstart', 20n],
  ],
  EXTCODESIZE: [
    ['berlin', 100n],
    ['tangerineWhistle', 700n],
    ['chainstart', 20n],
  ],
  EXTCODECOPY: [
    ['berlin', 100n],
    ['tangerineWhistle', 700n],
    ['chainstart', 20n],
  ],
  EXTCODEHASH: [
    ['berlin', 100n],
    ['istanbul', 700n],
    ['constantinople', 400n],
  ],
  CALL: [
    ['berlin', 100n],
    ['tangerineWhistle', 700n],
    ['chainstart', 40n],
  ],
  CALLCODE: [
    ['berlin', 100n],
    ['tangerineWhistle', 700n],
    ['chainstart', 40n],
  ],
  DELEGATECALL: [
    ['berlin', 100n],
    ['tangerineWhistle', 700n],
    ['homestead', 40n],
  ],
  STATICCALL: [
    ['berlin', 100n],
    ['byzantium', 700n],
  ],
  CREATE: [
    ['amsterdamOpcodes', 12_000n],
    ['chainstart', 32_000n],
  ],
  CREATE2: [
    ['amsterdamOpcodes', 12_000n],
    ['constantinople', 32_000n],
  ],
  SELFDESTRUCT: [
    ['tangerineWhistle', 5_000n],
    ['chainstart', 0n],
  ],
}

/** PUSH1 to PUSH32, DUP, SWAP. */
const isStackOpcode = (code: number): boolean => code >= 0x60 && code <= 0x9f

function constantGasOf(code: number, name: string, rules: ForkRules): bigint {
  const repriced = REPRICED[name]?.find(([fork]) => rules[fork])
  if (repriced !== undefined) return repriced[1]
  return isStackOpcode(code) ? 3n : (CONSTANT.get(name) ?? 0n)
}

/** Opcodes that charge dynamic gas in addition to their constant gas. */
const DYNAMIC = new Set(
  (
    'EXP KECCAK256 BALANCE CALLDATACOPY CODECOPY EXTCODESIZE EXTCODECOPY EXTCODEHASH RETURNDATACOPY MLOAD MSTORE MSTORE8 ' +
    'SLOAD SSTORE MCOPY LOG0 LOG1 LOG2 LOG3 LOG4 CREATE CREATE2 CALL CALLCODE DELEGATECALL STATICCALL RETURN REVERT ' +
    'SELFDESTRUCT'
  ).split(' '),
)

/** Whether an opcode charges dynamic gas in addition to its constant gas. */
export const hasDynamicGas = (name: string): boolean => DYNAMIC.has(name)

function operationOf(code: number, opcode: Opcode, rules: ForkRules): Operation | undefined {
  const { name, pops, pushes, isDefined } = opcode
  const fork = BROUGHT_BY.get(name)
  if (!isDefined || name === 'INVALID' || (fork !== undefined && !rules[fork])) return undefined
  return {
    code,
    name,
    constantGas: constantGasOf(code, name, rules),
    minStack: pops,
    stackLimit: { items: STACK_LIMIT, at: 'after' },
    effect: { pops, pushes },
    execute: undefined,
    dynamicGas: 'own',
    memorySize: undefined,
  }
}

/** The table of a fork without proposals. */
export const forkTable = (rules: ForkRules): OpcodeTable => ({
  rules,
  operations: Array.from({ length: 256 }, (_, code) => operationOf(code, opcodeOf(code), rules)),
  changed: new Set(),
  boundsWork: true,
})

/** The fork's table with some operations replaced. */
export function withChanges(
  { rules, operations }: OpcodeTable,
  changes: ReadonlyMap<number, Operation>,
  boundsWork: boolean,
): OpcodeTable {
  return {
    rules,
    operations: operations.map((operation, code) => changes.get(code) ?? operation),
    changed: new Set(changes.keys()),
    boundsWork,
  }
}

/**
 * The part of go-ethereum's constant gas that engines charge as dynamic gas, as the library does. Negative if engines charge as
 * constant what go-ethereum charges as dynamic. The warm price of accounts is EIP-2929's.
 */
export function bookedElsewhere(name: string, rules: ForkRules): bigint {
  if (WARM_ACCESS.has(name) && rules.berlin) return 100n
  if (/^LOG[0-4]$/.test(name)) return -375n
  return name === 'EXP' ? -10n : 0n
}

const WARM_ACCESS = new Set([
  ...['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'],
  ...['BALANCE', 'EXTCODESIZE', 'EXTCODECOPY', 'EXTCODEHASH'],
])

/** Minimum and maximum stack height before an operation; go-ethereum's minStack and maxStack. */
export function stackBounds({ minStack, stackLimit, effect }: Operation): { least: number; most: number } {
  const { pops, pushes } = effect ?? { pops: 0, pushes: 0 }
  const after = effect === undefined ? Number.POSITIVE_INFINITY : stackLimit.items + pops - pushes
  return { least: minStack, most: stackLimit.at === 'entry' ? stackLimit.items : after }
}

/** Maximum stack height after an operation. A limit at entry does not affect it. */
export const afterLimit = ({ stackLimit }: Operation): number =>
  stackLimit.at === 'after' ? stackLimit.items : STACK_LIMIT

/** Immediate bytes after an opcode: those of PUSH1 to PUSH32, even if a proposal changed the opcode. */
export const immediateBytes = (code: number): number => (code >= 0x60 && code <= 0x7f ? code - 0x5f : 0)

/** The same in a fork: DUPN, SWAPN and EXCHANGE have one (EIP-8024). */
export const immediateBytesIn = ({ amsterdamOpcodes }: ForkRules, code: number): number =>
  amsterdamOpcodes && hasDepths(code) ? 1 : immediateBytes(code)

/** go-ethereum's text for a stack underflow or overflow; undefined: the operation may run. */
export function stackFaultOf(operation: Operation, items: number): string | undefined {
  const { least, most } = stackBounds(operation)
  if (items < least) return `stack underflow (${items} <=> ${least})`
  return items > most ? `stack limit reached ${items} (${most})` : undefined
}
