// Lookup of verified contracts by version 2 of the Sourcify API. An answer has the match of a contract, and the fields selected
// by `fields` or `omit`.
import { z } from 'zod'
import type { VerifiedContract } from '../../contracts/verified-contracts.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { CONTRACT_FIELDS, FIELD_NAMES } from './contract-fields.ts'
import { addressIn, pageOf, type SourcifyRoute } from './define.ts'
import { invalidParameter, parsed } from './errors.ts'

export const NOT_VERIFIED = { match: null, creationMatch: null, runtimeMatch: null }

const KINDS = { exact: 'exact_match', partial: 'match' } as const

/** The fields of every answer about a verified contract. */
export function minimal(chainId: string, address: Address, contract: VerifiedContract) {
  const { match, runtimeMatch = match, creationMatch, matchId, verifiedAt } = contract
  return {
    match: KINDS[match],
    creationMatch: creationMatch === undefined ? null : KINDS[creationMatch],
    runtimeMatch: KINDS[runtimeMatch],
    chainId,
    address: checksummed(address),
    verifiedAt: new Date(verifiedAt * 1000).toISOString().replace('.000Z', 'Z'),
    matchId: (matchId ?? 0).toString(),
  }
}

const selection = z.object({ fields: z.string().optional(), omit: z.string().optional() })

/** The selected fields, each with its parts; undefined: all parts. */
type Selected = ReadonlyMap<string, ReadonlySet<string> | undefined>

/** The fields of an answer in addition to the match. Throws SourcifyError for an unknown field. */
function selectedBy(query: Readonly<Record<string, string>>): Selected {
  const { fields, omit } = parsed(selection, query)
  if (fields !== undefined && omit !== undefined) throw invalidParameter('Cannot specify both fields and omit')
  const names = (list = '') => list.split(',').filter((name) => name !== '')
  const wanted = names(fields)
  if (wanted.includes('all')) {
    if (wanted.length > 1) throw invalidParameter("Cannot specify 'all' with other fields")
    return new Map([...FIELD_NAMES.keys()].map((name) => [name, undefined]))
  }
  const left = names(omit)
  for (const name of [...wanted, ...left]) checkField(name)
  return omit === undefined ? including(wanted) : excluding(left)
}

const MATCH_FIELDS = ['matchId', 'match', 'creationMatch', 'runtimeMatch', 'verifiedAt', 'chainId', 'address']

function checkField(name: string): void {
  const [field = '', part, ...more] = name.split('.')
  if (more.length > 0) throw invalidParameter(`Field selector cannot have more than one level subselectors: ${name}`)
  const parts = FIELD_NAMES.get(field)
  const isKnown = part === undefined ? parts !== undefined || MATCH_FIELDS.includes(field) : parts?.includes(part)
  if (isKnown !== true) throw invalidParameter(`Field selector ${name} is not a valid field`)
}

function including(names: readonly string[]): Selected {
  const found = new Map<string, Set<string> | undefined>()
  for (const name of names) {
    const [field = '', part] = name.split('.')
    const parts = found.get(field)
    if (part === undefined || (found.has(field) && parts === undefined)) found.set(field, undefined)
    else found.set(field, new Set([...(parts ?? []), part]))
  }
  return found
}

function excluding(names: readonly string[]): Selected {
  const all = [...FIELD_NAMES].filter(([field]) => !names.includes(field))
  return new Map(
    all.map(([field, parts]) => {
      const left = parts.filter((part) => !names.includes(`${field}.${part}`))
      return [field, left.length === parts.length ? undefined : new Set(left)]
    }),
  )
}

const onlyParts = (value: unknown, parts: ReadonlySet<string> | undefined): unknown =>
  parts === undefined || typeof value !== 'object' || value === null
    ? value
    : Object.fromEntries(Object.entries(value).filter(([name]) => parts.has(name)))

const contract: SourcifyRoute = {
  method: 'GET',
  path: '/v2/contract/:chain/:address',
  async handle({ params, query, verification, chainId, withContext }) {
    const address = addressIn(params)
    const selected = selectedBy(query)
    return withContext(async (context) => {
      const sources = verification.contracts.sources(context.rows, context.view, address)
      if (sources === undefined) {
        return { status: 404, body: { ...NOT_VERIFIED, chainId, address: checksummed(address) } }
      }
      const answer: Record<string, unknown> = minimal(chainId, address, sources)
      for (const [name, make] of CONTRACT_FIELDS) {
        if (selected.has(name)) answer[name] = onlyParts(await make(sources, address, context), selected.get(name))
      }
      return { body: answer }
    })
  },
}

const onAllChains: SourcifyRoute = {
  method: 'GET',
  path: '/v2/contract/all-chains/:address',
  async handle({ params, verification, chainId, withContext }) {
    const address = addressIn(params)
    const found = await withContext(({ view }) => verification.contracts.get(view, address))
    return found === undefined
      ? { status: 404, body: { results: [] } }
      : { body: { results: [minimal(chainId, address, found)] } }
  },
}

const MOST_LISTED = 200

const listQuery = z.object({
  sort: z.enum(['asc', 'desc']).default('desc'),
  limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(MOST_LISTED),
  afterMatchId: z.coerce.number().int().nonnegative().optional(),
})

const contracts: SourcifyRoute = {
  method: 'GET',
  path: '/v2/contracts/:chain',
  async handle({ query, verification, chainId, withContext }) {
    const { sort, limit, afterMatchId: after } = parsed(listQuery, query)
    const newestFirst = await withContext(({ view }) => verification.contracts.all(view))
    const sorted = sort === 'desc' ? newestFirst : newestFirst.toReversed()
    const page = sorted
      .filter(({ matchId }) => after === undefined || (sort === 'desc' ? matchId < after : matchId > after))
      .slice(0, limit)
    return { body: { results: page.map((entry) => minimal(chainId, entry.address, entry)) } }
  },
}

/** The page to which Hardhat sends users for a contract. */
const contractPage: SourcifyRoute = {
  method: 'GET',
  path: '/repo-ui/:chain/:address',
  handle: async ({ params }) => ({ location: pageOf(addressIn(params)) }),
}

export const lookupRoutes: readonly SourcifyRoute[] = [contract, onAllChains, contracts, contractPage]
