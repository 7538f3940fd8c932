// The explorer's records of single addresses: balances, validated blocks, creators of contracts.
import { getAddress, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { BOB, CAROL, contract, tokenChain } from '../indexer/token-chain.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { api } from './support.ts'

const lower = (text: string | null | undefined): string | undefined => text?.toLowerCase()

const DAY = 86_400
const UNUSED = getAddress('0x00000000000000000000000000000000000dead0')

describe('coin balance of an address', () => {
  it('has a history with every block that changed it, and a value for each day', async () => {
    const chain = await testChain()
    const { read, readAll } = api(chain.url)
    const { viem, dev } = chain
    for (const days of [1, 3, 0]) {
      await dev.increaseTime({ seconds: days * DAY })
      await chain.walletOf(0).sendTransaction({ to: UNUSED, value: parseEther('1') })
      await chain.walletOf(1).sendTransaction({ to: BOB, value: 1n })
    }
    const head = Number(await viem.getBlockNumber({ cacheTime: 0 }))
    const blocks = await Promise.all(
      Array.from({ length: head + 1 }, (_, number) => viem.getBlock({ blockNumber: BigInt(number) })),
    )
    for (const address of [UNUSED, account(0).address, account(2).address] as const) {
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
            block_number: number,
            block_timestamp: timestamp,
            transaction_hash: transaction,
            delta: delta.toString(),
            value: value.toString(),
          },
        ]
      })
      expect(await readAll(`/addresses/${address}/coin-balance-history`, 2)).toEqual(rows.toReversed())

      // The last ten days up to that of the head, without days before the first change.
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
        balance: balances.at(-1)?.toString(),
        coin_balance: balances.at(-1)?.toString(),
        block_number_balance_updated_at: rows.at(-1)?.block_number,
      })
    }
  })

  it('can be changed by a development method, without a transaction', async () => {
    const chain = await testChain()
    await chain.mine()
    await chain.dev.setBalance({ address: UNUSED, value: 7n })
    const { items } = await api(chain.url).read(`/addresses/${UNUSED}/coin-balance-history`)
    expect(items).toMatchObject([{ block_number: 1, transaction_hash: null, delta: '7', value: '7' }])
  })

  it('ranks it among the richest', async () => {
    const chain = await testChain()
    const { readAll, read } = api(chain.url)
    await chain.walletOf(0).sendTransaction({ to: UNUSED, value: parseEther('9000') })
    const richest = await readAll('/addresses', 4)
    const balances = richest.map(({ coin_balance }) => BigInt(coin_balance))
    expect(balances).toEqual(balances.toSorted((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
    for (const { hash, coin_balance } of richest) {
      expect(await chain.viem.getBalance({ address: hash })).toBe(BigInt(coin_balance))
    }
    const of = Object.fromEntries(richest.map((item) => [item.hash, item.transactions_count]))
    expect(of).toMatchObject({ [UNUSED]: '1', [account(0).address]: '1', [account(1).address]: '0' })
    expect(await readAll('/addresses?order=asc', 4)).toEqual(richest.toReversed())
    // The total supply is the sum of all balances.
    const { total_supply, exchange_rate } = await read('/addresses/')
    // In whole coins, as in Blockscout, whose pages use it to show each account's share.
    expect(parseEther(total_supply)).toBe(balances.reduce((sum, balance) => sum + balance, 0n))
    expect(Number(total_supply)).toBeLessThan(1e9)
    expect(exchange_rate).toBeNull()
  })

  it('has no total supply on a chain without native modules', async () => {
    const { url } = await testChain({ spec: plainSpec(account(0).address) })
    const { items, total_supply } = await api(url).read('/addresses')
    expect(total_supply).toBeNull()
    expect(items).toMatchObject([{ hash: account(0).address, coin_balance: parseEther('1000000').toString() }])
  })
})

describe('blocks and withdrawals of an address', () => {
  it('are listed for the fee recipient and the receiver', async () => {
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
      index,
      validatorIndex: 40n + index,
      address: hexToAddress(address),
      amount,
    })
    await node.chain.produce({ withdrawals: [to(0n, UNUSED, 5n), to(1n, BOB, 1_000_000_000n)] })
    await node.chain.produce({ withdrawals: [to(2n, UNUSED, 7n)] })
    const shown = async (path: string) =>
      (await readAll(path, 1)).map(({ index, validator_index, receiver, amount, block_number }) => ({
        index,
        validator_index,
        receiver: lower(receiver.hash),
        amount,
        block_number,
      }))
    const [first, second, third] = [
      { index: 0, validator_index: 40, receiver: lower(UNUSED), amount: '5000000000', block_number: 1 },
      { index: 1, validator_index: 41, receiver: BOB, amount: '1000000000000000000', block_number: 1 },
      { index: 2, validator_index: 42, receiver: lower(UNUSED), amount: '7000000000', block_number: 2 },
    ]
    expect(await shown('/withdrawals')).toEqual([third, second, first])
    expect(await shown(`/addresses/${UNUSED}/withdrawals`)).toEqual([third, first])
    expect(await read(`/addresses/${UNUSED}`)).toMatchObject({ has_beacon_chain_withdrawals: true })
    expect(await read(`/addresses/${UNUSED}/tabs-counters`)).toMatchObject({ withdrawals_count: 2 })
    expect(await read('/withdrawals/counters')).toEqual({
      withdrawals_count: '3',
      withdrawals_sum: '1000000012000000000',
    })
  })
})

