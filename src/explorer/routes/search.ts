// Search: an address, a hash or a block number is looked up, anything else is searched as a name. Hits of every kind are
// rows of one list.
import { z } from 'zod'
import { RECORD } from '../../indexer/records.ts'
import { TOKEN_TYPES } from '../../indexer/tables.ts'
import { type Address, type Hash, hexToAddress, hexToHash } from '../../lib/hex.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import { checksummed, isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { contractName, isVerified } from '../contracts/abi.ts'
import { explorerRoute } from '../define.ts'
import { badRequest } from '../errors.ts'
import { contractsByName, tokensByName } from '../name-search.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { isContractAt } from '../shapes/address.ts'
import { showToken, tokenName, tokenSchema } from '../shapes/token.ts'

/** Bytes of the shortest query that is searched for as a name. */
const SHORTEST_NAME = 3
/** A hit needs a text that can be clicked. */
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
const hitSchema = z.discriminatedUnion('type', [tokenHit, addressHit, blockHit, transactionHit])
z.globalRegistry.add(hitSchema, { id: 'SearchResult' })
type Hit = z.infer<typeof hitSchema>

/** The one thing that a query names exactly. */
type ExactMatch =
  | { readonly type: 'address'; readonly address: Address }
  | { readonly type: 'block'; readonly header: SealedHeader }
  | { readonly type: 'transaction'; readonly hash: Hash; readonly header: SealedHeader | undefined }

/** Any address, the hash of a transaction or block of this chain, or the number of one of its blocks. */
async function findExact({ chain, head }: ExplorerContext, query: string): Promise<ExactMatch | undefined> {
  const [, digits = ''] = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i.exec(query) ?? []
  if (digits.length === 40) return { type: 'address', address: hexToAddress(`0x${digits}`) }
  if (digits.length === 64) {
    const hash = hexToHash(`0x${digits}`)
    const mined = chain.transaction(hash)
    if (mined !== undefined || chain.pool.get(hash) !== undefined) {
      return { type: 'transaction', hash, header: mined?.header }
    }
    const header = await chain.header({ hash })
    return header && { type: 'block', header }
  }
  if (!/^\d{1,18}$/.test(query) || BigInt(query) > head.number) return undefined
  const header = await chain.header({ number: BigInt(query) })
  return header && { type: 'block', header }
}

/** Hits by kind, the best kinds and hits first. Each is a function that renders the hit: only those of a page are called. */
async function find(context: ExplorerContext, text: string): Promise<readonly (readonly (() => Hit)[])[]> {
  const query = text.trim()
  const exact = await findExact(context, query)
  const hits = (exact === undefined ? [] : exactHits(context, exact)).map((hit) => () => hit)
  const isNumber = exact?.type === 'block' && /^\d+$/.test(query)
  const mayBeName = Buffer.byteLength(query) >= SHORTEST_NAME && (exact === undefined || isNumber)
  if (!mayBeName) return [hits]
  const tokens = await tokensByName(context, query)
  const known = new Set(tokens)
  const contracts = contractsByName(context, query).filter(({ address }) => !known.has(address))
  return [
    hits,
    tokens.map((of) => () => tokenHitOf(context, of)),
    contracts.map(
      ({ address }) =>
        () =>
          addressHitOf(context, address),
    ),
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
    name: contractName(context, of) ?? tokenName(context, of) ?? null,
    ...common,
    url: `/address/${common.address}`,
    ens_info: null,
  }
}

// --- routes

/** Hits of a quick search. */
const MOST_QUICK = 50

const query = z.object({ q: z.string().optional().describe('address, hash, block number, or words of a name') })

/** The text to search for. Empty parameters count as absent, which is refused here in the API's own words. */
function queryText({ q }: { readonly q?: string | undefined }): string {
  if (q === undefined) throw badRequest('Missing parameter q')
  return q.trim()
}

export const search = explorerRoute({
  path: '/search',
  summary: 'Tokens, addresses, blocks, transactions and verified contracts that match a query',
  query: query.extend(pageQuery.shape),
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

/** At most `limit` hits, shared evenly among the kinds; what one kind does not use is left to the others. */
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
  type: z.enum(['address', 'block', 'transaction']).nullable(),
  parameter: z.string().nullable().describe('address, or hash of block or transaction'),
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
        return { redirect: true, type: 'transaction', parameter: exact.hash }
    }
  },
})
