// A transaction or call in words, for a line of the terminal: `Vault.put(amount: 77) from 0xf39F…2266 (account 0)`. When the
// line is short, arguments are cut first, then names of accounts are left out.
import type { Address } from '../lib/hex.ts'
import { type ContractsContext, contractName } from './abi.ts'
import { amount, callInWords, errorInWords, ifHere, SHORT, shortAddress } from './words.ts'

export type WordedMessage = {
  /** null: it creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  readonly input: Uint8Array
  /** Of a creation, if the address is known. */
  readonly created?: Address | undefined
}

/** Names of accounts without code. */
export type AccountNames = (of: Address) => string | undefined

export type WordedChain = ContractsContext & { readonly nameOf: AccountNames }

/** `1.5 KEST`; less than a gwei in wei. */
export const coins = (units: bigint, { native }: ContractsContext['spec']): string =>
  units > 0n && units < 1_000_000_000n
    ? `${units.toLocaleString('en-US')} wei`
    : `${amount(units)} ${native?.symbol ?? 'ETH'}`

/** The words, in at most `longest` characters as far as cuts allow. */
export function messageInWords(
  known: WordedChain,
  message: WordedMessage & { readonly from: Address },
  longest = Number.POSITIVE_INFINITY,
): string {
  const { from } = message
  const sender = (isNamed: boolean) => ` from ${isNamed ? accountInWords(known, from) : shortAddress(from)}`
  for (const isNamed of [true, false]) {
    const what = partsOf(known, message, isNamed)
    const rest = what.after + sender(isNamed)
    const call = cutArguments(what.call, longest - rest.length)
    if (!isNamed || call.length + rest.length <= longest) return call + rest
  }
  throw new Error('the words without names are returned above')
}

/** `0xf39F…2266 (account 0)` */
export function accountInWords({ nameOf }: Pick<WordedChain, 'nameOf'>, of: Address): string {
  const name = ifHere(() => nameOf(of))
  return name === undefined ? shortAddress(of) : `${shortAddress(of)} (${name})`
}

/** The name of a contract, or else a short address with the account's name. */
export const addressInWords = (known: WordedChain, of: Address): string =>
  ifHere(() => contractName(known, of)) ?? accountInWords(known, of)

/** As `errorInWords`; without known words the data in short, and undefined without data. */
export function revertInWords(known: ContractsContext, to: Address | undefined, data: Uint8Array): string | undefined {
  if (data.length === 0) return undefined
  const words = ifHere(() => errorInWords(known, to, data, SHORT))
  const hex = () => Buffer.from(data.subarray(0, SHOWN_BYTES)).toString('hex')
  return words ?? `custom error 0x${hex()}${data.length > SHOWN_BYTES ? `… (${data.length} bytes)` : ''}`
}

const SHOWN_BYTES = 36

/** As `messageInWords`, without the sender. */
export function callAndValueInWords(known: WordedChain, message: WordedMessage): string {
  const { call, after } = partsOf(known, message, true)
  return call + after
}

function partsOf(known: WordedChain, message: WordedMessage, isNamed: boolean): { call: string; after: string } {
  const { to, value, input, created } = message
  const { spec } = known
  const paid = value > 0n ? ` with ${coins(value, spec)}` : ''
  if (to === null) {
    const named = created && ifHere(() => contractName(known, created))
    const name = named ?? known.artifacts?.created(input)?.name ?? 'a contract'
    return { call: `creates ${name}${created === undefined ? '' : ` ${shortAddress(created)}`}`, after: paid }
  }
  const words = ifHere(() => callInWords(known, to, input))
  const receiver = isNamed ? accountInWords(known, to) : shortAddress(to)
  if (words === undefined) {
    const bytes = input.length === 0 ? '' : ` with ${input.length} bytes`
    return { call: `${coins(value, spec)} to ${receiver}${bytes}`, after: '' }
  }
  const isContractNamed = ifHere(() => contractName(known, to)) !== undefined
  return { call: words, after: `${paid}${isContractNamed ? '' : ` on ${receiver}`}` }
}

/** `put(amount: 77)` in fewer characters: `put(amo…)`, at least `put(…)`. */
function cutArguments(call: string, longest: number): string {
  const open = call.indexOf('(')
  if (call.length <= longest || open < 0 || !call.endsWith(')')) return call
  return `${call.slice(0, Math.max(open + 1, longest - 2))}…)`
}
