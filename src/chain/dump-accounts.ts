// Iterates over all accounts of a state, for state dumps.
import { EMPTY_BYTES, type Hash, padLeft, toHash } from '../lib/hex.ts'
import { yieldToEventLoop } from '../lib/scheduler.ts'
import { KEY, ownerOfRow, RANGE, slotOfRow } from '../state/keyspace.ts'
import type { KvReader } from '../state/types.ts'
import type { View } from '../state/view.ts'
import type { DumpedAccount } from './types.ts'

/**
 * Accounts in order of address, storage in order of key. Of a fork: those that are on disk, with the slots that are zero, so that the
 * dump can be loaded into another fork. Throws ChainError `cancelled` when the caller's connection closes.
 */
export async function* dumpAccounts(store: KvReader, view: View, signal?: AbortSignal): AsyncIterable<DumpedAccount> {
  const pause = yieldToEventLoop('heavy', signal)
  const zero = view.missing && EMPTY_BYTES
  for await (const [key] of store.scan(RANGE.accounts())) {
    await pause()
    const address = ownerOfRow(key)
    const account = view.account(address)
    if (account === undefined) continue
    const storage = new Map<Hash, Hash>()
    for await (const [slot] of store.scan(RANGE.slots(address))) {
      await pause()
      const name = slotOfRow(slot)
      const word = view.storedRow(KEY.slot(address, name)) ?? zero
      if (word !== undefined) storage.set(name, toHash(padLeft(word, 32)))
    }
    yield { address, nonce: account.nonce, balance: account.balance, code: view.code(address), storage }
  }
}
