// When code is compiled; it can be compiled while it runs, and still be stopped.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { rulesOf } from '../../../src/evm/wasm/rules.ts'
import { compilation, compiledCode } from '../../../src/evm/wasm-compiler/module-cache.ts'
import { Deadline } from '../../../src/lib/deadline.ts'
import { bytesToBig } from '../../../src/lib/hex.ts'
import { keccakHash } from '../../../src/lib/keccak.ts'
import { forkChain } from '../wasm/differential.ts'
import { runCode } from '../wasm/run-code.ts'

const { heat } = compilation

beforeEach(() => {
  compilation.heat = 1_000_000
})
afterEach(() => {
  compilation.heat = heat
})

const { table } = forkChain('osaka')
const { opcodes } = rulesOf(table)
const isCompiled = (code: Uint8Array): boolean => compiledCode(opcodes, keccakHash(code), code) !== undefined

/**
 * Sums up n, n - 1, …, 1: PUSH0, PUSH4 n, then JUMPDEST, DUP1, SWAP2, ADD, SWAP1, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 and JUMPI
 * back, 1 + 9 * 3 + 10 = 38 gas per round; then returns the sum. `salt` makes codes with different hashes.
 */
const summing = (n: number, salt: number): Uint8Array =>
  Buffer.from(
    `5f63${n.toString(16).padStart(8, '0')}5b809101906001900380600657505f5260205ff3${salt.toString(16).padStart(4, '0')}`,
    'hex',
  )
/** Gas outside the loop: PUSH0, PUSH4, POP, PUSH0, MSTORE (with a word of memory), PUSH1, PUSH0. */
const AROUND = 2n + 3n + 2n + 2n + 6n + 3n + 2n

async function untilCompiled(code: Uint8Array): Promise<void> {
  await expect.poll(() => isCompiled(code), { timeout: 10_000, interval: 10 }).toBe(true)
}

/** Afterwards all earlier requests to the compiler thread are done, because it compiles one code after the other. */
async function anotherIsCompiled(salt: number): Promise<void> {
  const code = summing(50_000, salt)
  await runCode(code, 'compiled', { gasLimit: 10_000_000n })
  await untilCompiled(code)
}

test('code that has used enough gas is compiled in the background, and returns the same results', async () => {
  const n = 50_000
  const code = summing(n, 1)
  for (const run of [1, 2]) {
    const { returnData, gasUsed, error } = await runCode(code, 'compiled', { gasLimit: 10_000_000n })
    expect(error, `run ${run}`).toBeUndefined()
    // Gauss: n (n + 1) / 2.
    expect(bytesToBig(returnData)).toBe((BigInt(n) * BigInt(n + 1)) / 2n)
    expect(gasUsed - 21_000n).toBe(38n * BigInt(n) + AROUND)
    await untilCompiled(code)
  }
})

test('code that has used little gas is not compiled', async () => {
  const code = summing(100, 2)
  await runCode(code, 'compiled')
  await anotherIsCompiled(0x102)
  expect(isCompiled(code)).toBe(false)
})

test('code that has used enough gas is not compiled if the engine is the interpreter only', async () => {
  const code = summing(50_000, 3)
  await runCode(code, 'wasm', { gasLimit: 10_000_000n })
  await anotherIsCompiled(0x103)
  expect(isCompiled(code)).toBe(false)
})

test('an endless loop that starts in the interpreter and is compiled while it runs ends at its deadline', async () => {
  const code = Buffer.from('5b5f560004', 'hex')
  const startedAt = performance.now()
  await expect(runCode(code, 'compiled', { gasLimit: 1n << 39n, deadline: new Deadline(700) })).rejects.toThrow(
    /time|long/,
  )
  // Time is the subject: a loop that looks at its deadline too seldom ends with the same error, but minutes later.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(isCompiled(code)).toBe(true)
})

test('an endless loop that was compiled before ends at its deadline', async () => {
  compilation.heat = 0
  const code = Buffer.from('5b5f560005', 'hex')
  const startedAt = performance.now()
  await expect(runCode(code, 'compiled', { gasLimit: 1n << 39n, deadline: new Deadline(200) })).rejects.toThrow(
    /time|long/,
  )
  // Time is the subject: a loop that looks at its deadline too seldom ends with the same error, but minutes later.
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})
