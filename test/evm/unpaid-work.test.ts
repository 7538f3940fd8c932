// Under opcode tables that charge less than the fork, unpaid work is limited to the gas limit, equally on all engines.
// Unchanged prices are go-ethereum's: JUMPDEST 1, PUSH0 2, JUMP 8, CREATE 32,000, LOG 375 and 8 per byte.
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { freeCycle } from '../../src/evm/free-cycle.ts'
import { buildTable, type JumpTable } from '../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../src/evm/machine.ts'
import { compilation } from '../../src/evm/wasm-compiler/module-cache.ts'
import { Deadline } from '../../src/lib/deadline.ts'
import { fromHex, type Hex, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import { asm } from '../support/assembler.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView } from '../support/native.ts'

type Change = (table: JumpTable) => void

const ENGINES: readonly EngineChoice[] = ['library', 'wasm', 'compiled']
const rules = forkRules('osaka')
const { heat } = compilation
beforeEach(() => {
  compilation.heat = 0
})
afterEach(() => {
  compilation.heat = heat
})

const free =
  (...names: readonly string[]): Change =>
  (table) => {
    for (const name of names) table.op(name).setConstantGas(0n)
  }

async function runOn(engine: EngineChoice, code: string, change: Change, gasLimit: bigint, boundsWork = true) {
  const view = await emptyView()
  view.setCode(bob, fromHex(code as Hex))
  const machine = new Machine({
    spec: presets.kestrel(),
    engine,
    view,
    natives: new Map(),
    blockHash: () => undefined,
    deadline: new Deadline(boundsWork ? 60_000 : 200),
    table: buildTable(rules, change, boundsWork),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
  })
  const { gasUsed, failure, logs } = await machine.run(messageTo(bob, { from: alice, gasLimit }))
  return { gasUsed, failure: failure?.code, logs: logs.length, unpaid: machine.unpaidWork }
}

/** The outcome, expected to be the same on all engines. */
async function run(code: string, change: Change, gasLimit: bigint) {
  const outcomes = []
  for (const engine of ENGINES) outcomes.push(await runOn(engine, code, change, gasLimit))
  for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
  return outcomes[0]
}

describe('unpaid work', () => {
  const ENDLESS = asm('JUMPDEST', 'PUSH0', 'JUMP')

  it('ends a free loop when it exceeds the gas limit', async () => {
    // 9,090 rounds of 11 leave 10 of 100,000: enough for JUMPDEST and PUSH0, not for JUMP.
    const outcome = await run(ENDLESS, free('JUMPDEST', 'PUSH0', 'JUMP'), 100_000n)
    expect(outcome).toEqual({ gasUsed: 100_000n, failure: 'out of gas', logs: 0, unpaid: 9_090n * 11n + 3n })
  })

  it('is the difference from the fork’s price, in a loop that costs gas', async () => {
    // Each round leaves 9 unpaid and costs 2.
    const outcome = await run(ENDLESS, free('JUMPDEST', 'JUMP'), 90_000n)
    expect(outcome).toEqual({ gasUsed: 90_000n, failure: 'out of gas', logs: 0, unpaid: 90_000n })
  })

  it.each(ENGINES)('if unbounded, does not keep a call from ending at its deadline (%s)', async (engine) => {
    const running = runOn(engine, ENDLESS, free('JUMPDEST', 'PUSH0', 'JUMP'), 100_000n, false)
    await expect(running).rejects.toMatchObject({ code: 'limit-exceeded' })
  })

  it('includes the bytes of a log that costs nothing', async () => {
    const change: Change = (table) => table.op('LOG0').setDynamicGas(() => 0n)
    const code = asm('PUSH0', 'JUMPDEST', 'PUSH2 0xffff', 'PUSH0', 'LOG0', 'PUSH1 0x01', 'JUMP')
    // The first log also expands memory to 2,048 words: 3 each, plus the square over 512.
    const first = 375n + 8n * 65_535n + 3n * 2_048n + 2_048n ** 2n / 512n
    const outcome = await run(code, change, 2_000_000n)
    expect(outcome).toMatchObject({ failure: 'out of gas', unpaid: first + 2n * (375n + 8n * 65_535n) })
  })

  it('limits a tree of free calls', async () => {
    const change: Change = (table) => {
      for (const name of ['CALL', 'PUSH0', 'ADDRESS', 'GAS']) table.op(name).setConstantGas(0n)
      table.op('CALL').setDynamicGas(() => 0n)
    }
    const branch = ['PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'ADDRESS', 'GAS', 'CALL']
    const outcome = await run(asm(...branch, ...branch), change, 1_000_000n)
    // Each call leaves 2,600 unpaid (EIP-2929), its arguments 14.
    expect(outcome?.unpaid).toBeGreaterThan(1_000_000n - 2_614n)
    expect(outcome?.unpaid).toBeLessThanOrEqual(1_000_000n)
  })

  it('is zero under a table that charges more', async () => {
    const outcome = await run(asm('PUSH0', 'POP'), (table) => void table.op('POP').setConstantGas(5n), 100_000n)
    expect(outcome).toEqual({ gasUsed: 7n, failure: undefined, logs: 0, unpaid: 0n })
  })
})

describe('a price set by a function', () => {
  const zero: Change = (table) => void table.op('SSTORE').setDynamicGas(() => 0n)

  it('does not allow changes in static frames', async () => {
    // Calls itself with a byte of input; with input it writes a slot.
    const call = ['PUSH0', 'PUSH0', 'PUSH1 0x01', 'PUSH0', 'ADDRESS', 'GAS', 'STATICCALL', 'STOP']
    const code = asm('CALLDATASIZE', 'PUSH1 0x0d', 'JUMPI', ...call, 'JUMPDEST', 'PUSH1 0x01', 'PUSH0', 'SSTORE')
    const outcome = await run(code, zero, 100_000n)
    // The inner frame fails with all its gas, 63/64 of the total.
    expect(outcome?.gasUsed).toBeGreaterThan(98_000n)
  })

  it('adds no gas to a call with value', async () => {
    const change: Change = (table) => void table.op('CALL').setDynamicGas(() => 0n)
    const call = ['PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'CALLER', 'PUSH0', 'CALL']
    expect((await run(asm(...call), change, 100_000n))?.gasUsed).toBe(6n * 2n + 2n + 100n)
  })
})

describe('free cycles', () => {
  const of = (change: Change) => freeCycle(buildTable(rules, change))

  test.each([
    ['a loop', ['JUMPDEST', 'JUMP', 'PUSH0']],
    ['a loop by a condition', ['JUMPDEST', 'JUMPI', 'DUP1']],
    ['a recursion', ['CALL', 'ADDRESS']],
    ['a creation', ['CREATE2', 'PUSH0']],
  ])('%s', (_, names) => {
    expect([...(of(free(...names)) ?? [])].sort()).toEqual([...names].sort())
  })

  test.each([
    ['nothing but ADD', ['ADD']],
    ['jumps with pushes that cost', ['JUMP', 'JUMPI', 'JUMPDEST']],
    ['a JUMPDEST that costs', ['JUMP', 'JUMPI', 'PUSH0', 'PUSH1', 'DUP1']],
    ['calls whose operands cost', ['CALL', 'CREATE', 'JUMP', 'DUP1']],
    ['opcodes that take as many items as they leave', ['JUMPDEST', 'JUMP', 'NOT', 'ISZERO', 'SWAP1']],
  ])('none: %s', (_, names) => {
    expect(of(free(...names))).toBeUndefined()
  })

  it('include new opcodes that may push items', () => {
    const define: Change = (table) => {
      free('JUMPDEST', 'JUMP')(table)
      table.define(0x0c, 'ONE', { execute: ({ stack }) => stack.push(1n), pops: 0, pushes: 1 })
    }
    expect(of(define)).toEqual(['JUMPDEST', 'JUMP', 'ONE'])
  })
})

describe('a failing function of a replaced opcode', () => {
  const failing: readonly (readonly [string, Parameters<ReturnType<JumpTable['op']>['setExecute']>[0]])[] = [
    ['a word out of range', ({ stack }) => stack.push(1n << 300n)],
    ['a word below zero', ({ stack }) => stack.push(-1n)],
    ['a promise', async () => {}],
    ['a rejected promise', () => Promise.reject(new Error('rejected'))],
    [
      'something that cannot be printed',
      () => {
        throw Object.create(null)
      },
    ],
    [
      'more gas than before',
      (frame) => {
        Object.assign(frame, { gasLeft: frame.gasLeft + 1n })
      },
    ],
  ]

  it.each(failing)('ends the frame with all its gas: %s', async (_, execute) => {
    const code = asm('CHAINID', 'PUSH0', 'SSTORE')
    const change: Change = (table) => void table.op('CHAINID').setExecute(execute)
    for (const engine of ENGINES)
      expect(await runOn(engine, code, change, 50_000n)).toMatchObject({ gasUsed: 50_000n, failure: 'proposal' })
  })
})
