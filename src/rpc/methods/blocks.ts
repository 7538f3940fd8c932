// Blocks: their headers, transaction counts, uncles and receipts. The answer for an unknown block is null.
import type { BlockRef, ChainReader, MinedReceipt } from '../../chain/types.ts'
import { type BlockAccessList, decodeBlockAccessList } from '../../primitives/block-access-list.ts'
import type { Block, Header, SealedHeader } from '../../primitives/types.ts'
import { blockNumber, blockRef, bool, hash, index, quantity } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { wireBlock, wireHeader, wireUncle } from '../shapes/block.ts'
import { noAccessList, wireAccountAccess } from '../shapes/block-access-list.ts'
import { minedReceipts, wireReceipt } from '../shapes/receipt.ts'

/** Whether to return full transactions. */
const full = bool.default(false)

type BlockView = { readonly block: Block | undefined; readonly full: boolean }
const blockOrNull = ({ block, full }: BlockView) => (block ? wireBlock(block, full ? 'full' : 'hashes') : null)
const headerOrNull = (header: SealedHeader | undefined) => (header ? wireHeader(header) : null)
const listOrNull = (list: BlockAccessList | null) => list?.map(wireAccountAccess) ?? null
const uncleOrNull = (uncle: Header | undefined) => (uncle ? wireUncle(uncle) : null)

export const eth_getBlockByHash = rpcMethod({
  summary: 'A block by its hash, with transaction hashes or full transactions.',
  params: [hash, full],
  names: ['blockHash', 'fullTransactions'],
  result: blockOrNull,
  committed: true,
  handler: async ([hash, full], { chain }) => ({ block: await chain.block({ hash }), full }),
})

export const eth_getBlockByNumber = rpcMethod({
  summary: 'A block by its number or tag, with transaction hashes or full transactions.',
  params: [blockNumber, full],
  names: ['block', 'fullTransactions'],
  result: blockOrNull,
  committed: true,
  handler: async ([ref, full], { chain }) => ({ block: await chain.block(ref), full }),
})

export const eth_getHeaderByHash = rpcMethod({
  summary: 'A header by its block hash.',
  params: [hash],
  names: ['blockHash'],
  result: headerOrNull,
  committed: true,
  handler: ([hash], { chain }) => chain.header({ hash }),
})

export const eth_getHeaderByNumber = rpcMethod({
  summary: 'A header by its number or tag.',
  params: [blockNumber],
  names: ['block'],
  result: headerOrNull,
  committed: true,
  handler: ([ref], { chain }) => chain.header(ref),
})

const transactionCount = async (chain: ChainReader, ref: BlockRef): Promise<bigint | null> => {
  const block = await chain.block(ref)
  return block ? BigInt(block.transactions.length) : null
}

export const eth_getBlockTransactionCountByHash = rpcMethod({
  summary: 'The number of transactions of a block, by its hash.',
  params: [hash],
  names: ['blockHash'],
  result: quantity.nullable(),
  committed: true,
  handler: ([hash], { chain }) => transactionCount(chain, { hash }),
})

export const eth_getBlockTransactionCountByNumber = rpcMethod({
  summary: 'The number of transactions of a block, by its number or tag.',
  params: [blockNumber],
  names: ['block'],
  result: quantity.nullable(),
  committed: true,
  handler: ([ref], { chain }) => transactionCount(chain, ref),
})

const uncleCount = async (chain: ChainReader, ref: BlockRef): Promise<bigint | null> => {
  const block = await chain.block(ref)
  return block ? BigInt(block.uncles.length) : null
}

export const eth_getUncleCountByBlockHash = rpcMethod({
  summary: 'The number of uncles of a block, by its hash.',
  params: [hash],
  names: ['blockHash'],
  result: quantity.nullable(),
  committed: true,
  handler: ([hash], { chain }) => uncleCount(chain, { hash }),
})

export const eth_getUncleCountByBlockNumber = rpcMethod({
  summary: 'The number of uncles of a block, by its number or tag.',
  params: [blockNumber],
  names: ['block'],
  result: quantity.nullable(),
  committed: true,
  handler: ([ref], { chain }) => uncleCount(chain, ref),
})

export const eth_getUncleByBlockHashAndIndex = rpcMethod({
  summary: 'An uncle of a block, by the block hash and its position.',
  params: [hash, index],
  names: ['blockHash', 'index'],
  result: uncleOrNull,
  committed: true,
  handler: async ([hash, position], { chain }) => (await chain.block({ hash }))?.uncles[position],
})

export const eth_getUncleByBlockNumberAndIndex = rpcMethod({
  summary: 'An uncle of a block, by the block number or tag and its position.',
  params: [blockNumber, index],
  names: ['block', 'index'],
  result: uncleOrNull,
  committed: true,
  handler: async ([ref, position], { chain }) => (await chain.block(ref))?.uncles[position],
})

/** As the specification of these methods says, unknown blocks and `pending` have none, and a block before Amsterdam is an error. */
async function accessListOf(chain: ChainReader, ref: BlockRef): Promise<BlockAccessList | null> {
  const block = ref === 'pending' ? undefined : await chain.block(ref)
  if (block === undefined) return null
  const list = chain.accessList(block.header.number)
  if (list === undefined) throw noAccessList()
  return decodeBlockAccessList(list)
}

const ofAccessList = { result: listOrNull, heavy: true, committed: true } as const

export const eth_getBlockAccessList = rpcMethod({
  summary: 'What a block has accessed and changed (EIP-7928).',
  params: [blockRef],
  names: ['block'],
  ...ofAccessList,
  handler: ([ref], { chain }) => accessListOf(chain, ref),
})

export const eth_getBlockAccessListByBlockHash = rpcMethod({
  summary: 'What a block has accessed and changed (EIP-7928), by its hash.',
  params: [hash],
  names: ['blockHash'],
  ...ofAccessList,
  handler: ([hash], { chain }) => accessListOf(chain, { hash }),
})

export const eth_getBlockAccessListByBlockNumber = rpcMethod({
  summary: 'What a block has accessed and changed (EIP-7928), by its number or tag.',
  params: [blockNumber],
  names: ['block'],
  ...ofAccessList,
  handler: ([ref], { chain }) => accessListOf(chain, ref),
})

export const eth_getBlockReceipts = rpcMethod({
  summary: 'All receipts of a block, in transaction order.',
  params: [blockRef],
  names: ['block'],
  result: (receipts: readonly MinedReceipt[] | null) => receipts?.map(wireReceipt) ?? null,
  heavy: true,
  committed: true,
  async handler([ref], { chain }) {
    const block = await chain.block(ref)
    const receipts = block && chain.receipts(block.header.hash)
    return receipts ? minedReceipts(block, receipts) : null
  },
})
