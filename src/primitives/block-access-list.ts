// The block access list (EIP-7928): every account and slot that a block has accessed, with the values after each step that changed
// them. The header has its hash; the list itself is no part of the block. Decoding is strict: a list has one encoding and one order.
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToBytes, bigToWord, type Hash } from '../lib/hex.ts'
import { EMPTY_UNCLES_HASH } from './block.ts'
import {
  asAddress,
  asBytes,
  asList,
  asListOf,
  asUint,
  decodeRlp,
  encodeRlp,
  Malformed,
  type RlpItem,
  type RlpSource,
  reading,
} from './rlp.ts'

/**
 * A value after a step of the block. `index`: 0 for the system calls before the transactions, then the position of the transaction
 * from 1 on, and one more than their number for withdrawals and the system calls at the end.
 */
export type IndexedChange<T> = { readonly index: number; readonly value: T }

export type AccountAccess = {
  readonly address: Address
  readonly storageChanges: readonly { readonly slot: Hash; readonly changes: readonly IndexedChange<bigint>[] }[]
  /** Slots that were read, or written with the value that they had. */
  readonly storageReads: readonly Hash[]
  readonly balanceChanges: readonly IndexedChange<bigint>[]
  readonly nonceChanges: readonly IndexedChange<bigint>[]
  readonly codeChanges: readonly IndexedChange<Uint8Array>[]
}

/** Accounts in order of address, slots in order of key, changes in order of index, each once. */
export type BlockAccessList = readonly AccountAccess[]

/** RLP of no accesses, and the hash of that: as of a list of no uncles. */
export const NO_ACCESSES = Uint8Array.of(0xc0)
export const NO_ACCESSES_HASH: Hash = EMPTY_UNCLES_HASH

/** Gas of the block's limit that each account and slot of the list takes. */
const ITEM_GAS = 2_000n
/** EIP-7954's limit of a code, in bytes. */
const MAX_CODE_SIZE = 65_536

export const encodeBlockAccessList = (list: BlockAccessList): Uint8Array => encodeRlp(list.map(accountItem))

function accountItem(account: AccountAccess): RlpSource {
  return [
    account.address,
    account.storageChanges.map(({ slot, changes }) => [uint(BigInt(slot)), numbers(changes)]),
    account.storageReads.map((slot) => uint(BigInt(slot))),
    numbers(account.balanceChanges),
    numbers(account.nonceChanges),
    account.codeChanges.map(({ index, value }) => [uint(BigInt(index)), value]),
  ]
}

const uint = bigToBytes
const numbers = (changes: readonly IndexedChange<bigint>[]): RlpSource[] =>
  changes.map(({ index, value }) => [uint(BigInt(index)), uint(value)])

/** Throws ChainError `invalid-block` for a list that is not in order, repeats something, or changes a code to a larger one than exists. */
export function decodeBlockAccessList(bytes: Uint8Array): BlockAccessList {
  return reading('invalid-block', () =>
    ascending(asList(decodeRlp(bytes), 'block access list').map(readAccount), ({ address }) => address, 'accounts'),
  )
}

function readAccount(item: RlpItem): AccountAccess {
  const [address, changed, read, balances, nonces, codes] = asListOf(item, [6], 'account access')
  const storageChanges = asList(changed, 'storage changes').map((entry) => {
    const [slot, changes] = asListOf(entry, [2], 'slot changes')
    const values = readChanges(changes, 'slot changes', (value) => asUint(value, 'slot value', 32))
    if (values.length === 0) throw new Malformed('block access list: a slot without changes')
    return { slot: asSlot(slot), changes: values }
  })
  const storageReads = asList(read, 'storage reads').map(asSlot)
  const written = new Set(storageChanges.map(({ slot }) => slot))
  if (storageReads.some((slot) => written.has(slot))) throw new Malformed('block access list: a slot read and written')
  return {
    address: asAddress(address, 'address'),
    storageChanges: ascending(storageChanges, ({ slot }) => slot, 'changed slots'),
    storageReads: ascending(storageReads, (slot) => slot, 'read slots'),
    balanceChanges: readChanges(balances, 'balance changes', (value) => asUint(value, 'balance', 32)),
    nonceChanges: readChanges(nonces, 'nonce changes', (value) => asUint(value, 'nonce', 8)),
    codeChanges: readChanges(codes, 'code changes', readCode),
  }
}

const asSlot = (item: RlpItem | undefined): Hash => bigToWord(asUint(item, 'slot', 32))

function readCode(item: RlpItem | undefined): Uint8Array {
  const code = asBytes(item, 'code')
  if (code.length > MAX_CODE_SIZE) throw new Malformed(`block access list: a code of ${code.length} bytes`)
  return code
}

function readChanges<T>(
  item: RlpItem | undefined,
  name: string,
  read: (value: RlpItem | undefined) => T,
): readonly IndexedChange<T>[] {
  const changes = asList(item, name).map((change) => {
    const [index, value] = asListOf(change, [2], name)
    return { index: Number(asUint(index, 'block access index', 4)), value: read(value) }
  })
  return ascending(changes, ({ index }) => index, name)
}

/** Throws Malformed unless each item comes after the one before it. Addresses and slots are in lower-case hex, in order of bytes. */
function ascending<T, K extends string | number>(
  items: readonly T[],
  keyOf: (item: T) => K,
  name: string,
): readonly T[] {
  for (let at = 1; at < items.length; at++) {
    if (keyOf(items[at - 1] as T) >= keyOf(items[at] as T))
      throw new Malformed(`block access list: ${name} must be unique and sorted`)
  }
  return items
}

/**
 * Throws ChainError `invalid-block` for a list that is larger than the block's gas limit allows, or has an index that a block with so
 * many transactions does not have.
 */
export function checkBlockAccessList(list: BlockAccessList, gasLimit: bigint, transactions: number): void {
  let items = 0
  for (const { storageChanges, storageReads, balanceChanges, nonceChanges, codeChanges } of list) {
    items += 1 + storageChanges.length + storageReads.length
    for (const changes of [
      balanceChanges,
      nonceChanges,
      codeChanges,
      ...storageChanges.map(({ changes }) => changes),
    ]) {
      const last = changes.at(-1)?.index ?? 0
      if (last > transactions + 1) throw invalid(`has index ${last}, limit: ${transactions + 1}`)
    }
  }
  const limit = gasLimit / ITEM_GAS
  if (BigInt(items) > limit)
    throw invalid(`exceeds size constraint: items=${items}, limit=${limit} (block gas limit ${gasLimit} / ${ITEM_GAS})`)
}

const invalid = (what: string): ChainError => new ChainError('invalid-block', `block access list ${what}`)
