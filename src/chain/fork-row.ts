// The row of a fork: the block at which it left the other chain, and the rules of its own blocks. A genesis file cannot say these rules:
// other chains begin forks by numbers of blocks that Ethereum begins by time.
import { z } from 'zod'
import type { ForkBlock } from '../fork/forked-chain.ts'
import { type Address, type Hash, toQuantity, ZERO_ADDRESS } from '../lib/hex.ts'
import { type ChainSpec, FORKS } from '../spec/chain-spec.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvReader, WriteOp } from '../state/types.ts'

const integer = z.codec(z.string(), z.bigint(), { decode: BigInt, encode: toQuantity })
const address = z.custom<Address>((text) => typeof text === 'string')
const hash = z.custom<Hash>((text) => typeof text === 'string')
const fork = z.enum(FORKS)

/** Two-way: `decode` reads the row, `encode` writes it. */
const row = z.object({
  at: z.object({
    chainId: integer,
    number: integer,
    hash,
    stateRoot: hash,
    byHash: z.boolean(),
    isVerified: z.boolean(),
    block: z.unknown().optional(),
  }),
  rules: z.object({
    name: z.string(),
    // Forks that older programs began have the rules of other chains.
    isFork: z.boolean().optional(),
    forks: z.array(z.object({ fork, block: integer.optional(), time: integer.optional() })).readonly(),
    // Rows of earlier programs lack it.
    depositContract: address.default(ZERO_ADDRESS),
    blobs: z.array(z.tuple([fork, z.object({ target: integer, max: integer, baseFeeUpdateFraction: integer })])),
  }),
})

export const forkRow = (at: ForkBlock, { name, isFork, forks, blobSchedule, depositContract }: ChainSpec): WriteOp => ({
  type: 'put',
  key: KEY.meta('fork'),
  value: Buffer.from(
    JSON.stringify(row.encode({ at, rules: { name, isFork, forks, depositContract, blobs: [...blobSchedule] } })),
  ),
})

const read = (store: Pick<KvReader, 'get'>) => {
  const bytes = store.get(KEY.meta('fork'))
  return bytes && row.parse(JSON.parse(Buffer.from(bytes).toString()))
}

/** The block of the fork; undefined for a chain that is none. */
export const readFork = (store: Pick<KvReader, 'get'>): ForkBlock | undefined => read(store)?.at

/** The specification, with the rules of a fork. */
export function withForkRules(spec: ChainSpec, store: Pick<KvReader, 'get'>): ChainSpec {
  const rules = read(store)?.rules
  if (rules === undefined) return spec
  const { name, isFork, forks, depositContract, blobs } = rules
  return { ...spec, name, isFork, forks, depositContract, blobSchedule: new Map(blobs) }
}

/** Block and state version of a fork as it began: with the transactions before its first one, and with its accounts' coins. */
export const begunRow = (number: bigint, version: number): WriteOp => ({
  type: 'put',
  key: KEY.meta('begun'),
  value: Buffer.from(JSON.stringify([number.toString(), version])),
})

export function readBegun(
  store: Pick<KvReader, 'get'>,
): { readonly number: bigint; readonly version: number } | undefined {
  const bytes = store.get(KEY.meta('begun'))
  const [number, version] = bytes === undefined ? [] : begun.parse(JSON.parse(Buffer.from(bytes).toString()))
  return number === undefined || version === undefined ? undefined : { number: BigInt(number), version }
}
const begun = z.tuple([z.string(), z.number()])
