// Single steps of the interpreter: one opcode each, also for opcodes that otherwise run in fused pairs.
import { describe, expect, test } from 'vitest'
import {
  DELAY,
  INVALID_JUMP,
  OPCODES,
  OUT_OF_GAS,
  PAUSED,
  PLAIN,
  RETURN_OUT_OF_BOUNDS,
  STACK_UNDERFLOW,
  STOPPED,
  TURN,
} from '../../../src/evm/wasm/layout.ts'
import { ArithmeticCode } from '../wasm-compiler/arithmetic-code.ts'
import { BareEngine } from './bare-engine.ts'
import { forkChain } from './differential.ts'
import { Program, Random } from './random-programs.ts'

/** Program counter, stack and gas of each step, and the end reason of the last one. */
function stepThrough(code: readonly number[], gas: bigint) {
  const engine = new BareEngine(code, gas)
  const seen: [pc: number, stack: bigint[], cost: bigint][] = []
  for (;;) {
    const pc = engine.pc
    const before = engine.gas
    const reason = engine.exports.step()
    if (reason !== PAUSED) return { seen, reason, pc, engine }
    seen.push([pc, engine.stack, before - engine.gas])
  }
}

describe('a single step of the engine', () => {
  // PUSH1 7, PUSH1 5, ADD, PUSH1 9, SWAP1, POP, STOP: the interpreter fuses PUSH1 with ADD, and SWAP1 with POP.
  test('is one opcode, also of a fused pair', () => {
    const { seen, reason } = stepThrough([0x60, 7, 0x60, 5, 0x01, 0x60, 9, 0x90, 0x50, 0x00], 100n)
    expect(seen).toEqual([
      [0, [7n], 3n],
      [2, [7n, 5n], 3n],
      [4, [12n], 3n],
      [5, [12n, 9n], 3n],
      [7, [9n, 12n], 3n],
      [8, [9n], 2n],
    ])
    expect(reason).toBe(STOPPED)
  })

  // PUSH2 6, JUMP, 2 bytes of INVALID, JUMPDEST, PUSH1 1, PUSH2 14, JUMPI, INVALID, JUMPDEST, and the implied STOP.
  test('that jumps ends at the JUMPDEST', () => {
    const code = [0x61, 0, 6, 0x56, 0xfe, 0xfe, 0x5b, 0x60, 1, 0x61, 0, 14, 0x57, 0xfe, 0x5b]
    const { seen, reason } = stepThrough(code, 100n)
    expect(seen.map(([pc, , cost]) => [pc, cost])).toEqual([
      [0, 3n],
      [3, 8n],
      [6, 1n],
      [7, 3n],
      [9, 3n],
      [12, 10n],
      [14, 1n],
    ])
    expect(reason).toBe(STOPPED)
  })

  test('returns the reason why the frame ends', () => {
    expect(stepThrough([0x01], 100n).reason).toBe(STACK_UNDERFLOW)
    expect(stepThrough([0x60, 1, 0x56], 100n).reason).toBe(INVALID_JUMP)
    expect(stepThrough([0x60, 1, 0x60, 1, 0x01], 8n)).toMatchObject({ reason: OUT_OF_GAS, pc: 4 })
    // The host executes CALL, so the reason is the opcode.
    expect(stepThrough([...Array<number>(7).fill(0x5f), 0xf1], 100_000n).reason).toBe(0xf1)
  })
})

/** A host with an empty state: every balance, slot and hash is zero. */
const EMPTY = Object.fromEntries(
  [
    ...[
      'access',
      'accessSlot',
      'balance',
      'selfBalance',
      'codeSize',
      'codeHash',
      'copyCode',
      'copyReturn',
      'blockHash',
    ],
    ...['blobHash', 'log', 'tload', 'tstore', 'tell'],
  ].map((name) => [name, () => 0]),
)

// The same code with fused pairs, without them, and step by step must end equally, wherever it runs out of gas.
test.each([0, 100, 200])('random code ends equally in steps and in one run, from seed %i', (first) => {
  const { table } = forkChain('osaka')
  const has = (code: number): boolean => table.operations[code] !== undefined
  for (let seed = first; seed < first + 60; seed++) {
    const random = new Random(seed)
    const code = random.oneIn(2)
      ? new ArithmeticCode(random).build()
      : new Program(random, [1n, 2n, 0xdeadn], has).build()
    const gas = BigInt(random.oneIn(2) ? random.below(300) : random.below(20_000))
    const end = (run: (engine: BareEngine) => number) => {
      const engine = new BareEngine([...code], gas, { host: EMPTY })
      const reason = run(engine)
      // The gas of a failed frame is undefined.
      return { reason, pc: engine.pc, stack: engine.stack, gas: reason < PAUSED ? engine.gas : 0n }
    }
    const paired = end(({ exports }) => exports.run())
    const plain = end(({ exports, words }) => {
      words[PLAIN / 4] = 1
      return exports.run()
    })
    const stepped = end(({ exports }) => {
      for (;;) {
        const reason = exports.step()
        if (reason !== PAUSED) return reason
      }
    })
    expect({ seed, ...plain }).toEqual({ seed, ...paired })
    expect({ seed, ...stepped }).toEqual({ seed, ...paired })
  }
})

