// Calls, events and errors in words: `Vault.put(amount: 77)`, `NotEnough(who: 0x70…79C8, has: 0, wants: 5000)`. Names and texts
// come from contracts and files of others: they are cut here, and whoever prints them takes out control characters.
import type { AbiParameter } from 'abitype'
import { checksummed } from '../lib/checksummed.ts'
import { type Address, fromHex, type Hex, hexToAddress, toHex } from '../lib/hex.ts'
import type { Shape } from '../primitives/abi-decoder.ts'
import { revertReason } from '../primitives/revert-reason.ts'
import type { Log } from '../primitives/types.ts'
import { unlessMissing } from '../state/partial-state.ts'
import { type ContractsContext, contractName, decodedData, decodedEvent } from './abi.ts'

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
  const found = decodedData(known, to, 'errors', data, shapeOf(style, nested))
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
  const found = decodedData(known, to, 'functions', input, shapeOf(style))
  if (found !== undefined) return `${of}${found.entry.name}(${listed(found.entry.inputs, found.values)})`
  return `${of}${toHex(input.subarray(0, SELECTOR))}(${input.length > SELECTOR ? '…' : ''})`
}

/** An event: `Transfer(from: 0x…, to: 0x…, value: 5)`; undefined: nothing is known of it. */
export function eventInWords(known: ContractsContext, log: Log, style: Style = SHORT): string | undefined {
  const found = decodedEvent(known, log, shapeOf(style))
  return found && `${found.entry.name}(${listed(found.entry.inputs, found.values)})`
}

/** On a fork: what is not here is not fetched for words. */
export const ifHere = <T>(find: () => T): T | undefined => unlessMissing(find, () => undefined)

const SELECTOR = 4

const listed = (parameters: readonly AbiParameter[], values: readonly string[]): string =>
  values.map((value, i) => (parameters[i]?.name ? `${parameters[i].name}: ${value}` : value)).join(', ')

/** `errorOf`: of bytes that another contract has returned. */
function shapeOf({ address, longest }: Style, errorOf?: (data: Uint8Array) => string | undefined): Shape<string> {
  return {
    scalar(type, value) {
      if (type === 'address') return address(hexToAddress(String(value)))
      if (type === 'string') return JSON.stringify(cut(String(value), longest))
      if (type !== 'bytes') return String(value)
      return errorOf?.(fromHex(value as Hex)) ?? cut(String(value), longest)
    },
    array: (values) => `[${values.join(', ')}]`,
    tuple: (components, values) => `(${listed(components, values)})`,
  }
}

/** A text of at most so many characters, and `…`. */
export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}…`
