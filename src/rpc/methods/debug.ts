// Debugging of the state: ranges of slots and accounts in trie order, and the accounts that blocks changed.
import { z } from 'zod'
import { BeforeFork } from '../../chain/fork.ts'
import type { BlockRef, Chain, ChainReader, InspectedAccount, InspectedSlot, StatePage } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { bigToWord, type Hash, toHash, toHex } from '../../lib/hex.ts'
import type { ExecutionWitness } from '../../runtime/execution-witness.ts'
import { address, atBlock, blockRef, bool, data, hash, looseQuantity, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

/** Maximum accounts of one result (as in geth). */
const MAX_RESULTS = 256

const count = z.int({ error: 'expected an integer' }).nonnegative({ error: 'negative number' })

/** The start of a range: hex of up to 32 bytes, or base64 as in a result's `next`. */
const rangeStart = string.refine((text) => /^0x([0-9a-f]{2}){0,32}$/i.test(text) || /^[\w+/]{43}=$|^$/.test(text), {
  error: 'invalid start of a range',
})

function startHash(text: string): Hash {
  const bytes = text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, 'base64')
  return toHash(Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)]))
}

export const debug_storageRangeAt = rpcMethod({
  summary:
    'Slots of an account before a transaction of a block, in the order of their hashes; of a fork those on disk.',
  params: [blockRef, count, address, rangeStart, count],
  names: ['block', 'transactionIndex', 'address', 'start', 'count'],
  result: ({ items, next }: StatePage<InspectedSlot>) => ({
    storage: Object.fromEntries(items.map(({ hash, key, value }) => [hash, { key, value: bigToWord(value) }])),
    nextKey: next ?? null,
  }),
  heavy: true,
  committed: true,
  handler: ([ref, index, account, start, count], { chain }, signal) =>
    chain.stateQueries.slots(account, { ref, index }, startHash(start), Math.min(count, 1024), signal),
})

type AccountPage = StatePage<InspectedAccount> & { readonly root: Hash }

/** A dump in geth's format: roots and slots without `0x`, the start of the next page in base64. */
function wireDump({ root, items, next }: AccountPage) {
  return {
    root: root.slice(2),
    accounts: Object.fromEntries(items.map((item) => [item.address, wireAccount(item)])),
    ...(next !== undefined && { next: Buffer.from(next.slice(2), 'hex').toString('base64') }),
  }
}

function wireAccount({ address, hash, account, storageRoot, code, storage }: InspectedAccount) {
  const slots = storage.map(({ key, value }) => [key, value.toString(16).padStart(2, '0')] as const)
  return {
    balance: account.balance.toString(),
    nonce: Number(account.nonce),
    root: storageRoot,
    codeHash: account.codeHash,
    ...(code !== undefined && code.length > 0 && { code: toHex(code) }),
    ...(slots.length > 0 && { storage: Object.fromEntries(slots) }),
    address,
    key: hash,
  }
}

export const debug_accountRange = rpcMethod({
  summary:
    'Accounts after a block in the order of their hashes, with code and storage unless they are excluded; of a fork those on disk, with the roots of what was changed on it.',
  params: [blockRef, rangeStart, count, bool.default(false), bool.default(false), bool.default(false)],
  names: ['block', 'start', 'count', 'withoutCode', 'withoutStorage', 'incompletes'],
  result: wireDump,
  heavy: true,
  committed: true,
  handler: ([ref, start, count, withoutCode, withoutStorage], { chain }, signal) =>
    chain.stateQueries.accounts(
      ref,
      startHash(start),
      Math.min(count, MAX_RESULTS),
      {
        code: !withoutCode,
        storage: !withoutStorage,
      },
      signal,
    ),
})

export const debug_dumpBlock = rpcMethod({
  summary: 'The first accounts after a block, with code and storage; of a fork as debug_accountRange.',
  params: [blockRef],
  names: ['block'],
  result: wireDump,
  heavy: true,
  committed: true,
  handler: ([ref], { chain }, signal) =>
    chain.stateQueries.accounts(ref, startHash('0x'), MAX_RESULTS, { code: true, storage: true }, signal),
})

