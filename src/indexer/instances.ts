// Indexes token items: the owner of an ERC-721 and the supply of an ERC-1155 id. The index does not contain their metadata.
import { type Address, bigToFixed } from '../lib/hex.ts'
import type { Overlay } from '../tables/overlay.ts'
import { addMember, complement } from '../tables/ranking.ts'
import { type InstanceRecord, RECORD } from './records.ts'
import { RANKING } from './tables.ts'
import { setOwner } from './token-balances.ts'

/**
 * Records the owner of an ERC-721 item; undefined when it was burnt. A burnt item stays listed. Returns the change of the
 * number of existing items of the token: -1, 0 or 1.
 */
export function setInstanceOwner(overlay: Overlay, token: Address, id: bigint, owner: Address | undefined): number {
  const known = instanceOf(overlay, token, id)
  setOwner(overlay, token, id, known.owner, owner)
  return setInstance(overlay, token, id, known, { owner, supply: owner === undefined ? 0n : 1n })
}

/** Changes the supply of an ERC-1155 id. Returns the change of the number of existing items. */
export function changeInstanceSupply(overlay: Overlay, token: Address, id: bigint, change: bigint): number {
  const known = instanceOf(overlay, token, id)
  return setInstance(overlay, token, id, known, { ...known, supply: known.supply + change })
}

function setInstance(
  overlay: Overlay,
  token: Address,
  id: bigint,
  before: InstanceRecord,
  after: InstanceRecord,
): number {
  RECORD.instance.set(overlay, after, token, id)
  return existing(after) - existing(before)
}

const existing = ({ supply }: InstanceRecord): number => (supply > 0n ? 1 : 0)

/** The record of an item; a new item is added to the list of its token. */
function instanceOf(overlay: Overlay, token: Address, id: bigint): InstanceRecord {
  const known = RECORD.instance.get(overlay, token, id)
  if (known === undefined) addMember(overlay, RANKING.instances(token), complement(bigToFixed(id, 32)))
  return known ?? { owner: undefined, supply: 0n }
}
