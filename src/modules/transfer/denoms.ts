// Denominations of coins that arrived over channels (ICS-20): the denomination trace, its hash, and the voucher's denomination
// and address, which follow from the hash. Pure functions.

import { createHash } from 'node:crypto'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, hexToAddress, hexToHash, toHash } from '../../lib/hex.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { checkIdentifier } from '../authz/allocations.ts'
import type { Pair } from '../erc20/layout.ts'
import { reverted } from '../module.ts'

/**
 * The channels that a coin came through (`transfer/channel-1`), last hop first, empty for a native coin; and its base
 * denomination.
 */
export type DenomTrace = { readonly path: string; readonly baseDenom: string }

const VOUCHER_PREFIX = 'ibc/'

/** Whether a name is the id of a client of another chain, over which IBC version 2 sends packets. */
export const isClientId = (name: string): boolean => /^07-tendermint-\d{1,20}$/.test(name)

/** Which names are those of a hop: of a channel, or on chains with IBC also of a client of any chain. */
export type HopNames = 'channels' | 'clients'

const HOP: Readonly<Record<HopNames, RegExp>> = {
  channels: /^channel-\d{1,20}$/,
  // ibc-go's form of client ids, which channels have too.
  clients: /^\w(?:[\w-]*\w)?-\d{1,20}$/,
}

/**
 * Splits a full path. Pairs of port and hop are taken from the left; the rest is the base denomination, which may contain slashes if it
 * came over channels.
 */
export function parseTrace(full: string, names: HopNames): DenomTrace {
  const parts = full.split('/')
  let hops = 0
  while (hops + 1 < parts.length - 1 && HOP[names].test(parts[hops + 1] ?? '')) hops += 2
  return { path: parts.slice(0, hops).join('/'), baseDenom: parts.slice(hops).join('/') }
}

/**
 * Maximum number of channels in a coin's trace. ibc-go does not bound traces, but it allows at most 8 hops for forwarding
 * (ICS-20 version 2); 16 is that and back. Every packet carries the path and the chain stores and hashes it, so it must not
 * grow without limit.
 */
export const MOST_HOPS = 16

/** Maximum characters of a full path: port (128), channel (64) and two slashes for each hop, and a base denomination of the SDK (128). */
export const LONGEST_PATH = MOST_HOPS * (128 + 64 + 2) + 128

/** Throws ChainError for a coin with too many channels in its trace. */
export function requireHops({ path }: DenomTrace): void {
  const hops = path === '' ? 0 : path.split('/').length / 2
  if (hops > MOST_HOPS)
    throw reverted(`coin has passed ${hops} channels, at most ${MOST_HOPS} are allowed: invalid request`)
}

/**
 * Throws ChainError for a base denomination with a slash, which no chain sends over clients: their ids have no form by which all chains
 * split a path in the same way (ibc-go).
 */
export function requireWholeBase({ baseDenom }: DenomTrace): void {
  if (baseDenom.includes('/'))
    throw reverted(
      `base denomination ${baseDenom} cannot contain slashes for IBC v2 packet: invalid denomination for cross-chain transfer`,
    )
}

/** `transfer/channel-1/akest`; for a native coin only the name. */
export const fullPath = ({ path, baseDenom }: DenomTrace): string => (path === '' ? baseDenom : `${path}/${baseDenom}`)

/** Throws ChainError unless it has a base denomination and valid identifiers of ports and channels. */
export function checkTrace({ path, baseDenom }: DenomTrace): void {
  const length = path.length + baseDenom.length
  if (length > LONGEST_PATH) throw reverted(`trace of ${length} characters is longer than ${LONGEST_PATH}`)
  if (baseDenom.trim() === '') throw reverted('base denomination cannot be blank')
  if (path === '') return
  for (const [place, id] of path.split('/').entries()) {
    if (place % 2 === 0) checkIdentifier(`port ID at position ${place}`, id, 2, 128)
    else checkIdentifier(`channel ID at position ${place}`, id, 8, 64)
  }
}

/** The prefix that a hop adds to the denominations of coins. */
export const hopPrefix = (port: string, channel: string): string => `${port}/${channel}/`

/** SHA-256 of a full path. */
export const traceHash = (full: string): Hash => toHash(createHash('sha256').update(full, 'utf8').digest())

/** `ibc/` and the hash in upper-case hex. */
export const voucherDenom = (hash: Hash): string => `${VOUCHER_PREFIX}${hashText(hash)}`

/** The hash as shown to users: upper-case hex. */
export const hashText = (hash: Hash): string => hash.slice(2).toUpperCase()

/** The address of the voucher's ERC-20 contract: the last 20 bytes of the hash. */
export const voucherAddress = (hash: Hash): Address => hexToAddress(`0x${hash.slice(-40)}`)

export const isVoucher = (denom: string): boolean => denom.startsWith(VOUCHER_PREFIX)

/** Reads 64 hex digits in either case, with or without `ibc/`. Throws ChainError that names the fault. */
export function readHash(text: string): Hash {
  const digits = isVoucher(text) ? text.slice(VOUCHER_PREFIX.length) : text
  if (!/^[0-9a-fA-F]*$/.test(digits)) throw reverted('expected hexadecimal digits')
  if (digits.length !== 64) throw reverted(`expected size to be 32 bytes, got ${digits.length} digits`)
  return hexToHash(`0x${digits}`)
}

/** Throws ChainError unless it is the name of a coin that can be sent: by the SDK's rule, with a hash after `ibc/`. */
export function checkDenom(denom: string): void {
  if (!/^[a-zA-Z][a-zA-Z0-9/:._-]{2,127}$/.test(denom)) throw reverted(`invalid denom: ${denom}`)
  if (!isVoucher(denom)) return
  try {
    readHash(denom)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw reverted(`invalid denom trace hash ${denom.slice(VOUCHER_PREFIX.length)}: ${error.message}`)
  }
}

type VoucherMetadata = Pick<Pair, 'name' | 'symbol' | 'decimals'>

const DECIMALS: Readonly<Record<string, bigint>> = { u: 6n, n: 9n, a: 18n }

/** `original`: the coin's token pair, if the coin is an ERC-20 token of this chain. */
export function voucherMetadata(spec: NativeSpec, baseDenom: string, original: Pair | undefined): VoucherMetadata {
  if (original !== undefined) return { name: original.name, symbol: original.symbol, decimals: original.decimals }
  if (baseDenom === spec.denom) return { name: spec.symbol, symbol: spec.symbol, decimals: 18n }
  const decimals = DECIMALS[baseDenom[0] ?? '']
  const isCustomary = decimals !== undefined && /^[a-z0-9]{3,}$/.test(baseDenom)
  if (!isCustomary) return { name: baseDenom, symbol: baseDenom, decimals: 0n }
  const unit = baseDenom.slice(1)
  return { name: `${unit[0]?.toUpperCase()}${unit.slice(1)}`, symbol: unit.toUpperCase(), decimals }
}
