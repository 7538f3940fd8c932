// Single steps of the interpreter: each opcode by itself, also those that it otherwise runs two at a time.
import { describe, expect, test } from 'vitest'
import {
  INVALID_JUMP,
  OPCODES,
  OUT_OF_GAS,
  PAUSED,
  PLAIN,
  STACK_UNDERFLOW,
  STOPPED,
} from '../../../src/evm/wasm/layout.ts'
import { BareEngine } from './bare.ts'

/** Where each step stands, what it leaves on the stack, what it costs, and why the last one ends. */
function stepThrough(code: readonly number[], gas: bigint) {
  const engine = new BareEngine(code, gas)
  const seen: [pc: number, stack: bigint[], cost: bigint][] = []
  for (;;) {
    const [pc, before] = [engine.pc, engine.gas]
    const reason = engine.exports.step()
    if (reason !== PAUSED) return { seen, reason, pc, engine }
    seen.push([pc, engine.stack, before - engine.gas])
  }
}

describe('a step', () => {
  // PUSH1 7, PUSH1 5, ADD, PUSH1 9, SWAP1, POP, STOP: PUSH1 with ADD and SWAP1 with POP run as one in the interpreter.
  test('is one opcode, also of a pair', () => {
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
  test('that jumps stands at the JUMPDEST then', () => {
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

  test('says why the frame does not go on', () => {
    expect(stepThrough([0x01], 100n).reason).toBe(STACK_UNDERFLOW)
    expect(stepThrough([0x60, 1, 0x56], 100n).reason).toBe(INVALID_JUMP)
    expect(stepThrough([0x60, 1, 0x60, 1, 0x01], 8n)).toMatchObject({ reason: OUT_OF_GAS, pc: 4 })
    // CALL is the host's: the reason is the opcode.
    expect(stepThrough([...Array<number>(7).fill(0x5f), 0xf1], 100_000n).reason).toBe(0xf1)
  })
})

// PUSH1 7, PUSH1 5, ADD, PUSH1 9, SWAP1, POP under a table in which ADD costs 1,003 and POP 502:
// 3 + 3 + 1,003 + 3 + 3 + 502 = 1,517 gas.
test('plainly, a run charges what the table says also for what runs as a pair otherwise', () => {
  const engine = new BareEngine([0x60, 7, 0x60, 5, 0x01, 0x60, 9, 0x90, 0x50], 2_000n)
  engine.words[(OPCODES + 8 * 0x01) / 4] = 1_003
  engine.words[(OPCODES + 8 * 0x50) / 4] = 502
  engine.words[PLAIN / 4] = 1
  expect(engine.exports.run()).toBe(STOPPED)
  expect(engine.gas).toBe(2_000n - 1_517n)
})
