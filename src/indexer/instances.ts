// Single items of tokens: who has an ERC-721, how many there are of an id, and where its metadata is.
import { type Address, bigToFixed } from '../lib/hex.ts'
import type { Draft } from './draft.ts'
import { FACT, type InstanceFact } from './facts.ts'
import { setOwner } from './holdings.ts'
import { addMember, complement } from './ranking.ts'
import { RANKING } from './tables.ts'
import type { TokenReads } from './token-reads.ts'

/** Notes an ERC-721's owner; undefined: it was burnt. A burnt item stays listed. */
export function setInstanceOwner(draft: Draft, token: Address, id: bigint, owner: Address | undefined): void {
  const known = instanceOf(draft, token, id)
  setOwner(draft, token, id, known.owner, owner)
  FACT.instance.set(draft, { ...known, owner, supply: owner === undefined ? 0n : 1n }, token, id)
}

/** Notes that there is more, or less, of an ERC-1155's id. */
export function changeInstanceSupply(draft: Draft, token: Address, id: bigint, change: bigint): void {
  const known = instanceOf(draft, token, id)
  FACT.instance.set(draft, { ...known, supply: known.supply + change }, token, id)
}

/** Asks where the metadata of an item is, if that is not known yet. */
export async function readUri(
  draft: Draft,
  reads: TokenReads,
  token: Address,
  id: bigint,
  question: 'tokenUri' | 'uri',
): Promise<void> {
  const known = FACT.instance.get(draft, token, id)
  if (known === undefined || known.uri !== undefined || known.supply === 0n) return
  const uri = await reads.uri(token, question, id)
  if (uri !== undefined) FACT.instance.set(draft, { ...known, uri }, token, id)
}

/** An item as it is known; one that is not is listed from now on. */
function instanceOf(draft: Draft, token: Address, id: bigint): InstanceFact {
  const known = FACT.instance.get(draft, token, id)
  if (known === undefined) addMember(draft, RANKING.instances(token), complement(bigToFixed(id, 32)))
  return known ?? { owner: undefined, supply: 0n, uri: undefined }
}
