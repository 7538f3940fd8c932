// The refund counter that a tracer sees. Refunds that a transaction gets before its code runs (EIP-7702) are in the counter
// from the first opcode on, and a failing frame does not revert them.

import { expect, test } from 'vitest'
import { ENGINES } from '../../src/evm/engine-selection.ts'
import { buildTable } from '../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../src/evm/machine.ts'
import { ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import { asm } from '../support/assembler.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView } from '../support/native.ts'

const rules = forkRules('osaka')
/** 25,000 - 12,500, for one existing authority. */
const OWED = 12_500n

async function machineFor(engine: EngineChoice, code: string): Promise<Machine> {
  const view = await emptyView()
  view.setCode(bob, Buffer.from(code.slice(2), 'hex'))
  view.setStorage(bob, 0n, 1n)
  // SSTORE's refunds are relative to the values at the beginning of the transaction.
  view.beginTransaction()
  return new Machine({
    spec: presets.kestrel(),
    engine,
    view,
    natives: new Map(),
    blockHash: () => undefined,
    deadline: undefined,
    table: buildTable(rules),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
  })
}

test.each(ENGINES)('on %s, a tracer sees refunds from before the code runs', async (engine) => {
  for (const [end, words] of [
    ['STOP', undefined],
    ['INVALID', 'invalid opcode: INVALID'],
  ] as const) {
    const machine = await machineFor(engine, asm('PUSH1 0x01', end))
    const seen: bigint[] = []
    machine.tracer = { step: ({ frame }) => void seen.push(frame.refund) }
    const { failure, refund } = await machine.run(messageTo(bob, { from: alice, refund: OWED }))
    expect([failure?.message, refund, seen]).toEqual([words, OWED, [OWED, OWED]])
  }
})

// PUSH0, PUSH0, SSTORE, and the implied STOP at the end of the code. EIP-3529: clearing a slot refunds 4,800. go-ethereum adds
// the refund when it computes the gas, before the tracer's event.
test.each(ENGINES)('on %s, a tracer sees refunds at an SSTORE and at an implied STOP', async (engine) => {
  const machine = await machineFor(engine, asm('PUSH0', 'PUSH0', 'SSTORE'))
  const seen: [string, bigint][] = []
  machine.tracer = { step: ({ opcode, frame }) => void seen.push([opcode.name, frame.refund]) }
  const { failure, refund } = await machine.run(messageTo(bob, { from: alice }))
  expect([failure, refund]).toEqual([undefined, 4_800n])
  expect(seen).toEqual([
    ['PUSH0', 0n],
    ['PUSH0', 0n],
    ['SSTORE', 4_800n],
    ['STOP', 4_800n],
  ])
})

// Two PUSH0 cost 4; the remaining 2,500 are above EIP-2200's sentry of 2,300 and below the cost of 5,000.
test.each(ENGINES)('on %s, a tracer sees refunds at an SSTORE that runs out of gas', async (engine) => {
  const machine = await machineFor(engine, asm('PUSH0', 'PUSH0', 'SSTORE'))
  const seen: unknown[] = []
  machine.tracer = {
    step: ({ opcode, cost, error, frame }) => void seen.push([opcode.name, cost, error, frame.refund]),
  }
  const { failure, refund } = await machine.run(messageTo(bob, { from: alice, gasLimit: 2_504n }))
  expect([failure?.code, refund]).toEqual(['out of gas', 0n])
  expect(seen.at(-1)).toEqual(['SSTORE', 5_000n, 'out of gas', 4_800n])
})
