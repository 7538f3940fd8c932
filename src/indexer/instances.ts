// Indexes token items: the owner of an ERC-721, the supply of an ERC-1155 id, and the URI of the metadata.
import { type Address, bigToFixed } from '../lib/hex.ts'
import type { Overlay } from '../tables/overlay.ts'
import { addMember, complement } from '../tables/ranking.ts'
import { type InstanceRecord, RECORD } from './records.ts'
import { RANKING } from './tables.ts'
import { setOwner } from './token-balances.ts'
import type { TokenReads } from './token-reads.ts'

/** Records the owner of an ERC-721 item; undefined when it was burnt. A burnt item stays listed. */
export function setInstanceOwner(overlay: Overlay, token: Address, id: bigint, owner: Address | undefined): void {
  const known = instanceOf(overlay, token, id)
  setOwner(overlay, token, id, known.owner, owner)
  RECORD.instance.set(overlay, { ...known, owner, supply: owner === undefined ? 0n : 1n }, token, id)
}

/** Changes the supply of an ERC-1155 id. */
export function changeInstanceSupply(overlay: Overlay, token: Address, id: bigint, change: bigint): void {
  const known = instanceOf(overlay, token, id)
  RECORD.instance.set(overlay, { ...known, supply: known.supply + change }, token, id)
}

/** Reads the URI of an item's metadata from the contract, if it is not recorded yet. */
export async function readUri(
  overlay: Overlay,
  reads: TokenReads,
  token: Address,
  id: bigint,
  question: 'tokenUri' | 'uri',
): Promise<void> {
  const known = RECORD.instance.get(overlay, token, id)
  if (known === undefined || known.uri !== undefined || known.supply === 0n) return
  const uri = await reads.uri(token, question, id)
  if (uri !== undefined) RECORD.instance.set(overlay, { ...known, uri }, token, id)
}

/** The record of an item; a new item is added to the list of its token. */
function instanceOf(overlay: Overlay, token: Address, id: bigint): InstanceRecord {
  const known = RECORD.instance.get(overlay, token, id)
  if (known === undefined) addMember(overlay, RANKING.instances(token), complement(bigToFixed(id, 32)))
  return known ?? { owner: undefined, supply: 0n, uri: undefined }
}
