// Token holders of a state that a chain begins with: there are no logs for them, so every token is asked for the balance of
// every address that has appeared. This finds no ERC-721 items or ERC-1155 balances; they appear with their transfers.
import { type Address, toAddress } from '../lib/hex.ts'
import { WERC20 } from '../spec/addresses.ts'
import { within } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import { ListReader } from '../tables/list.ts'
import type { Overlay } from '../tables/overlay.ts'
import { membersOf } from '../tables/ranking.ts'
import { registerAddress } from './account-records.ts'
import type { IndexingContext } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { firstSeenEntry, LIST, MEMBER, RANKING } from './tables.ts'
import { noChanges } from './token-changes.ts'
import { TokenReads } from './token-reads.ts'
import { updateTokens } from './token-updates.ts'

/** Maximum number of balances to read, about half a minute. Beyond it the tokens with the highest addresses are left out. */
const MOST_BALANCES = 1_000_000

/** Every address that had appeared up to a block, in order. */
export async function* addressesUpTo(rows: KvReader, number: bigint): AsyncGenerator<Address> {
  const seen = new ListReader(rows, LIST.addresses)
  const later = new Set<Address>()
  for (let at = seen.find(Number(number) + 1); at < seen.length; at++) {
    const entry = seen.at(at)
    if (entry !== undefined) later.add(firstSeenEntry.decode(entry).address)
  }
  for await (const [key] of rows.scan(within(RECORDS))) {
    const address = toAddress(key.subarray(RECORDS.length))
    if (!later.has(address)) yield address
  }
}

/** The first bytes of the keys of all account records: the kind of row and the table. */
const RECORDS = RECORD.account.key(toAddress(new Uint8Array(20))).subarray(0, 2)

/** Registers at most `count` addresses (at most 4,000 at a time), and reads their balances of the known tokens. */
export async function indexFirstHolders(
  { executed, read }: Pick<IndexingContext, 'executed' | 'read'>,
  part: readonly Address[],
  count: number,
  overlay: Overlay,
): Promise<void> {
  const { header } = executed.block
  for (const address of part) registerAddress(overlay, address, Number(header.number))
  const tokens = (await membersOf(overlay, RANKING.tokens('all'))).map(MEMBER.address).sort()
  for (const address of tokens.slice(0, Math.ceil(MOST_BALANCES / count))) {
    const before = RECORD.token.get(overlay, address)
    if (before === undefined || before.type === 'ERC-1155' || address === WERC20) continue
    const changes = { ...noChanges(), holders: new Map(part.map((holder) => [holder, 0n])) }
    const token = { address, type: before.type, before, isNew: false, changes }
    await updateTokens(overlay, new TokenReads(read, header, true), [token])
  }
}
