// Search: looks up an address, a hash or a block number; anything else is searched as a name. Results of all kinds are rows of
// one list.
import { z } from 'zod'
import { isVerified } from '../../contracts/abi.ts'
import { RECORD } from '../../indexer/records.ts'
import { TOKEN_TYPES } from '../../indexer/tables.ts'
import { fromBech32 } from '../../lib/bech32.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, type Hash, hexToAddress, hexToHash } from '../../lib/hex.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import { operatorPrefix } from '../../spec/addresses.ts'
import { accountName } from '../account-names.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { explorerRoute } from '../define.ts'
import { badRequest } from '../errors.ts'
import { accountsByName, contractsByName, type NamedProposal, proposalsByText, tokensByName } from '../name-search.ts'
import { foreignCursor } from '../pagination/cursors.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { isContractAt } from '../shapes/address.ts'
import { showToken, tokenSchema } from '../shapes/token.ts'
import { indexedOperation } from '../shapes/user-operation.ts'

/** Minimum bytes of a name search. */
const SHORTEST_NAME = 3
/** A result needs a text that can be clicked. */
const UNNAMED = 'Unnamed token'

const priority = z.literal(0)
const url = z.string().startsWith('/')
const ofAddress = {
  address_hash: wire.address,
  address: wire.address,
  is_smart_contract_verified: z.boolean(),
  is_smart_contract_address: z.boolean(),
  certified: z.literal(false),
  reputation: z.literal('ok'),
  priority,
}
const tokenHit = z.strictObject({
  type: z.literal('token'),
  name: z.string(),
  symbol: z.string(),
  ...ofAddress,
  token_url: url,
  address_url: url,
  icon_url: z.null(),
  token_type: z.enum(TOKEN_TYPES),
  exchange_rate: wire.number.nullable(),
  total_supply: wire.decimal.nullable(),
  circulating_market_cap: z.null(),
  is_verified_via_admin_panel: z.literal(false),
  name_warning: tokenSchema.shape.name_warning,
})
const addressHit = z.strictObject({
  type: z.enum(['address', 'contract']),
  name: z.string().nullable(),
  ...ofAddress,
  url,
  ens_info: z.null(),
})
const blockHit = z.strictObject({
  type: z.literal('block'),
  block_number: z.number().int(),
  block_hash: wire.hash,
  block_type: z.literal('block'),
  url,
  timestamp: wire.time,
  priority,
})
const transactionHit = z.strictObject({
  type: z.literal('transaction'),
  transaction_hash: wire.hash,
  tx_hash: wire.hash,
  url,
  timestamp: wire.time.nullable().describe('null while it waits'),
  priority,
})
const operationHit = z.strictObject({
  type: z.literal('user_operation'),
  user_operation_hash: wire.hash,
  url,
  timestamp: wire.time,
  priority,
})
const proposalHit = z.strictObject({
  type: z.literal('proposal'),
  proposal_id: z.number().int(),
  title: z.string(),
  url,
  priority,
})
const hitSchema = z.discriminatedUnion('type', [
  tokenHit,
  addressHit,
  blockHit,
  transactionHit,
  operationHit,
  proposalHit,
])
z.globalRegistry.add(hitSchema, { id: 'SearchResult' })
type Hit = z.infer<typeof hitSchema>

/** The record that a query names exactly. */
type ExactMatch =
  | { readonly type: 'address'; readonly address: Address }
  | { readonly type: 'block'; readonly header: SealedHeader }
  | { readonly type: 'transaction'; readonly hash: Hash; readonly header: SealedHeader | undefined }
  | { readonly type: 'user_operation'; readonly hash: Hash; readonly header: SealedHeader }

/**
 * Any address, in hexadecimal or bech32, the hash of a transaction, block or user operation of this chain, or the number of one of its
 * blocks.
 */
