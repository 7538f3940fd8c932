// Addresses and tokens against the book and the contracts.
import { getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Deployed, ZERO } from '../scenario.ts'
import type { Answer } from '../support.ts'
import { type Book, same, sum, type TokenType } from './book.ts'
import { addressLists, createdBy, everybody, keyOfTransfer } from './lists.ts'
import type { Given } from './records.ts'
import { EDITED, stranger } from './script.ts'
import { keyOf } from './visits.ts'

type Held = readonly (readonly [holder: Hex, amount: bigint])[]

/** Holders in the explorer's order: largest amount first, then highest address. */
const inOrder = (held: Held) =>
  held
    .filter(([, amount]) => amount > 0n)
    .toSorted(([a, x], [b, y]) => (x === y ? (a.toLowerCase() < b.toLowerCase() ? 1 : -1) : x < y ? 1 : -1))

const keyOfHolding = (item: Answer['body']): string => `${item.address.hash} ${item.value} ${item.token_id}`
const inOrderKeys = (held: Held) => inOrder(held).map(([holder, amount]) => `${holder} ${amount}`)

/** All senders and recipients of a token's transfers. */
const partiesOf = ({ transfers }: Book, token: Hex): Hex[] =>
  [...new Set(transfers.filter((of) => of.token === token).flatMap(({ from, to }) => [from, to]))].filter(
    (of) => of !== ZERO,
  )

