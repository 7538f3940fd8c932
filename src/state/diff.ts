// What one transaction changed, from the first values its writes met. Reverted writes leave nothing here.
import { type Address, bytesToBig, equalBytes, type Hash } from '../lib/hex.ts'
import type { Account, AccountDiff, ChangedAccount, TransactionDiff } from './types.ts'

type Current = { account(of: Address): Account | undefined; word(of: Address, key: Hash): Uint8Array }

/** Accounts in order of address, slots in order of key; only what differs now from its original. */
export function transactionDiff(
  current: Current,
  accounts: ReadonlyMap<Address, Account | undefined>,
  slots: ReadonlyMap<Address, ReadonlyMap<Hash, Uint8Array>>,
): TransactionDiff {
  const diffs: AccountDiff[] = []
  const touched = [...accounts.keys()]
  for (const address of slots.keys()) if (!accounts.has(address)) touched.push(address)
  for (const address of touched.sort()) {
    const after = current.account(address)
    const before = accounts.has(address) ? accounts.get(address) : after
    const changed: { key: Hash; before: bigint; after: bigint }[] = []
    for (const [key, word] of slots.get(address) ?? []) {
      const now = current.word(address, key)
      if (!equalBytes(word, now)) changed.push({ key, before: bytesToBig(word), after: bytesToBig(now) })
    }
    if (changed.length === 0 && sameAccount(before, after)) continue
    changed.sort((a, b) => (a.key < b.key ? -1 : 1))
    diffs.push({ address, before, after, slots: changed })
  }
  return diffs
}

/** Whether two accounts' own fields are the same. */
export const sameAccount = (a: Account | undefined, b: Account | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.nonce === b.nonce && a.balance === b.balance && a.codeHash === b.codeHash

type Stored = Pick<Current, 'account'> & { stored(of: Address): Account | undefined }

/** Accounts whose own fields are not what is stored of them, in order of address. */
export function changedAccounts(view: Stored, addresses: Iterable<Address>): ChangedAccount[] {
  return [...addresses].sort().flatMap((address) => {
    const [before, after] = [view.stored(address), view.account(address)]
    return sameAccount(before, after) ? [] : [{ address, before, after }]
  })
}
