// Addresses over the explorer API: every list against what JSON-RPC says of the same blocks, page by page to the end.
import { getAddress, type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { count, record } from '../../src/indexer/record.ts'
import { LIST } from '../../src/indexer/tables.ts'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { ALICE, BOB, CAROL, contract, tokenChain } from '../indexer/token-chain.ts'
import { account, testChain } from '../support/chain.ts'
import { frames as framesContract } from '../support/contracts.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { api } from './support.ts'

type Item = Record<string, unknown> & { readonly hash: string }
const hashes = (items: readonly Item[]): string[] => items.map(({ hash }) => hash)
const lower = (text: string | null | undefined): string | undefined => text?.toLowerCase()

const DAY = 86_400
const NOBODY = getAddress('0x00000000000000000000000000000000000dead0')

/** What JSON-RPC says of every mined transaction, oldest first. */
async function minedTransactions({ viem }: Awaited<ReturnType<typeof testChain>>) {
  const head = Number(await viem.getBlockNumber())
  const numbers = Array.from({ length: head + 1 }, (_, number) => BigInt(number))
  const blocks = await Promise.all(
    numbers.map((blockNumber) => viem.getBlock({ blockNumber, includeTransactions: true })),
  )
  return Promise.all(
    blocks
      .flatMap(({ transactions }) => transactions)
      .map(async ({ hash, from, to, value }) => {
        const { gasUsed, effectiveGasPrice, contractAddress } = await viem.getTransactionReceipt({ hash })
        const created = contractAddress === null ? undefined : lower(contractAddress)
        return { hash, from: lower(from), to: lower(to), created, value, gasUsed, fee: gasUsed * effectiveGasPrice }
      }),
  )
}

type Frame = { type: string; from: string; to?: string; value?: Hex; error?: string; calls?: readonly Frame[] }

describe('an address that nobody has heard of', () => {
  it('is there all the same, with nothing in it', async () => {
    const { url } = await testChain()
    const { read, get } = api(url)
    expect(await read(`/addresses/${NOBODY.toLowerCase()}/`)).toMatchObject({
      ...{ hash: NOBODY, balance: '0', coin_balance: '0', transactions_count: 0, token_transfers_count: 0 },
      ...{ is_contract: false, is_verified: null, token: null, creator_hash: null, creation_tx_hash: null },
      ...{ creation_status: null, block_number_balance_updated_at: null, has_logs: false, has_tokens: false },
      ...{ has_token_transfers: false, has_validated_blocks: false, has_beacon_chain_withdrawals: false },
    })
    expect(await read(`/addresses/${NOBODY}/counters`)).toEqual({
      ...{ transactions_count: '0', token_transfers_count: '0', gas_usage_count: '0', validations_count: '0' },
    })
    expect(new Set(Object.values(await read(`/addresses/${NOBODY}/tabs-counters`)))).toEqual(new Set([0]))
    const lists = [
      'transactions',
      'token-transfers',
      'internal-transactions',
      'logs',
      'blocks-validated',
      'withdrawals',
    ]
    for (const list of [...lists, 'tokens', 'nft', 'nft/collections', 'coin-balance-history']) {
      expect(await read(`/addresses/${NOBODY}/${list}`)).toEqual({ items: [], next_page_params: null, total_count: 0 })
    }
    expect(await read(`/addresses/${NOBODY}/token-balances`)).toEqual([])
    expect(await read(`/addresses/${NOBODY}/coin-balance-history-by-day`)).toEqual({ days: 10, items: [] })
    // Anybody may ask in any spelling, and empty parameters are none.
    expect(
      (await get(`/addresses/${NOBODY.toUpperCase().replace('X', 'x')}/token-transfers?type=&filter=`)).status,
    ).toBe(200)
  })

  it('is refused when it is none, and so is what no list knows', async () => {
    const { url } = await testChain()
    const { get } = api(url)
    expect(await get('/addresses/0x1234')).toMatchObject({
      status: 422,
      body: {
        message: 'Invalid parameter(s)',
        errors: [
          {
            title: 'Invalid value',
            source: { pointer: '/address_hash_param' },
            detail: 'Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/',
          },
        ],
      },
    })
    const refused: [path: string, pointer: string][] = [
      ['transactions?filter=sideways', '/filter'],
      ['transactions?sort=nonce', '/sort'],
      ['transactions?sort=fee&order=up', '/order'],
      ['transactions?page=0', '/page'],
      ['transactions?items_count=x', '/items_count'],
      ['token-transfers?type=ERC-777', '/type'],
      ['token-transfers?token=0x12', '/token'],
      ['logs?topic=0x12', '/topic'],
      ['nft?type=1155', '/type'],
    ]
    for (const [path, pointer] of refused) {
      const { status, body } = await get(`/addresses/${NOBODY}/${path}`)
      expect({ path, status, pointers: body.errors.map(({ source }: { source: object }) => source) }).toEqual({
        ...{ path, status: 422, pointers: [{ pointer }] },
      })
    }
    expect((await get(`/addresses/${NOBODY}/friends`)).status).toBe(400)
  })
})

describe('transactions of an address', () => {
  it('are those from it, to it and that made it, in every order', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const [alice, bob, carol] = [0, 1, 2].map(chain.walletOf)
    await alice?.sendTransaction({ to: BOB, value: 30n })
    const coin = await chain.deploy('Coin', ['Coin', 'COIN', 0, 5n])
    await chain.dev.setAutomine(false)
    await bob?.sendTransaction({ to: ALICE, value: 4n, maxPriorityFeePerGas: 3n })
    await alice?.sendTransaction({ to: ALICE, value: 30n, gas: 30_000n })
    await carol?.sendTransaction({ to: BOB, value: 700n })
    await chain.mine()
    await chain.dev.setAutomine(true)
    await chain.send(coin, 'transfer', [BOB, 1n])
    const all = await minedTransactions(chain)
    expect(all).toHaveLength(6)

    for (const of of [ALICE, BOB, CAROL, coin.address, hexToAddress(NOBODY)]) {
      const path = `/addresses/${of}/transactions`
      const sent = all.filter(({ from }) => from === of)
      const came = all.filter(({ to, created }) => to === of || created === of)
      const both = all.filter((one) => sent.includes(one) || came.includes(one))
      const newest = (list: typeof all) => hashes(list.toReversed())
      expect(hashes(await readAll(path, 2))).toEqual(newest(both))
      expect(hashes(await readAll(`${path}?filter=from`, 2))).toEqual(newest(sent))
      expect(hashes(await readAll(`${path}?filter=to`, 1))).toEqual(newest(came))
      expect(hashes(await readAll(`${path}?filter=to,from`))).toEqual(newest(both))
      expect(hashes(await readAll(`${path}?sort=block_number&order=asc`, 2))).toEqual(hashes(both))
      for (const by of ['value', 'fee'] as const) {
        const rising = both.toSorted((a, b) => (a[by] < b[by] ? -1 : a[by] > b[by] ? 1 : 0))
        expect(hashes(await readAll(`${path}?sort=${by}&order=asc`, 2))).toEqual(hashes(rising))
        expect(hashes(await readAll(`${path}?sort=${by}&order=desc`, 4))).toEqual(newest(rising))
      }
      const gasOf = (list: typeof all) => list.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
      const served = gasOf(all.filter(({ to }) => to === of))
      expect(await read(`/addresses/${of}/counters`)).toMatchObject({
        transactions_count: both.length.toString(),
        gas_usage_count: (of === coin.address ? served : gasOf(sent)).toString(),
      })
      expect((await read(`/addresses/${of}/tabs-counters`)).transactions_count).toBe(both.length)
      expect((await read(`/addresses/${of}`)).transactions_count).toBe(both.length)
    }
  })

  it('keep their pages while others arrive', async () => {
    const chain = await testChain()
    const { read } = api(chain.url)
    const wallet = chain.walletOf(0)
    const sent: string[] = []
    for (let i = 0; i < 5; i++) sent.push(await wallet.sendTransaction({ to: BOB, value: BigInt(i) }))
    const first = await read(`/addresses/${ALICE}/transactions?items_count=2`)
    await wallet.sendTransaction({ to: BOB })
    const query = new URLSearchParams(first.next_page_params)
    const second = await read(`/addresses/${ALICE}/transactions?${query}`)
    expect(hashes([...first.items, ...second.items])).toEqual(sent.toReversed().slice(0, 4))
  })

  it('are sorted only when they are few enough to be read whole', async () => {
    const { node, url } = await testChain()
    const path = `/addresses/${BOB}/transactions`
    const length = record<{ length: number }>({ length: count }).encode({ length: 10_001 })
    await node.chain.store.write([{ type: 'put', key: KEY.listLength(LIST.transactionsOf(BOB, 'in')), value: length }])
    expect(await api(url).get(`${path}?sort=value&order=asc`)).toMatchObject({
      status: 422,
      body: { message: 'Invalid parameter(s)', errors: [{ source: { pointer: '/sort' } }] },
    })
  })
})

