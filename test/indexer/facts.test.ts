// The index of a chain with many kinds of actions, against the chain's JSON-RPC: blocks, receipts, and balances and code at
// every height.
import { encodeErrorResult, parseEther } from 'viem'
import { afterAll, describe, expect, it } from 'vitest'
import { RECORD } from '../../src/indexer/records.ts'
import {
  balanceEntry,
  firstSeenEntry,
  KINDS,
  LIST,
  MASKS,
  positionEntry,
  RANKING,
  ROLES,
  type Role,
  transactionEntry,
} from '../../src/indexer/tables.ts'
import { type Address, type Hex, hexToAddress, toAddress, toHex } from '../../src/lib/hex.ts'
import { startNode } from '../../src/node.ts'
import { entriesBetween, listLength, sequenceOf } from '../../src/tables/list.ts'
import { membersFrom, readDescending } from '../../src/tables/ranking.ts'
import { memberCount } from '../../src/tables/ranking-tree.ts'
import { nodeOptions, withClients } from '../support/chain.ts'
import { token } from '../support/contracts.ts'
import { busyChain } from './actions.ts'

const node = await startNode(nodeOptions())
afterAll(() => node.close())
const { viem, actions, coin, store, alice, bob } = await busyChain(withClients(node))
// The index has to survive a rollback.
for (const act of actions) await act()
const snapshot = node.chain.snapshot()
for (const act of actions.slice(0, 5)) await act()
await node.chain.rollback(snapshot)
for (const act of actions.slice(0, 12)) await act()

const head = Number(node.chain.head.number)
/** All blocks with receipts from JSON-RPC. */
const blocks = await Promise.all(
  Array.from({ length: head + 1 }, async (_, number) => {
    const block = await viem.getBlock({ blockNumber: BigInt(number), includeTransactions: true })
    const receipts = block.transactions.map(({ hash }) => viem.getTransactionReceipt({ hash }))
    return { ...block, number: BigInt(number), receipts: await Promise.all(receipts) }
  }),
)
const lower = (address: string | null | undefined): Address | undefined => (address ? hexToAddress(address) : undefined)
/** `sequence` counts transactions from the genesis. */
const transactions = blocks
  .flatMap(({ transactions, receipts }, number) =>
    transactions.map((tx, index) => ({ ...tx, number, index, receipt: receipts[index] })),
  )
  .map((tx, sequence) => ({
    ...tx,
    sequence,
    from: hexToAddress(tx.from),
    to: lower(tx.to),
    created: lower(tx.receipt?.contractAddress),
    gasUsed: tx.receipt?.gasUsed ?? 0n,
    isFailed: tx.receipt?.status === 'reverted',
  }))
type Mined = (typeof transactions)[number]

const codeAt = async (address: Address, number: number): Promise<Hex> =>
  (await viem.getCode({ address, blockNumber: BigInt(number) })) ?? '0x'
/** An authorization (EIP-7702) already applies to its transaction. */
const wasContract = async ({ to, type, number }: Mined): Promise<boolean> =>
  to !== undefined && (await codeAt(to, type === 'eip7702' ? number : number - 1)) !== '0x'

const all = (list: Hex): Uint8Array[] => entriesBetween(store, list, 0, listLength(store, list))
const sequences = (list: Hex): number[] => all(list).map(sequenceOf)
const seen = (list: Hex) => all(list).map((row) => firstSeenEntry.decode(row))
const accounts = seen(LIST.addresses).map(({ address }) => address)

