// On a fork: what a transaction, and the index of its block, may read is fetched before the transaction enters the pool. A block, which
// holds the writer's lock, never waits for the forked chain: it leaves out a transaction that misses more.
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import type { Transaction } from '../primitives/types.ts'
import { OpenBlock, type Unfetched } from '../runtime/open-block.ts'
import type { BlockHashes, Runtime } from '../runtime/runtime.ts'
import type { PayloadAttributes } from '../runtime/types.ts'
import { completely, MissingState, untilComplete } from '../state/partial-state.ts'
import type { MissingParts, StateView } from '../state/types.ts'
import type { ChainCalls } from './calls.ts'
import type { CanonicalChain } from './canonical-chain.ts'
import type { ChainEventEmitter } from './events.ts'

export type ForkIntake = {
  readonly runtime: Runtime
  readonly canonical: CanonicalChain
  readonly calls: ChainCalls
  /** The sender's transactions in the pool that are executable. */
  readonly pending: (of: Address) => readonly Transaction[]
  /** What the next block is made of. */
  readonly next: () => {
    readonly complete: PayloadAttributes
    readonly view: StateView
    readonly ancestors: BlockHashes
  }
}

/** Throws NotFetched if something cannot be fetched. */
export async function fetchFor(
  { runtime, canonical, calls, pending, next }: ForkIntake,
  transaction: Transaction,
): Promise<void> {
  const { from, to, data, value, gasLimit: gas, nonce, hash } = transaction
  await untilComplete(canonical.missing, () => canonical.view().account(from))
  const earlier = pending(from).filter((other) => other.nonce < nonce)
  const { complete, view, ancestors } = next()
  const executed = await completely(view, async (state) => {
    const block = await OpenBlock.begin(runtime, state, complete, ancestors)
    await block.take([...earlier, transaction])
    for (const { reason } of block.unfetched) throw reason
    return block.seal()
  })
  await canonical.prepareIndex(executed)
  if (executed.block.transactions.some((taken) => taken.hash === hash)) return
  // Not executable now (its fee, its nonce), but it may be later.
  try {
    await calls.call({ from, to, data, value, gas }, 'latest')
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
  }
}

/** `BlockWriter.fetchFor`. `prepare`: fetches what a transaction may read after the newest block. Errors go to `events`. */
export async function fetchForAll(
  missing: MissingParts,
  unfetched: readonly Unfetched[],
  prepare: (transaction: Transaction) => Promise<void> | undefined,
  events: Pick<ChainEventEmitter, 'fail'>,
): Promise<boolean> {
  const fetching = unfetched.map(async ({ transaction, reason }) => {
    if (reason instanceof MissingState) await missing.fetch(reason.wanted)
    await prepare(transaction)
    return true
  })
  const fetched = await Promise.all(fetching.map((each) => each.catch((error) => events.fail(error))))
  return fetched.includes(true)
}
