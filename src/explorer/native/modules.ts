// The native modules over a request's state, the parsing and formatting of accounts, and the wire forms of rates and coins. A
// chain without modules answers 404.
import { z } from 'zod'
import { fromBech32, toBech32 } from '../../lib/bech32.ts'
import { type Dec, formatDec } from '../../lib/dec.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { type Modules, openModules } from '../../modules/index.ts'
import { operatorPrefix } from '../../spec/addresses.ts'
import type { NativeSpec } from '../../spec/chain-spec.ts'
import { isoTime, wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { ExplorerError, invalidParameter } from '../errors.ts'

export type Native = {
  readonly spec: NativeSpec
  readonly modules: Modules
  /** Timestamp of the head in unix seconds, used as the current time. */
  readonly now: bigint
}

/** The modules on the state after the context's head. Throws 404 on a chain without them. */
export const nativeOf = oncePerRequest((context, _: 'head'): Native => {
  const { view, head } = context
  const spec = context.spec.native
  if (spec === undefined) throw new ExplorerError(404, { message: 'This chain has no native modules' })
  const block = { number: head.number, timestamp: head.timestamp, proposer: head.coinbase }
  return { spec, modules: openModules({ spec, block, view, access: 'read' }), now: head.timestamp }
})

/** A parameter for an account. `accountNamed` parses it, because the prefix depends on the chain. */
export const accountParam = z
  .string()
  .describe('0x and 40 hexadecimal digits, or bech32 with the prefix of accounts or of operators')

/** The account of a text: hexadecimal, or bech32 of an account or operator. Throws ChainError. */
export function readAccount({ bech32Prefix }: Pick<NativeSpec, 'bech32Prefix'>, text: string): Address {
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) return hexToAddress(text)
  const operators = operatorPrefix(bech32Prefix)
  return fromBech32(text.toLowerCase().startsWith(operators) ? operators : bech32Prefix, text)
}

/** The account of a parameter. Throws 404 on a chain without modules and 422 for a malformed value. */
export function accountNamed(context: ExplorerContext, name: string, text: string): Address {
  const { spec } = nativeOf(context, 'head')
  try {
    return readAccount(spec, text)
  } catch (error) {
    if (error instanceof ChainError) throw invalidParameter(name, error.message)
    throw error
  }
}

/** The operator's address as bech32: `kestvaloper1…`. */
export const operatorText = ({ bech32Prefix }: NativeSpec, of: Address): string =>
  toBech32(operatorPrefix(bech32Prefix), of)

/** A number with 18 decimals: `0.100000000000000000`. */
export const rate = z
  .string()
  .regex(/^\d+\.\d{18}$/)
  .describe('decimal number with 18 decimals')

export const showRate = (of: Dec): string => formatDec(of)

export const coinSchema = z.strictObject({ denom: z.string(), amount: wire.decimal })
export const showCoin = ({ denom, amount }: { readonly denom: string; readonly amount: bigint }) => ({
  denom,
  amount: amount.toString(),
})

/** Unix seconds; null for zero, which the modules store for no time. */
export const timeOrNull = (seconds: bigint): string | null => (seconds === 0n ? null : showTime(seconds))

/** The last second with a four-digit year in ISO 8601; later times are shown as this one. */
const LAST_SECOND = 253_402_300_799n
export const showTime = (seconds: bigint): string => isoTime(seconds > LAST_SECOND ? LAST_SECOND : seconds)

/** Seconds from now until a time; zero if it has passed. */
export const secondsLeft = (until: bigint, now: bigint): number => (until > now ? Number(until - now) : 0)
