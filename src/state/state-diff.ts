// Differences between states: what one transaction changed (without reverted writes), and which accounts a view changed.
import { type Address, bytesToBig, equalBytes, type Hash } from '../lib/hex.ts'
import type { Account, AccountDiff, ChangedAccount, TransactionDiff } from './types.ts'

type Current = { account(of: Address): Account | undefined; word(of: Address, key: Hash): Uint8Array }

/** Accounts in order of address, slots in order of key. `accounts` and `slots` are the values before the first writes. */
export function transactionDiff(
  current: Current,
  accounts: ReadonlyMap<Address, Account | undefined>,
  slots: ReadonlyMap<Address, ReadonlyMap<Hash, Uint8Array>>,
): TransactionDiff {
  const diffs: AccountDiff[] = []
  const add = (address: Address, before: Account | undefined, after: Account | undefined): void => {
    const originals = slots.get(address)
    const changed = originals === undefined ? NO_SLOTS : changedSlots(current, address, originals)
    if (changed.length > 0 || !sameAccount(before, after)) diffs.push({ address, before, after, slots: changed })
  }
  accounts.forEach((before, address) => {
    add(address, before, current.account(address))
  })
  slots.forEach((_, address) => {
    if (accounts.has(address)) return
    const account = current.account(address)
    add(address, account, account)
  })
  return sortInPlace(diffs, (a, b) => a.address < b.address)
}

type SlotDiff = AccountDiff['slots'][number]
const NO_SLOTS: readonly SlotDiff[] = []

function changedSlots(current: Current, of: Address, originals: ReadonlyMap<Hash, Uint8Array>): readonly SlotDiff[] {
  const changed: SlotDiff[] = []
  originals.forEach((word, key) => {
    const now = current.word(of, key)
    if (!equalBytes(word, now)) changed.push({ key, before: bytesToBig(word), after: bytesToBig(now) })
  })
  return sortInPlace(changed, (a, b) => a.key < b.key)
}

/** Up to this many items insertion sort is fastest, and it allocates nothing. */
const INSERTION_SORT_MAX = 16

/** Sorts distinct items in place. Most transactions change two or three accounts and slots. */
function sortInPlace<T>(items: T[], isBefore: (a: T, b: T) => boolean): T[] {
  if (items.length > INSERTION_SORT_MAX) return items.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  for (let i = 1; i < items.length; i++) {
    const item = items[i] as T
    let at = i
    for (; at > 0 && isBefore(item, items[at - 1] as T); at--) items[at] = items[at - 1] as T
    items[at] = item
  }
  return items
}

/** Whether two accounts have the same fields. */
export const sameAccount = (a: Account | undefined, b: Account | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce && a.balance === b.balance && a.codeHash === b.codeHash

type Stored = Pick<Current, 'account'> & { stored(of: Address): Account | undefined }

/** Accounts whose fields differ from the stored ones, in order of address. */
export function changedAccounts(view: Stored, addresses: Iterable<Address>): ChangedAccount[] {
  return [...addresses].sort().flatMap((address) => {
    const before = view.stored(address)
    const after = view.account(address)
    return sameAccount(before, after) ? [] : [{ address, before, after }]
  })
}
