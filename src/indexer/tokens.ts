// Indexes a block's token transfers, and updates records, holders and items of the tokens. Transfers come from logs; balances
// come from the contracts' answers, or from the logs if a contract does not answer.
import { type Address, type Hex, ZERO_ADDRESS } from '../lib/hex.ts'
import { forEachYielding } from '../lib/scheduler.ts'
import type { Receipt } from '../primitives/types.ts'
import { WERC20 } from '../spec/addresses.ts'
import type { Overlay } from '../tables/overlay.ts'
import { registerAddress } from './account-records.ts'
import { holdersInNotes } from './bank-notes.ts'
import type { EntryRange, IndexedTokens, IndexingContext } from './indexing-context.ts'
import { RECORD } from './records.ts'
import { LIST, rolesOf, sequenceEntry, type TokenType, type TransferEntry, transferEntry } from './tables.ts'
import { noChanges, noteTransfer, type TouchedToken } from './token-changes.ts'
import { type EmittedTransfer, type FoundToken, findTokens, newContracts } from './token-detection.ts'
import { transfersIn } from './token-logs.ts'
import { TokenReads } from './token-reads.ts'
import { updateTokens } from './token-updates.ts'

/** Lists a block's transfers and updates its tokens to the state after the block. */
export async function indexTokens(
  { executed, changed, read, isBeginning = false }: IndexingContext,
  overlay: Overlay,
): Promise<IndexedTokens> {
  const { block, receipts, view } = executed
  const transfers = placedTransfers(receipts)
  const contracts = newContracts(changed, view)
  const reads = new TokenReads(read, block.header, isBeginning)
  const tokens = new Map<Address, TouchedToken>()
  for (const [address, found] of await findTokens(overlay, reads, transfers, contracts)) {
    tokens.set(address, { ...found, address, isNew: contracts.has(address), changes: noChanges() })
  }
  const first = overlay.length(LIST.transactions)
  const rows = rowsOf(transfers, tokens, first)
  const ranges = rangesOf(rows, first, receipts.length, overlay.length(LIST.transfers))
  await listTransfers(overlay, rows, Number(block.header.number))
  for (const row of rows) {
    const token = tokens.get(row.token)
    if (token !== undefined && row.token !== WERC20) noteTransfer(token.changes, token.type, row)
  }
  for (const [address, holders] of holdersInNotes(view.balanceNotes)) {
    const before = RECORD.token.get(overlay, address)
    const known = before && { address, type: before.type, before, isNew: false, changes: noChanges() }
    const token = tokens.get(address) ?? known
    if (token === undefined) continue
    tokens.set(address, token)
    for (const holder of holders) {
      registerAddress(overlay, holder, Number(block.header.number))
      token.changes.holders.set(holder, token.changes.holders.get(holder) ?? 0n)
    }
  }
  await updateTokens(overlay, reads, [...tokens.values()])
  return { ranges, created: new Set([...contracts].filter((address) => tokens.has(address))) }
}

/** `transaction` and `log` are indices within the block. */
type PlacedTransfer = EmittedTransfer & { readonly transaction: number; readonly log: number }

function placedTransfers(receipts: readonly Receipt[]): PlacedTransfer[] {
  const placed: PlacedTransfer[] = []
  let index = 0
  for (const [transaction, { logs }] of receipts.entries()) {
    for (const log of logs) {
      for (const { form, from, to, id, amount } of transfersIn(log)) {
        // A deposit into the base coin's contract, or a withdrawal, moves nothing.
        if (form === 'wrapping' && log.address === WERC20) continue
        placed.push({ form, from, to, id, amount, token: log.address, transaction, log: index })
      }
      index++
    }
  }
  return placed
}

/** The transfers whose emitter is a token, as entries; `first` is the sequence of the block's first transaction. */
function rowsOf(
  transfers: readonly PlacedTransfer[],
  tokens: ReadonlyMap<Address, FoundToken>,
  first: number,
): TransferEntry[] {
  // Mints and burns with a Transfer log: a deposit or withdrawal log of the same amount would count them twice.
  const withTransferLog = new Set<string>()
  for (const of of transfers) if (of.form === 'ERC-20' && isMintOrBurn(of)) withTransferLog.add(mintOrBurn(of))
  const rows: TransferEntry[] = []
  for (const transfer of transfers) {
    const { form, token, from, to, id, amount, log } = transfer
    const type = tokens.get(token)?.type
    if (type === undefined) continue
    if (form === 'wrapping' && (type !== 'ERC-20' || withTransferLog.has(mintOrBurn(transfer)))) continue
    const transaction = first + transfer.transaction
    const isItem = form === 'unindexed' && type !== 'ERC-20'
    if (isItem) rows.push({ transaction, log, type: 'ERC-721', token, from, to, id: amount, amount: 1n })
    else {
      const of = form === 'unindexed' || form === 'wrapping' ? type : form
      rows.push({ transaction, log, type: of, token, from, to, id, amount })
    }
  }
  return rows
}

const isMintOrBurn = ({ from, to }: PlacedTransfer): boolean => from === ZERO_ADDRESS || to === ZERO_ADDRESS

/** Key of a token's mints, or burns, in a transaction. */
const mintOrBurn = ({ token, transaction, from }: PlacedTransfer): string =>
  `${token} ${transaction} ${from === ZERO_ADDRESS ? 'mint' : 'burn'}`

/** The range of entries of each transaction; `length` is the length of the list before the block. */
function rangesOf(rows: readonly TransferEntry[], first: number, transactions: number, length: number): EntryRange[] {
  const counts = new Array<number>(transactions).fill(0)
  for (const { transaction } of rows) counts[transaction - first] = (counts[transaction - first] ?? 0) + 1
  let next = length
  return counts.map((count) => {
    next += count
    return { first: next - count, count }
  })
}

type Names = { readonly type: TokenType; readonly token: Address; readonly lists: readonly Hex[] }

/** The lists of all transfers of a type and of a token. */
const namesOf = (type: TokenType, token: Address): Names => ({
  type,
  token,
  lists: [LIST.transfersByType(type), LIST.transfersOfToken(token)],
})

/** Adds the entries to all their lists. */
async function listTransfers(overlay: Overlay, rows: readonly TransferEntry[], number: number): Promise<void> {
  const seen = new Set<Address>()
  // Most transfers follow one of the same token, so the ids of the last lists are reused.
  let names: Names | undefined
  await forEachYielding(rows, (row) => {
    const { type, token, from, to, id } = row
    const entry = sequenceEntry.encode({ sequence: overlay.append(LIST.transfers, transferEntry.encode(row)) })
    if (names?.type !== type || names.token !== token) {
      names = namesOf(type, token)
      seen.add(token)
    }
    for (const list of names.lists) overlay.append(list, entry)
    if (id !== undefined) overlay.append(LIST.transfersOfInstance(token, id), entry)
    for (const [party, side] of rolesOf(from, to)) {
      // An address that had this role before is registered already.
      if (overlay.append(LIST.transfersOf(party, type, side), entry) === 0) seen.add(party)
      overlay.append(LIST.transfersOfWith(party, token, side), entry)
    }
  })
  for (const party of seen) registerAddress(overlay, party, number)
}