// PUSH1 7, PUSH1 5, ADD, PUSH1 9, SWAP1, POP under a table in which ADD costs 1,003 and POP 502:
// 3 + 3 + 1,003 + 3 + 3 + 502 = 1,517 gas.
test('a run without fused pairs charges the prices of the table', () => {
  const engine = new BareEngine([0x60, 7, 0x60, 5, 0x01, 0x60, 9, 0x90, 0x50], 2_000n)
  engine.words[(OPCODES + 8 * 0x01) / 4] = 1_003
  engine.words[(OPCODES + 8 * 0x50) / 4] = 502
  engine.words[PLAIN / 4] = 1
  expect(engine.exports.run()).toBe(STOPPED)
  expect(engine.gas).toBe(2_000n - 1_517n)
})

describe('an opcode that lacks gas', () => {
  const push = (value: number): number[] => [0x62, value >> 16, (value >> 8) & 255, value & 255]
  /** EIP-2929 prices of cold accounts and slots. */
  const host = { access: () => 2_600, accessSlot: () => 1 }
  /** Gas that the code's last opcode lacks; each PUSH before it costs 3. */
  const missing = (items: readonly number[], opcode: number, gas: number) => {
    const engine = new BareEngine([...items.flatMap(push), opcode], BigInt(3 * items.length + gas), { host })
    for (let i = 0; i < items.length; i++) expect(engine.exports.step()).toBe(PAUSED)
    return { reason: engine.exports.step(), missing: engine.missing }
  }
  const short = (by: number) => ({ reason: OUT_OF_GAS, missing: BigInt(by) })

  // The numbers are those of the Yellow Paper (appendix G) and the EIPs; memory of n words costs 3 n + n²/512.
  test('reports the missing gas', () => {
    // ADD: 3.
    expect(missing([1, 2], 0x01, 1)).toEqual(short(2))
    // MLOAD at 4,096: 129 words of memory are 387 + 32 = 419, and 3.
    expect(missing([4_096], 0x51, 100)).toEqual(short(322))
    // KECCAK256 of 64 bytes at 0: 30, 2 words of input at 6, 2 words of memory at 3: 48.
    expect(missing([64, 0], 0x20, 47)).toEqual(short(1))
    // 3 to the power of 0x100: 10, and 50 for each of two bytes (EIP-160).
    expect(missing([256, 3], 0x0a, 60)).toEqual(short(50))
    // LOG1 of 32 bytes: 375 for itself, 375 for the topic, 256 for the bytes, 3 for the memory: 1,009.
    expect(missing([7, 32, 0], 0xa1, 1_000)).toEqual(short(9))
    // CODECOPY of 33 bytes to 0: 3, 2 words at 3, 2 words of memory at 3: 15.
    expect(missing([33, 0, 0], 0x39, 14)).toEqual(short(1))
    // MCOPY (EIP-5656): the same.
    expect(missing([33, 0, 0], 0x5e, 11)).toEqual(short(4))
    // RETURN of 32 bytes at 32: 2 words of memory.
    expect(missing([32, 32], 0xf3, 5)).toEqual(short(1))
    // CREATE2 of 32 bytes at 0: 32,000, one word at 6 to hash and 2 for init code (EIP-3860), one word of memory: 32,011.
    expect(missing([0, 32, 0, 0], 0xf5, 32_010)).toEqual(short(1))
    // CALL with 32 bytes of input: one word of memory.
    expect(missing([0, 0, 32, 0, 0, 0, 0], 0xf1, 2)).toEqual(short(1))
    // EIP-2929.
    expect(missing([1], 0x31, 2_000)).toEqual(short(600))
    expect(missing([1], 0x54, 2_000)).toEqual(short(100))
  })

  test('reports no missing gas if no amount is enough', () => {
    const engine = new BareEngine([0x67, ...Array<number>(8).fill(0xff), 0x51], 1_000_000n)
    expect([engine.exports.step(), engine.exports.step(), engine.missing]).toEqual([PAUSED, OUT_OF_GAS, 0n])
  })
})

// A proposal may set any price. Turns end at JUMPDEST and KECCAK256.
test('an opcode that costs more than a turn’s gas is executed', () => {
  const engine = new BareEngine([0x5b, 0x5f, 0x5f, 0x20], 1_000_000n)
  engine.words[(OPCODES + 8 * 0x5b) / 4] = 5_000
  engine.words[(OPCODES + 8 * 0x20) / 4] = 300_000
  engine.limbs[TURN / 8] = 1_000n
  engine.limbs[DELAY / 8] = 0n
  const reasons = [engine.exports.run(), engine.exports.run()]
  // The turn ends before KECCAK256, the first opcode of the next one.
  expect([reasons, engine.gas]).toEqual([[PAUSED, STOPPED], 1_000_000n - 5_000n - 2n * 2n - 300_000n])
})

// Without return data RETURNDATACOPY of one byte to 0 costs 3, one word at 3 and one word of memory at 3.
test('RETURNDATACOPY is charged before its bounds are checked', () => {
  const code = [0x60, 1, 0x60, 0, 0x60, 0, 0x3e]
  expect(stepThrough(code, 9n + 9n).reason).toBe(RETURN_OUT_OF_BOUNDS)
  const { reason, engine } = stepThrough(code, 9n + 8n)
  expect([reason, engine.missing]).toEqual([OUT_OF_GAS, 1n])
  expect(new BareEngine(code, 9n + 9n).exports.run()).toBe(RETURN_OUT_OF_BOUNDS)
})
