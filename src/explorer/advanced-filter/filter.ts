// The conditions of an advanced filter: the query in which Blockscout's clients write them, what they say of a single entry, and
// the lists of the index that have all entries of a condition. Amounts are in whole coins and tokens.
import { z } from 'zod'
import { nameOfSelector, selectorsByName } from '../../contracts/abi.ts'
import { RECORD } from '../../indexer/records.ts'
import { type Kind, kindMask, LIST, MASKS, type Role, TOKEN_TYPES, type TokenType } from '../../indexer/tables.ts'
import type { Address, Hex } from '../../lib/hex.ts'
import { addressParam, labels, timeParam } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { coinSymbol } from '../contract-reads.ts'
import { invalidParameter } from '../errors.ts'
import { tokensByName } from '../name-search.ts'

/** Types of items that move coins or call contracts, and the kind of transactions that they are. */
const COIN_TYPES = {
  COIN_TRANSFER: 'coin_transfer',
  CONTRACT_INTERACTION: 'contract_call',
  CONTRACT_CREATION: 'contract_creation',
} as const satisfies Readonly<Record<string, Kind>>
const COIN_TYPE_NAMES = ['COIN_TRANSFER', 'CONTRACT_INTERACTION', 'CONTRACT_CREATION'] as const

/** Maximum methods, and maximum tokens or addresses of one list. */
const MOST_METHODS = 20
const MOST_TOKENS = 20
const MOST_ADDRESSES = 50
/** Maximum symbols that are looked up: each is a search by name. */
const MOST_SYMBOLS = 5

/** `native`: the coin. */
const COIN = 'native'
type Coin = typeof COIN

const texts = (most: number) =>
  z
    .string()
    .transform((text) => [...new Set(text.split(',').map((each) => each.trim()))].filter((each) => each !== ''))
    .refine((found) => found.length <= most, `Invalid value. Expected at most ${most} values`)
const addresses = texts(MOST_ADDRESSES).pipe(z.array(addressParam)).optional()
const tokens = texts(MOST_TOKENS)
  .pipe(
    z.array(
      z.union([
        addressParam,
        z
          .string()
          .regex(/^native$/i)
          .transform((): Coin => COIN),
      ]),
    ),
  )
  .optional()
const symbols = texts(MOST_TOKENS).optional()
const amount = z
  .string()
  .regex(/^\d{1,78}(\.\d{1,78})?$/, 'Invalid format. Expected a decimal number')
  .transform((text): Amount => {
    const [whole = '', fraction = ''] = text.split('.')
    return { digits: BigInt(`${whole}${fraction}`), scale: 10n ** BigInt(fraction.length) }
  })
  .optional()
/** A decimal number: its digits over a power of ten. */
type Amount = { readonly digits: bigint; readonly scale: bigint }

export const filterQuery = z.object({
  transaction_types: labels([...COIN_TYPE_NAMES, ...TOKEN_TYPES], ['ERC-404', 'ERC-7984']),
  methods: texts(MOST_METHODS)
    .pipe(z.array(z.string().regex(/^0x[0-9a-fA-F]{8}$/, 'Invalid format. Expected 0x and 8 digits')))
    .optional()
    .describe('selectors, with commas between'),
  methods_names: texts(MOST_METHODS).optional().describe('names of methods, beside `methods`'),
  age_from: timeParam.optional().describe('ISO 8601; the first moment'),
  age_to: timeParam.optional().describe('ISO 8601; the last moment'),
  from_address_hashes_to_include: addresses,
  from_address_hashes_to_exclude: addresses,
  to_address_hashes_to_include: addresses,
  to_address_hashes_to_exclude: addresses,
  address_relation: z
    .string()
    .toLowerCase()
    .pipe(z.enum(['or', 'and']))
    .optional()
    .describe('whether one of the conditions for sender and recipient is enough; `or` by default'),
  amount_from: amount.describe('in whole coins or tokens, like the next'),
  amount_to: amount,
  token_contract_address_hashes_to_include: tokens.describe('`native`: the coin, and calls of contracts'),
  token_contract_address_hashes_to_exclude: tokens,
  token_contract_symbols_to_include: symbols.describe('if no addresses are given'),
  token_contract_symbols_to_exclude: symbols,
})
type FilterQuery = z.output<typeof filterQuery>