describe('the record of a contract', () => {
  it('has its creator and the transaction of its creation', async () => {
    const chain = await tokenChain()
    const { read } = api(chain.url)
    const hash = await chain.walletOf(1).deployContract({ ...contract('Factory'), gas: 8_000_000n })
    const receipt = await chain.viem.waitForTransactionReceipt({ hash })
    const contractAddress = getAddress(receipt.contractAddress ?? ZERO_ADDRESS)
    const inner = (await chain.viem.readContract({
      address: contractAddress,
      abi: contract('Factory').abi,
      functionName: 'coin',
    })) as string
    const made = { is_contract: true, is_verified: false, creation_status: 'success', creation_tx_hash: hash }
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      ...made,
      creation_transaction_hash: hash,
      name: null,
      token: null,
      creator_hash: account(1).address,
      creator_address_hash: account(1).address,
    })
    expect(await read(`/addresses/${inner}`)).toMatchObject({
      ...made,
      hash: inner,
      name: 'Constructed',
      creator_hash: contractAddress,
      token: { address_hash: inner, symbol: 'CON', decimals: '6', type: 'ERC-20', total_supply: '5000000' },
    })
  })

  it('shows the implementation of a proxy', async () => {
    const chain = await tokenChain()
    const { read } = api(chain.url)
    const coin = await chain.deploy('Coin', ['Behind', 'BEH', 0, 1n])
    // EIP-1167 with the init code of the reference implementation.
    const code = `363d3d373d3d3d363d73${coin.address.slice(2)}5af43d82803e903d91602b57fd5bf3`
    const hash = await chain.walletOf(0).sendTransaction({ data: `0x3d602d80600a3d3981f3${code}` })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
    expect(await chain.viem.getCode({ address: contractAddress ?? ZERO_ADDRESS })).toBe(`0x${code}`)
    const { hash: behind } = await read(`/addresses/${coin.address}`)
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      is_contract: true,
      proxy_type: 'eip1167',
      implementations: [{ address_hash: behind, address: behind }],
    })
  })

  it('is still that of a contract after a self-destruct', async () => {
    // Before Cancun (EIP-6780) SELFDESTRUCT removes contracts.
    const spec = plainSpec(account(0).address)
    const chain = await testChain({
      spec: { ...spec, forks: spec.forks.filter(({ fork }) => fork !== 'cancun' && fork !== 'prague') },
    })
    const { read } = api(chain.url)
    const wallet = chain.walletOf(0)
    // Init code that returns the code CALLER SELFDESTRUCT.
    const hash = await wallet.sendTransaction({ data: '0x6133ff6000526002601ef3' })
    const { contractAddress } = await chain.viem.waitForTransactionReceipt({ hash })
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({ creation_status: 'success' })
    await wallet.sendTransaction({ to: contractAddress, gas: 100_000n })
    expect(await chain.viem.getCode({ address: contractAddress ?? ZERO_ADDRESS })).toBeUndefined()
    expect(await read(`/addresses/${contractAddress}`)).toMatchObject({
      is_contract: true,
      creation_status: 'selfdestructed',
      creation_tx_hash: hash,
      transactions_count: 2,
      creator_hash: account(0).address,
    })
  })

  it('has the name of a native or preinstalled contract', async () => {
    const { url } = await testChain()
    const { read } = api(url)
    const named = { 800: 'Staking', 801: 'Distribution', 802: 'ICS20', 803: 'Vesting', 804: 'Bank', 805: 'Gov' }
    for (const [tail, name] of Object.entries(named)) {
      const address = `0x${tail.padStart(40, '0')}`
      expect(await read(`/addresses/${address}`)).toMatchObject({ hash: address, name, is_contract: true })
    }
  })
})
