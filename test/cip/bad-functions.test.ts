// Functions of a module that answer what they must not, on every engine: a call and a transaction end with all their gas, and
// the trace shows the opcode.
import { describe, expect, it } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import type { JumpTable } from '../../src/evm/jump-table.ts'
import type { Execute } from '../../src/evm/opcode-frame.ts'
import type { DynamicGas } from '../../src/evm/opcode-table.ts'
import { playground } from '../support/assembler.ts'
import { testChain } from '../support/chain.ts'
import { moduleOf, specWith } from './support.ts'

const executes = (run: (frame: Parameters<Execute>[0]) => unknown) => (table: JumpTable) =>
  void table.op('CHAINID').setExecute(run as Execute)
const costs = (gas: (state: Parameters<DynamicGas>[0]) => unknown) => (table: JumpTable) =>
  void table.op('CHAINID').setDynamicGas(gas as DynamicGas)

/** What CHAINID does, and why the frame fails in the words of docs/proposals.md or of what was thrown. */
const CASES: readonly (readonly [what: string, apply: Proposal['apply'], words: string | RegExp])[] = [
  ['pushes 2^256', executes(({ stack }) => stack.push(1n << 256n)), 'an item of the stack is no word'],
  ['pushes 2^300', executes(({ stack }) => stack.push(1n << 300n)), 'an item of the stack is no word'],
  ['pushes -1', executes(({ stack }) => stack.push(-1n)), 'an item of the stack is no word'],
  ['pushes a number', executes(({ stack }) => stack.push(5 as unknown as bigint)), 'an item of the stack is no word'],
  ['pushes undefined', executes(({ stack }) => stack.push(undefined as unknown as bigint)), 'is no word'],
  ['pushes 1,025 items', executes(({ stack }) => Array.from({ length: 1_025 }, () => stack.push(1n))), 'stack limit'],
  ['pops more than there is', executes(({ stack }) => stack.popN(2)), 'stack underflow (0 <=> 2)'],
  ['looks at more than there is', executes(({ stack }) => stack.peek(1)), 'stack underflow (0 <=> 1)'],
  ['stores no word', executes(({ storage }) => storage.store(1n, 1n << 256n)), 'the value is no word'],
  ['logs no word', executes(({ log }) => log([-1n], new Uint8Array())), 'topic is no word'],
  ['writes no bytes', executes(({ memory }) => memory.write(0, 'x' as unknown as Uint8Array)), 'expected a Uint8Array'],
  ['reads before the beginning', executes(({ memory }) => memory.read(-1, 1)), 'a range begins or ends below zero'],
  ['reads beyond all memory', executes(({ memory }) => memory.read(1n << 200n, 1)), 'out of gas'],
  ['gives gas back', executes(({ chargeGas }) => chargeGas(-1n)), 'gas: expected a bigint from 0'],
  ['charges 2^300', executes(({ chargeGas }) => chargeGas(1n << 300n)), 'out of gas'],
  ['ends with no bytes', executes(({ finish }) => finish('x' as unknown as Uint8Array)), 'expected a Uint8Array'],
  ['returns a promise', executes(() => Promise.reject(new Error('late'))), 'execute must not be asynchronous'],
  [
    'throws nothing',
    executes(() => {
      throw undefined
    }),
    'undefined',
  ],
  ['costs less than nothing', costs(() => -5n), 'dynamic gas of CHAINID is -5'],
  ['costs a number', costs(() => 5), 'expected a bigint, got number'],
  ['costs 2^300', costs(() => 1n << 300n), 'out of gas'],
  ['costs what is below the stack', costs(({ stack }) => stack.peek(3)[2]), 'stack underflow (0 <=> 3)'],
]
const GAS = 100_000

describe.each(['library', 'wasm', 'compiled'] as const)('an opcode of a module on the engine %s that', (engine) => {
  it.each(CASES)('%s ends the frame with all its gas', async (_, apply, words) => {
    const proposal: Proposal = { number: 7, title: 'bad', apply }
    const chain = await testChain({ spec: specWith({ active: ['kestrel_7'] }), modules: [moduleOf(proposal)], engine })
    const { contract, send, rpc } = playground(chain)
    // CHAINID twice, so that what follows the first one is not reached.
    const to = await contract('0x4646')
    const { error } = await chain.raw('eth_call', { to, gas: `0x${GAS.toString(16)}` })
    expect(error?.message).toContain(words)
    const hash = await send(to, { gas: GAS })
    const { status, gasUsed } = await rpc('eth_getTransactionReceipt', hash)
    expect([status, Number(gasUsed)]).toEqual(['0x0', GAS])
    const { structLogs, failed } = await rpc('debug_traceTransaction', hash)
    expect([failed, structLogs.map(({ op }: { op: string }) => op)]).toEqual([true, ['CHAINID']])
  })
})
