// eth_simulateV1: runs calls in blocks that are built in full and discarded.
import type { RevertWords } from '../../contracts/words.ts'
import { ChainError } from '../../lib/errors.ts'
import { Rejection } from '../../primitives/rejection.ts'
import type { SimulatedBlock, SimulatedCall } from '../../runtime/simulate.ts'
import { atBlock } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { RpcError } from '../errors.ts'
import {
  type RevertReasons,
  RULE_CODES,
  simulation,
  toSimulatedCalls,
  wireSimulatedBlock,
} from '../shapes/simulation.ts'

type Simulated = { readonly blocks: readonly SimulatedBlock[]; readonly reasons: RevertReasons; readonly full: boolean }

export const eth_simulateV1 = rpcMethod({
  summary: 'Builds blocks of calls on top of a block and returns them with the result of each call; nothing is stored.',
  params: [simulation, atBlock],
  names: ['simulation', 'block'],
  result: ({ blocks, reasons, full }: Simulated) =>
    blocks.map((block) => wireSimulatedBlock(block, full ? 'full' : 'hashes', reasons)),
  heavy: true,
  committed: true,
  async handler(
    [{ blockStateCalls, validation, traceTransfers, returnFullTransactions }, ref],
    { chain, revertWords },
    signal,
  ) {
    if (blockStateCalls.length === 0) throw new ChainError('invalid-params', 'empty input')
    const calls = blockStateCalls.map((block) => toSimulatedCalls(block, chain.spec.chainId))
    const options = { validation: validation ?? false, traceTransfers: traceTransfers ?? false, signal }
    try {
      const blocks = await chain.simulate(calls, ref, options)
      return { blocks, reasons: await reasonsOf(blocks, revertWords), full: returnFullTransactions ?? false }
    } catch (error) {
      throw error instanceof Rejection ? new RpcError(RULE_CODES[error.rule], error.message) : error
    }
  },
})

async function reasonsOf(blocks: readonly SimulatedBlock[], words: RevertWords): Promise<RevertReasons> {
  const reasons = new Map<SimulatedCall, string>()
  for (const call of blocks.flatMap(({ calls }) => calls)) {
    if (call.error !== 'execution reverted') continue
    const reason = await words(call.returnData, call.transaction.to)
    if (reason !== undefined) reasons.set(call, reason)
  }
  return reasons
}
