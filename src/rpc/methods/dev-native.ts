// Development: checks the invariants of the native modules, and reports infractions of validators. A report changes the state
// at the head, outside any block: the next block starts from it, and `evm_revert` undoes it.
import { z } from 'zod'
import type { BlockRef, Chain } from '../../chain/types.ts'
import { readAddress } from '../../lib/bech32.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { operatorPrefix } from '../../spec/addresses.ts'
import { atBlock, quantity, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

export const dev_invariants = rpcMethod({
  summary: 'Invariants of the native modules that do not hold after a block, in words; empty when all hold.',
  params: [atBlock],
  names: ['block'],
  result: z.array(string).readonly(),
  gate: 'audit',
  heavy: true,
  handler: ([ref], { chain }, signal) => chain.stateQueries.invariants(ref, signal),
})

export const dev_reportDoubleSign = rpcMethod({
  summary:
    'Reports that a validator (0x or bech32) signed two blocks of one height (default: the newest): slashes, jails and tombstones it. Returns the base units burnt at it: 0 when later blocks will finish the slash.',
  params: [string, atBlock],
  names: ['validator', 'block'],
  result: quantity,
  gate: 'development',
  handler: ([validator, ref], { chain }) => report(chain, validator, ref, 'handleDoubleSign'),
})

export const dev_reportDowntime = rpcMethod({
  summary:
    'Reports that a validator (0x or bech32) missed too many blocks: slashes it, and jails it for some time. Returns the base units burnt at it: 0 when later blocks will finish the slash.',
  params: [string],
  names: ['validator'],
  result: quantity,
  gate: 'development',
  handler: ([validator], { chain }) => report(chain, validator, 'latest', 'handleDowntime'),
})

/** Slashes a validator at the head for an infraction in a block that it signed. Throws ChainError `invalid-params`. */
async function report(
  chain: Chain,
  validator: string,
  ref: BlockRef,
  punish: 'handleDoubleSign' | 'handleDowntime',
): Promise<bigint> {
  const operator = operatorOf(chain, validator)
  const { number: height } = (await chain.at(ref)).header
  const signer = (await chain.stateQueries.signers(height)).find((one) => one.operator === operator)
  if (signer === undefined) throw new ChainError('invalid-params', `${validator} did not sign block ${height}`)
  let burnt = 0n
  await chain.edit((_, modules) => {
    const slashing = modules?.slashing
    if (slashing === undefined) throw new ChainError('invalid-params', NO_SLASHING)
    burnt = asInvalidParams(() => slashing[punish]({ operator, height, power: signer.power }))
    // The head's end-block work is over, so the validator is removed here from the signers of the next block.
    modules?.staking.updateSet()
  })
  return burnt
}

const NO_SLASHING = 'this chain has no slashing: its genesis has no kestrel.modules.slashing'

function operatorOf({ spec: { native } }: Chain, validator: string): Address {
  if (native?.modules.slashing === undefined) throw new ChainError('invalid-params', NO_SLASHING)
  const prefix = operatorPrefix(native.bech32Prefix)
  return asInvalidParams(() => readAddress(prefix, validator))
}

/** Turns a module's refusal into `invalid-params`, because no call has reverted. */
function asInvalidParams<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof ChainError) throw new ChainError('invalid-params', error.message)
    throw error
  }
}
