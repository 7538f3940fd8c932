// Refunds that a transaction is owed before its code runs, as EIP-7702 grants them: code sees them in the counter from its
// first opcode on, and a frame that fails does not take them back.
import { expect, test } from 'vitest'
import { buildTable } from '../../src/evm/jump-table.ts'
import { Machine } from '../../src/evm/machine.ts'
import { ENGINES } from '../../src/evm/machine-options.ts'
import { ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { commonFor } from '../../src/spec/forks.ts'
import { presets } from '../../src/spec/networks.ts'
import { asm } from '../support/assembler.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView } from '../support/native.ts'

const common = commonFor(presets.kestrel(), 'osaka')
/** 25,000 less 12,500, for one authority that existed. */
const OWED = 12_500n

test.each(ENGINES)('on %s', async (engine) => {
  for (const [end, words] of [
    ['STOP', undefined],
    ['INVALID', 'invalid opcode: INVALID'],
  ] as const) {
    const view = await emptyView()
    view.setCode(bob, Buffer.from(asm('PUSH1 0x01', end).slice(2), 'hex'))
    const machine = new Machine({
      ...{ common, engine, view, natives: new Map(), blockHash: () => undefined, deadline: undefined },
      table: buildTable(common),
      block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
    })
    const seen: bigint[] = []
    machine.tracer = { step: ({ frame }) => void seen.push(frame.refund) }
    const { failure, refund } = await machine.run(messageTo(bob, { from: alice, refund: OWED }))
    expect([failure?.words, refund, seen]).toEqual([words, OWED, [OWED, OWED]])
  }
})
