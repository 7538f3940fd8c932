// Compiled code at the end of a contract's code: a truncated PUSH, at which a basic block or a turn ends. Execution continues
// at the implied STOP, never in a trace that is read from bytes after the table of entries.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256 } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { rulesOf } from '../../../src/evm/wasm/rules.ts'
import { BasicBlocks } from '../../../src/evm/wasm-compiler/blocks.ts'
import { entryCount, generate } from '../../../src/evm/wasm-compiler/compile.ts'
import { compilation, compiledCode } from '../../../src/evm/wasm-compiler/module-cache.ts'
import type { Hash } from '../../../src/lib/hex.ts'
import { runStateTests } from '../../conformance/state-test.ts'
import { request, testChain } from '../../support/chain.ts'
import { forkChain } from '../wasm/differential.ts'

const FILE = readFileSync(
  join(import.meta.dirname, '../../conformance/state-tests/codeEnd/behind-the-end.json'),
  'utf8',
)
const PRE: Record<string, { code: `0x${string}` }> = JSON.parse(FILE)['behind-38450-4o'].pre
const FIRST = '0xc0de000000000000000000000000000000000001'
const SECOND = '0xc0de000000000000000000000000000000000002'
const codeOf = (address: string): `0x${string}` => PRE[address]?.code ?? '0x'

const { table } = forkChain('osaka')
const { opcodes } = rulesOf(table)
const { heat } = compilation

beforeEach(() => {
  compilation.heat = 0
})
afterEach(() => {
  compilation.heat = heat
})

// The root is go-ethereum's.
test('a turn that ends after a truncated PUSH continues at the end of the code', async () => {
  const results = []
  for await (const { pass, stateRoot } of runStateTests(FILE, {})) results.push({ pass, stateRoot })
  expect(results).toEqual([
    { pass: true, stateRoot: '0xd43605157d6255db4a164dd7dc2a1567689b406e1f7f59f6fbe808d9d01d7ec0' },
  ])
})

test.each(Array.from({ length: 32 }, (_, i) => i + 1))(
  'no basic block ends beyond code that ends in PUSH%i',
  (bytes) => {
    for (let present = 0; present <= bytes; present++) {
      const code = Uint8Array.of(0x5b, 0x5f + bytes, ...new Array(present).fill(0x5b))
      const blocks = new BasicBlocks(code, opcodes)
      expect(blocks.at(0).end).toBe(code.length)
      const { entries } = generate(code, opcodes)
      expect(entries.length).toBe(entryCount(code.length))
      expect(entries.at(-1)).toBe(0)
    }
  },
)

/**
 * Gas of the call: the transaction; CALLDATASIZE, PUSH2, JUMPI; five PUSH0, PUSH20, GAS and a cold CALL that stops at once;
 * POP, PUSH3; 38,450 rounds of JUMPDEST, PUSH1, SWAP1, SUB, DUP1, PUSH2, JUMPI; POP, PUSH2, JUMP, JUMPDEST, 198 PUSH0 and
 * PUSH32. With the bug it was 22,107 more: JUMPDEST, two PUSH1 and SSTORE to a new, cold slot (1 + 3 + 3 + 22,100).
 */
const GAS = 21_000 + 15 + (5 * 2 + 3 + 2 + 2_600) + (2 + 3) + 38_450 * 26 + (2 + 3 + 8) + (1 + 198 * 2 + 3)

test('a node charges the same gas as go-ethereum for code that ends in a truncated PUSH', async () => {
  compilation.heat = heat
  const { node } = await testChain()
  const send = async (): Promise<Record<string, unknown>> => {
    const [from] = (await request(node.url, 'eth_accounts')) as string[]
    const call = { from, to: FIRST, gas: '0x2dc6c0' }
    const hash = await request(node.url, 'eth_sendTransaction', [call])
    return (await request(node.url, 'eth_getTransactionReceipt', [hash])) as Record<string, unknown>
  }
  await request(node.url, 'anvil_setCode', [FIRST, codeOf(FIRST)])
  const code = Buffer.from(codeOf(FIRST).slice(2), 'hex')
  const isCompiled = (): boolean => compiledCode(opcodes, keccak256(code) as Hash, code) !== undefined
  // Code becomes hot after ten million gas; each call uses one million.
  for (let i = 0; i < 12; i++) await send()
  await expect.poll(isCompiled, { timeout: 10_000 }).toBe(true)
  await send()
  await request(node.url, 'anvil_setCode', [SECOND, codeOf(SECOND)])
  const receipt = await send()
  expect(receipt['gasUsed']).toBe(`0x${GAS.toString(16)}`)
  expect(await request(node.url, 'eth_getStorageAt', [FIRST, '0x0', 'latest'])).toBe(`0x${'0'.repeat(64)}`)
})
