// Code that ends where compilers have bugs: in a PUSH with missing bytes, at the end of a full basic block (100 opcodes) or a
// full trace (300), in a jump, or without a terminator. Sizes at the limits of stack and memory.

import type { Random } from '../code.ts'
import { Code, OP } from '../code.ts'
import { CONTRACTS, gasCuts, gasWith, randomBytes, type Scenario, type Setting } from '../scenario.ts'

/** Lengths in opcodes around the capacities of an engine's structures. */
const FULL = [16, 32, 64, 99, 100, 100, 100, 101, 200, 200, 299, 300, 300, 301, 400, 600]

/** `count` opcodes without jumps that leave the stack height unchanged, with a few JUMPDESTs. */
function filler(random: Random, code: Code, count: number): void {
  const hasDests = random.oneIn(3)
  for (let left = count; left > 0; ) {
    const choice = random.below(hasDests ? 8 : 7)
    if (choice === 7) {
      code.op(OP.JUMPDEST)
      left--
    } else if (left === 1) {
      code.op(random.oneIn(2) ? OP.JUMPDEST : OP.PC)
      left--
    } else if (left >= 4 && choice < 2) {
      code.pushes(random.below(4), random.below(4)).op(random.pick([OP.ADD, OP.MUL, OP.LT]), OP.POP)
      left -= 4
    } else if (left >= 3 && choice === 2) {
      code.push(random.below(256)).push(32 * random.below(8))
      code.op(OP.MSTORE)
      left -= 3
    } else if (left >= 3 && choice === 3) {
      code.push(random.below(64)).op(OP.CALLDATALOAD, OP.POP)
      left -= 3
    } else {
      code.op(random.pick([OP.PC, OP.GAS, OP.MSIZE, OP.ADDRESS, OP.CODESIZE]), OP.POP)
      left -= 2
    }
  }
}

/** A PUSH1 to PUSH32 with only some of its bytes, possibly none. */
function cutOffPush(random: Random): readonly number[] {
  const size = 1 + random.below(32)
  return [0x5f + size, ...randomBytes(random, random.below(size))]
}

/**
 * A multiple of 100 opcodes, or one more or less, ending in a PUSH with missing bytes. Only the number of opcodes or of stack
 * items ends a block in between.
 */
function exactly(random: Random, code: Code): void {
  const total = 100 * (1 + random.below(3)) + random.pick([0, 0, 0, 0, -1, 1])
  const isJumpedTo = code.bytes.at(-1) === OP.JUMPDEST
  if (!isJumpedTo) code.op(OP.JUMPDEST)
  // The JUMPDEST and the last PUSH are two of the opcodes.
  const rises = random.oneIn(2)
  const push = () => (random.oneIn(2) ? code.op(OP.PC) : code.push(random.below(256)))
  for (let left = total - 2; left > 0; left--) {
    if (rises || left === 1) push()
    else {
      push().op(OP.POP)
      left--
    }
  }
  code.op(...cutOffPush(random))
}

/**
 * Code whose last block is full at the end of the code. In half of the cases the input decides whether a store is skipped; the
 * last block then begins after the store and not at the code's start.
 */
export function fullBlocks({ random }: Setting): Uint8Array {
  const code = new Code()
  if (random.oneIn(2)) {
    filler(random, code, random.below(40))
    code.push(0).op(OP.CALLDATALOAD)
    // if (input != 0) { slot 5 = 1 }: ten bytes, then the code continues.
    const behind = code.bytes.length + 10
    code.op(OP.ISZERO).push(behind, 2).op(OP.JUMPI).push(1).store(5).op(OP.JUMPDEST)
  }
  if (random.oneIn(2)) {
    exactly(random, code)
    return code.build()
  }
  const ending = random.below(8)
  filler(random, code, Math.max(0, random.pick(FULL) - (random.oneIn(2) ? 1 : 0)))
  if (ending < 4) code.op(...cutOffPush(random))
  else if (ending === 4) code.push(random.below(Math.max(1, code.bytes.length)), 2).op(OP.JUMP)
  else if (ending === 5)
    code
      .op(OP.GAS)
      .push(random.below(Math.max(1, code.bytes.length)), 2)
      .op(OP.JUMPI)
  else if (ending === 6) code.op(random.pick([OP.STOP, OP.JUMPDEST, OP.INVALID, OP.RETURN]))
  return code.build()
}

/** Calls such code in a loop, so that an engine's turn may end inside any of it. */
function caller(random: Random, rounds: number): Uint8Array {
  const code = new Code().push(rounds)
  const loop = code.dest()
  for (const target of CONTRACTS.slice(1, 5)) {
    code.pushes(0, 0, 32, 0)
    if (random.oneIn(2)) code.push(0)
    else code.push(random.below(2))
    code
      .push(BigInt(target))
      .push(random.pick([500, 2000, 30_000]))
      .op(OP.CALL)
    code.push(0).op(OP.MLOAD, OP.ADD).push(0).op(OP.MSTORE)
  }
  code.push(1).op(OP.SWAP1, OP.SUB, OP.DUP1).loopTo(loop)
  code.push(0).op(OP.MLOAD).store(0)
  return code.build()
}

