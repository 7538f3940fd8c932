// Opcodes on edge values. Expected results are calculated here with bigints, by the Yellow Paper (appendix H) and the EIPs.
import { beforeAll, describe, expect, test } from 'vitest'
import type { EngineChoice } from '../../../src/evm/machine.ts'
import { acquireInstance } from '../../../src/evm/wasm/instance-pool.ts'
import { compilation } from '../../../src/evm/wasm-compiler/module-cache.ts'
import { bytesToBig } from '../../../src/lib/hex.ts'
import { runCode } from './run-code.ts'

const WORD = 1n << 256n
const cut = (value: bigint): bigint => BigInt.asUintN(256, value)
const signed = (value: bigint): bigint => BigInt.asIntN(256, value)

const VALUES = [
  ...[0n, 1n, 2n, 3n, 7n, 31n, 32n, 255n, 256n, 257n, 0xffff_ffffn, 1n << 32n, (1n << 64n) - 1n, 1n << 64n],
  ...[(1n << 64n) + 1n, (1n << 127n) + 12_345n, (1n << 128n) - 1n, 1n << 128n, (1n << 192n) + 7n, (1n << 255n) - 1n],
  ...[
    1n << 255n,
    (1n << 255n) + 1n,
    WORD - 3n,
    WORD - 1n,
    0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n,
  ],
]

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  for (const bit of exponent.toString(2)) {
    result = cut(result * result)
    if (bit === '1') result = cut(result * base)
  }
  return result
}

const extended = (index: bigint, value: bigint): bigint =>
  index > 30n ? value : cut(BigInt.asIntN(8 * (Number(index) + 1), value))

const BINARY: readonly (readonly [string, number, (a: bigint, b: bigint) => bigint])[] = [
  ['ADD', 0x01, (a, b) => cut(a + b)],
  ['MUL', 0x02, (a, b) => cut(a * b)],
  ['SUB', 0x03, (a, b) => cut(a - b)],
  ['DIV', 0x04, (a, b) => (b === 0n ? 0n : a / b)],
  ['SDIV', 0x05, (a, b) => (b === 0n ? 0n : cut(signed(a) / signed(b)))],
  ['MOD', 0x06, (a, b) => (b === 0n ? 0n : a % b)],
  ['SMOD', 0x07, (a, b) => (b === 0n ? 0n : cut(signed(a) % signed(b)))],
  ['EXP', 0x0a, power],
  ['SIGNEXTEND', 0x0b, extended],
  ['LT', 0x10, (a, b) => (a < b ? 1n : 0n)],
  ['GT', 0x11, (a, b) => (a > b ? 1n : 0n)],
  ['SLT', 0x12, (a, b) => (signed(a) < signed(b) ? 1n : 0n)],
  ['SGT', 0x13, (a, b) => (signed(a) > signed(b) ? 1n : 0n)],
  ['EQ', 0x14, (a, b) => (a === b ? 1n : 0n)],
  ['AND', 0x16, (a, b) => a & b],
  ['OR', 0x17, (a, b) => a | b],
  ['XOR', 0x18, (a, b) => a ^ b],
  ['BYTE', 0x1a, (a, b) => (a > 31n ? 0n : (b >> (8n * (31n - a))) & 255n)],
  ['SHL', 0x1b, (a, b) => (a > 255n ? 0n : cut(b << a))],
  ['SHR', 0x1c, (a, b) => (a > 255n ? 0n : b >> a)],
  ['SAR', 0x1d, (a, b) => cut(signed(b) >> (a > 255n ? 255n : a))],
]

const TERNARY: readonly (readonly [string, number, (a: bigint, b: bigint, n: bigint) => bigint])[] = [
  ['ADDMOD', 0x08, (a, b, n) => (n === 0n ? 0n : (a + b) % n)],
  ['MULMOD', 0x09, (a, b, n) => (n === 0n ? 0n : (a * b) % n)],
]

const UNARY: readonly (readonly [string, number, (a: bigint) => bigint])[] = [
  ['ISZERO', 0x15, (a) => (a === 0n ? 1n : 0n)],
  ['NOT', 0x19, (a) => WORD - 1n - a],
  ['CLZ', 0x1e, (a) => BigInt(256 - (a === 0n ? 0 : a.toString(2).length))],
]

const push = (value: bigint): number[] => [0x7f, ...Buffer.from(value.toString(16).padStart(64, '0'), 'hex')]

/**
 * The interpreter, and compiled code in which all operands, none, or every second one are constants, for which the compiler
 * emits different instructions.
 */
const MODES: readonly (readonly [EngineChoice, (set: number, operand: number) => boolean])[] = [
  ['wasm', () => true],
  ['compiled', () => true],
  ['compiled', () => false],
  ['compiled', (set, operand) => (set + operand) % 2 === 0],
]
/** Operand sets per contract, so that its code is within the size limit. */
const SETS = 400

