// The first difference between a stored block and a second execution of it. Order: receipts by transaction (without blooms,
// which follow from the logs), the header's bloom and roots, then accounts and slots if the state roots differ.
import { type Address, bytesToBig, fromLatin1, type Hash, toHex, toLatin1 } from '../lib/hex.ts'
import type { Block, Log, Receipt } from '../primitives/types.ts'
import { wrongField } from '../runtime/import-block.ts'
import type { Rerun } from '../runtime/rerun-block.ts'
import { decodeChanges } from '../state/history.ts'
import { accountOfRow, isSlot, ownerOfRow, slotOfRow } from '../state/keyspace.ts'
import type { View } from '../state/view.ts'

/** A block as stored in the database. */
export type StoredBlock = {
  readonly block: Block
  readonly receipts: readonly Receipt[]
  /** The state after the block, before any change by a development method. */
  readonly view: View
  /** Keys of the rows that the block has changed, as `KEY.changes` stores them. */
  readonly changes: Uint8Array
}

/** One result that differs. `place` is empty or ends with a colon: `transaction 0 (0x…): `. */
export type Difference = {
  readonly place: string
  readonly field: string
  readonly stored: unknown
  readonly rerun: unknown
}

/** undefined when the results are equal. `view`: the state after the second execution. */
export async function firstDifference(stored: StoredBlock, rerun: Rerun, view: View): Promise<Difference | undefined> {
  const { block, receipts } = stored
  for (const [index, { hash }] of block.transactions.entries()) {
    const place = `transaction ${index} (${hash}): `
    const one = receipts[index]
    const other = rerun.receipts[index]
    if (one === undefined) return { place, field: 'receipt', stored: undefined, rerun: 'executed' }
    if (other === undefined) return { place, field: 'outcome', stored: 'executed', rerun: `refused (${rerun.refused})` }
    const fact = receiptDifference(one, other)
    if (fact !== undefined) return { place, ...fact }
  }
  if (rerun.roots === undefined) throw new Error('a block without a refused transaction has roots')
  const field = wrongField(block.header, rerun.roots)
  if (field === undefined) return undefined
  const inState = field === 'stateRoot' ? await stateDifference(stored, rerun, view) : undefined
  return inState ?? { place: '', field, stored: block.header[field], rerun: rerun.roots[field] }
}

type Fact = Omit<Difference, 'place'>

const fact = (field: string, stored: unknown, rerun: unknown): Fact => ({ field, stored, rerun })

const firstOf = (facts: readonly Fact[]): Fact | undefined => facts.find(({ stored, rerun }) => stored !== rerun)

const bytes = (value: Uint8Array | undefined) => value && toHex(value)

function receiptDifference(stored: Receipt, rerun: Receipt): Fact | undefined {
  const common = stored.logs.slice(0, rerun.logs.length)
  return firstOf([
    fact('status', stored.status, rerun.status),
    fact('gasUsed', stored.gasUsed, rerun.gasUsed),
    fact('cumulativeGasUsed', stored.cumulativeGasUsed, rerun.cumulativeGasUsed),
    fact('contractAddress', stored.contractAddress, rerun.contractAddress),
    ...common.flatMap((log, index) => logFacts(log, rerun.logs[index], index)),
    fact('number of logs', stored.logs.length, rerun.logs.length),
    fact('root', stored.root, rerun.root),
    fact('effectiveGasPrice', stored.effectiveGasPrice, rerun.effectiveGasPrice),
    fact('blobGasUsed', stored.blobGasUsed, rerun.blobGasUsed),
    fact('blobGasPrice', stored.blobGasPrice, rerun.blobGasPrice),
  ])
}

const logFacts = (stored: Log, rerun: Log | undefined, index: number): Fact[] => [
  fact(`address of log ${index}`, stored.address, rerun?.address),
  fact(`topics of log ${index}`, stored.topics.join(), rerun?.topics.join()),
  fact(`data of log ${index}`, bytes(stored.data), bytes(rerun?.data)),
]

/**
 * The first account or slot, by key, that differs, among all that either execution changed. The place names the last
 * transaction that changed it in the second execution.
 */
async function stateDifference(
  { block, view: stored, changes }: StoredBlock,
  { diffs }: Rerun,
  view: View,
): Promise<Difference | undefined> {
  const names = new Set((await view.changes()).rows.keys())
  for (const { key } of decodeChanges(changes)) names.add(toLatin1(key))
  for (const name of [...names].sort()) {
    const key = fromLatin1(name)
    const found = rowDifference(key, stored, view)
    if (found === undefined) continue
    const of = ownerOfRow(key)
    const last = diffs.findLastIndex((diff) =>
      diff.some(
        ({ address, slots }) => address === of && (!isSlot(key) || slots.some((slot) => slot.key === slotOfRow(key))),
      ),
    )
    const place =
      last < 0 ? 'outside of transactions: ' : `after transaction ${last} (${block.transactions[last]?.hash}): `
    return { place, ...found }
  }
  return undefined
}

function rowDifference(key: Uint8Array, stored: View, rerun: View): Fact | undefined {
  const of = accountOfRow(key)
  if (of !== undefined) return accountDifference(of, stored, rerun)
  if (!isSlot(key)) return undefined
  return slotDifference(ownerOfRow(key), slotOfRow(key), stored, rerun)
}

function accountDifference(of: Address, stored: View, rerun: View): Fact | undefined {
  const one = stored.account(of)
  const other = rerun.account(of)
  return firstOf(
    (['nonce', 'balance', 'codeHash'] as const).map((name) =>
      fact(`${name} of account ${of}`, one?.[name], other?.[name]),
    ),
  )
}

const slotDifference = (of: Address, key: Hash, stored: View, rerun: View): Fact | undefined =>
  firstOf([fact(`slot ${key} of account ${of}`, bytesToBig(stored.word(of, key)), bytesToBig(rerun.word(of, key)))])
