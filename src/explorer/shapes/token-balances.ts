// Token balances of an address: amounts of ERC-20s, numbers of ERC-721 items, and amounts of single ERC-1155 ids.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { MEMBER, ofToken, RANKING, TOKEN_TYPES, type TokenType } from '../../indexer/tables.ts'
import { type Address, fromHex } from '../../lib/hex.ts'
import type { KvReader } from '../../state/types.ts'
import { membersAfter, membersFrom, membersUnder, readDescending } from '../../tables/ranking.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { tokenBalance } from '../contract-reads.ts'
import { showToken, tokenSchema } from './token.ts'
import { instanceSchema, showInstance } from './token-instance.ts'

const LAST_ID = 2n ** 256n - 1n

export type ItemType = Exclude<TokenType, 'ERC-20'>
export const ITEM_TYPES = ['ERC-721', 'ERC-1155'] as const satisfies readonly ItemType[]

export const balanceSchema = z.strictObject({
  token: tokenSchema,
  token_id: wire.decimal.nullable().describe('of an ERC-1155'),
  token_instance: instanceSchema.nullable(),
  value: wire.decimal.describe('an amount; of an ERC-721 how many items'),
})
z.globalRegistry.add(balanceSchema, { id: 'TokenBalance' })
export type TokenBalance = z.infer<typeof balanceSchema>

/**
 * The amount that a holder has of a token, of which the index says `value`. That of an ERC-20 is read from the token: some change
 * balances without a Transfer event. Such a balance is correct here, but its rank follows the events.
 */
export const amountHeld = async (
  context: ExplorerContext,
  { token, type }: { readonly token: Address; readonly type: TokenType | undefined },
  holder: Address,
  value: bigint,
): Promise<bigint> => (type === 'ERC-20' ? ((await tokenBalance(context, token, holder)) ?? value) : value)

/** A member of RANKING.owned. */
export async function showBalance(
  context: ExplorerContext,
  of: Address,
  type: TokenType,
  order: Uint8Array,
): Promise<TokenBalance> {
  const { value, rest } = readDescending(order)
  const { token, id } = MEMBER.item(rest)
  const amount = await amountHeld(context, { token, type }, of, value)
  return {
    token: showToken(context, token),
    token_id: id?.toString() ?? null,
    token_instance: id === undefined ? null : await showInstance(context, token, id),
    value: amount.toString(),
  }
}

export const itemSchema = instanceSchema.extend({
  token_type: z.enum(TOKEN_TYPES),
  value: wire.decimal.describe('how many of this id'),
})
z.globalRegistry.add(itemSchema, { id: 'NftItem' })

/** A member of RANKING.items. */
export async function showItem(
  context: ExplorerContext,
  of: Address,
  type: ItemType,
  member: Uint8Array,
  options: { readonly withToken: boolean },
): Promise<z.infer<typeof itemSchema>> {
  const { token, id = 0n } = MEMBER.item(member)
  const amount = type === 'ERC-721' ? 1n : (RECORD.holdingOfInstance.get(context.rows, of, token, id)?.amount ?? 0n)
  return { ...(await showInstance(context, token, id, options)), token_type: type, value: amount.toString() }
}

/** Number of items shown with a collection. */
const SHOWN_ITEMS = 9
/** Maximum counted ids of one ERC-1155, and maximum listed collections of a type. */
const MOST_IDS = 10_000
const MOST_COLLECTIONS = 1_000

export const collectionSchema = z.strictObject({
  token: tokenSchema,
  amount: wire.decimal.describe('how many different items'),
  token_instances: z.array(itemSchema),
})
z.globalRegistry.add(collectionSchema, { id: 'NftCollection' })

export type Collection = { readonly token: Address; readonly type: ItemType }

/** Tokens of which an address holds items: ERC-721s, most items first, then ERC-1155s by address. */
export async function collectionsOf(
  { rows }: ExplorerContext,
  of: Address,
  types: readonly ItemType[],
): Promise<Collection[]> {
  const found = await Promise.all(
    types.map((type) => (type === 'ERC-721' ? erc721Collections(rows, of) : erc1155Collections(rows, of))),
  )
  return found.flat()
}

async function erc721Collections(rows: KvReader, of: Address): Promise<Collection[]> {
  const members = await membersFrom(rows, RANKING.owned(of, 'ERC-721'), 0, MOST_COLLECTIONS)
  return members.map((order) => ({ token: MEMBER.item(readDescending(order).rest).token, type: 'ERC-721' }))
}

/** Items are ordered by token and id, so the next token follows a token's largest possible id. */
async function erc1155Collections(rows: KvReader, of: Address): Promise<Collection[]> {
  const ranking = RANKING.items(of, 'ERC-1155')
  const collections: Collection[] = []
  let [next] = await membersFrom(rows, ranking, 0, 1)
  while (next !== undefined && collections.length < MOST_COLLECTIONS) {
    const { token } = MEMBER.item(next)
    collections.push({ token, type: 'ERC-1155' })
    next = (await membersAfter(rows, ranking, fromHex(ofToken(token, LAST_ID)), 1))[0]
  }
  return collections
}

/** A collection with its first items. */
export async function showCollection(
  context: ExplorerContext,
  of: Address,
  { token, type }: Collection,
): Promise<z.infer<typeof collectionSchema>> {
  const { rows } = context
  const isErc721 = type === 'ERC-721'
  const limit = isErc721 ? SHOWN_ITEMS : MOST_IDS
  const members = await membersUnder(rows, RANKING.items(of, type), fromHex(token), limit)
  const amount = isErc721 ? RECORD.holding.get(rows, of, token)?.amount : undefined
  return {
    token: showToken(context, token),
    amount: (amount ?? members.length).toString(),
    token_instances: await Promise.all(
      members.slice(0, SHOWN_ITEMS).map((member) => showItem(context, of, type, member, { withToken: false })),
    ),
  }
}