describe('what happened within transactions', () => {
  it('is listed for both sides, and for what was made', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const factory = await chain.deploy('Factory')
    await chain.send(factory, 'make', [3n])
    const deployment = await chain.walletOf(0).deployContract(framesContract)
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash: deployment })
    const frames = hexToAddress(contractAddress ?? ZERO_ADDRESS)
    await chain.walletOf(1).writeContract({
      ...{ address: frames, abi: framesContract.abi, functionName: 'descend', args: [2n, 1n], gas: 1_000_000n },
    })

    /** Every message of a transaction in call order, but a call that the transaction itself is. */
    const flat = (frame: Frame): Frame[] => [frame, ...(frame.calls ?? []).flatMap(flat)]
    const expected: { hash: string; index: number; frame: Frame }[] = []
    for (const { hash } of await minedTransactions(chain)) {
      const root = (await chain.rpc('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame
      const all = flat(root).map((frame, index) => ({ hash, index, frame }))
      expected.push(...all.filter(({ index, frame }) => index > 0 || frame.type.startsWith('CREATE')))
    }
    // Three creations by the factory, its own with one within, one more, and two calls that frames make of themselves.
    expect(expected).toHaveLength(8)
    const made = expected.filter(({ frame }) => frame.type === 'CREATE').map(({ frame }) => frame.to ?? '')

    for (const of of [ALICE, BOB, factory.address, frames, ...made]) {
      const path = `/addresses/${of}/internal-transactions`
      const show = (list: typeof expected) =>
        list.toReversed().map(({ hash, index, frame }) => ({
          ...{ transaction_hash: hash, index, type: frame.type.toLowerCase(), from: frame.from },
          ...{ other: frame.to, success: frame.error === undefined, value: BigInt(frame.value ?? 0).toString() },
        }))
      const shown = async (query: string) =>
        (await readAll(`${path}${query}`, 2)).map((item) => ({
          ...{ transaction_hash: item.transaction_hash, index: item.index, type: item.type, value: item.value },
          ...{ from: lower(item.from.hash), success: item.success },
          other: lower((item.to ?? item.created_contract).hash),
        }))
      const sent = expected.filter(({ frame }) => frame.from === of)
      const came = expected.filter(({ frame }) => frame.to === of)
      const both = expected.filter((one) => sent.includes(one) || came.includes(one))
      expect(await shown('')).toEqual(show(both))
      expect(await shown('?filter=from')).toEqual(show(sent))
      expect(await shown('?filter=to')).toEqual(show(came))
      expect((await read(`/addresses/${of}/tabs-counters`)).internal_transactions_count).toBe(both.length)
    }
  })

  it('is told by logs, which can be asked for by topic', async () => {
    const chain = await tokenChain()
    const { read, readAll } = api(chain.url)
    const teller = await chain.deploy('Teller')
    const [first, second] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
    for (const topics of [[first], [second, first], [], [first, second, second, first]]) {
      await chain.send(teller, 'tell', [topics, `0x0${topics.length}`])
    }
    const logs = await chain.viem.getLogs({ address: teller.address, fromBlock: 0n })
    const expected = logs.toReversed().map(({ transactionHash, logIndex, data, topics }) => ({
      ...{ transaction_hash: transactionHash, index: logIndex, data },
      topics: [0, 1, 2, 3].map((i) => (topics as readonly string[])[i] ?? null),
    }))
    expect(expected).toHaveLength(4)
    const path = `/addresses/${teller.address}/logs`
    const shown = async (query: string) =>
      (await readAll(`${path}${query}`, 3)).map(({ transaction_hash, index, data, topics }) => ({
        ...{ transaction_hash, index, data, topics },
      }))
    expect(await shown('')).toEqual(expected)
    expect(await shown(`?topic=${first}`)).toEqual(expected.filter(({ topics }) => topics[0] === first))
    expect(await shown(`?topic=0x${'33'.repeat(32)}`)).toEqual([])
    expect(await read(`/addresses/${teller.address}`)).toMatchObject({ has_logs: true })
    expect((await read(`/addresses/${teller.address}/tabs-counters`)).logs_count).toBe(4)
  })
})

