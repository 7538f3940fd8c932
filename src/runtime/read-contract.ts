// Static calls of contracts on the state after a block that is being committed, for the index (a token's name, for example).
// They change nothing, and their gas limit bounds their cost.
import type { Machine } from '../evm/machine.ts'
import { callFromProtocol } from '../evm/run-native.ts'
import { type Address, ZERO_ADDRESS } from '../lib/hex.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'
import type { BlockHashes, Runtime } from './runtime.ts'

/** The result of a static call. */
export type ContractAnswer = {
  /** undefined: it reverted or failed. */
  readonly output: Uint8Array | undefined
  readonly gasUsed: bigint
}

/** A static call from the zero address. */
export type ReadContract = (to: Address, input: Uint8Array, gasLimit: bigint) => MaybePromise<ContractAnswer>

/** A reader that calls contracts on a copy of the view. The copy is made at the first call. */
export function contractReader(
  runtime: Runtime,
  view: StateView,
  header: SealedHeader,
  blockHash: BlockHashes,
): ReadContract {
  let ready: { readonly machine: Machine; readonly env: BlockEnv } | undefined
  return (to, input, gasLimit) => {
    if (ready === undefined) {
      const env = runtime.env(header)
      ready = { machine: runtime.machine(view.fork(), env, blockHash, yieldToEventLoop('block')), env }
    }
    const { machine, env } = ready
    const message = { from: ZERO_ADDRESS, to, input, gasLimit, isStatic: true }
    return andThen(callFromProtocol(machine, env, message), ({ output, gasUsed, error }) => ({
      output: error === undefined ? output : undefined,
      gasUsed,
    }))
  }
}