/** The results of an opcode for many operand sets, which the code writes to memory and returns. */
async function answers(way: number, opcode: number, operands: readonly (readonly bigint[])[]): Promise<bigint[]> {
  const [engine, isKnown] = MODES[way] ?? ['wasm', () => true]
  const found: bigint[] = []
  for (let start = 0; start < operands.length; start += SETS) {
    const sets = operands.slice(start, start + SETS)
    const code: number[] = []
    const input: number[] = []
    for (const [set, items] of sets.entries()) {
      for (const [operand, item] of [...items.entries()].reverse()) {
        const word = push(item)
        if (isKnown(set, operand)) code.push(...word)
        else {
          code.push(0x62, input.length >> 16, (input.length >> 8) & 255, input.length & 255, 0x35)
          input.push(...word.slice(1))
        }
      }
      code.push(opcode, 0x62, set >> 11, (set >> 3) & 255, (set & 7) << 5, 0x52)
    }
    code.push(...push(BigInt(sets.length * 32)), 0x5f, 0xf3)
    const data = Uint8Array.from(input)
    const { returnData, error } = await runCode(Uint8Array.from(code), engine, { gasLimit: 10_000_000n, data })
    expect(error).toBeUndefined()
    found.push(...sets.map((_, i) => bytesToBig(returnData.subarray(i * 32, i * 32 + 32))))
  }
  return found
}

beforeAll(() => {
  compilation.heat = 0
  // Without the WebAssembly engine the library would be tested instead.
  expect(acquireInstance()).toBeDefined()
})

describe.each([0, 1, 2, 3])('opcodes on edge values, mode %i', (way) => {
  test.each(BINARY)('%s', async (_, opcode, expected) => {
    const operands = VALUES.flatMap((a) => VALUES.map((b) => [a, b] as const))
    expect(await answers(way, opcode, operands)).toEqual(operands.map(([a, b]) => expected(a, b)))
  })

  test.each(TERNARY)('%s', async (_, opcode, expected) => {
    const some = VALUES.filter((_, i) => i % 2 === 0)
    const operands = some.flatMap((a) => some.flatMap((b) => VALUES.map((n) => [a, b, n] as const)))
    expect(await answers(way, opcode, operands)).toEqual(operands.map(([a, b, n]) => expected(a, b, n)))
  })

  test.each(UNARY)('%s', async (_, opcode, expected) => {
    const operands = VALUES.map((a) => [a] as const)
    expect(await answers(way, opcode, operands)).toEqual(operands.map(([a]) => expected(a)))
  })
})

/** Published hashes of empty input and of `abc`: FIPS 202's function with Keccak's padding. */
test('KECCAK256 of no bytes and of abc is the published hash', async () => {
  const empty = await runCode(Uint8Array.of(0x5f, 0x5f, 0x20, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3), 'wasm')
  expect(Buffer.from(empty.returnData).toString('hex')).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
  const abc = Uint8Array.of(
    0x62,
    0x61,
    0x62,
    0x63,
    0x5f,
    0x52,
    0x60,
    0x03,
    0x60,
    0x1d,
    0x20,
    0x5f,
    0x52,
    0x60,
    0x20,
    0x5f,
    0xf3,
  )
  expect(Buffer.from((await runCode(abc, 'wasm')).returnData).toString('hex')).toBe(
    '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45',
  )
})

/** Code, its failure in geth's words, and gas used besides the transaction's 21,000, calculated by appendix H. */
const ENDINGS: readonly (readonly [string, string, string | undefined, bigint])[] = [
  ['runs past its end', '5f', undefined, 2n],
  ['a PUSH cut off by the end', '7f01', undefined, 3n],
  ['expands memory by 3 words: 3 + 3 * 3', '5f60405200', undefined, 2n + 3n + 3n + 9n],
  ['expands by 724 words: 3 * 724 + 724 * 724 / 512', '5f615a60520000', undefined, 2n + 3n + 3n + 2172n + 1023n],
  ['jumps to no JUMPDEST', '600056', 'invalid jump destination', 79_000n],
  ['jumps into a PUSH', '6004565b605b00', 'invalid jump destination', 79_000n],
  ['lacks an item', '01', 'stack underflow (0 <=> 2)', 79_000n],
  ['designated INVALID', 'fe', 'invalid opcode: INVALID', 79_000n],
  ['no such opcode', '0c', 'invalid opcode: opcode 0xc not defined', 79_000n],
  ['reverts', '60016000fd', 'execution reverted', 3n + 3n + 3n],
  ['copies return data that are not there', '60015f5f3e', 'return data out of bounds', 79_000n],
  [
    'touches memory that no gas pays for',
    '5f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5200',
    'out of gas',
    79_000n,
  ],
  [
    'asks for nothing far away',
    '5f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff20',
    undefined,
    2n + 3n + 30n,
  ],
  ['exponent of 2 bytes: 10 + 2 * 50', '61010060020a', undefined, 3n + 3n + 110n],
  ['loops until its gas is gone', '5b5f56', 'out of gas', 79_000n],
]

describe.each(['wasm', 'compiled'] as const)('%s', (engine) => {
  test.each(ENDINGS)('%s', async (_, code, error, gas) => {
    const result = await runCode(Buffer.from(code, 'hex'), engine)
    expect(result.error).toBe(error)
    expect(result.gasUsed - 21_000n).toBe(gas)
  })

  test('the stack holds 1,024 items and no more', async () => {
    const full = Uint8Array.from({ length: 1024 }, () => 0x5f)
    expect((await runCode(full, engine)).error).toBeUndefined()
    expect((await runCode(Uint8Array.from([...full, 0x5f]), engine)).error).toBe('stack limit reached 1024 (1023)')
  })
})