export function describeAccounts(given: () => Given): void {
  const { answerOf, heldOf } = tokenReaders(given)

  describe('every address', () => {
    it('has the balance and counters that follow from the chain', async () => {
      const { book, visit, on } = given()
      for (const of of everybody(book)) {
        const shown = await visit.read(`/addresses/${of}`)
        const balance = await on.viem.getBalance({ address: of })
        const code = await on.viem.getCode({ address: of })
        const creation = createdBy(book.messages).findLast(({ to, output }) => same(to, of) && output !== undefined)
        const lists = Object.fromEntries(addressLists(book, of).map(({ path, keys }) => [path.split('/').at(-1), keys]))
        const [transactions, transfers, calls, logs] = [
          ...['transactions', 'token-transfers', 'internal-transactions', 'logs'].map((name) => lists[name]?.length),
        ]
        expect(shown, of).toMatchObject({
          hash: of,
          balance: balance.toString(),
          coin_balance: balance.toString(),
          transactions_count: transactions,
          token_transfers_count: transfers,
          has_logs: logs !== 0,
          has_token_transfers: transfers !== 0,
          creator_hash: creation === undefined ? null : getAddress(creation.from),
          creation_tx_hash: creation?.hash ?? null,
          token: book.types.has(of) ? { address: of } : null,
        })
        expect([code === undefined, shown.is_contract], of).not.toEqual([false, false])
        const mine = book.transactions.filter(({ from, to }) => (shown.is_contract ? same(to, of) : same(from, of)))
        const sent = book.transactions.filter(({ from }) => same(from, of))
        const gas = sum((mine.length > 0 ? mine : sent).map(({ receipt }) => receipt.gasUsed))
        expect(await visit.read(`/addresses/${of}/counters`), of).toMatchObject({
          transactions_count: String(transactions),
          token_transfers_count: String(transfers),
          gas_usage_count: gas.toString(),
        })
        const held = await heldBy(of)
        const items = await visit.readAll(`/addresses/${of}/tokens`, 50)
        expect(items.map(keyOf.holding).toSorted(), of).toEqual(held.toSorted())
        expect(await visit.read(`/addresses/${of}/token-balances`)).toEqual(items)
        expect(await visit.read(`/addresses/${of}/tabs-counters`), of).toMatchObject({
          transactions_count: transactions,
          token_transfers_count: transfers,
          logs_count: logs,
          internal_transactions_count: calls,
          token_balances_count: held.length,
        })
      }
    }, 120_000)

    it('with coins is listed, richest first', async () => {
      const { book, visit, on } = given()
      const state = (await on.rpc('debug_accountRange', 'latest', '0x', 1000, true, true)) as {
        accounts: Record<Hex, { balance: string; address?: Hex }>
      }
      const all = Object.entries(state.accounts).map(([key, { address }]) => getAddress(address ?? (key as Hex)))
      const held = await Promise.all(
        all.map(async (address) => [address, await on.viem.getBalance({ address })] as const),
      )
      const items = await visit.readAll('/addresses', 7)
      expect(items.map(keyOf.account).toSorted()).toEqual(
        held.flatMap(([of, amount]) => (amount > 0n ? [`${of} ${amount}`] : [])).toSorted(),
      )
      const amounts = items.map(({ coin_balance }) => BigInt(coin_balance))
      for (const [i, amount] of amounts.entries()) expect(amount <= (amounts[i - 1] ?? amount)).toBe(true)
      for (const size of [1, 50, 100]) expect(await visit.readAll('/addresses', size)).toEqual(items)
      expect(await visit.readAll('/addresses?order=asc', 50)).toEqual(items.toReversed())
      const { total_addresses } = await visit.read('/stats')
      expect(total_addresses).toBeGreaterThanOrEqual(new Set([...all, ...everybody(book)]).size)
    })

    it('has the changes of development methods', async () => {
      const { visit, on } = given()
      const { items } = await visit.read(`/addresses/${EDITED}/coin-balance-history`)
      const ether = 10n ** 18n
      expect(items).toMatchObject([
        { delta: '1', value: (123n * ether + 1n).toString(), transaction_hash: expect.stringMatching(/^0x/) },
        { delta: (123n * ether).toString(), block_number: on.made.editedAt, transaction_hash: null },
      ])
      const { days, items: byDay } = await visit.read(`/addresses/${EDITED}/coin-balance-history-by-day`)
      expect([days, byDay.at(-1).value]).toEqual([10, (123n * ether + 1n).toString()])
      expect((await visit.read(`/addresses/${stranger(10)}/withdrawals`)).items.map(keyOf.withdrawal)).toEqual([
        '2',
        '0',
      ])
    })
  })

  describe('every token', () => {
    it('has the holders and balances that its contract returns', async () => {
      const { book, visit } = given()
      for (const [token, type] of book.types) {
        const held = await heldOf(token, type)
        const items = await visit.readAll(`/tokens/${token}/holders`, 100)
        const holders = held.filter(([, amount]) => amount > 0n).length
        if (type === 'ERC-1155') expect(items.map(keyOfHolding)).toEqual(await holdingsOf(token))
        else expect(items.map(keyOf.holder), token).toEqual(inOrderKeys(held))
        for (const size of [1, 7, 50]) expect(await visit.readAll(`/tokens/${token}/holders`, size)).toEqual(items)
        const transfers = book.transfers.filter((of) => of.token === token)
        const totalSupply = await answerOf(token, 'totalSupply')
        expect(await visit.read(`/tokens/${token}`), token).toMatchObject({
          address: token,
          address_hash: token,
          type,
          holders,
          holders_count: String(holders),
          // For a contract without totalSupply the sum of all balances.
          total_supply: (totalSupply ?? (type === 'ERC-20' ? null : await existing(token)))?.toString() ?? null,
          decimals: (await answerOf(token, 'decimals')) ?? null,
        })
        expect(await visit.read(`/tokens/${token}/counters`)).toEqual({
          token_holders_count: String(holders),
          transfers_count: String(transfers.length),
        })
        const shown = await visit.readAll(`/tokens/${token}/transfers`, 7)
        expect(shown.map(keyOf.transfer), token).toEqual(transfers.toReversed().map(keyOfTransfer))
      }
    }, 60_000)

    it('is listed by number of holders', async () => {
      const { book, visit } = given()
      const all = await visit.readAll('/tokens', 7)
      expect(all.map(keyOf.token).toSorted()).toEqual([...book.types.keys()].toSorted())
      const holders = all.map((of) => of.holders)
      expect(holders).toEqual(holders.toSorted((a, b) => b - a))
      for (const size of [1, 50]) expect(await visit.readAll('/tokens', size)).toEqual(all)
      const parts = ['ERC-20', 'ERC-721', 'ERC-1155'].map((type) => visit.readAll(`/tokens?type=${type}`, 7))
      for (const [i, part] of (await Promise.all(parts)).entries()) {
        expect(part).toEqual(all.filter(({ type }) => type === ['ERC-20', 'ERC-721', 'ERC-1155'][i]))
      }
      expect((await visit.readAll('/tokens?q=gem sto', 7)).map(keyOf.token)).toEqual([given().on.made.gem])
    })

    it('has the items that its contract returns, and their holders', async () => {
      const { book, visit, on } = given()
      const { art, items } = on.made
      for (const { address: token } of [art, items]) {
        const ids = [...new Set(book.transfers.filter((of) => of.token === token).map(({ id }) => id ?? 0n))]
        const highest = ids.toSorted((a, b) => (a < b ? 1 : -1))
        const shown = await visit.readAll(`/tokens/${token}/instances`, 1)
        expect(shown.map(({ id }) => BigInt(id))).toEqual(highest)
        for (const id of ids) {
          const base = `/tokens/${token}/instances/${id}`
          const moved = book.transfers.filter((of) => of.token === token && of.id === id)
          expect((await visit.readAll(`${base}/transfers`, 1)).map(keyOf.transfer)).toEqual(
            moved.toReversed().map(keyOfTransfer),
          )
          expect(await visit.read(`${base}/transfers-count`)).toEqual({ transfers_count: moved.length })
          const held = await heldOfItem(token, id)
          expect((await visit.readAll(`${base}/holders`, 1)).map(keyOf.holder)).toEqual(inOrderKeys(held))
          const owner = token === art.address ? (held[0]?.[0] ?? null) : null
          const instance = await visit.read(base)
          const again = await visit.ask(`${base}/refetch-metadata`, { method: 'PATCH' })
          expect([again.status, again.body]).toEqual([200, { message: 'OK' }])
          // Its image is not on the chain.
          expect((await visit.ask(`${base}/media`)).status).toBe(404)
          expect([instance.id, instance.owner?.hash ?? null]).toEqual([String(id), owner])
          for (const [holder] of held) {
            const own = await visit.readAll(`/tokens/${token}/instances?holder_address_hash=${holder}`, 7)
            expect(own.map((of) => BigInt(of.id))).toContain(id)
            const nft = await visit.readAll(`/addresses/${holder}/nft`, 1)
            expect(nft.map(keyOf.instance)).toContain(`${token} ${id}`)
            const collections = await visit.readAll(`/addresses/${holder}/nft/collections`, 1)
            const amount = nft.filter((of) => of.token.address === token).length
            expect(collections.map(keyOf.collection)).toContain(`${token} ${amount}`)
          }
        }
      }
    }, 60_000)
  })

  const idsOf = (token: Hex): bigint[] => [
    ...new Set(given().book.transfers.flatMap((of) => (of.token === token && of.id !== undefined ? [of.id] : []))),
  ]

  async function existing(token: Hex): Promise<bigint> {
    const held = await Promise.all(idsOf(token).map((id) => heldOfItem(token, id)))
    return held.flat().reduce((sum, [, amount]) => sum + amount, 0n)
  }

  /** Largest amount first, then by id, then highest holder. */
  async function holdingsOf(token: Hex): Promise<string[]> {
    const ids = idsOf(token).toSorted((a, b) => (a < b ? -1 : 1))
    const held = await Promise.all(
      ids.map(async (id) => inOrder(await heldOfItem(token, id)).map(([holder, amount]) => ({ holder, amount, id }))),
    )
    const all = held.flat().toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))
    return all.map(({ holder, amount, id }) => `${holder} ${amount} ${id}`)
  }

  async function heldOfItem(token: Hex, id: bigint): Promise<Held> {
    const { book, on } = given()
    if (token === on.made.art.address) {
      const owner = (await answerOf(token, 'ownerOf', [id])) as Hex | undefined
      return owner === undefined ? [] : [[owner, 1n]]
    }
    return inOrder(
      await Promise.all(
        partiesOf(book, token).map(
          async (of) => [of, (await answerOf(token, 'balanceOf', [of, id])) as bigint] as const,
        ),
      ),
    )
  }

  async function heldBy(of: Hex): Promise<string[]> {
    const { book, on } = given()
    const keys: string[] = []
    for (const [token, type] of book.types) {
      if (!partiesOf(book, token).includes(of)) continue
      const ids =
        type === 'ERC-1155'
          ? new Set(book.transfers.map((moved) => (moved.token === token ? moved.id : undefined)))
          : [undefined]
      for (const id of ids) {
        if (type === 'ERC-1155' && id === undefined) continue
        const amount = (await on.answer(
          contractAt(given(), token),
          'balanceOf',
          id === undefined ? [of] : [of, id],
          BigInt(book.head),
        )) as bigint
        if (amount > 0n) keys.push(`${token} ${id ?? ''} ${amount}`)
      }
    }
    return keys
  }
}

