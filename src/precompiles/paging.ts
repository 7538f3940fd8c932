// Pages of long lists with the Cosmos SDK's rules: by key or by offset, forward or backward. A key names the first item of a
// page; callers pass on the key of the previous answer.

import { bigToFixed, type Hex, toHex } from '../lib/hex.ts'
import { reverted } from '../modules/module.ts'

export type PaginationRequest = {
  /** Empty: from the beginning. So does one zero byte, which is easier to write in Solidity. */
  readonly key: Hex
  readonly offset: bigint
  /** 0: 100 items, and the total is counted. */
  readonly limit: bigint
  readonly countTotal: boolean
  readonly reverse: boolean
}

export type PageResponse = {
  /** Key of the first item after the page; empty at the end. */
  readonly nextKey: Hex
  /** Length of the whole list if `countTotal` was set and no key was given; else 0. */
  readonly total: bigint
}

/** A list in ascending order of keys. A page reads only its items and the one after it. */
export type Keyed = {
  readonly length: number
  /** Bytes of every key. */
  readonly keySize: number
  keyAt(place: number): Hex
  /** Index of the first item whose key is not below the given one, which has the right size; the length if there is none. */
  placeOf(key: Hex): number
}

const DEFAULT_LIMIT = 100n
const MOST = 1_000n

/** The indices of a page's items in the requested order. Throws ChainError for a contradictory request. */
export function page(request: PaginationRequest, list: Keyed): { places: readonly number[]; response: PageResponse } {
  const key = request.key === '0x' || request.key === '0x00' ? undefined : request.key
  if (key !== undefined && request.offset > 0n) {
    throw reverted('invalid request, either offset or key is expected, got both')
  }
  const limit = request.limit === 0n ? DEFAULT_LIMIT : request.limit < MOST ? request.limit : MOST
  const step = request.reverse ? -1 : 1
  const first = key === undefined ? afterOffset(request, list.length) : placeFrom(key, list, request.reverse)
  const places: number[] = []
  let place = first
  for (; list.length > place && place >= 0 && places.length < Number(limit); place += step) places.push(place)
  const counts = key === undefined && (request.countTotal || request.limit === 0n)
  return {
    places,
    response: {
      nextKey: place >= 0 && place < list.length ? list.keyAt(place) : '0x',
      total: counts ? BigInt(list.length) : 0n,
    },
  }
}

function afterOffset({ offset, reverse }: PaginationRequest, length: number): number {
  const skipped = offset < BigInt(length) ? Number(offset) : length
  return reverse ? length - 1 - skipped : skipped
}

/** Index at which a page with this key begins; backward: the last item whose key is not above it. */
function placeFrom(key: Hex, list: Keyed, reverse: boolean): number {
  if (key.length !== 2 + 2 * list.keySize) throw reverted(`invalid page key: expected ${list.keySize} bytes`)
  const place = list.placeOf(key)
  const isThere = place < list.length && list.keyAt(place) === key
  return reverse && !isThere ? place - 1 : place
}

/** A list whose keys are the indices, as 8 big-endian bytes. */
export const byPlace = (length: number): Keyed => ({
  length,
  keySize: 8,
  keyAt: (place) => toHex(bigToFixed(BigInt(place), 8)),
  placeOf: (key) => (BigInt(key) < BigInt(length) ? Number(BigInt(key)) : length),
})

/** A list with these keys: lower-case hex of `size` bytes, ascending. */
export const byKey = (keys: readonly Hex[], size: number): Keyed => ({
  length: keys.length,
  keySize: size,
  keyAt: (place) => keys[place] ?? '0x',
  placeOf(key) {
    const place = keys.findIndex((other) => other >= key)
    return place < 0 ? keys.length : place
  },
})
