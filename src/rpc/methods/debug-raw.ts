// Blocks, headers, receipts and transactions in their consensus encodings (RLP, EIP-2718). An unknown block is an error.
import { z } from 'zod'
import type { BlockRef, ChainReader } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { EMPTY_BYTES } from '../../lib/hex.ts'
import { encodeBlock } from '../../primitives/block.ts'
import { encodeHeader } from '../../primitives/header.ts'
import { encodeReceipt } from '../../primitives/receipt.ts'
import type { Block } from '../../primitives/types.ts'
import { blockRef, data, hash } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { noAccessList } from '../shapes/block-access-list.ts'

async function blockAt(chain: ChainReader, ref: BlockRef): Promise<Block> {
  const block = await chain.block(ref)
  if (block === undefined) throw new ChainError('header-not-found', 'block not found')
  return block
}

export const debug_getRawBlock = rpcMethod({
  summary: 'A block in RLP.',
  params: [blockRef],
  names: ['block'],
  result: data,
  heavy: true,
  committed: true,
  handler: async ([ref], { chain }) => encodeBlock(await blockAt(chain, ref)),
})

export const debug_getRawHeader = rpcMethod({
  summary: 'A header in RLP.',
  params: [blockRef],
  names: ['block'],
  result: data,
  committed: true,
  handler: async ([ref], { chain }) => encodeHeader((await blockAt(chain, ref)).header),
})

export const debug_getRawReceipts = rpcMethod({
  summary: 'The receipts of a block in their encoding in the receipts trie.',
  params: [blockRef],
  names: ['block'],
  result: z.array(data),
  heavy: true,
  committed: true,
  async handler([ref], { chain }) {
    const { header } = await blockAt(chain, ref)
    const receipts = chain.receipts(header.hash)
    if (receipts === undefined) throw new ChainError('header-not-found', 'receipts not found')
    return receipts.map(encodeReceipt)
  },
})

export const debug_getRawBlockAccessList = rpcMethod({
  summary: 'The block access list of a block in RLP (EIP-7928).',
  params: [blockRef],
  names: ['block'],
  result: data,
  heavy: true,
  committed: true,
  async handler([ref], { chain }) {
    const block = ref === 'pending' ? undefined : await chain.block(ref)
    const list = block && chain.accessList(block.header.number)
    if (list === undefined) throw noAccessList()
    return list
  },
})

/** reth's name of it. */
export const eth_getBlockAccessListRaw = debug_getRawBlockAccessList

export const debug_getRawTransaction = rpcMethod({
  summary: 'The encoding of a signed transaction, mined or pending; empty when it is unknown.',
  params: [hash],
  names: ['transactionHash'],
  result: data,
  committed: true,
  handler: ([hash], { chain }) => (chain.transaction(hash)?.transaction ?? chain.pool.get(hash))?.raw ?? EMPTY_BYTES,
})

export const debug_getRawTransactions = rpcMethod({
  summary: 'The encodings of all transactions of a block.',
  params: [blockRef],
  names: ['block'],
  result: z.array(data),
  heavy: true,
  committed: true,
  handler: async ([ref], { chain }) => (await blockAt(chain, ref)).transactions.map(({ raw }) => raw),
})