const erc20 = [
  {
    type: 'function',
    name: 'balanceOf',
    stateMutability: 'view',
    inputs: [{ type: 'address' }],
    outputs: [{ type: 'uint256' }],
  },
  { type: 'function', name: 'totalSupply', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] },
  { type: 'function', name: 'decimals', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint8' }] },
] as const

function contractAt({ on }: Given, token: Hex): Deployed {
  const { art, items } = on.made
  const known = [art, items].find(({ address }) => address === token)
  return known ?? { ...art, address: token, abi: erc20 }
}

/** Functions that call tokens at the head; undefined if a call fails. */
function tokenReaders(given: () => Given) {
  const answerOf = async (token: Hex, name: string, args: readonly unknown[] = []): Promise<unknown> => {
    const { on, book } = given()
    return on.answer(contractAt(given(), token), name, args, BigInt(book.head)).catch(() => undefined)
  }
  /** Holders of a token with their amounts; of an ERC-1155 the sum over its ids. */
  async function heldOf(token: Hex, type: TokenType): Promise<Held> {
    const { book } = given()
    const parties = partiesOf(book, token)
    const ids = new Set(book.transfers.flatMap((of) => (of.token === token && of.id !== undefined ? [of.id] : [])))
    const amounts = parties.map(async (of): Promise<readonly [Hex, bigint]> => {
      if (type !== 'ERC-1155') return [of, (await answerOf(token, 'balanceOf', [of])) as bigint]
      const each = [...ids].map((id) => answerOf(token, 'balanceOf', [of, id]) as Promise<bigint>)
      return [of, sum(await Promise.all(each))]
    })
    return Promise.all(amounts)
  }
  return { answerOf, heldOf }
}
