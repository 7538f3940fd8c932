// The language of summaries: text with values, in the form of Blockscout's interpretations of transactions. Text that others
// have chosen is always a value, so it cannot be taken for text of the template.
import { formatUnits } from 'viem'
import { z } from 'zod'
import type { Address } from '../../lib/hex.ts'
import { visibleText } from '../../lib/visible-text.ts'
import type { ExplorerContext } from '../context.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import { showToken, tokenSchema } from '../shapes/token.ts'

const variableSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('string'), value: z.string() }),
  z.strictObject({ type: z.literal('currency'), value: z.string().describe('decimal number in whole units') }),
  z.strictObject({ type: z.literal('address'), value: addressSchema }),
  z.strictObject({ type: z.literal('token'), value: tokenSchema }),
])
type Variable = z.infer<typeof variableSchema>

export const summarySchema = z.strictObject({
  summary_template: z.string().describe('text with `{names}` of variables; `{native}` is the coin’s symbol'),
  summary_template_variables: z.record(z.string(), variableSchema),
})
export type Summary = z.infer<typeof summarySchema>

/** The answer with the summary of one thing. */
export const summariesSchema = z.strictObject({
  success: z.literal(true),
  data: z.strictObject({ summaries: z.array(summarySchema) }),
})

z.globalRegistry.add(summariesSchema, { id: 'Summaries' })

/** The place of the coin's symbol, which the frontend knows. */
const COIN = { type: 'coin' } as const
/** Words of the template, and values. */
export type Phrase = readonly (string | Variable | typeof COIN)[]

/** say`${sender} sent ${coins(5n)}`; a value may be a phrase itself, and a string is text that others have chosen. */
export const say = (words: TemplateStringsArray, ...values: readonly (Phrase | string)[]): Phrase =>
  words.flatMap((word, i) => {
    const value = values[i]
    return [...(word === '' ? [] : [word]), ...(typeof value === 'string' ? given(value) : (value ?? []))]
  })

/** Most characters of a text that others have chosen. */
const LONGEST = 300

function given(text: string): Phrase {
  const shown = visibleText(text) ?? ''
  return [{ type: 'string', value: shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST)}…` }]
}

const COIN_DECIMALS = 18
/** Smaller amounts are in wei. */
const LEAST_SHOWN = 10n ** 9n

export const coins = (amount: bigint): Phrase =>
  amount > 0n && amount < LEAST_SHOWN
    ? [{ type: 'currency', value: amount.toString() }, ' wei']
    : [{ type: 'currency', value: formatUnits(amount, COIN_DECIMALS) }, ' ', COIN]

export const account = (context: ExplorerContext, of: Address): Phrase => [
  { type: 'address', value: showAddress(context, of) },
]

export const token = (context: ExplorerContext, of: Address): Phrase => [
  { type: 'token', value: showToken(context, of) },
]

/** Most decimals of a token that are believed. */
const MOST_DECIMALS = 77

/** An amount of a fungible token. */
export function tokens(context: ExplorerContext, of: Address, amount: bigint): Phrase {
  const decimals = Number(showToken(context, of).decimals ?? 0)
  const shown = decimals > MOST_DECIMALS ? amount.toString() : formatUnits(amount, decimals)
  return [{ type: 'currency', value: shown }, ' ', ...token(context, of)]
}

/** `a, b and c`; of more than four the rest is a number. */
export function listed(phrases: readonly Phrase[], rest: string): Phrase {
  const MOST = 4
  const shown =
    phrases.length <= MOST ? phrases : [...phrases.slice(0, MOST - 1), [`${phrases.length - MOST + 1} ${rest}`]]
  return shown.flatMap((phrase, i) => [...(i === 0 ? [] : [i === shown.length - 1 ? ' and ' : ', ']), ...phrase])
}

/** In Blockscout's form. */
export function wireSummary(phrase: Phrase): Summary {
  const variables: Record<string, Variable> = {}
  const template = phrase.map((part, i) => {
    if (typeof part === 'string') return part
    if (part.type === 'coin') return '{native}'
    variables[`${part.type}_${i}`] = part
    return `{${part.type}_${i}}`
  })
  return { summary_template: template.join(''), summary_template_variables: variables }
}
