// Runs code as a contract, called with 100,000 gas under Osaka's rules.

import { type EngineChoice, Machine } from '../../../src/evm/machine.ts'
import type { Deadline } from '../../../src/lib/deadline.ts'
import { hexToAddress } from '../../../src/lib/hex.ts'
import { executeMessage, type MessageResult } from '../../../src/runtime/execute-message.ts'
import type { Fork } from '../../../src/spec/chain-spec.ts'
import { emptyView } from '../../support/native.ts'
import { COINBASE, envOf, FREE, forkChain, SENDER } from './differential.ts'

const CONTRACT = hexToAddress(`0x${'c0'.repeat(20)}`)

export async function runCode(
  code: Uint8Array,
  engine: EngineChoice,
  {
    gasLimit = 100_000n,
    fork = 'osaka' as Fork,
    data = new Uint8Array(0),
    deadline = undefined as Deadline | undefined,
  } = {},
): Promise<MessageResult> {
  const { spec, table } = forkChain(fork)
  const view = await emptyView()
  view.setBalance(SENDER, 10n ** 18n)
  view.setCode(CONTRACT, code)
  const machine = new Machine({
    spec,
    view,
    table,
    engine,
    natives: new Map(),
    blockHash: () => undefined,
    deadline,
    block: { number: 1000n, timestamp: 1_700_000_000n, proposer: COINBASE },
  })
  const message = {
    from: SENDER,
    to: CONTRACT,
    data,
    gasLimit,
    ...FREE,
  }
  return executeMessage(machine, envOf(fork), spec.chainId, message, 'call', { collector: undefined })
}
