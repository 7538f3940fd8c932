// The block access list on the wire, by the names of go-ethereum's own JSON, and the error for a block without one.
import { type Address, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import type { AccountAccess, IndexedChange } from '../../primitives/block-access-list.ts'
import { RpcError } from '../errors.ts'

type WireChange<K extends string> = { readonly blockAccessIndex: Hex } & { readonly [name in K]: Hex }

export type WireAccountAccess = {
  readonly address: Address
  readonly storageChanges: readonly { readonly slot: Hex; readonly slotChanges: readonly WireChange<'postValue'>[] }[]
  readonly storageReads: readonly Hex[]
  readonly balanceChanges: readonly WireChange<'postBalance'>[]
  readonly nonceChanges: readonly WireChange<'postNonce'>[]
  readonly codeChanges: readonly WireChange<'newCode'>[]
}

export const wireAccountAccess = (account: AccountAccess): WireAccountAccess => ({
  address: account.address,
  storageChanges: account.storageChanges.map(({ slot, changes }) => ({
    slot: toQuantity(BigInt(slot)),
    slotChanges: changes.map(({ index, value }) => ({ ...at(index), postValue: toQuantity(value) })),
  })),
  storageReads: account.storageReads.map((slot) => toQuantity(BigInt(slot))),
  balanceChanges: account.balanceChanges.map(({ index, value }) => ({ ...at(index), postBalance: toQuantity(value) })),
  nonceChanges: account.nonceChanges.map(({ index, value }) => ({ ...at(index), postNonce: toQuantity(value) })),
  codeChanges: account.codeChanges.map(({ index, value }) => ({ ...at(index), newCode: toHex(value) })),
})

const at = (index: IndexedChange<unknown>['index']) => ({ blockAccessIndex: toQuantity(index) })

/** The code that the methods' specification gives a block before Amsterdam. */
const RESOURCE_NOT_FOUND = -32001

export const noAccessList = (): RpcError => new RpcError(RESOURCE_NOT_FOUND, 'Resource not found')
