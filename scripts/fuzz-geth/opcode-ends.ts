// Code in which one opcode has one outcome: it succeeds, ends its frame for each reason for which it can, or begins a message that
// fails. Which outcomes an opcode has follows from the opcode table.

import type { FailureCode } from '../../src/evm/failure.ts'
import { hasDynamicGas, immediateBytes, type Operation } from '../../src/evm/opcode-table.ts'
import { type Address, fromHex } from '../../src/lib/hex.ts'
import { create2Address, createAddress } from '../../src/primitives/create-address.ts'
import { Code, OP, type Random } from './code.ts'
import { COINBASE, CONTRACTS, type ExtraAccount } from './scenario.ts'

/** What an opcode does to its frame, or how the message that it begins ends. `none`: it succeeds. */
export type Outcome = 'none' | FailureCode

/** Outcomes that are not failures of the frame with the opcode, but of the message that the opcode begins. */
export const OF_MESSAGE: ReadonlySet<Outcome> = new Set<Outcome>([
  ...(['call depth', 'insufficient balance', 'precompile', 'nonce overflow', 'address collision'] as const),
  ...(['code size', 'code storage out of gas', 'invalid code'] as const),
])

const CALLS = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL']
const CREATIONS = ['CREATE', 'CREATE2']
const CHANGES_STATE = new Set([
  ...['SSTORE', 'TSTORE', 'LOG0', 'LOG1', 'LOG2', 'LOG3', 'LOG4', 'CREATE', 'CREATE2', 'CALL', 'SELFDESTRUCT'],
])
/** The opcodes with an immediate of which some bytes are invalid (EIP-8024). */
const WITH_INDEX = new Set(['DUPN', 'SWAPN', 'EXCHANGE'])

/** The outcomes that an opcode can have; an undefined one only ends its frame. */
export function outcomesOf(operation: Operation | undefined): readonly Outcome[] {
  if (operation === undefined) return ['invalid opcode']
  const { name, constantGas, minStack, effect } = operation
  const { pops, pushes } = effect ?? { pops: 0, pushes: 0 }
  const found: Outcome[] = name === 'REVERT' ? ['revert'] : ['none']
  if (constantGas > 0n || hasDynamicGas(name)) found.push('out of gas')
  if (minStack > 0 || WITH_INDEX.has(name)) found.push('stack underflow')
  if (pushes > pops) found.push('stack overflow')
  if (name === 'JUMP' || name === 'JUMPI') found.push('invalid jump')
  if (WITH_INDEX.has(name)) found.push('invalid opcode')
  if (name === 'RETURNDATACOPY') found.push('return data out of bounds')
  if (CHANGES_STATE.has(name)) found.push('write protection')
  if (CALLS.includes(name)) found.push('call depth', 'precompile')
  if (name === 'CALL' || name === 'CALLCODE') found.push('insufficient balance')
  if (CREATIONS.includes(name)) {
    found.push('call depth', 'insufficient balance', 'nonce overflow', 'address collision', 'initcode size')
    found.push('code size', 'code storage out of gas', 'invalid code')
  }
  return found
}

/** A code for the second contract, and what the world needs so that it has its outcome. */
export type OpcodeCase = {
  readonly code: Uint8Array
  /** Position of the opcode; the first one that has the outcome. */
  readonly at: number
  /** Whether the frame must be static. */
  readonly isStatic: boolean
  readonly extra: ReadonlyMap<Address, ExtraAccount>
}

/** The contract that has the code. */
export const SELF = CONTRACTS[1] ?? COINBASE
const small = (random: Random): bigint => BigInt(random.below(70))

/** Items of the stack, topmost first, with which an opcode succeeds. */
function operands(random: Random, name: string, pops: number): bigint[] {
  const memory = (length = small(random)) => [small(random), length]
  if (name === 'RETURNDATACOPY') return [small(random), 0n, 0n]
  if (name === 'RETURN' || name === 'REVERT' || name === 'KECCAK256') return [small(random), 1n + small(random)]
  if (name.startsWith('LOG')) return [...memory(), ...Array.from({ length: pops - 2 }, () => small(random))]
  if (name === 'CREATE' || name === 'CREATE2')
    return [0n, small(random), small(random), ...(pops === 4 ? [BigInt(random.below(1 << 20))] : [])]
  // To an account without code, or to the identity.
  const to = random.oneIn(2) ? 4n : 0xeeeen
  if (name === 'CALL' || name === 'CALLCODE') return [3000n, to, 0n, ...memory(), ...memory()]
  if (name === 'DELEGATECALL' || name === 'STATICCALL') return [3000n, to, ...memory(), ...memory()]
  return Array.from({ length: pops }, () => small(random))
}

