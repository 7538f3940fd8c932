// The block of a state snapshot and the headers before it, verified against the hash that the receiver knows.
import { appHashOf } from '../../ibc/ics23/prove.ts'
import { ChainError } from '../../lib/errors.ts'
import type { Hash } from '../../lib/hex.ts'
import { recoverSender, withSender } from '../../primitives/transaction.ts'
import type { Block, SealedHeader } from '../../primitives/types.ts'
import { commitsToIbc } from '../../runtime/app-hash.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import { HASHES, type SnapshotHead } from './format.ts'

export type RestoredHead = {
  readonly block: Block
  /** The header before the block; it has the root of the snapshot's state. */
  readonly parent: SealedHeader
  /** The headers before the block, oldest first. */
  readonly headers: readonly SealedHeader[]
}

/** What the receiver knows of the block: the app hash after it, from its consensus engine, or the block's own hash. */
export type KnownBlock = { readonly appHash: Hash } | { readonly blockHash: Hash }

/**
 * The verified head, with the senders of its transactions. Executing the block verifies its body. Throws ChainError
 * `invalid-block`.
 */
export function requireHead(
  { block, headers, ibcRoot: ibc }: SnapshotHead,
  spec: Pick<ChainSpec, 'native'>,
  height: bigint,
  known: KnownBlock,
): RestoredHead {
  const { header } = block
  if ((ibc !== undefined) !== commitsToIbc(spec)) throw refused('it is of another chain')
  const [own, hash] =
    'appHash' in known ? [appHashOf({ evm: header.hash, ibc }), known.appHash] : [header.hash, known.blockHash]
  if (own !== hash || header.number !== height)
    throw refused(`its block is ${header.number} with hash ${own}, and block ${height} has hash ${hash}`)
  // A state snapshot has no total difficulties.
  if (header.difficulty !== 0n) throw refused('its block has a proof of work')
  const parent = headers.at(-1)
  if (parent === undefined || BigInt(headers.length) !== (height < HASHES ? height : HASHES))
    throw refused(`it has ${headers.length} headers before its block`)
  let child = header
  for (const before of headers.toReversed()) {
    if (before.hash !== child.parentHash || before.number !== child.number - 1n)
      throw refused(`the header before block ${child.number} is not its parent's`)
    child = before
  }
  try {
    const transactions = block.transactions.map((transaction) => withSender(transaction, recoverSender(transaction)))
    return { block: { ...block, transactions }, parent, headers }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw refused(error.message)
  }
}

const refused = (why: string): ChainError => new ChainError('invalid-block', why)