export function codeEnds(setting: Setting): Scenario {
  const { random } = setting
  const codes = [1, 2, 3, 4].map(() => fullBlocks(setting))
  const data = [new Uint8Array(0), new Uint8Array(32).fill(1), randomBytes(random, 33)]
  const isDirect = random.oneIn(4)
  // The first contract itself may be such code; then gas runs out at adjacent opcodes.
  const gasLimits = isDirect
    ? Array.from({ length: 12 }, (_, i) => gasWith(data[2] ?? new Uint8Array(0), 200 + random.below(300) + i))
    : gasCuts(random, data, 1_500_000, 4)
  return { codes: [isDirect ? fullBlocks(setting) : caller(random, 2 + random.below(30)), ...codes], data, gasLimits }
}

/** Fills the stack to its limit of 1,024 and beyond by a loop of a few pushes, and empties it again. */
export function stackLimits({ random }: Setting): Scenario {
  const code = new Code()
  const each = 1 + random.below(7)
  const rounds = Math.floor(1024 / each) + random.below(3) - 1
  code.push(rounds).push(0).op(OP.MSTORE)
  const loop = code.dest()
  for (let i = 0; i < each; i++) code.op(random.pick([OP.GAS, OP.PC, OP.MSIZE, OP.ADDRESS]))
  code.push(1).push(0).op(OP.MLOAD, OP.SUB, OP.DUP1).push(0).op(OP.MSTORE).loopTo(loop)
  for (let i = random.below(8); i > 0; i--) code.op(OP.DUP1 + random.below(16))
  if (random.oneIn(2)) for (let i = random.below(1030); i > 0; i--) code.op(OP.POP)
  for (let i = 0; i < 3; i++) code.op(OP.ADD)
  code.store(0)
  const outer = new Code()
    .pushes(0, 0, 0, 0, 0, BigInt(CONTRACTS[1] ?? 0), 200_000)
    .op(OP.CALL)
    .store(1)
  const data = [new Uint8Array(0)]
  return {
    codes: [random.oneIn(2) ? outer.build() : code.build(), code.build()],
    data,
    gasLimits: gasCuts(random, data, 300_000, 4),
  }
}

/** Reads, writes and copies at word boundaries, at the end of the data, and at offsets that make memory too large. */
export function memoryEdges({ random, has }: Setting): Scenario {
  const code = new Code()
  const edge = (): bigint => {
    if (random.oneIn(40)) return random.pick([2n ** 32n - 1n, 2n ** 32n, 2n ** 64n - 1n, 2n ** 255n, 2n ** 256n - 1n])
    return BigInt(Math.max(0, 32 * random.below(random.oneIn(10) ? 2000 : 24) + random.below(3) - 1))
  }
  const length = (): bigint => (random.oneIn(6) ? 0n : random.oneIn(80) ? edge() : BigInt(random.below(100)))
  for (let i = 10 + random.below(30); i > 0; i--) {
    const choice = random.below(9)
    if (choice < 2) code.op(OP.GAS).push(edge()).op(OP.MSTORE)
    else if (choice === 2) code.op(OP.GAS).push(edge()).op(OP.MSTORE8)
    else if (choice === 3) code.push(edge()).op(OP.MLOAD).store(random.below(4))
    else if (choice === 4) code.push(length()).push(edge()).op(OP.KECCAK256).store(random.below(4))
    else if (choice === 5) code.push(length()).push(edge()).push(edge()).op(OP.CALLDATACOPY)
    else if (choice === 6) code.push(length()).push(edge()).push(edge()).op(OP.CODECOPY)
    else if (choice === 7 && has(OP.MCOPY)) code.push(length()).push(edge()).push(edge()).op(OP.MCOPY)
    else if (random.oneIn(4)) code.pushes(length(), edge(), edge(), BigInt(CONTRACTS[1] ?? 0)).op(OP.EXTCODECOPY)
    else code.pushes(length(), edge(), length(), edge(), 0, 4, 3000).op(OP.CALL, OP.POP)
    if (random.oneIn(4)) code.op(OP.MSIZE).store(random.below(4))
  }
  code.op(OP.MSIZE).store(6)
  code
    .push(length())
    .push(edge())
    .op(random.pick([OP.RETURN, OP.LOG0]))
  const data = [new Uint8Array(0), randomBytes(random, 77)]
  return { codes: [code.build(), randomBytes(random, 200)], data, gasLimits: gasCuts(random, data, 400_000, 6) }
}