/** A condition for one side; undefined: all addresses. */
type Side = { readonly include: ReadonlySet<Address> | undefined; readonly exclude: ReadonlySet<Address> } | undefined

export type Filter = {
  readonly kinds: readonly Kind[]
  /** The bits of the kinds. */
  readonly mask: number
  readonly tokenTypes: readonly TokenType[]
  /** Whether these are all types, so that an item of no type is among them: a call without coins of an account without code. */
  readonly hasAllKinds: boolean
  readonly selectors: ReadonlySet<Hex> | undefined
  /** Unix milliseconds, both included. */
  readonly since: number | undefined
  readonly until: number | undefined
  readonly sender: Side
  readonly recipient: Side
  /** Whether one of the sides is enough. */
  readonly isEither: boolean
  readonly least: Amount | undefined
  readonly most: Amount | undefined
  /** undefined: all tokens. */
  readonly tokens: ReadonlySet<Address> | undefined
  readonly otherTokens: ReadonlySet<Address>
}

/** The filter of a query. Throws 422 for conditions that contradict each other. */
export async function filterOf(context: ExplorerContext, query: FilterQuery): Promise<Filter> {
  const { transaction_types: types, methods, methods_names: names, age_from: since, age_to: until } = query
  const { amount_from: least, amount_to: most } = query
  if (since !== undefined && until !== undefined && since > until)
    throw invalidParameter('age_to', 'Invalid value. Expected a time that is not before age_from')
  if (least !== undefined && most !== undefined && least.digits * most.scale > most.digits * least.scale)
    throw invalidParameter('amount_to', 'Invalid value. Expected a number that is not below amount_from')
  const included = await tokensOf(
    context,
    query.token_contract_address_hashes_to_include,
    query.token_contract_symbols_to_include,
  )
  const excluded = await tokensOf(
    context,
    query.token_contract_address_hashes_to_exclude,
    query.token_contract_symbols_to_exclude,
  )
  const hasCoin = included?.has(COIN) !== false && excluded?.has(COIN) !== true
  const kinds =
    types === undefined
      ? Object.values(COIN_TYPES)
      : COIN_TYPE_NAMES.flatMap((type) => (types.includes(type) ? [COIN_TYPES[type]] : []))
  return {
    kinds: hasCoin ? kinds : [],
    mask: kindMask(kinds),
    hasAllKinds: hasCoin && kinds.length === COIN_TYPE_NAMES.length,
    tokenTypes: TOKEN_TYPES.filter((type) => types?.includes(type) !== false),
    selectors: selectorsOf(context, methods, names),
    since,
    until,
    sender: sideOf(query.from_address_hashes_to_include, query.from_address_hashes_to_exclude),
    recipient: sideOf(query.to_address_hashes_to_include, query.to_address_hashes_to_exclude),
    isEither: query.address_relation !== 'and',
    least,
    most,
    tokens: included && new Set(withoutCoin(included)),
    otherTokens: new Set(withoutCoin(excluded ?? new Set())),
  }
}

const withoutCoin = (of: ReadonlySet<Address | Coin>) => [...of].filter((each): each is Address => each !== COIN)

/** The tokens of a list: by address, or else by symbol, ignoring case. */
async function tokensOf(
  context: ExplorerContext,
  hashes: readonly (Address | Coin)[] | undefined,
  symbols: readonly string[] | undefined,
): Promise<ReadonlySet<Address | Coin> | undefined> {
  if (hashes !== undefined) return new Set(hashes)
  if (symbols === undefined) return undefined
  if (symbols.length > MOST_SYMBOLS)
    throw invalidParameter(
      'token_contract_symbols_to_include',
      `Expected addresses, or at most ${MOST_SYMBOLS} symbols`,
    )
  const found = new Set<Address | Coin>()
  for (const symbol of symbols) {
    if (symbol.toLowerCase() === coinSymbol(context).toLowerCase()) found.add(COIN)
    for (const token of await tokensByName(context, symbol)) {
      if (RECORD.token.get(context.rows, token)?.symbol?.toLowerCase() === symbol.toLowerCase()) found.add(token)
    }
  }
  if (found.size > MOST_TOKENS)
    throw invalidParameter('token_contract_symbols_to_include', `More than ${MOST_TOKENS} tokens have these symbols`)
  return found
}