describe('transactions in the index', () => {
  it('are listed in the order of the chain with their status', () => {
    const rows = all(LIST.transactions).map((row) => transactionEntry.decode(row))
    expect(rows.map(({ number, index }) => [number, index])).toEqual(
      transactions.map(({ number, index }) => [number, index]),
    )
    expect(rows.map(({ error }) => error !== undefined)).toEqual(transactions.map(({ isFailed }) => isFailed))
    const failed = rows.filter(({ error }) => error !== undefined)
    expect(failed.length).toBeGreaterThan(0)
    const balance = parseEther('1000') - 3n
    const args = [alice.address, balance, parseEther('5000')] as const
    const words = encodeErrorResult({ abi: token.abi, errorName: 'InsufficientBalance', args })
    expect([failed[0]?.error, toHex(failed[0]?.revertData ?? new Uint8Array(0))]).toEqual(['execution reverted', words])
  })

  it('are listed by type, and by called method', async () => {
    const byMask = new Map<number, number[]>()
    const byMethod = new Map<string, number[]>()
    for (const tx of transactions) {
      const isContractCall = await wasContract(tx)
      const createdCode = tx.created && !tx.isFailed ? await codeAt(tx.created, tx.number) : '0x'
      const is = {
        coin_transfer: tx.value > 0n,
        contract_call: isContractCall,
        contract_creation: tx.to === undefined,
        // On this chain every log with this topic is a token transfer.
        token_transfer: tx.receipt?.logs.some(({ topics }) => topics[0] === TRANSFER) === true,
        token_creation: createdCode !== '0x' && createdCode === (await codeAt(hexToAddress(coin), head)),
      }
      const mask = KINDS.reduce((sum, kind, bit) => sum + (is[kind] ? 2 ** bit : 0), 0)
      byMask.set(mask, [...(byMask.get(mask) ?? []), tx.sequence])
      if (!isContractCall || tx.input.length < 10) continue
      const method = `${tx.input.slice(0, 10)} ${mask}`
      byMethod.set(method, [...(byMethod.get(method) ?? []), tx.sequence])
    }
    // Plain transfers, calls, failed calls, creations with and without a token.
    expect(byMask.size).toBeGreaterThan(4)
    for (let mask = 0; mask < MASKS; mask++) {
      expect(sequences(LIST.transactionsByKinds(mask))).toEqual(byMask.get(mask) ?? [])
    }
    expect(byMethod.size).toBeGreaterThan(2)
    for (const [method, expected] of byMethod) {
      const [selector = '0x', mask] = method.split(' ')
      expect(sequences(LIST.transactionsByMethod(selector as Hex, Number(mask)))).toEqual(expected)
    }
  })

  it('are listed by sender and by receiver', () => {
    const sideOf = ({ from, to, created }: Mined, of: Address): Role | undefined => {
      if (from === of) return to === of ? 'self' : 'out'
      if (to === of) return 'in'
      return created === of ? 'created' : undefined
    }
    for (const of of accounts) {
      for (const side of ROLES) {
        const expected = transactions.filter((tx) => sideOf(tx, of) === side).map(({ sequence }) => sequence)
        expect(sequences(LIST.transactionsOf(of, side))).toEqual(expected)
      }
    }
  })
})

describe('accounts in the index', () => {
  it('are listed once, with all participants', async () => {
    const rows = seen(LIST.addresses)
    expect(new Set(accounts).size).toBe(accounts.length)
    expect(rows.map(({ number }) => number)).toEqual(rows.map(({ number }) => number).toSorted((a, b) => a - b))
    const known = new Set(accounts)
    for (const { from, to, created } of transactions) {
      const parties = [from, to, created].filter((party) => party !== undefined)
      expect(parties.filter((party) => !known.has(party))).toEqual([])
    }
    for await (const { address } of node.chain.accounts()) expect(known).toContain(address)
    for (const address of accounts) expect(RECORD.account.get(store, address)).toBeDefined()
  })

  it('are ranked by balance', async () => {
    const held: { address: Address; balance: bigint }[] = []
    for await (const { address, balance } of node.chain.accounts()) if (balance > 0n) held.push({ address, balance })
    held.sort((a, b) => (a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1))
    expect(memberCount(store, RANKING.accounts)).toBe(held.length)
    const ranked = (await membersFrom(store, RANKING.accounts, 0, 1000)).map(readDescending)
    expect(ranked.map(({ value, rest }) => ({ address: toAddress(rest), balance: value }))).toEqual(held)
  })

  it('have a history of balances without gaps, with the causing transactions', async () => {
    let named = 0
    const views = await Promise.all(blocks.map(({ number }) => node.chain.at({ number })))
    for (const address of accounts) {
      const rows = all(LIST.balances(address)).map((row) => balanceEntry.decode(row))
      let last = 0n
      let changedAt = 0
      for (let number = 0; number <= head; number++) {
        const here = rows.filter((row) => row.number === number)
        const touching = transactions.filter((tx) => tx.number === number)
        for (const { before, after, transaction } of here) {
          expect(before).toBe(last)
          expect(after).not.toBe(before)
          last = after
          changedAt = number
          named += transaction === undefined ? 0 : 1
          expect([undefined, ...touching.map(({ sequence }) => sequence)]).toContain(transaction)
        }
        expect(last).toBe(views[number]?.view.balance(address))
        // The sender of a transaction pays for it, so the last change of its balance is not before its last transaction.
        const own = touching.filter(({ from }) => from === address).at(-1)
        expect(here[0]?.transaction ?? -1).toBeGreaterThanOrEqual(own?.sequence ?? -1)
      }
      const fact = RECORD.account.get(store, address)
      expect([fact?.balance, fact?.changedAt]).toEqual([last, changedAt])
    }
    expect(named).toBeGreaterThan(transactions.length)
  })

  it('have the gas used by their transactions', () => {
    for (const address of accounts) {
      const gasOf = (side: 'from' | 'to') =>
        Number(transactions.filter((tx) => tx[side] === address).reduce((sum, { gasUsed }) => sum + gasUsed, 0n))
      const { gasSpent, gasServed } = RECORD.account.get(store, address) ?? {}
      expect([gasSpent, gasServed]).toEqual([gasOf('from'), gasOf('to')])
    }
    expect(RECORD.account.get(store, hexToAddress(bob.address))?.gasServed).toBeGreaterThan(0)
  })

  it('are contracts if they have code that is not a delegation', async () => {
    const contracts = seen(LIST.contracts).map(({ address }) => address)
    expect(new Set(contracts).size).toBe(contracts.length)
    for await (const { address, code } of node.chain.accounts()) {
      const isContract = code.length > 0 && !toHex(code).startsWith('0xef0100')
      const isDestroyed = RECORD.account.get(store, address)?.isDestroyed
      expect(isContract).toBe(contracts.includes(address) && isDestroyed === false)
    }
    for (const { created, isFailed, from, sequence } of transactions) {
      if (created === undefined || isFailed) continue
      const { creator, createdIn } = RECORD.account.get(store, created) ?? {}
      expect([creator, createdIn]).toEqual([from, sequence])
    }
  })
})

