// The compiler thread may be slow or die: execution does not wait for it, because the interpreter runs the code.
import { beforeEach, expect, test, vi } from 'vitest'
import type { Compiled } from '../../../src/evm/wasm/compiler.ts'
import { rulesOf } from '../../../src/evm/wasm/rules.ts'
import { compilation, compile, compiledCode } from '../../../src/evm/wasm-compiler/module-cache.ts'
import { CompilerThread } from '../../../src/evm/wasm-compiler/thread.ts'
import { bytesToBig } from '../../../src/lib/hex.ts'
import { keccakHash } from '../../../src/lib/keccak.ts'
import { forkChain } from '../wasm/differential.ts'
import { runCode } from '../wasm/run-code.ts'

const { thread } = compilation
const { table } = forkChain('osaka')
const { opcodes } = rulesOf(table)

beforeEach(() => {
  compilation.heat = 1_000_000
  compilation.thread = thread
})

/** Returns 1 + 2 + ... + 50,000 (as in hot-code.test.ts), with trailing bytes that make the code unique. */
const summing = (salt: number): Uint8Array =>
  Buffer.from(`5f630000c3505b809101906001900380600657505f5260205ff3${salt.toString(16).padStart(4, '0')}`, 'hex')
const SUM = 1_250_025_000n

const isCompiled = (code: Uint8Array): boolean => compiledCode(opcodes, keccakHash(code), code) !== undefined
const ask = (code: Uint8Array): Promise<Compiled> =>
  new Promise((done) => compile(opcodes, keccakHash(code), code, done))

async function runs(code: Uint8Array): Promise<void> {
  const { returnData, error } = await runCode(code, 'compiled', { gasLimit: 10_000_000n })
  expect(error).toBeUndefined()
  expect(bytesToBig(returnData)).toBe(SUM)
}

const FAILING = [
  ['is no program', 'this is no program'],
  [
    'throws at its first request',
    "require('node:worker_threads').parentPort.on('message', () => { throw new Error() })",
  ],
  ['exits at its first request', "require('node:worker_threads').parentPort.on('message', () => process.exit(0))"],
] as const

test.each(FAILING)('a compiler thread that %s leaves the code to the interpreter', async (what, text) => {
  const failing = new CompilerThread(text)
  const compileSpy = vi.spyOn(failing, 'compile')
  compilation.thread = failing
  const code = summing(0x100 + what.length)
  await runs(code)
  // The code was hot enough for a request, and the thread returned no compiled code.
  expect(compileSpy).toHaveBeenCalledOnce()
  expect(await compileSpy.mock.results[0]?.value).toBeUndefined()
  expect(isCompiled(code)).toBe(false)
  await runs(code)
})

test('after a compiler thread has died, the next request starts another', async () => {
  const text = "require('node:worker_threads').parentPort.on('message', ({ code }) => process.exit(code[0]))"
  const dying = new CompilerThread(text)
  const question = { code: new Uint8Array(1), table: opcodes }
  // Two results from each: a second request to the ended thread would have none.
  for (let i = 0; i < 2; i++) {
    expect(await Promise.all([dying.compile(question), dying.compile(question)])).toEqual([undefined, undefined])
  }
})

test('a code that the compiler thread cannot compile is not requested again, and the next one is compiled', async () => {
  // An empty opcode table makes the compiler fail.
  const none = new Uint8Array(0)
  const code = summing(0x300)
  let answered = false
  compile(none, keccakHash(code), code, () => {
    answered = true
  })
  await ask(summing(0x301))
  expect(answered).toBe(false)
  expect(compiledCode(none, keccakHash(code), code)).toBeUndefined()
})

test('without a compiler thread the main thread compiles', async () => {
  compilation.thread = undefined
  const code = summing(0x400)
  await ask(code)
  await runs(code)
})

test('at most sixteen codes are queued for compilation; a refused code may be requested again', async () => {
  const codes = Array.from({ length: 17 }, (_, i) => summing(0x500 + i))
  let left = 16
  const taken = await new Promise<boolean[]>((resolve) => {
    const answers = codes.map((code) =>
      compile(opcodes, keccakHash(code), code, () => {
        left--
        if (left === 0) resolve(answers)
      }),
    )
  })
  expect(taken).toEqual([...Array.from({ length: 16 }, () => true), false])
  const last = summing(0x510)
  await ask(last)
  expect(isCompiled(last)).toBe(true)
})

test('the main thread is not blocked while the worker compiles the slowest code', async () => {
  // JUMPDEST, ISZERO of CALLDATASIZE, and JUMPI to 0, repeated: among the slowest code to compile.
  const code = Buffer.from('5b3615600057'.repeat(4096), 'hex')
  let turns = 0
  let isDone = false
  const done = ask(code).then(() => {
    isDone = true
  })
  for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve))
  await done
  // Compiling takes tens of milliseconds, in which this thread makes thousands of turns; if it compiled itself, two or three.
  expect(turns).toBeGreaterThan(50)
})
