// Calls, events and errors in words: `Vault.put(amount: 77)`, `NotEnough(who: 0x70…79C8, has: 0, wants: 5000)`. Names and texts
// come from contracts and files of others: they are cut here, and whoever prints them takes out control characters.
import type { AbiParameter } from 'abitype'
import { formatUnits } from 'viem'
import { checksummed } from '../lib/checksummed.ts'
import { type Address, fromHex, type Hex, hexToAddress, toHex } from '../lib/hex.ts'
import type { Shape } from '../primitives/abi-decoder.ts'
import { revertReason } from '../primitives/revert-reason.ts'
import type { Log } from '../primitives/types.ts'
import { unlessMissing } from '../state/partial-state.ts'
import { type ContractsContext, contractName, decodedData, decodedEvent } from './abi.ts'
import { decodeAs } from './abi-decoding.ts'
import { type EnumNames, memberOf } from './enum-members.ts'
import { nativeAt } from './native-sources.ts'

/** How long values are. */
export type Style = {
  readonly address: (of: Address) => string
  /** Most characters of a text, and digits of bytes. */
  readonly longest: number
}

/** For answers to programs. */
export const FULL: Style = { address: checksummed, longest: 1_024 }
/** For lines of a terminal. */
export const SHORT: Style = { address: shortAddress, longest: 80 }

/** An address shortened to its first six and last four digits. */
export function shortAddress(of: Address): string {
  const text = checksummed(of)
  return `${text.slice(0, 6)}…${text.slice(-4)}`
}

/**
 * Words for the revert data of a message to an address: `NotEnough(who: 0x…, has: 0, wants: 5000)`. undefined: nothing is known of the
 * data.
 */
export type RevertWords = (data: Uint8Array, to?: Address | null) => Promise<string | undefined>

/** Most levels of errors within errors. */
const DEEPEST = 4

/**
 * The reason of a revert: the text of `Error(string)`, the meaning of a `Panic`, or a custom error with its values, in which errors
 * that other contracts have returned are in words, too. undefined: nothing is known of the data. `to`: the contract that was called.
 */
export function errorInWords(
  known: ContractsContext,
  to: Address | undefined,
  data: Uint8Array,
  style: Style = FULL,
): string | undefined {
  return errorAt(known, to, data, style, 0)
}

function errorAt(
  known: ContractsContext,
  to: Address | undefined,
  data: Uint8Array,
  style: Style,
  depth: number,
): string | undefined {
  const plain = revertReason(data)
  if (plain !== undefined) return depth === 0 ? cut(plain, style.longest) : JSON.stringify(cut(plain, style.longest))
  const nested = (bytes: Uint8Array) =>
    depth < DEEPEST ? errorAt(known, undefined, bytes, style, depth + 1) : undefined
  const found = decodedData(known, to, 'errors', data, shapeOf(style, { errorOf: nested, enums: known.enums }))
  return found && `${found.entry.name}(${listed(found.entry.inputs, found.values)})`
}

/** A call: `Vault.put(amount: 77)`; without known arguments `Vault.0x12345678(…)`. undefined: a call without input. */
export function callInWords(
  known: ContractsContext,
  to: Address,
  input: Uint8Array,
  style: Style = SHORT,
): string | undefined {
  const name = contractName(known, to)
  const of = name === undefined ? '' : `${name}.`
  if (input.length < SELECTOR)
    return name === undefined ? undefined : `${of}${input.length === 0 ? 'receive' : 'fallback'}()`
  const coin = coinOf(known, to)
  const found = decodedData(known, to, 'functions', input, shapeOf(style, { coin, enums: known.enums }))
  if (found !== undefined) return `${of}${found.entry.name}(${listed(found.entry.inputs, found.values, coin)})`
  return `${of}${toHex(input.subarray(0, SELECTOR))}(${input.length > SELECTOR ? '…' : ''})`
}