function selectorsOf(
  context: ExplorerContext,
  methods: readonly string[] | undefined,
  names: readonly string[] | undefined,
): ReadonlySet<Hex> | undefined {
  if (methods === undefined && names === undefined) return undefined
  return new Set([...(methods ?? []), ...(names ?? [])].flatMap((name) => selectorsByName(context, name)))
}

const sideOf = (include: readonly Address[] | undefined, exclude: readonly Address[] | undefined): Side =>
  include === undefined && exclude === undefined
    ? undefined
    : { include: include && new Set(include), exclude: new Set(exclude) }

// --- what the conditions say of an entry

const fits = (side: NonNullable<Side>, of: Address | undefined): boolean =>
  (side.include === undefined || (of !== undefined && side.include.has(of))) &&
  (of === undefined || !side.exclude.has(of))

export function hasParties({ sender, recipient, isEither }: Filter, from: Address, to: Address | undefined): boolean {
  if (sender === undefined || recipient === undefined)
    return (sender === undefined || fits(sender, from)) && (recipient === undefined || fits(recipient, to))
  return isEither ? fits(sender, from) || fits(recipient, to) : fits(sender, from) && fits(recipient, to)
}

/** Whether an amount of base units is within the bounds. */
export function hasAmount({ least, most }: Filter, value: bigint, decimals: number): boolean {
  if (least === undefined && most === undefined) return true
  const unit = 10n ** BigInt(decimals)
  return (
    (least === undefined || value * least.scale >= least.digits * unit) &&
    (most === undefined || value * most.scale <= most.digits * unit)
  )
}

export const hasToken = ({ tokens, otherTokens }: Filter, token: Address): boolean =>
  tokens?.has(token) !== false && !otherTokens.has(token)

// --- the lists with all entries of a condition

export type ActivityKind = 'transaction' | 'transfer' | 'call'

/** Unions of lists, each of which has every entry of a kind that the filter selects. */
export function offersOf(filter: Filter, kind: ActivityKind): readonly (readonly Hex[])[] {
  const { sender, recipient, isEither } = filter
  const sent = sender?.include && listsOf(filter, kind, sender.include, ['out', 'self'])
  const received = recipient?.include && listsOf(filter, kind, recipient.include, ['in', 'self'])
  const isOr = isEither && sender !== undefined && recipient !== undefined
  const ofParties = isOr ? [sent && received && [...sent, ...received]] : [sent, received]
  return [
    ...ofParties,
    ...(kind === 'transaction' ? ofMessages(filter) : kind === 'transfer' ? ofTokens(filter) : []),
  ].filter((lists) => lists !== undefined)
}

function listsOf(
  { tokens, tokenTypes }: Filter,
  kind: ActivityKind,
  of: ReadonlySet<Address>,
  roles: readonly Role[],
): Hex[] {
  return [...of].flatMap((address) =>
    roles.flatMap((role) => {
      if (kind === 'transaction') return [LIST.transactionsOf(address, role)]
      if (kind === 'call') return [LIST.callsOf(address, role)]
      return tokens === undefined
        ? tokenTypes.map((type) => LIST.transfersOf(address, type, role))
        : [...tokens].map((token) => LIST.transfersOfWith(address, token, role))
    }),
  )
}

function ofMessages({ mask: wanted, hasAllKinds, selectors }: Filter): readonly Hex[][] {
  const masks = Array.from({ length: MASKS }, (_, mask) => mask).filter((mask) => hasAllKinds || (mask & wanted) !== 0)
  if (selectors !== undefined)
    return [[...selectors].flatMap((selector) => masks.map((mask) => LIST.transactionsByMethod(selector, mask)))]
  return hasAllKinds ? [] : [masks.map((mask) => LIST.transactionsByKinds(mask))]
}

const ofTokens = ({ tokens, tokenTypes }: Filter): readonly Hex[][] => [
  ...(tokens === undefined ? [] : [[...tokens].map((token) => LIST.transfersOfToken(token))]),
  ...(tokenTypes.length === TOKEN_TYPES.length ? [] : [tokenTypes.map((type) => LIST.transfersByType(type))]),
]

// --- names

/** Selectors of the filter with their names. */
export const methodNames = (context: ExplorerContext, { selectors = new Set() }: Filter): Record<string, string> =>
  Object.fromEntries([...selectors].map((selector) => [selector, nameOfSelector(context, selector) ?? selector]))
