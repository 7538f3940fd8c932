// Formats return values of contracts and arguments of events as text: coins with their unit, dates, and words for enum values.
// `--json` prints the raw values instead.
import type { AbiParameter } from 'abitype'
import { formatUnits } from 'viem'
import { z } from 'zod'
import { visibleText } from '../../lib/visible-text.ts'
import { componentsOf, layoutOf } from '../../primitives/abi-decoder.ts'
import { DEFAULT_RPC_URL } from '../rpc-client.ts'
import { formatCoin } from './amount.ts'
import { WORDS } from './arguments.ts'

/** Prints `value` as JSON with --json, otherwise the lines. Integers above 2^48 are decimal strings in JSON. */
export function print(asJson: boolean, value: unknown, lines: readonly string[]): void {
  const text = asJson
    ? JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? field.toString() : field), 2)
    : lines.join('\n')
  process.stdout.write(`${text}\n`)
}

/** Prints a message for people on standard error, so that it does not mix with piped output. */
export const note = (text: string): void => void process.stderr.write(`${text}\n`)

export const utc = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().replace('T', ' ').slice(0, 19)} UTC`

/** A suggested next command, for the same node. */
export const hint = (command: string, rpcUrl: string): string =>
  `kestrel ${command}${rpcUrl === DEFAULT_RPC_URL ? '' : ` --rpc-url ${rpcUrl}`}`

/** Values by the names of their parameters; one without a name is called `result`. */
export const namedValues = (parameters: readonly AbiParameter[], values: readonly unknown[]): Record<string, unknown> =>
  Object.fromEntries(parameters.map(({ name }, i) => [name || 'result', values[i]]))

/** One line for each value, in aligned columns; tuples and lists of tuples span indented lines. */
export function answerLines(
  parameters: readonly AbiParameter[],
  values: Readonly<Record<string, unknown>>,
  base: string,
  indent = '',
): string[] {
  const names = parameters.map(({ name }) => name || 'result')
  const width = Math.max(...names.map((name) => name.length))
  const isOfOtherToken = names.some((name) => name === 'denom' || name === 'contractAddress')
  return parameters.flatMap((parameter, i) => {
    const name = names[i] ?? ''
    const value = values[name]
    const text = textOf(parameter, value, base, isOfOtherToken)
    if (text !== undefined) return [`${indent}${name.padEnd(width)}  ${text}`.trimEnd()]
    const { array } = layoutOf(parameter)
    const tuples = array === undefined ? [value] : z.array(z.unknown()).parse(value)
    return tuples.flatMap((tuple, place) => [
      `${indent}${name}${array === undefined ? '' : ` ${place + 1}`}`,
      ...answerLines(componentsOf(parameter), record.parse(tuple), base, `${indent}  `),
    ])
  })
}

const record = z.record(z.string(), z.unknown())
const coin = z.strictObject({ denom: z.string(), amount: z.bigint() })
const decCoin = z.strictObject({ denom: z.string(), amount: z.bigint(), precision: z.number() })
const dec = z.strictObject({ value: z.bigint(), precision: z.number() })

/** A value as one line; undefined for tuples and lists of tuples. */
function textOf(parameter: AbiParameter, value: unknown, base: string, isOfOtherToken = false): string | undefined {
  const { array } = layoutOf(parameter)
  if (array !== undefined) {
    const items = z
      .array(z.unknown())
      .parse(value)
      .map((item) => textOf(array.element, item, base))
    if (items.length === 0) return 'none'
    return items.includes(undefined) ? undefined : items.join(', ')
  }
  if (parameter.type !== 'tuple') return scalarText(parameter, value, isOfOtherToken ? undefined : base)
  const asCoin = coin.safeParse(value).data
  if (asCoin !== undefined) return formatCoin(asCoin, base)
  // Whole base units, whatever the precision says (solidity/Types.sol).
  const asDecCoin = decCoin.safeParse(value).data
  if (asDecCoin !== undefined) return formatCoin(asDecCoin, base)
  const asDec = dec.safeParse(value).data
  return asDec && formatUnits(asDec.value, asDec.precision)
}

/** Names of values in Unix seconds. */
const TIME = /(Time|Until)$/
/** Names of amounts in base units for which the ABI has no denomination. */
const AMOUNT = /^(amount|tokens|balance|initialBalance|minSelfDelegation)$/

function scalarText({ type, name = '' }: AbiParameter, value: unknown, base: string | undefined): string {
  const word = WORDS[`${type} ${name}`]?.[Number(value)]
  if (word !== undefined) return word
  if (base !== undefined && typeof value === 'bigint' && AMOUNT.test(name))
    return formatCoin({ denom: base, amount: value }, base)
  if (typeof value === 'bigint' && TIME.test(name)) return value > 0n && value < 10n ** 11n ? utc(Number(value)) : '-'
  return visibleText(String(value)) ?? ''
}