/** Accounts that differ between the states after two blocks; without `to`, between a block and its parent. */
function changedBetween(chain: Chain, from: bigint, to: bigint | undefined, signal: AbortSignal) {
  if (to !== undefined) return chain.stateQueries.modified(from, to, signal)
  if (from === 0n) throw new ChainError('not-found', 'block 0 has no parent')
  if (from === chain.forked?.at.number) throw new BeforeFork(`the parent of block ${from}`)
  return chain.stateQueries.modified(from - 1n, from, signal)
}

async function numberOf(chain: ChainReader, ref: BlockRef): Promise<bigint> {
  const header = await chain.header(ref)
  if (header === undefined) throw new ChainError('not-found', 'block not found')
  return header.number
}

export const debug_getModifiedAccountsByNumber = rpcMethod({
  summary: 'Accounts that a block changed, or that the blocks after a first one up to a last one changed, by number.',
  params: [looseQuantity, looseQuantity.optional()],
  names: ['from', 'to'],
  result: z.array(address),
  heavy: true,
  committed: true,
  async handler([from, to], { chain }, signal) {
    const last = chain.forked?.at.number ?? 0n
    if (from < last && to !== undefined && to > last)
      throw new ChainError('state-not-available', `block ${from} is on the forked chain, block ${to} on the fork`)
    for (const number of to === undefined ? [from] : [from, to]) await numberOf(chain, { number })
    return [...(await changedBetween(chain, from, to, signal))]
  },
})

export const debug_getModifiedAccountsByHash = rpcMethod({
  summary: 'Accounts that a block changed, or that the blocks after a first one up to a last one changed, by hash.',
  params: [hash, hash.optional()],
  names: ['from', 'to'],
  result: z.array(address),
  heavy: true,
  committed: true,
  async handler([from, to], { chain }, signal) {
    const first = await numberOf(chain, { hash: from })
    return [...(await changedBetween(chain, first, to && (await numberOf(chain, { hash: to })), signal))]
  },
})

export const debug_codeByHash = rpcMethod({
  summary: 'The code with this hash, which an account of a block has or had; null when there is none.',
  params: [hash, atBlock],
  names: ['codeHash', 'block'],
  result: data.nullable(),
  committed: true,
  handler: ([codeHash, ref], { chain }) => codeByHash(chain, codeHash, ref),
})

async function codeByHash(chain: ChainReader, codeHash: Hash, ref: BlockRef): Promise<Uint8Array | null> {
  const { view } = await chain.at(ref)
  return view.findCode(codeHash) ?? null
}

/** reth's and anvil's key of a code: the letter c, and the hash. */
const CODE_KEY = /^(?:0x)?63([0-9a-f]{64})$/i

export const debug_dbGet = rpcMethod({
  summary: 'The value of a key of the database: a code by 0x63 and its hash, as in reth; null when there is none.',
  params: [string],
  names: ['key'],
  result: data.nullable(),
  committed: true,
  handler([key], { chain }) {
    const [, codeHash] = CODE_KEY.exec(key) ?? []
    if (codeHash === undefined) throw new ChainError('invalid-params', 'key must be 0x63 and the hash of a code')
    return codeByHash(chain, `0x${codeHash.toLowerCase()}` as Hash, 'latest')
  },
})

export const debug_executionWitness = rpcMethod({
  summary:
    'What of the state before a block a client without state needs to execute the block: trie nodes, codes, addresses and slots, and headers (as reth). An error on a fork, and for a block before which a developer changed the state.',
  params: [blockRef],
  names: ['block'],
  result: (witness: ExecutionWitness) => witness,
  heavy: true,
  committed: true,
  handler: ([ref], { chain }, signal) => chain.stateQueries.witness(ref, signal),
})