/** A few opcodes that leave the stack as it is, sometimes within a loop. */
function filler(random: Random, code: Code): void {
  const some = () => {
    for (let i = random.below(12); i > 0; i--) {
      if (random.oneIn(3)) code.op(OP.JUMPDEST)
      else if (random.oneIn(2)) code.op(random.pick([OP.PC, OP.MSIZE, OP.ADDRESS]), OP.POP)
      else code.pushes(random.below(300), random.below(300)).op(random.pick([OP.ADD, OP.MUL, OP.LT]), OP.POP)
    }
  }
  if (random.below(3) > 0) {
    some()
    return
  }
  code.push(1 + random.below(20))
  const loop = code.dest()
  some()
  code.push(1).op(OP.SWAP1, OP.SUB, OP.DUP1).loopTo(loop).op(OP.POP)
}

/** Puts init code at the start of memory; its length. */
function initCode(code: Code, init: Code): bigint {
  code.memory(0, init.build())
  return BigInt(init.bytes.length)
}

/** Init code whose result makes the creation fail. */
const FAILING_INIT: Partial<Record<Outcome, () => Code>> = {
  // Longer than any fork's limit; EIP-170 and EIP-7954.
  'code size': () => new Code().pushes(70_000, 0).op(OP.RETURN),
  // 200 gas a byte (Yellow Paper, G_codedeposit), or 1,530 since EIP-8037.
  'code storage out of gas': () => new Code().pushes(24_000, 0).op(OP.RETURN),
  'invalid code': () => new Code().pushes(0xef, 0).op(OP.MSTORE8).pushes(1, 0).op(OP.RETURN),
}

/** The items with which a call or creation has the outcome, after what they need in memory. */
function failing(code: Code, name: string, outcome: Outcome, stack: bigint[]): bigint[] {
  const rich = 10n ** 20n
  const isCreation = CREATIONS.includes(name)
  if (outcome === 'insufficient balance')
    return isCreation ? [rich, ...stack.slice(1)] : [...stack.slice(0, 2), rich, ...stack.slice(3)]
  if (outcome === 'precompile') {
    // A point that is not on the curve (EIP-196).
    code
      .push(2n ** 256n - 1n)
      .push(0)
      .op(OP.MSTORE)
    const tail = [0n, 64n, 0n, 0n]
    return name === 'CALL' || name === 'CALLCODE' ? [20_000n, 6n, 0n, ...tail] : [20_000n, 6n, ...tail]
  }
  if (outcome === 'initcode size') return [0n, 0n, 200_000n, ...stack.slice(3)]
  const init = FAILING_INIT[outcome]
  return init === undefined ? stack : [0n, 0n, initCode(code, init()), ...stack.slice(3)]
}

/** Calls itself to the limit of depth, and goes on in the deepest frame only. */
function descend(code: Code): void {
  code.pushes(0, 0, 0, 0, 0).op(OP.ADDRESS, OP.GAS, OP.CALL)
  const at = code.bytes.length
  // If the call succeeded, stop.
  code
    .op(OP.ISZERO)
    .push(at + 6, 2)
    .op(OP.JUMPI, OP.STOP, OP.JUMPDEST)
}

/** Fills the stack up to a height, with jump destinations in between, so that a turn can end there. */
function fillStack(random: Random, code: Code, items: number): void {
  for (let i = 0; i < items; i++) {
    if (random.oneIn(40) || (i >= items - 4 && random.oneIn(2))) code.op(OP.JUMPDEST)
    code.op(random.pick([OP.PC, OP.MSIZE, OP.ADDRESS]))
  }
}

/** An immediate: of a PUSH random bytes; of DUPN, SWAPN and EXCHANGE one that is valid, with the height that it needs. */
function immediate(random: Random, name: string, code: number, isValid: boolean): { bytes: number[]; height: number } {
  if (!WITH_INDEX.has(name)) {
    return { bytes: Array.from({ length: immediateBytes(code) }, () => random.below(256)), height: 0 }
  }
  const first = name === 'EXCHANGE' ? 82 : 91
  if (!isValid) return { bytes: [first + random.below(128 - first)], height: 236 }
  const byte = random.below(256 - (128 - first))
  // 235 is the deepest item that the immediates reach, and SWAPN exchanges it with the one above.
  return { bytes: [byte < first ? byte : byte + 128 - first], height: 236 }
}

