// Where two runs of one block part: the first transaction, and the field of its receipt or the account or slot it left
// otherwise. Pure functions; the words are for whoever has to find the fault.
import { type Address, bytesToBig, type Hash, toHex } from '../lib/hex.ts'
import type { Log, Receipt } from '../primitives/types.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { Account, AccountDiff, StateView, TransactionDiff } from '../state/types.ts'
import type { Differing } from './messages.ts'

/** One fact of which two runs say different things. */
type Difference = { readonly what: string; readonly ours: unknown; readonly theirs: unknown }

/** `block N (hash): PLACE: WHAT is A on OURS, B on THEIRS`, of the engines' names. */
export function describeDifference(executed: ExecutedBlock, run: Differing, ours: string, theirs: string): string {
  const { number, hash } = executed.block.header
  const { place, difference } = firstDifference(executed, run)
  const { what } = difference
  return `block ${number} (${hash}): ${place}${what} is ${text(difference.ours)} on ${ours}, ${text(difference.theirs)} on ${theirs}`
}

function firstDifference(executed: ExecutedBlock, run: Differing): { place: string; difference: Difference } {
  const { block, receipts, diffs } = executed
  for (const [index, { hash }] of block.transactions.entries()) {
    const place = `transaction ${index} (${hash}): `
    const [ours, theirs] = [receipts[index], run.receipts[index]]
    if (ours === undefined || theirs === undefined) {
      const what = { what: 'outcome', ours: 'executed', theirs: `refused (${run.refused})` }
      return { place, difference: what }
    }
    const difference = receiptDifference(ours, theirs) ?? stateDifference(diffs[index] ?? [], run.diffs[index] ?? [])
    if (difference !== undefined) return { place, difference }
  }
  const outside =
    first([['requests', executed.requests.map(toHex).join(), run.requests.map(toHex).join()]]) ??
    leftOtherwise(executed.view, run)
  if (outside !== undefined) return { place: 'outside of transactions: ', difference: outside }
  // Tries, blooms or what accounts had that no run has read.
  const name = run.field?.name ?? 'header'
  const claimed = Object.entries(block.header).find(([field]) => field === name)?.[1]
  return { place: '', difference: { what: name, ours: claimed, theirs: run.field?.value } }
}

function receiptDifference(ours: Receipt, theirs: Receipt): Difference | undefined {
  const [our, their] = [ours.logs, theirs.logs]
  const common = our.slice(0, their.length)
  return (
    first([
      ['status', ours.status, theirs.status],
      ['gasUsed', ours.gasUsed, theirs.gasUsed],
      ['contractAddress', ours.contractAddress, theirs.contractAddress],
    ]) ??
    first(common.flatMap((log, index) => logFields(log, their[index], index))) ??
    first([
      ['number of logs', our.length, their.length],
      ['root', ours.root, theirs.root],
      ['effectiveGasPrice', ours.effectiveGasPrice, theirs.effectiveGasPrice],
      ['blobGasUsed', ours.blobGasUsed, theirs.blobGasUsed],
    ])
  )
}

const logFields = (ours: Log, theirs: Log | undefined, index: number): Fact[] => [
  [`address of log ${index}`, ours.address, theirs?.address],
  [`topics of log ${index}`, ours.topics.join(), theirs?.topics.join()],
  [`data of log ${index}`, toHex(ours.data), theirs && toHex(theirs.data)],
]

function stateDifference(ours: TransactionDiff, theirs: TransactionDiff): Difference | undefined {
  const [our, their] = [byAddress(ours), byAddress(theirs)]
  for (const address of [...new Set([...our.keys(), ...their.keys()])].sort()) {
    const [one, other] = [our.get(address), their.get(address)]
    // Who is not listed has not changed: its account is as the other run found it.
    const [after, afterThere] = [one ? one.after : other?.before, other ? other.after : one?.before]
    const difference = accountDifference(address, after, afterThere) ?? slotDifference(address, one, other)
    if (difference !== undefined) return difference
  }
  return undefined
}

const byAddress = (diff: TransactionDiff): Map<Address, AccountDiff> =>
  new Map(diff.map((account) => [account.address, account]))

function slotDifference(
  address: Address,
  ours: AccountDiff | undefined,
  theirs: AccountDiff | undefined,
): Difference | undefined {
  const [our, their] = [bySlot(ours), bySlot(theirs)]
  return first(
    [...new Set([...our.keys(), ...their.keys()])].sort().map((key) => {
      const [one, other] = [our.get(key), their.get(key)]
      const [after, afterThere] = [one ? one.after : other?.before, other ? other.after : one?.before]
      return [slotName(address, key), after, afterThere]
    }),
  )
}

const bySlot = (diff: AccountDiff | undefined) => new Map((diff?.slots ?? []).map((slot) => [slot.key, slot]))

const slotName = (of: Address, key: Hash): string => `slot ${key} of account ${of}`

function accountDifference(of: Address, ours: Account | undefined, theirs: Account | undefined) {
  const fact = (field: keyof Account): Fact => [`${field} of account ${of}`, ours?.[field], theirs?.[field]]
  return first([fact('nonce'), fact('balance'), fact('codeHash')])
}

/** What system calls, withdrawals or the modules' hooks have left otherwise. */
function leftOtherwise(view: StateView, { after }: Differing): Difference | undefined {
  for (const [of, theirs] of after.accounts) {
    const difference = accountDifference(of, view.account(of), theirs)
    if (difference !== undefined) return difference
  }
  return first(
    after.words.map(([of, key, theirs]) => [slotName(of, key), bytesToBig(view.word(of, key)), bytesToBig(theirs)]),
  )
}

type Fact = readonly [what: string, ours: unknown, theirs: unknown]

function first(facts: readonly Fact[]): Difference | undefined {
  const fact = facts.find(([, ours, theirs]) => ours !== theirs)
  return fact && { what: fact[0], ours: fact[1], theirs: fact[2] }
}

const text = (value: unknown): string =>
  value === undefined || value === null ? 'none' : value instanceof Uint8Array ? toHex(value) : String(value)
