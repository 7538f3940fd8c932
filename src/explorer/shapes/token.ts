// Tokens in records. Names are untrusted text, shown without invisible characters. A token's decimals are text within other
// records, and a number in the token's own record: within a record the frontend treats the number 0 as unknown and assumes 18.
import { z } from 'zod'
import { RECORD, type TokenRecord } from '../../indexer/records.ts'
import { HOLDERS, TOKEN_TYPES } from '../../indexer/tables.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { TEXT_WARNINGS, type TextWarning, textWarning, visibleText } from '../../lib/visible-text.ts'
import { bankLayout } from '../../modules/bank.ts'
import { NATIVE_CONTRACT, WERC20 } from '../../spec/addresses.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { wire } from '../codec.ts'
import { type ExplorerContext, oncePerRequest } from '../context.ts'
import { tokenSupply } from '../contract-reads.ts'

export const tokenSchema = z.strictObject({
  address_hash: wire.address,
  address: wire.address,
  name: z.string().nullable(),
  symbol: z.string().nullable(),
  decimals: wire.decimal.nullable(),
  type: z.enum(TOKEN_TYPES),
  total_supply: wire.decimal.nullable(),
  holders_count: wire.decimal,
  holders: z.number().int(),
  exchange_rate: wire.number.nullable(),
  volume_24h: z.null(),
  circulating_market_cap: z.null(),
  circulating_supply: z.null(),
  icon_url: z.null(),
  reputation: z.enum(['ok', 'neutral', 'scam']),
  name_warning: z.enum(TEXT_WARNINGS).nullable().describe('why name or symbol may be taken for those of another token'),
})
z.globalRegistry.add(tokenSchema, { id: 'TokenInfo' })
export type TokenInfo = z.infer<typeof tokenSchema>

export const tokenResourceSchema = tokenSchema.extend({ decimals: z.number().int().nullable() })
z.globalRegistry.add(tokenResourceSchema, { id: 'Token' })
export type TokenResource = z.infer<typeof tokenResourceSchema>

const UNKNOWN: TokenRecord = {
  type: 'ERC-20',
  name: undefined,
  symbol: undefined,
  decimals: undefined,
  supply: undefined,
  items: 0,
}

export type TokenNames = {
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly warning: TextWarning | undefined
}

/** Name and symbol of a token in safe form. */
export const shownNames = ({ name = '', symbol = '' }: Pick<TokenRecord, 'name' | 'symbol'>): TokenNames => ({
  name: visibleText(name),
  symbol: visibleText(symbol),
  warning: textWarning(name) ?? textWarning(symbol),
})

/** The name of a token in safe form; undefined for other contracts. */
export function tokenName({ rows }: Pick<ExplorerContext, 'rows'>, of: Address): string | undefined {
  const fact = RECORD.token.get(rows, of)
  return fact && shownNames(fact).name
}

/**
 * The total supply by the contract after its last transfer; for an ERC-721 without one, the number of items. Of an ERC-1155, of all ids
 * together. Blocks create base coins without a transfer, so that supply is the bank's.
 */
function supplyOf({ view }: ExplorerContext, of: Address, { type, supply, items }: TokenRecord): bigint | undefined {
  if (of === WERC20) return bankLayout.open(view.slots(NATIVE_CONTRACT.bank, 'read')).supply.get()
  return supply ?? (type === 'ERC-721' ? BigInt(items) : type === 'ERC-1155' ? 0n : undefined)
}

/** A token within another record. A contract that is not a known token is shown as a nameless ERC-20. */
export const showToken = oncePerRequest((context, of: Address): TokenInfo => {
  const { rows, options } = context
  const fact = RECORD.token.get(rows, of) ?? UNKNOWN
  const { type, decimals } = fact
  const { name, symbol, warning } = shownNames(fact)
  const hash = checksummed(of)
  const holders = memberCount(rows, HOLDERS.ranking(of))
  return {
    address_hash: hash,
    address: hash,
    name: name ?? null,
    symbol: symbol ?? null,
    decimals: decimals?.toString() ?? null,
    type,
    total_supply: supplyOf(context, of, fact)?.toString() ?? null,
    holders_count: holders.toString(),
    holders,
    exchange_rate: options.prices?.tokens.get(of) ?? null,
    volume_24h: null,
    circulating_market_cap: null,
    circulating_supply: null,
    icon_url: null,
    reputation: 'ok',
    name_warning: warning ?? null,
  }
})

/** The record of a token itself, with the supply read from its contract: some change it without an event. */
export async function showTokenResource(context: ExplorerContext, of: Address): Promise<TokenResource> {
  const { decimals, ...token } = showToken(context, of)
  const supply = (await tokenSupply(context, of))?.toString()
  return { ...token, decimals: decimals === null ? null : Number(decimals), total_supply: supply ?? token.total_supply }
}
