// eth_simulateV1 on the wire. Input: blocks of calls. Output: block objects with the result of each call.
import { z } from 'zod'
import { toHex, toQuantity } from '../../lib/hex.ts'
import type { BrokenRule } from '../../primitives/rejection.ts'
import type { RequestedBlock, SimulatedBlock, SimulatedCall } from '../../runtime/simulate.ts'
import { bool, hash } from '../codec.ts'
import { revertError, type WireError, wireError } from '../errors.ts'
import { wireBlock, withdrawal } from './block.ts'
import {
  blockOverrides,
  callObject,
  stateOverrides,
  toBlockOverrides,
  toCallRequest,
  toStateOverrides,
} from './call.ts'
import { wireLog } from './receipt.ts'

const flag = bool.nullish()

const simulatedBlock = z.object(
  {
    blockOverrides: blockOverrides
      .extend({ beaconRoot: hash.nullish(), withdrawals: z.array(withdrawal).nullish() })
      .nullish(),
    stateOverrides: stateOverrides.nullish(),
    calls: z.array(callObject, { error: 'expected a list of calls' }).nullish(),
  },
  { error: 'expected a block of calls' },
)

export const simulation = z.object(
  {
    blockStateCalls: z.array(simulatedBlock, { error: 'expected a list of blocks' }),
    traceTransfers: flag,
    validation: flag,
    returnFullTransactions: flag,
  },
  { error: 'expected a simulation object' },
)

/** A block of calls as the runtime takes it. Throws `invalid-params` like `toCallRequest` and `toStateOverrides`. */
export function toSimulatedCalls(
  { blockOverrides: block, stateOverrides: state, calls }: z.output<typeof simulatedBlock>,
  chainId: bigint,
): RequestedBlock {
  return {
    ...(block && {
      block: {
        ...toBlockOverrides(block),
        beaconRoot: block.beaconRoot ?? undefined,
        withdrawals: block.withdrawals ?? undefined,
      },
    }),
    ...(state && { state: toStateOverrides(state) }),
    calls: (calls ?? []).map((call) => toCallRequest(call, chainId)),
  }
}

/** Error codes of the broken rules, from the method's specification. */
export const RULE_CODES: Readonly<Record<BrokenRule, number>> = {
  'nonce-too-low': -38010,
  'nonce-too-high': -38011,
  'fee-below-base-fee': -38012,
  'intrinsic-gas': -38013,
  'insufficient-funds': -38014,
  'block-gas-limit': -38015,
  'block-number-order': -38020,
  'block-timestamp-order': -38021,
  'precompile-onto-itself': -38022,
  'initcode-size': -38025,
  'too-many-blocks': -38026,
  'tip-above-fee': -32602,
  other: -32603,
}
/** The code of a call that failed other than by a revert. */
const EXECUTION_ERROR = -32015

/** Of the calls that reverted, in words. */
export type RevertReasons = ReadonlyMap<SimulatedCall, string>

/** A simulated block: the block object with the results of its calls. */
export function wireSimulatedBlock(
  { block, calls }: SimulatedBlock,
  transactions: 'hashes' | 'full',
  reasons: RevertReasons,
) {
  const { header } = block
  return {
    ...wireBlock(block, transactions),
    calls: calls.map((call, transactionIndex) => {
      const { transaction, gasUsed, maxGasUsed, returnData, logs, error } = call
      return {
        returnData: error === undefined ? toHex(returnData) : '0x',
        logs: logs.map(({ log, index }) =>
          wireLog({ log, header, transactionHash: transaction.hash, transactionIndex, logIndex: index }),
        ),
        gasUsed: toQuantity(gasUsed),
        maxUsedGas: toQuantity(maxGasUsed),
        status: error === undefined ? '0x1' : '0x0',
        ...(error !== undefined && { error: callError(error, returnData, reasons.get(call)) }),
      }
    }),
  }
}

const callError = (error: string, returnData: Uint8Array, reason: string | undefined): WireError | undefined =>
  error === 'execution reverted'
    ? wireError(revertError(returnData, reason))
    : { code: EXECUTION_ERROR, message: error }