describe('coins of an address', () => {
  it('have a history of every block that changed them, and an amount for each day', async () => {
    const chain = await testChain()
    const { read, readAll } = api(chain.url)
    const { viem, dev } = chain
    for (const days of [1, 3, 0]) {
      await dev.increaseTime({ seconds: days * DAY })
      await chain.walletOf(0).sendTransaction({ to: NOBODY, value: parseEther('1') })
      await chain.walletOf(1).sendTransaction({ to: BOB, value: 1n })
    }
    const head = Number(await viem.getBlockNumber())
    const blocks = await Promise.all(
      Array.from({ length: head + 1 }, (_, number) => viem.getBlock({ blockNumber: BigInt(number) })),
    )
    for (const address of [NOBODY, account(0).address, account(2).address] as const) {
      const balances = await Promise.all(
        blocks.map(({ number }) => viem.getBalance({ address, blockNumber: number ?? 0n })),
      )
      const rows = balances.flatMap((value, number) => {
        const delta = value - (balances[number - 1] ?? 0n)
        const timestamp = new Date(Number(blocks[number]?.timestamp) * 1000).toISOString().replace('Z', '000Z')
        const transaction = number === 0 ? null : (blocks[number]?.transactions.at(-1) ?? null)
        if (delta === 0n) return []
        return [
          {
            ...{ block_number: number, block_timestamp: timestamp, transaction_hash: transaction },
            ...{ delta: delta.toString(), value: value.toString() },
          },
        ]
      })
      expect(await readAll(`/addresses/${address}/coin-balance-history`, 2)).toEqual(rows.toReversed())

      // The last ten days up to that of the head, from the first one on at whose end there was anything to tell.
      const dayOf = (number: number) => Math.floor(Number(blocks[number]?.timestamp) / DAY)
      const today = dayOf(head)
      const days = Array.from({ length: 10 }, (_, i) => today - 9 + i).flatMap((day) => {
        const last = blocks.findLastIndex((_, number) => dayOf(number) <= day)
        const isTold = rows.some(({ block_number }) => block_number <= last)
        const date = new Date(day * DAY * 1000).toISOString().slice(0, 10)
        return isTold ? [{ date, value: (balances[last] ?? 0n).toString() }] : []
      })
      expect(await read(`/addresses/${address}/coin-balance-history-by-day`)).toEqual({ days: 10, items: days })
      expect(await read(`/addresses/${address}`)).toMatchObject({
        ...{ balance: balances.at(-1)?.toString(), coin_balance: balances.at(-1)?.toString() },
        block_number_balance_updated_at: rows.at(-1)?.block_number,
      })
    }
  })

  it('may change by hand, without a transaction', async () => {
    const chain = await testChain()
    await chain.mine()
    await chain.dev.setBalance({ address: NOBODY, value: 7n })
    const { items } = await api(chain.url).read(`/addresses/${NOBODY}/coin-balance-history`)
    expect(items).toMatchObject([{ block_number: 1, transaction_hash: null, delta: '7', value: '7' }])
  })

  it('put it among the richest', async () => {
    const chain = await testChain()
    const { readAll, read } = api(chain.url)
    await chain.walletOf(0).sendTransaction({ to: NOBODY, value: parseEther('9000') })
    const richest = await readAll('/addresses', 4)
    const balances = richest.map(({ coin_balance }) => BigInt(coin_balance))
    expect(balances).toEqual(balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
    for (const { hash, coin_balance } of richest) {
      expect(await chain.viem.getBalance({ address: hash })).toBe(BigInt(coin_balance))
    }
    const of = Object.fromEntries(richest.map((item) => [item.hash, item.transactions_count]))
    expect(of).toMatchObject({ [NOBODY]: '1', [account(0).address]: '1', [account(1).address]: '0' })
    expect(await readAll('/addresses?order=asc', 4)).toEqual(richest.toReversed())
    // Every coin is somebody's.
    const { total_supply, exchange_rate } = await read('/addresses/')
    expect(BigInt(total_supply)).toBe(balances.reduce((sum, balance) => sum + balance, 0n))
    expect(exchange_rate).toBeNull()
  })

  it('are not counted on a plain chain', async () => {
    const { url } = await testChain({ spec: plainSpec(account(0).address) })
    const { items, total_supply } = await api(url).read('/addresses')
    expect(total_supply).toBeNull()
    expect(items).toMatchObject([{ hash: account(0).address, coin_balance: parseEther('1000000').toString() }])
  })
})

describe('blocks and withdrawals', () => {
  it('belong to whom they name', async () => {
    const chain = await testChain()
    const { read, readAll } = api(chain.url)
    await chain.rpc('anvil_setCoinbase', CAROL)
    await chain.mine(3)
    await chain.rpc('anvil_setCoinbase', BOB)
    await chain.mine()
    const numbers = async (of: string) =>
      (await readAll(`/addresses/${of}/blocks-validated`, 2)).map(({ height }) => height)
    expect(await numbers(CAROL)).toEqual([3, 2, 1])
    expect(await numbers(BOB)).toEqual([4])
    expect(await read(`/addresses/${CAROL}/counters`)).toMatchObject({ validations_count: '3' })
    expect(await read(`/addresses/${CAROL}`)).toMatchObject({ has_validated_blocks: true })
  })

  it('are paid out in wei', async () => {
    const { node, url } = await testChain()
    const { read, readAll } = api(url)
    const to = (index: bigint, address: `0x${string}`, amount: bigint) => ({
      ...{ index, validatorIndex: 40n + index, address: hexToAddress(address), amount },
    })
    await node.chain.produce({ withdrawals: [to(0n, NOBODY, 5n), to(1n, BOB, 1_000_000_000n)] })
    await node.chain.produce({ withdrawals: [to(2n, NOBODY, 7n)] })
    const shown = async (path: string) =>
      (await readAll(path, 1)).map(({ index, validator_index, receiver, amount, block_number }) => ({
        ...{ index, validator_index, receiver: lower(receiver.hash), amount, block_number },
      }))
    const [first, second, third] = [
      { index: 0, validator_index: 40, receiver: lower(NOBODY), amount: '5000000000', block_number: 1 },
      { index: 1, validator_index: 41, receiver: BOB, amount: '1000000000000000000', block_number: 1 },
      { index: 2, validator_index: 42, receiver: lower(NOBODY), amount: '7000000000', block_number: 2 },
    ]
    expect(await shown('/withdrawals')).toEqual([third, second, first])
    expect(await shown(`/addresses/${NOBODY}/withdrawals`)).toEqual([third, first])
    expect(await read(`/addresses/${NOBODY}`)).toMatchObject({ has_beacon_chain_withdrawals: true })
    expect(await read(`/addresses/${NOBODY}/tabs-counters`)).toMatchObject({ withdrawals_count: 2 })
    expect(await read('/withdrawals/counters')).toEqual({
      ...{ withdrawals_count: '3', withdrawals_sum: '1000000012000000000' },
    })
  })
})

describe('a contract', () => {
  it('knows who made it, and in which transaction', async () => {
    const chain = await tokenChain()
    const { read } = api(chain.url)
    const hash = await chain.walletOf(1).deployContract({ ...contract('Factory'), gas: 8_000_000n })
    const receipt = await chain.viem.waitForTransactionReceipt({ hash })
    const contractAddress = getAddress(receipt.contractAddress ?? ZERO_ADDRESS)
    const inner = (await chain.viem.readContract({
      ...{ address: contractAddress, abi: contract('Factory').abi, functionName: 'coin' },
    })) as string
    const made = { is_contract: true, is_verified: false, creation_status: 'success', creation_tx_hash: hash }
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      ...{ ...made, creation_transaction_hash: hash, name: null, token: null },
      ...{ creator_hash: account(1).address, creator_address_hash: account(1).address },
    })
    expect(await read(`/addresses/${inner}`)).toMatchObject({
      ...{ ...made, hash: inner, name: 'Constructed', creator_hash: contractAddress },
      token: { address_hash: inner, symbol: 'CON', decimals: '6', type: 'ERC-20', total_supply: '5000000' },
    })
  })

  it('may run the code of another one', async () => {
    const chain = await tokenChain()
    const { read } = api(chain.url)
    const coin = await chain.deploy('Coin', ['Behind', 'BEH', 0, 1n])
    // EIP-1167, with the init code of its reference implementation.
    const code = `363d3d373d3d3d363d73${coin.address.slice(2)}5af43d82803e903d91602b57fd5bf3`
    const hash = await chain.walletOf(0).sendTransaction({ data: `0x3d602d80600a3d3981f3${code}` })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
    expect(await chain.viem.getCode({ address: contractAddress ?? ZERO_ADDRESS })).toBe(`0x${code}`)
    const { hash: behind } = await read(`/addresses/${coin.address}`)
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      ...{ is_contract: true, proxy_type: 'eip1167' },
      implementations: [{ address_hash: behind, address: behind }],
    })
  })

  it('stays known when it is destroyed', async () => {
    // Before Cancun (EIP-6780) SELFDESTRUCT still removed contracts.
    const spec = plainSpec(account(0).address)
    const chain = await testChain({
      spec: { ...spec, forks: spec.forks.filter(({ fork }) => fork !== 'cancun' && fork !== 'prague') },
    })
    const { read } = api(chain.url)
    const wallet = chain.walletOf(0)
    // Init code that leaves CALLER SELFDESTRUCT.
    const hash = await wallet.sendTransaction({ data: '0x6133ff6000526002601ef3' })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({ creation_status: 'success' })
    await wallet.sendTransaction({ to: contractAddress, gas: 100_000n })
    expect(await chain.viem.getCode({ address: contractAddress ?? ZERO_ADDRESS })).toBeUndefined()
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      ...{ is_contract: true, creation_status: 'selfdestructed', creation_tx_hash: hash, transactions_count: 2 },
      creator_hash: account(0).address,
    })
  })

  it('has a name where every chain of this kind has it', async () => {
    const { url } = await testChain()
    const { read } = api(url)
    const named = { 800: 'Staking', 801: 'Distribution', 802: 'ICS20', 803: 'Vesting', 804: 'Bank', 805: 'Gov' }
    for (const [tail, name] of Object.entries(named)) {
      const address = `0x${tail.padStart(40, '0')}`
      expect(await read(`/addresses/${address}`)).toMatchObject({ hash: address, name, is_contract: true })
    }
  })
})
