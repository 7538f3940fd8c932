// The state and the encodings beneath the chain, for whoever looks for a fault: ranges of slots and accounts, what a
// block changed, raw headers and receipts.
import { z } from 'zod'
import type { BlockRef, Chain, InspectedAccount, InspectedSlot, Page } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { bigToWord, type Hash, toHash, toHex } from '../../lib/hex.ts'
import { address, blockRef, bool, hash, looseQuantity, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'

/** Accounts or slots of one answer (geth's number). */
const MAX_RESULTS = 256

const count = z.int({ error: 'expected an integer' }).nonnegative({ error: 'negative number' })

/** Where a range begins: hex, shorter than a hash or not, or base64 as an answer's `next` is. */
const rangeStart = string.refine((text) => /^0x([0-9a-f]{2}){0,32}$/i.test(text) || /^[\w+/]{43}=$|^$/.test(text), {
  error: 'invalid start of a range',
})

function startHash(text: string): Hash {
  const bytes = text.startsWith('0x') ? Buffer.from(text.slice(2), 'hex') : Buffer.from(text, 'base64')
  return toHash(Buffer.concat([bytes, Buffer.alloc(32 - bytes.length)]))
}

export const debug_storageRangeAt = rpcMethod({
  summary: 'Slots of an account before a transaction of a block, in order of their hashes.',
  params: [blockRef, count, address, rangeStart, count],
  names: ['block', 'transactionIndex', 'address', 'start', 'count'],
  result: ({ items, next }: Page<InspectedSlot>) => ({
    storage: Object.fromEntries(items.map(({ hash, key, value }) => [hash, { key, value: bigToWord(value) }])),
    nextKey: next ?? null,
  }),
  heavy: true,
  handler: ([ref, index, of, start, count], { chain }, caller) =>
    chain.stateQueries.slots(of, { ref, index }, startHash(start), Math.min(count, 1024), caller),
})

type AccountPage = Page<InspectedAccount> & { readonly root: Hash }

/** geth's dump: roots and slots without `0x`, the beginning of the next page in base64. */
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
  summary: 'Accounts of a block in order of their hashes; code and storage unless they are left out.',
  params: [blockRef, rangeStart, count, bool.default(false), bool.default(false), bool.default(false)],
  names: ['block', 'start', 'count', 'withoutCode', 'withoutStorage', 'incompletes'],
  result: wireDump,
  heavy: true,
  handler: ([ref, start, count, withoutCode, withoutStorage], { chain }, caller) =>
    chain.stateQueries.accounts(
      ref,
      startHash(start),
      Math.min(count, MAX_RESULTS),
      {
        code: !withoutCode,
        storage: !withoutStorage,
      },
      caller,
    ),
})

export const debug_dumpBlock = rpcMethod({
  summary: 'The first accounts of a block, with code and storage.',
  params: [blockRef],
  names: ['block'],
  result: wireDump,
  heavy: true,
  handler: ([ref], { chain }, caller) =>
    chain.stateQueries.accounts(ref, startHash('0x'), MAX_RESULTS, { code: true, storage: true }, caller),
})

/** Numbers of two blocks; without a second one, a block and its parent. */
function changedBetween(chain: Chain, from: bigint, to: bigint | undefined, caller: AbortSignal) {
  if (to !== undefined) return chain.stateQueries.modified(from, to, caller)
  if (from === 0n) throw new ChainError('not-found', 'block 0 has no parent')
  return chain.stateQueries.modified(from - 1n, from, caller)
}

async function numberOf(chain: Chain, ref: BlockRef): Promise<bigint> {
  const header = await chain.header(ref)
  if (header === undefined) throw new ChainError('not-found', 'block not found')
  return header.number
}

export const debug_getModifiedAccountsByNumber = rpcMethod({
  summary: 'Accounts that a block changed, or all blocks after a first up to a last one, by number.',
  params: [looseQuantity, looseQuantity.optional()],
  names: ['from', 'to'],
  result: z.array(address),
  heavy: true,
  async handler([from, to], { chain }, caller) {
    for (const number of to === undefined ? [from] : [from, to]) await numberOf(chain, { number })
    return [...(await changedBetween(chain, from, to, caller))]
  },
})

export const debug_getModifiedAccountsByHash = rpcMethod({
  summary: 'Accounts that a block changed, or all blocks after a first up to a last one, by hash.',
  params: [hash, hash.optional()],
  names: ['from', 'to'],
  result: z.array(address),
  heavy: true,
  async handler([from, to], { chain }, caller) {
    const first = await numberOf(chain, { hash: from })
    return [...(await changedBetween(chain, first, to && (await numberOf(chain, { hash: to })), caller))]
  },
})