/** An event: `Transfer(from: 0x…, to: 0x…, value: 5)`; undefined: nothing is known of it. */
export function eventInWords(known: ContractsContext, log: Log, style: Style = SHORT): string | undefined {
  const coin = coinOf(known, log.address)
  const found = decodedEvent(known, log, shapeOf(style, { coin, enums: known.enums }))
  return found && `${found.entry.name}(${listed(found.entry.inputs, found.values, coin)})`
}

/** What a call has returned: `0x70…79C8, total: 5`. undefined: nothing is known of it, or it returns nothing. */
export function resultInWords(
  known: ContractsContext,
  to: Address,
  { input, output }: { readonly input: Uint8Array; readonly output: Uint8Array },
  style: Style = SHORT,
): string | undefined {
  if (output.length === 0) return undefined
  const coin = coinOf(known, to)
  const shape = shapeOf(style, { coin, enums: known.enums })
  const { outputs = [] } = decodedData(known, to, 'functions', input, shape)?.entry ?? {}
  const values = decodeAs(shape, outputs, output, 'lenient')
  return values === undefined || values.length === 0 ? undefined : listed(outputs, values, coin)
}

/** On a fork: what is not here is not fetched for words. */
export const ifHere = <T>(find: () => T): T | undefined => unlessMissing(find, () => undefined)

const SELECTOR = 4

/** `coin`: whose amounts are among the values. */
function listed(parameters: readonly AbiParameter[], values: readonly string[], coin?: Coin): string {
  const isOfOther = coin !== undefined && parameters.some(({ name = '' }, i) => isOther(name, values[i], coin))
  return values
    .map((value, i) => {
      const { type, name = '' } = parameters[i] ?? { type: '' }
      const isAmount = coin !== undefined && !isOfOther && type === 'uint256' && AMOUNT.test(name)
      const words = isAmount ? inCoins(value, coin) : value
      return name === '' ? words : `${name}: ${words}`
    })
    .join(', ')
}

/** The base coin. */
type Coin = { readonly denom: string; readonly symbol: string }
const coinOf = ({ spec }: ContractsContext, of: Address): Coin | undefined => nativeAt(spec, of) && spec.native

/** Names of parameters of native contracts that are amounts, of the base coin unless another one names another token. */
const AMOUNT = /^(amount|value|initialBalance|minSelfDelegation|commission)$/
const isOther = (name: string, value: string | undefined, { denom }: Coin): boolean =>
  name === 'denom' ? value !== JSON.stringify(denom) : name === 'contractAddress' || name === 'erc20Address'

/** Fewer units are shown as they are, and more are no amount, but a limit that is none. */
const LEAST_IN_COINS = 10n ** 12n
const MOST_IN_COINS = 2n ** 128n

function inCoins(units: string, { denom, symbol }: Coin): string {
  const value = BigInt(units)
  if (value >= MOST_IN_COINS) return units
  return value < LEAST_IN_COINS && value > 0n ? `${units}${denom}` : `${amount(value)} ${symbol}`
}

/** Whole coins, with thousands separated; `units` of 10^-18. */
export function amount(units: bigint): string {
  const [whole = '0', decimals] = formatUnits(units, 18).split('.')
  const grouped = BigInt(whole).toLocaleString('en-US')
  return decimals === undefined ? grouped : `${grouped}.${decimals}`
}

type ShapeOptions = {
  /** Of bytes that another contract has returned. */
  readonly errorOf?: (data: Uint8Array) => string | undefined
  readonly coin?: Coin | undefined
  readonly enums: EnumNames | undefined
}

function shapeOf({ address, longest }: Style, { errorOf, coin, enums }: ShapeOptions): Shape<string> {
  return {
    scalar(type, value, parameter) {
      if (type === 'address') return address(hexToAddress(String(value)))
      if (type === 'string') return JSON.stringify(cut(String(value), longest))
      if (type !== 'bytes') return (enums && memberOf(enums, parameter, value)) ?? String(value)
      return errorOf?.(fromHex(value as Hex)) ?? cut(String(value), longest)
    },
    array: (values) => `[${values.join(', ')}]`,
    tuple: (components, values) => `(${listed(components, values, coin)})`,
  }
}

/** A text of at most so many characters, and `…`. */
export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}…`
