// Makes the block access list (EIP-7928) while a block is executed: after each of its steps it takes what the step has accessed and
// changed. A step is a transaction, a system call, or the payment of all withdrawals.
import type { StateAccesses } from '../evm/state-accesses.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { BlockAccessList, IndexedChange } from '../primitives/block-access-list.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { AccountDiff, StateView } from '../state/types.ts'

/** Values by index. Indices come in order, so that the entries are in order; a later step of the same index replaces its value. */
type Changes<T> = Map<number, T>

type Account = {
  readonly slots: Map<Hash, Changes<bigint>>
  readonly reads: Set<Hash>
  readonly balances: Changes<bigint>
  readonly nonces: Changes<bigint>
  readonly codes: Changes<Uint8Array>
}

export class BlockAccesses {
  readonly #accounts = new Map<Address, Account>()

  /**
   * Takes a step that has ended: `accesses` has what it read, and the view what it changed since `beginTransaction`. What a reverted
   * or refused step has accessed must not come here.
   */
  add(index: number, accesses: StateAccesses, view: StateView): void {
    for (const [address, slots] of accesses.accounts) {
      const { reads } = this.#account(address)
      for (const slot of slots) reads.add(slot)
    }
    for (const diff of view.transactionDiff()) this.#change(index, diff, view)
  }

  #change(index: number, { address, before, after, slots }: AccountDiff, view: StateView): void {
    const account = this.#account(address)
    const balance = after?.balance ?? 0n
    if (balance !== (before?.balance ?? 0n)) account.balances.set(index, balance)
    const nonce = after?.nonce ?? 0n
    if (nonce !== (before?.nonce ?? 0n)) account.nonces.set(index, nonce)
    const codeHash = after?.codeHash ?? EMPTY_CODE_HASH
    if (codeHash !== (before?.codeHash ?? EMPTY_CODE_HASH)) account.codes.set(index, view.codeWith(codeHash))
    for (const { key, after: word } of slots) {
      const changes = account.slots.get(key) ?? new Map<number, bigint>()
      account.slots.set(key, changes.set(index, word))
    }
  }

  list(): BlockAccessList {
    return sorted(this.#accounts).map(([address, { slots, reads, balances, nonces, codes }]) => ({
      address,
      storageChanges: sorted(slots).map(([slot, changes]) => ({ slot, changes: changesOf(changes) })),
      storageReads: [...reads].filter((slot) => !slots.has(slot)).sort(),
      balanceChanges: changesOf(balances),
      nonceChanges: changesOf(nonces),
      codeChanges: changesOf(codes),
    }))
  }

  #account(address: Address): Account {
    const known = this.#accounts.get(address)
    if (known !== undefined) return known
    const account: Account = {
      slots: new Map(),
      reads: new Set(),
      balances: new Map(),
      nonces: new Map(),
      codes: new Map(),
    }
    this.#accounts.set(address, account)
    return account
  }
}

const sorted = <K extends string, T>(map: ReadonlyMap<K, T>): [K, T][] => [...map].sort(([a], [b]) => (a < b ? -1 : 1))

const changesOf = <T>(changes: Changes<T>): IndexedChange<T>[] =>
  Array.from(changes, ([index, value]) => ({ index, value }))