async function findExact(context: ExplorerContext, query: string): Promise<ExactMatch | undefined> {
  const { chain, head, spec, rows } = context
  const named = spec.native && addressInBech32(spec.native.bech32Prefix, query)
  if (named !== undefined) return { type: 'address', address: named }
  const [, digits = ''] = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i.exec(query) ?? []
  if (digits.length === 40) return { type: 'address', address: hexToAddress(`0x${digits}`) }
  if (digits.length === 64) {
    const hash = hexToHash(`0x${digits}`)
    const mined = chain.transaction(hash)
    if (mined !== undefined || chain.pool.get(hash) !== undefined) {
      return { type: 'transaction', hash, header: mined?.header }
    }
    const header = await chain.header({ hash })
    if (header !== undefined) return { type: 'block', header }
    const operation = RECORD.operation.get(rows, hash)?.operation
    if (operation === undefined) return undefined
    return { type: 'user_operation', hash, header: (await indexedOperation(context, operation)).mined.header }
  }
  if (!/^\d{1,18}$/.test(query) || BigInt(query) > head.number) return undefined
  const header = await chain.header({ number: BigInt(query) })
  return header && { type: 'block', header }
}

/** The address in a bech32 text, of an account or a validator's operator. */
function addressInBech32(prefix: string, text: string): Address | undefined {
  const names = [prefix, operatorPrefix(prefix)]
  const found = names.find((name) => text.toLowerCase().startsWith(`${name}1`))
  try {
    return found === undefined ? undefined : fromBech32(found, text)
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}

/**
 * Results by kind, best kinds and results first. Each is a function that renders it, so that only those of a page are rendered.
 */
async function find(context: ExplorerContext, text: string): Promise<readonly (readonly (() => Hit)[])[]> {
  const query = text.trim()
  const exact = await findExact(context, query)
  const hits = (exact === undefined ? [] : exactHits(context, exact)).map((hit) => () => hit)
  const isNumber = exact?.type === 'block' && /^\d+$/.test(query)
  const mayBeName = Buffer.byteLength(query) >= SHORTEST_NAME && (exact === undefined || isNumber)
  if (!mayBeName) return [hits]
  const tokens = await tokensByName(context, query)
  const known = new Set(tokens)
  const others = [...contractsByName(context, query), ...accountsByName(context, query)].map(({ address }) => address)
  const addresses = [...new Set(others)].filter((address) => !known.has(address))
  return [
    hits,
    tokens.map((of) => () => tokenHitOf(context, of)),
    addresses.map((of) => () => addressHitOf(context, of)),
    proposalsByText(context, query).map((found) => () => proposalHitOf(found)),
  ]
}

function exactHits(context: ExplorerContext, exact: ExactMatch): Hit[] {
  switch (exact.type) {
    case 'address': {
      const isToken = RECORD.token.get(context.rows, exact.address) !== undefined
      const address = addressHitOf(context, exact.address)
      return isToken ? [tokenHitOf(context, exact.address), address] : [address]
    }
    case 'block': {
      const { hash, number, timestamp } = exact.header
      const at = { block_number: Number(number), block_hash: hash, block_type: 'block' as const }
      return [{ type: 'block', ...at, url: `/block/${hash}`, timestamp: isoTime(timestamp), priority: 0 }]
    }
    case 'transaction': {
      const { hash, header } = exact
      const timestamp = header === undefined ? null : isoTime(header.timestamp)
      return [
        { type: 'transaction', transaction_hash: hash, tx_hash: hash, url: `/tx/${hash}`, timestamp, priority: 0 },
      ]
    }
    case 'user_operation': {
      const { type, hash, header } = exact
      const timestamp = isoTime(header.timestamp)
      return [{ type, user_operation_hash: hash, url: `/op/${hash}`, timestamp, priority: 0 }]
    }
  }
}

const commonOf = (context: ExplorerContext, of: Address) => ({
  address_hash: checksummed(of),
  address: checksummed(of),
  is_smart_contract_verified: isVerified(context, of),
  is_smart_contract_address: isContractAt(context, of),
  certified: false as const,
  reputation: 'ok' as const,
  priority: 0 as const,
})

function tokenHitOf(context: ExplorerContext, of: Address): Hit {
  const { name, symbol, type, total_supply, exchange_rate, address, name_warning } = showToken(context, of)
  return {
    type: 'token',
    name: name ?? symbol ?? UNNAMED,
    symbol: symbol ?? '',
    ...commonOf(context, of),
    token_url: `/token/${address}`,
    address_url: `/address/${address}`,
    icon_url: null,
    token_type: type,
    exchange_rate,
    total_supply,
    name_warning,
    circulating_market_cap: null,
    is_verified_via_admin_panel: false,
  }
}

function addressHitOf(context: ExplorerContext, of: Address): Hit {
  const common = commonOf(context, of)
  return {
    type: common.is_smart_contract_verified ? 'contract' : 'address',
    name: accountName(context, of) ?? null,
    ...common,
    url: `/address/${common.address}`,
    ens_info: null,
  }
}

const proposalHitOf = ({ id, title }: NamedProposal): Hit => ({
  type: 'proposal',
  proposal_id: id,
  title,
  url: `/proposal/${id}`,
  priority: 0,
})

// --- routes

/** Maximum results of a quick search. */
const MOST_QUICK = 50

const query = z.object({ q: z.string().optional().describe('address, hash, block number, or words of a name') })

/** The text to search for. Empty parameters count as absent, which is refused here with the API's own message. */
function queryText({ q }: { readonly q?: string | undefined }): string {
  if (q === undefined) throw badRequest('Missing parameter q')
  return q.trim()
}

export const search = explorerRoute({
  path: '/search',
  summary: 'Tokens, addresses, blocks, transactions, contracts, modules, validators and proposals that match a query',
  query: query.extend(pageQuery.shape).extend({ next_page_params_type: foreignCursor }),
  response: pageSchema(hitSchema),
  handler: async ({ query }, context) =>
    arrayPage((await find(context, queryText(query))).flat(), query, (hit) => hit()),
})

export const searchQuick = explorerRoute({
  path: '/search/quick',
  summary: `The best of each kind, ${MOST_QUICK} at most`,
  query,
  response: z.array(hitSchema),
  async handler({ query }, context) {
    const text = queryText(query)
    if (Buffer.byteLength(text) < SHORTEST_NAME) return []
    return balanced(await find(context, text), MOST_QUICK).map((hit) => hit())
  },
})

/** At most `limit` results, divided evenly among the kinds; unused parts go to the other kinds. */
function balanced<T>(kinds: readonly (readonly T[])[], limit: number): T[] {
  const taken = kinds.map(() => 0)
  for (let room = limit, before = -1; room > 0 && room !== before; ) {
    before = room
    for (const [i, kind] of kinds.entries()) {
      const count = taken[i] ?? 0
      if (room === 0 || count === kind.length) continue
      taken[i] = count + 1
      room--
    }
  }
  return kinds.flatMap((kind, i) => kind.slice(0, taken[i]))
}

const redirectSchema = z.strictObject({
  redirect: z.boolean(),
  type: z.enum(['address', 'block', 'transaction', 'user_operation']).nullable(),
  parameter: z.string().nullable().describe('address or hash'),
})
z.globalRegistry.add(redirectSchema, { id: 'SearchRedirect' })

export const searchCheckRedirect = explorerRoute({
  path: '/search/check-redirect',
  summary: 'The one record that a query names exactly, if there is one',
  query,
  response: redirectSchema,
  async handler({ query }, context): Promise<z.infer<typeof redirectSchema>> {
    const exact = await findExact(context, queryText(query))
    switch (exact?.type) {
      case undefined:
        return { redirect: false, type: null, parameter: null }
      case 'address':
        return { redirect: true, type: 'address', parameter: checksummed(exact.address) }
      case 'block':
        return { redirect: true, type: 'block', parameter: exact.header.hash }
      case 'transaction':
      case 'user_operation':
        return { redirect: true, type: exact.type, parameter: exact.hash }
    }
  },
})
