// Every named opcode: its name in tools and the items that it pops and pushes. Names are geth's (0x44 is always DIFFICULTY),
// independent of the fork.
import { STACK_LIMIT } from './gas/gas-rules.ts'

export type Opcode = {
  readonly name: string
  readonly pops: number
  readonly pushes: number
  /** Whether the number is an opcode in some fork. */
  readonly isDefined: boolean
}

/** The first code of a run, then the opcodes of the run as `NAME pops pushes`. */
const RUNS: readonly (readonly [number, string])[] = [
  [0x00, 'STOP 0 0,ADD 2 1,MUL 2 1,SUB 2 1,DIV 2 1,SDIV 2 1,MOD 2 1,SMOD 2 1,ADDMOD 3 1,MULMOD 3 1,EXP 2 1'],
  [0x0b, 'SIGNEXTEND 2 1'],
  [0x10, 'LT 2 1,GT 2 1,SLT 2 1,SGT 2 1,EQ 2 1,ISZERO 1 1,AND 2 1,OR 2 1,XOR 2 1,NOT 1 1,BYTE 2 1'],
  [0x1b, 'SHL 2 1,SHR 2 1,SAR 2 1,CLZ 1 1'],
  [0x20, 'KECCAK256 2 1'],
  [0x30, 'ADDRESS 0 1,BALANCE 1 1,ORIGIN 0 1,CALLER 0 1,CALLVALUE 0 1,CALLDATALOAD 1 1,CALLDATASIZE 0 1'],
  [0x37, 'CALLDATACOPY 3 0,CODESIZE 0 1,CODECOPY 3 0,GASPRICE 0 1,EXTCODESIZE 1 1,EXTCODECOPY 4 0'],
  [0x3d, 'RETURNDATASIZE 0 1,RETURNDATACOPY 3 0,EXTCODEHASH 1 1'],
  [0x40, 'BLOCKHASH 1 1,COINBASE 0 1,TIMESTAMP 0 1,NUMBER 0 1,DIFFICULTY 0 1,GASLIMIT 0 1,CHAINID 0 1'],
  [0x47, 'SELFBALANCE 0 1,BASEFEE 0 1,BLOBHASH 1 1,BLOBBASEFEE 0 1,SLOTNUM 0 1'],
  [0x50, 'POP 1 0,MLOAD 1 1,MSTORE 2 0,MSTORE8 2 0,SLOAD 1 1,SSTORE 2 0,JUMP 1 0,JUMPI 2 0,PC 0 1,MSIZE 0 1'],
  [0x5a, 'GAS 0 1,JUMPDEST 0 0,TLOAD 1 1,TSTORE 2 0,MCOPY 3 0,PUSH0 0 1'],
  [0xe6, 'DUPN 1 2,SWAPN 2 2,EXCHANGE 2 2'],
  [0xf0, 'CREATE 3 1,CALL 7 1,CALLCODE 7 1,RETURN 2 0,DELEGATECALL 6 1,CREATE2 4 1'],
  [0xfa, 'STATICCALL 6 1'],
  [0xfd, 'REVERT 2 0,INVALID 0 0,SELFDESTRUCT 1 0'],
]

const table: (Opcode | undefined)[] = new Array(256)
for (const [first, run] of RUNS) {
  for (const [offset, text] of run.split(',').entries()) {
    const [name = '', pops, pushes] = text.split(' ')
    table[first + offset] = { name, pops: Number(pops), pushes: Number(pushes), isDefined: true }
  }
}
for (let n = 1; n <= 32; n++) table[0x5f + n] = { name: `PUSH${n}`, pops: 0, pushes: 1, isDefined: true }
for (let n = 1; n <= 16; n++) {
  table[0x7f + n] = { name: `DUP${n}`, pops: n, pushes: n + 1, isDefined: true }
  table[0x8f + n] = { name: `SWAP${n}`, pops: n + 1, pushes: n + 1, isDefined: true }
}
for (let n = 0; n <= 4; n++) table[0xa0 + n] = { name: `LOG${n}`, pops: n + 2, pushes: 0, isDefined: true }

const named: readonly Opcode[] = Array.from(
  { length: 256 },
  (_, code) =>
    table[code] ?? { name: `opcode 0x${code.toString(16)} not defined`, pops: 0, pushes: 0, isDefined: false },
)
const UNDEFINED: Opcode = { name: 'opcode not defined', pops: 0, pushes: 0, isDefined: false }

/** The opcode of a byte; undefined opcodes have a name that says so. */
export const opcodeOf = (code: number): Opcode => named[code] ?? UNDEFINED

/** geth's text for a stack underflow or overflow; undefined: the opcode may run. */
export function stackFault({ pops, pushes }: Opcode, items: number): string | undefined {
  if (items < pops) return `stack underflow (${items} <=> ${pops})`
  const limit = STACK_LIMIT + pops - pushes
  return items > limit ? `stack limit reached ${items} (${limit})` : undefined
}

const DUPN = 0xe6
const EXCHANGE = 0xe8

/** Whether an immediate byte of the opcode names positions of the stack: DUPN, SWAPN, EXCHANGE (EIP-8024). */
export const hasDepths = (code: number): boolean => code >= DUPN && code <= EXCHANGE

/** Positions under the top of the stack: that of the item that is copied or exchanged, and that of the other one. */
export type Depths = { readonly deep: number; readonly high: number }

/** What the immediate byte of such an opcode names; undefined: it is not permitted. */
export function depthsOf(code: number, byte: number): Depths | undefined {
  if (code !== EXCHANGE) {
    if (byte > 90 && byte < 128) return undefined
    const depth = (byte + 145) & 255
    return { deep: code === DUPN ? depth - 1 : depth, high: 0 }
  }
  if (byte > 81 && byte < 128) return undefined
  const [row, column] = [(byte ^ 143) >> 4, (byte ^ 143) & 15]
  return row < column ? { deep: column + 1, high: row + 1 } : { deep: 29 - row, high: column + 1 }
}
