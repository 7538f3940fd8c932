// Every list of the explorer with its expected contents in order, from the book.
import { getAddress, type Hex } from 'viem'
import type { Scenario } from '../scenario.ts'
import { type Book, feeOf, isCreation, type Message, type Mined, same, type TokenType, type Transfer } from './book.ts'
import type { Played } from './script.ts'
import { keyOf } from './visits.ts'

/** `keys`: the expected items, in order. */
export type Expected = {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: an item of any list
  readonly key: (item: any) => string
  readonly keys: readonly string[]
}

const TYPES: readonly TokenType[] = ['ERC-20', 'ERC-721', 'ERC-1155']
export const KINDS = ['coin_transfer', 'contract_call', 'contract_creation', 'token_transfer', 'token_creation']

const hashes = (of: readonly Mined[]) => of.map(({ hash }) => hash)
export const keyOfTransfer = ({ hash, log, id }: Transfer): string => `${hash} ${log} ${id ?? ''}`
const transferKeys = (of: readonly Transfer[]) => of.map(keyOfTransfer)
const callKeys = (of: readonly Message[]) => of.map(({ hash, index }) => `${hash} ${index}`)
const logKeys = (of: Book['logs']) => of.map(({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`)

/** Newest first, which also reverses the ids of one batch. */
const newest = <T>(of: readonly T[]): T[] => of.toReversed()

/** Lists of the whole chain. */
export function chainLists({ head, transactions, transfers, messages }: Book, { waiting }: Played): Expected[] {
  const ofTransactions = (query: string, keys: readonly Mined[]): Expected => ({
    path: `/transactions${query}`,
    key: keyOf.hash,
    keys: hashes(newest(keys)),
  })
  const isOf = (kinds: readonly string[]) => transactions.filter((of) => of.kinds.some((kind) => kinds.includes(kind)))
  const selectors = new Set(transactions.filter(isMethodCall).map(({ input }) => input.slice(0, 10)))
  return [
    ofTransactions('', transactions),
    ofTransactions('?filter=validated', transactions),
    ofTransactions(
      '?filter=failed',
      transactions.filter(({ receipt }) => receipt.status === 'reverted'),
    ),
    { path: '/transactions?filter=pending', key: keyOf.hash, keys: newest(waiting) },
    ...KINDS.map((kind) => ofTransactions(`?type=${kind}`, isOf([kind]))),
    ofTransactions('?type=coin_transfer,token_creation', isOf(['coin_transfer', 'token_creation'])),
    ...[...selectors].map((selector) => ofTransactions(`?method=${selector}`, withSelector(transactions, selector))),
    ...[...selectors].map((selector) =>
      ofTransactions(`?method=${selector}&type=token_transfer`, withSelector(isOf(['token_transfer']), selector)),
    ),
    {
      path: '/blocks',
      key: keyOf.height,
      keys: Array.from({ length: head + 1 }, (_, i) => String(head - i)),
    },
    { path: '/blocks?type=uncle,reorg', key: keyOf.height, keys: [] },
    { path: '/token-transfers', key: keyOf.transfer, keys: transferKeys(newest(transfers)) },
    ...TYPES.map((type) => ({
      path: `/token-transfers?type=${type}`,
      key: keyOf.transfer,
      keys: transferKeys(newest(transfers.filter((of) => of.type === type))),
    })),
    { path: '/internal-transactions', key: keyOf.call, keys: callKeys(newest(messages)) },
    { path: '/withdrawals', key: keyOf.withdrawal, keys: ['2', '1', '0'] },
  ]
}

const isMethodCall = ({ isCall, input }: Mined): boolean => isCall && input.length >= 10
const withSelector = (of: readonly Mined[], selector: string): Mined[] =>
  of.filter((transaction) => isMethodCall(transaction) && transaction.input.startsWith(selector))

/** Lists of every block and every transaction. */
export function partLists({ blocks, transactions }: Book): Expected[] {
  const ofBlocks = blocks.flatMap(({ number, hash }): Expected[] => {
    const within = transactions.filter(({ receipt }) => receipt.blockNumber === number)
    const messages = within.flatMap((of) => of.messages)
    return [
      { path: `/blocks/${number}/transactions`, key: keyOf.hash, keys: hashes(within) },
      { path: `/blocks/${hash}/internal-transactions`, key: keyOf.call, keys: callKeys(messages) },
      ...(within.length < 2 ? [] : KINDS).map((kind) => ({
        path: `/blocks/${number}/transactions?type=${kind}`,
        key: keyOf.hash,
        keys: hashes(within.filter(({ kinds }) => kinds.includes(kind))),
      })),
    ]
  })
  const ofTransactions = transactions.flatMap(({ hash, transfers, messages, receipt }): Expected[] => [
    { path: `/transactions/${hash}/token-transfers`, key: keyOf.transfer, keys: transferKeys(transfers) },
    {
      path: `/transactions/${hash}/token-transfers?type=ERC-20`,
      key: keyOf.transfer,
      keys: transferKeys(transfers.filter(({ type }) => type === 'ERC-20')),
    },
    { path: `/transactions/${hash}/internal-transactions`, key: keyOf.call, keys: callKeys(messages) },
    { path: `/transactions/${hash}/logs`, key: keyOf.log, keys: logKeys(receipt.logs) },
  ])
  return [...ofBlocks, ...ofTransactions]
}

const isSide = (of: Hex, side: 'from' | 'to' | undefined, from: string, to: string | null | undefined): boolean =>
  (side !== 'to' && same(from, of)) || (side !== 'from' && same(to, of))

/** Lists of an address. */
export function addressLists(book: Book, of: Hex): Expected[] {
  const base = `/addresses/${of}`
  const transactionsOf = (side?: 'from' | 'to') =>
    newest(book.transactions.filter(({ from, to, created }) => isSide(of, side, from, to ?? created)))
  const transfersOf = (side?: 'from' | 'to') =>
    newest(book.transfers.filter(({ from, to }) => isSide(of, side, from, to)))
  const callsOf = (side?: 'from' | 'to') => newest(book.messages.filter(({ from, to }) => isSide(of, side, from, to)))
  const logs = newest(book.logs.filter(({ address }) => same(address, of)))
  const byFee = transactionsOf().toSorted((a, b) => (feeOf(b) < feeOf(a) ? -1 : feeOf(b) > feeOf(a) ? 1 : 0))
  const tokens = new Set(transfersOf().map(({ token }) => token))
  const topics = new Set(logs.map(({ topics: [topic] }) => topic))
  const all = transactionsOf()
  return [
    { path: `${base}/transactions`, key: keyOf.hash, keys: hashes(all) },
    { path: `${base}/transactions?sort=block_number&order=asc`, key: keyOf.hash, keys: hashes(all.toReversed()) },
    { path: `${base}/transactions?sort=fee&order=desc`, key: keyOf.hash, keys: hashes(byFee) },
    { path: `${base}/token-transfers`, key: keyOf.transfer, keys: transferKeys(transfersOf()) },
    { path: `${base}/internal-transactions`, key: keyOf.call, keys: callKeys(callsOf()) },
    { path: `${base}/logs`, key: keyOf.log, keys: logKeys(logs) },
    ...(['from', 'to'] as const).flatMap((side): Expected[] => [
      { path: `${base}/transactions?filter=${side}`, key: keyOf.hash, keys: hashes(transactionsOf(side)) },
      { path: `${base}/internal-transactions?filter=${side}`, key: keyOf.call, keys: callKeys(callsOf(side)) },
      { path: `${base}/token-transfers?filter=${side}`, key: keyOf.transfer, keys: transferKeys(transfersOf(side)) },
      ...TYPES.map((type) => ({
        path: `${base}/token-transfers?filter=${side}&type=${type}`,
        key: keyOf.transfer,
        keys: transferKeys(transfersOf(side).filter((transfer) => transfer.type === type)),
      })),
    ]),
    ...[...tokens].map((token) => ({
      path: `${base}/token-transfers?token=${token}`,
      key: keyOf.transfer,
      keys: transferKeys(transfersOf().filter((transfer) => transfer.token === token)),
    })),
    ...[...topics].flatMap((topic) =>
      topic === undefined
        ? []
        : [
            {
              path: `${base}/logs?topic=${topic}`,
              key: keyOf.log,
              keys: logKeys(logs.filter((log) => log.topics[0] === topic)),
            },
          ],
    ),
  ]
}

/** Balances after every block and state edit, as rows of a history. */
export async function coinHistory({ viem }: Scenario, { head }: Book, of: Hex): Promise<Expected> {
  const balances = await Promise.all(
    Array.from({ length: head + 1 }, (_, number) => viem.getBalance({ address: of, blockNumber: BigInt(number) })),
  )
  const keys = balances.flatMap((value, number) => {
    const delta = value - (balances[number - 1] ?? 0n)
    return delta === 0n ? [] : [`${number} ${delta} ${value}`]
  })
  return { path: `/addresses/${of}/coin-balance-history`, key: keyOf.coin, keys: newest(keys) }
}

/** Blocks by fee recipient. */
export function blocksOf({ blocks }: Book, of: Hex): Expected {
  const heights = blocks.filter(({ miner }) => same(miner, of)).map(({ number }) => String(number))
  return { path: `/addresses/${of}/blocks-validated`, key: keyOf.height, keys: newest(heights) }
}

/** All addresses that occur in any list. */
export function everybody({ transactions, messages, transfers }: Book): Hex[] {
  const found = new Set<Hex>()
  for (const { from, to, created } of transactions)
    for (const of of [from, to, created]) if (of) found.add(getAddress(of))
  for (const { from, to } of messages) for (const of of [from, to]) if (of) found.add(getAddress(of))
  for (const { from, to } of transfers) for (const of of [from, to]) found.add(getAddress(of))
  return [...found]
}

export const createdBy = (messages: readonly Message[]): Message[] =>
  messages.filter((message) => isCreation(message) && !message.isUndone && message.error === undefined)
