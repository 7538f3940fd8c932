// Single items of tokens: who has an ERC-721, how many there are of an id, and where its metadata is.
import { type Address, bigToFixed } from '../lib/hex.ts'
import type { Overlay } from '../tables/overlay.ts'
import { addMember, complement } from '../tables/ranking.ts'
import { type InstanceRecord, RECORD } from './records.ts'
import { RANKING } from './tables.ts'
import { setOwner } from './token-balances.ts'
import type { TokenReads } from './token-reads.ts'

/** Notes an ERC-721's owner; undefined: it was burnt. A burnt item stays listed. */
export function setInstanceOwner(draft: Overlay, token: Address, id: bigint, owner: Address | undefined): void {
  const known = instanceOf(draft, token, id)
  setOwner(draft, token, id, known.owner, owner)
  RECORD.instance.set(draft, { ...known, owner, supply: owner === undefined ? 0n : 1n }, token, id)
}

/** Notes that there is more, or less, of an ERC-1155's id. */
export function changeInstanceSupply(draft: Overlay, token: Address, id: bigint, change: bigint): void {
  const known = instanceOf(draft, token, id)
  RECORD.instance.set(draft, { ...known, supply: known.supply + change }, token, id)
}

/** Asks where the metadata of an item is, if that is not known yet. */
export async function readUri(
  draft: Overlay,
  reads: TokenReads,
  token: Address,
  id: bigint,
  question: 'tokenUri' | 'uri',
): Promise<void> {
  const known = RECORD.instance.get(draft, token, id)
  if (known === undefined || known.uri !== undefined || known.supply === 0n) return
  const uri = await reads.uri(token, question, id)
  if (uri !== undefined) RECORD.instance.set(draft, { ...known, uri }, token, id)
}

/** An item as it is known; one that is not is listed from now on. */
function instanceOf(draft: Overlay, token: Address, id: bigint): InstanceRecord {
  const known = RECORD.instance.get(draft, token, id)
  if (known === undefined) addMember(draft, RANKING.instances(token), complement(bigToFixed(id, 32)))
  return known ?? { owner: undefined, supply: 0n, uri: undefined }
}