/** The bytes of the case; `number` is an opcode that is not defined where there is no operation. */
export function opcodeCase(
  random: Random,
  operation: Operation | undefined,
  number: number,
  outcome: Outcome,
): OpcodeCase {
  const code = new Code()
  filler(random, code)
  const { name = 'INVALID', effect } = operation ?? {}
  const { pops, pushes } = effect ?? { pops: 0, pushes: 0 }
  const { bytes, height } = immediate(random, name, number, outcome !== 'invalid opcode')
  if (outcome === 'call depth' && !CALLS.includes(name)) descend(code)
  const isStackFault = outcome === 'stack underflow' || outcome === 'stack overflow'
  if (outcome === 'stack overflow') fillStack(random, code, 1024 - random.below(Math.max(1, pushes - pops)))
  if (outcome === 'stack underflow')
    for (let i = random.below(Math.max(1, operation?.minStack ?? 1)); i > 0; i--) code.push(i)
  if (!isStackFault && height > 0) fillStack(random, code, height)
  if (outcome !== 'stack overflow' && random.below(4) > 0) code.op(OP.JUMPDEST)
  if (!isStackFault) {
    if (name === 'JUMP' || name === 'JUMPI')
      return { ...jump(random, code, name, outcome), isStatic: false, extra: new Map() }
    const own = operandsFor(random, code, name, pops, outcome)
    if (name === 'CALL' && outcome === 'write protection') own[2] = 1n
    for (const [index, item] of [...own.entries()].reverse()) {
      if (index === 0 && outcome === 'call depth' && CALLS.includes(name)) code.op(OP.GAS)
      else code.push(item)
    }
  }
  const at = code.bytes.length
  code.op(number, ...bytes)
  if (pushes > 0 && random.oneIn(2)) code.push(0).op(OP.SSTORE)
  return { code: code.build(), at, isStatic: outcome === 'write protection', extra: accountsFor(outcome, name) }
}

function operandsFor(random: Random, code: Code, name: string, pops: number, outcome: Outcome): bigint[] {
  if (/^(DUP|SWAP)\d/.test(name)) return Array.from({ length: pops }, () => small(random))
  if (WITH_INDEX.has(name)) return []
  const stack = operands(random, name, pops)
  if (outcome === 'return data out of bounds') return [0n, small(random), 1n + small(random)]
  if (outcome === 'address collision') return [0n, 0n, 0n, ...(pops === 4 ? [7n] : [])]
  if (outcome === 'call depth' && CALLS.includes(name)) return [0n, BigInt(SELF), ...stack.slice(2).map(() => 0n)]
  return failing(code, name, outcome, stack)
}

function jump(random: Random, code: Code, name: string, outcome: Outcome): Pick<OpcodeCase, 'code' | 'at'> {
  const isTaken = outcome === 'invalid jump' || random.oneIn(2)
  if (name === 'JUMPI') code.push(isTaken || outcome === 'none' ? 1 + random.below(9) : 0)
  // PUSH2, the jump, and a JUMPDEST behind an INVALID.
  const at = code.bytes.length + 3
  const to = outcome === 'invalid jump' ? random.pick([at, at + 1, 0xffff]) : at + 2
  code.push(to, 2).op(name === 'JUMP' ? OP.JUMP : OP.JUMPI, OP.INVALID, OP.JUMPDEST)
  return { code: code.build(), at }
}

/** Accounts that an outcome needs. */
function accountsFor(outcome: Outcome, name: string): OpcodeCase['extra'] {
  if (outcome !== 'address collision') return new Map()
  const salt = fromHex(`0x${'7'.padStart(64, '0')}`)
  const taken = name === 'CREATE' ? createAddress(SELF, 1n) : create2Address(SELF, salt, new Uint8Array(0))
  return new Map([[taken, { code: Uint8Array.of(OP.STOP), nonce: 1n }]])
}

/** The nonce of the second contract: the greatest one where a creation is to overflow it. */
export const nonceFor = (outcome: Outcome): bigint => (outcome === 'nonce overflow' ? (1n << 64n) - 1n : 1n)
