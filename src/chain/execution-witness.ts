// The witness of a block (debug_executionWitness): what of the state before it a client without any state needs to execute it again
// and to compute its state root.
import { ChainError } from '../lib/errors.ts'
import { type Hash, toHex } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { encodeHeader } from '../primitives/header.ts'
import type { Block } from '../primitives/types.ts'
import type { ExecutionWitness } from '../runtime/execution-witness.ts'
import { rerunBlock } from '../runtime/rerun-block.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { RecordingRows } from '../state/recording-rows.ts'
import { View } from '../state/view.ts'
import type { CanonicalChain } from './canonical-chain.ts'

/** Slots that are proved before yielding to other work. */
const SLOTS_PER_STEP = 32

/**
 * Executes a block again and records what it reads. Throws ChainError `state-not-available` where the header of the parent does not
 * stand for the state before the block: on a fork, and after a developer's edit.
 */
export async function executionWitness(
  canonical: CanonicalChain,
  runtime: Runtime,
  block: Block,
  signal: AbortSignal,
): Promise<ExecutionWitness> {
  const { number, stateRoot } = block.header
  if (canonical.fork !== undefined) throw unavailable('a fork has no complete state trie')
  if (number <= canonical.base) throw unavailable(`block ${number} has no parent state`)
  const before = canonical.viewAt(number - 1n)
  if (before.root() !== canonical.blocks.header(number - 1n)?.stateRoot)
    throw unavailable(`the state was changed between block ${number - 1n} and block ${number}`)
  const rows = new RecordingRows(before.rows)
  let oldest = number - 1n
  const blockHash = (of: bigint): Hash | undefined => {
    if (of < oldest) oldest = of
    return of < number ? canonical.hashOf(of) : undefined
  }
  const { roots } = await rerunBlock(runtime, new View(rows, before.version, undefined), block, blockHash)
  if (roots?.stateRoot !== stateRoot) throw new ChainError('storage', `block ${number} cannot be executed again`)
  const pause = yieldToEventLoop('heavy', signal)
  const state = new Set(rows.nodes)
  for (const [address, keys] of rows.accounts) {
    const slots = [...keys].map(BigInt)
    for (let at = 0; at === 0 || at < slots.length; at += SLOTS_PER_STEP) {
      await pause()
      const { accountProof, storageProofs } = before.prove(address, slots.slice(at, at + SLOTS_PER_STEP))
      for (const node of [accountProof, ...storageProofs.map(({ proof }) => proof)].flat()) state.add(node)
    }
  }
  const headers = canonical.blocks.newest(number - 1n, number - oldest).map(({ header }) => toHex(encodeHeader(header)))
  return {
    state: [...state],
    codes: [...rows.codes.values()].map(toHex),
    keys: [...rows.accounts].flatMap(([address, keys]) => [address, ...keys]),
    headers: headers.toReversed(),
  }
}

const unavailable = (words: string): ChainError => new ChainError('state-not-available', words)