describe('blocks in the index', () => {
  it('have the sums of their receipts', () => {
    let sequence = 0
    let gas = 0n
    for (const { number, transactions: mined, receipts, baseFeePerGas } of blocks) {
      const fees = receipts.reduce((sum, { gasUsed, effectiveGasPrice }) => sum + gasUsed * effectiveGasPrice, 0n)
      const gasUsed = receipts.reduce((sum, receipt) => sum + receipt.gasUsed, 0n)
      const baseFees = gasUsed * (baseFeePerGas ?? 0n)
      gas += gasUsed
      expect(RECORD.block.get(store, Number(number))).toMatchObject({
        firstTransaction: sequence,
        transactions: mined.length,
        fees,
        baseFees,
        tips: fees - baseFees,
        totalGas: Number(gas),
      })
      sequence += mined.length
    }
  })

  it('and their transactions cover the lists of calls and transfers without gaps', () => {
    const rows = all(LIST.transactions).map((row) => transactionEntry.decode(row))
    let calls = 0
    let transfers = 0
    for (const { number } of blocks) {
      const fact = RECORD.block.get(store, Number(number))
      expect([fact?.firstCall, fact?.firstTransfer]).toEqual([calls, transfers])
      for (const row of rows.filter((row) => row.number === Number(number))) {
        expect([row.firstCall, row.firstTransfer]).toEqual([calls, transfers])
        calls += row.calls
        transfers += row.transfers
      }
      expect([calls, transfers]).toEqual([
        (fact?.firstCall ?? 0) + (fact?.calls ?? 0),
        (fact?.firstTransfer ?? 0) + (fact?.transfers ?? 0),
      ])
    }
    expect([listLength(store, LIST.calls), listLength(store, LIST.transfers)]).toEqual([calls, transfers])
    expect(Math.min(calls, transfers)).toBeGreaterThan(0)
  })

  it('are summed up by day', () => {
    const days = new Map<number, { transactions: number; gasUsed: number; fees: bigint }>()
    for (const { timestamp, receipts } of blocks) {
      const day = Math.floor(Number(timestamp) / 86_400)
      const sum = days.get(day) ?? { transactions: 0, gasUsed: 0, fees: 0n }
      for (const { gasUsed, effectiveGasPrice } of receipts) {
        sum.transactions++
        sum.gasUsed += Number(gasUsed)
        sum.fees += gasUsed * effectiveGasPrice
      }
      days.set(day, sum)
    }
    for (const [day, sum] of days) expect(RECORD.day.get(store, day)).toMatchObject(sum)
  })

  it('are listed by creator', () => {
    for (const miner of new Set(blocks.map(({ miner }) => hexToAddress(miner)))) {
      const mined = blocks.filter((block) => hexToAddress(block.miner) === miner).map(({ number }) => Number(number))
      const places = all(LIST.blocksOf(miner)).map((row) => positionEntry.decode(row))
      expect(places).toEqual(mined.map((number) => ({ number, index: 0 })))
    }
  })
})

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
