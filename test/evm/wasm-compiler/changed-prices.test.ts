// Opcode tables changed by a proposal, on all engines: prices, stack bounds, functions for gas and memory. Also prices above
// the gas of an engine's turn or of an interpreter's run, at which neither may make no progress.

import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildTable, type JumpTable } from '../../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../../src/evm/machine.ts'
import { compilation } from '../../../src/evm/wasm-compiler/module-cache.ts'
import { type Hex, hexToAddress, ZERO_ADDRESS } from '../../../src/lib/hex.ts'
import { forkRules } from '../../../src/spec/fork-rules.ts'
import { presets } from '../../../src/spec/presets.ts'
import { asm } from '../../support/assembler.ts'
import { messageTo } from '../../support/messages.ts'
import { alice, bob, emptyView } from '../../support/native.ts'

const { heat } = compilation
beforeEach(() => {
  compilation.heat = 0
})
afterEach(() => {
  compilation.heat = heat
})

const ENGINES: readonly EngineChoice[] = ['library', 'wasm', 'compiled']
const rules = forkRules('osaka')

/** Gas and failure of code at bob's address, on each engine. */
async function onAll(
  lines: readonly string[],
  change: (table: JumpTable) => void,
  gasLimit: bigint,
  others: Readonly<Record<Hex, readonly string[]>> = {},
) {
  const results = []
  for (const engine of ENGINES) {
    const view = await emptyView()
    view.setCode(bob, Buffer.from(asm(...lines).slice(2), 'hex'))
    for (const [of, code] of Object.entries(others))
      view.setCode(hexToAddress(of as Hex), Buffer.from(asm(...code).slice(2), 'hex'))
    const machine = new Machine({
      spec: presets.kestrel(),
      engine,
      view,
      natives: new Map(),
      blockHash: () => undefined,
      deadline: undefined,
      table: buildTable(rules, change),
      block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
    })
    const { gasUsed, failure, refund } = await machine.run(messageTo(bob, { from: alice, gasLimit }))
    results.push({ gasUsed, failure: failure?.message, refund })
  }
  return results
}

/** Three rounds: PUSH1 3, then JUMPDEST, PUSH1 1, SWAP1, SUB, DUP1, PUSH1 2, JUMPI. */
const LOOP = ['PUSH1 0x03', 'JUMPDEST', 'PUSH1 0x01', 'SWAP1', 'SUB', 'DUP1', 'PUSH1 0x02', 'JUMPI']

test.each([1n, 2_000n, 300_000n, 3_000_000n])('code with a JUMPDEST of %d gas runs on all engines', async (price) => {
  const change = (table: JumpTable): void => void table.op('JUMPDEST').setConstantGas(price)
  // 3 for the first PUSH1; each round 3 + 3 + 3 + 3 + 3 + 10 and the JUMPDEST.
  const gasUsed = 3n + 3n * (25n + price)
  expect(await onAll(LOOP, change, 20_000_000n)).toEqual(
    ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })),
  )
  const short = { gasUsed: gasUsed - 1n, failure: 'out of gas', refund: 0n }
  expect(await onAll(LOOP, change, gasUsed - 1n)).toEqual(ENGINES.map(() => short))
})

test.each([30n, 200_000n, 2_000_000n])('code with a KECCAK256 of %d gas runs on all engines', async (price) => {
  const change = (table: JumpTable): void => void table.op('KECCAK256').setConstantGas(price)
  const hashes = ['PUSH0', 'PUSH0', 'KECCAK256', 'POP', 'PUSH0', 'PUSH0', 'KECCAK256', 'POP']
  const gasUsed = 2n * (2n + 2n + price + 2n)
  expect(await onAll(hashes, change, 20_000_000n)).toEqual(
    ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })),
  )
})

test('fused pairs of opcodes cost the sum of their prices', async () => {
  const change = (table: JumpTable): void => {
    for (const name of ['ADD', 'POP', 'JUMP', 'JUMPI', 'JUMPDEST']) table.op(name).setConstantGas(50n)
  }
  // PUSH1, PUSH1, ADD; SWAP1, POP; PUSH2, JUMP, JUMPDEST; PUSH0, PUSH2, JUMPI.
  const lines = ['PUSH1 0x01', 'PUSH1 0x02', 'ADD', 'PUSH1 0x03', 'SWAP1', 'POP', 'PUSH2 0x000e', 'JUMP', 'INVALID']
  const rest = ['JUMPDEST', 'PUSH0', 'PUSH2 0x000e', 'JUMPI']
  const gasUsed = 3n + 3n + 50n + 3n + 3n + 50n + 3n + 50n + 50n + 2n + 3n + 50n
  expect(await onAll([...lines, ...rest], change, 100_000n)).toEqual(
    ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })),
  )
})

test('an SSTORE with a changed price accesses no slot (EIP-2929) and refunds nothing', async () => {
  const change = (table: JumpTable): void => void table.op('SSTORE').setDynamicGas(() => 700n)
  // PUSH1, PUSH0, SSTORE; PUSH0, PUSH0, SSTORE; PUSH0 and a cold SLOAD.
  const lines = ['PUSH1 0x01', 'PUSH0', 'SSTORE', 'PUSH0', 'PUSH0', 'SSTORE', 'PUSH0', 'SLOAD']
  const gasUsed = 3n + 2n + 700n + 2n + 2n + 700n + 2n + 2_100n
  expect(await onAll(lines, change, 100_000n)).toEqual(ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })))
})

test('a CALL with a changed price passes on all but one 64th and accesses no address', async () => {
  const change = (table: JumpTable): void =>
    void table
      .op('CALL')
      .setConstantGas(0n)
      .setDynamicGas(() => 5n)
  const call = ['PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'PUSH0', 'PUSH2 0xabcd', 'GAS', 'CALL', 'POP']
  const lines = [...call, 'PUSH2 0xabcd', 'BALANCE']
  // Five PUSH0, PUSH2, GAS, CALL, POP; PUSH2 and a cold BALANCE.
  const gasUsed = 5n * 2n + 3n + 2n + 5n + 2n + 3n + 2_600n
  expect(await onAll(lines, change, 100_000n)).toEqual(ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })))
})

test.each(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'] as const)(
  'a %s at a price of its own does not make the account cheap for calls at the price of the fork',
  async (paid) => {
    const callee = '0x1000000000000000000000000000000000000ca1'
    const calling = (kind: string) => [
      ...Array(kind === 'CALL' || kind === 'CALLCODE' ? 5 : 4).fill('PUSH0'),
      `PUSH20 ${callee}`,
      'PUSH2 0x1000',
      kind,
      'POP',
    ]
    const others = ['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'].filter((kind) => kind !== paid)
    const change = (table: JumpTable): void =>
      void table
        .op(paid)
        .setConstantGas(0n)
        .setDynamicGas(() => 0n)
    for (const other of others) {
      const lines = [...calling(paid), ...calling(other)]
      const values = [paid, other].filter((kind) => kind === 'CALL' || kind === 'CALLCODE').length
      // Four or five PUSH0 at 2, two pushes at 3 and a POP at 2 for each; the callee is one JUMPDEST; then a cold account.
      const gasUsed = 2n * (4n * 2n + 2n * 3n + 2n) + BigInt(values) * 2n + 2n * 1n + 2_600n
      const results = await onAll(lines, change, 100_000n, { [callee]: ['JUMPDEST'] })
      expect(results).toEqual(ENGINES.map(() => ({ gasUsed, failure: undefined, refund: 0n })))
    }
  },
)
