// What a search finds: an address, a hash or a number is itself; other words are names. Everything is a row of one list.
import { z } from 'zod'
import { RECORD } from '../indexer/records.ts'
import { TOKEN_TYPES } from '../indexer/tables.ts'
import { type Address, type Hash, hexToAddress, hexToHash } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { checksummed, isoTime, wire } from './codec.ts'
import { contractName, isVerified } from './contracts/abi.ts'
import type { ExplorerContext } from './define.ts'
import { contractsNamed, tokensNamed } from './named.ts'
import { isContractAt } from './shapes/address.ts'
import { showToken } from './shapes/token.ts'

/** Bytes; less says too little. */
export const SHORTEST_NAME = 3

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
export const hitSchema = z.discriminatedUnion('type', [tokenHit, addressHit, blockHit, transactionHit])
export type Hit = z.infer<typeof hitSchema>

/** What a query is exactly, if it is anything. */
export type Exact =
  | { readonly type: 'address'; readonly address: Address }
  | { readonly type: 'block'; readonly header: SealedHeader }
  | { readonly type: 'transaction'; readonly hash: Hash; readonly header: SealedHeader | undefined }

/** An address (any), the hash of a transaction or block here, or the number of a block here. */
export async function findExact({ chain, head }: ExplorerContext, query: string): Promise<Exact | undefined> {
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

/** Hits by kind, best kind first; each kind is in order. A hit is rendered when it is called: most never are. */
export async function find(context: ExplorerContext, text: string): Promise<readonly (readonly (() => Hit)[])[]> {
  const query = text.trim()
  const exact = await findExact(context, query)
  const hits = (exact === undefined ? [] : exactHits(context, exact)).map((hit) => () => hit)
  const isNumber = exact?.type === 'block' && /^\d+$/.test(query)
  const mayBeName = Buffer.byteLength(query) >= SHORTEST_NAME && (exact === undefined || isNumber)
  if (!mayBeName) return [hits]
  const tokens = await tokensNamed(context, query)
  const known = new Set(tokens)
  const contracts = contractsNamed(context, query).filter(({ address }) => !known.has(address))
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

function exactHits(context: ExplorerContext, exact: Exact): Hit[] {
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
  const { name, symbol, type, total_supply, exchange_rate, address } = showToken(context, of)
  return {
    type: 'token',
    name: name ?? '',
    symbol: symbol ?? '',
    ...commonOf(context, of),
    token_url: `/token/${address}`,
    address_url: `/address/${address}`,
    icon_url: null,
    token_type: type,
    exchange_rate,
    total_supply,
    circulating_market_cap: null,
    is_verified_via_admin_panel: false,
  }
}

function addressHitOf(context: ExplorerContext, of: Address): Hit {
  const common = commonOf(context, of)
  return {
    type: common.is_smart_contract_verified ? 'contract' : 'address',
    name: contractName(context, of) ?? RECORD.token.get(context.rows, of)?.name ?? null,
    ...common,
    url: `/address/${common.address}`,
    ens_info: null,
  }
}
