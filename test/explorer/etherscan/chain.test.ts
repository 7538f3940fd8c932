// Actions of the Etherscan-style API on tokens, blocks, gas prices and logs of the whole chain, against JSON-RPC; and Etherscan's
// form for many chains.
import { formatGwei, getAddress, type Hex, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { account } from '../../support/chain.ts'
import { scenario } from '../scenario.ts'

const bob = account(1).address
const on = scenario(async ({ deploy, call, send }) => {
  const coin = await deploy('Coin', ['Silver Coin', 'SLV', 6, 1_000_000n])
  const art = await deploy('Art', [false])
  await call(coin, 'transfer', [bob, 1234n])
  await call(coin, 'mint', [account(2).address, 99n])
  for (const id of [1n, 2n]) await call(art, 'mint', [bob, id])
  await send(0, bob, parseEther('1'))
  return { coin, art }
})

// Responses are accessed without types: every expected field is named.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any
async function ask(fields: Record<string, string>, path = '/api'): Promise<Any> {
  const response = await fetch(`${on().url}${path}?${new URLSearchParams(fields)}`)
  expect(response.status).toBe(200)
  return response.json()
}
const OK = { status: '1', message: 'OK' }

it('says what a token is, who holds it, and what an account holds', async () => {
  const { made, answer, viem } = on()
  const { coin, art } = made
  const head = await viem.getBlockNumber()
  const of = { module: 'token', contractaddress: coin.address }
  expect(await ask({ ...of, action: 'getToken' })).toEqual({
    ...OK,
    result: {
      cataloged: true,
      contractAddress: coin.address.toLowerCase(),
      decimals: '6',
      name: 'Silver Coin',
      symbol: 'SLV',
      totalSupply: String(await answer(coin, 'totalSupply', [], head)),
      type: 'ERC-20',
    },
  })
  const holders = [account(0).address, bob, account(2).address]
  const rows = await Promise.all(
    holders.map(async (holder) => ({
      address: holder.toLowerCase(),
      value: String(await answer(coin, 'balanceOf', [holder], head)),
    })),
  )
  expect(await ask({ ...of, action: 'getTokenHolders' })).toEqual({ ...OK, result: rows })
  const second = await ask({ ...of, action: 'getTokenHolders', page: '2', offset: '1' })
  expect(second.result).toEqual([rows[1]])
  const none = { status: '0', result: [] }
  expect(await ask({ ...of, action: 'getTokenHolders', page: '9' })).toMatchObject(none)
  expect(await ask({ ...of, action: 'getToken', contractaddress: bob })).toMatchObject({ status: '0' })

  const { result } = await ask({ module: 'account', action: 'tokenlist', address: bob })
  expect(result).toEqual([
    expect.objectContaining({
      contractAddress: coin.address.toLowerCase(),
      balance: '1234',
      type: 'ERC-20',
      symbol: 'SLV',
    }),
    expect.objectContaining({ contractAddress: art.address.toLowerCase(), balance: '2', type: 'ERC-721' }),
  ])
  expect(await ask({ module: 'account', action: 'tokenlist', address: account(7).address })).toMatchObject(none)
})

it('lists the blocks of a proposer, newest first, and says what one was paid', async () => {
  const { viem } = on()
  const head = await viem.getBlock()
  const blocks: { blockNumber: string; timeStamp: string }[] = []
  for (let number = head.number; number > 0n; number--) {
    const { miner, timestamp } = await viem.getBlock({ blockNumber: number })
    if (miner === head.miner) blocks.push({ blockNumber: String(number), timeStamp: String(timestamp) })
  }
  const of = { module: 'account', action: 'getminedblocks', address: head.miner }
  const { result } = await ask(of)
  expect(result.map(({ blockNumber, timeStamp }: Any) => ({ blockNumber, timeStamp }))).toEqual(blocks)
  expect((await ask({ ...of, page: '2', offset: '1' })).result[0]).toMatchObject(blocks[1] ?? {})
  expect(await ask({ ...of, blocktype: 'uncles' })).toMatchObject({ status: '0', result: [] })
  const reward = await ask({ module: 'block', action: 'getblockreward', blockno: String(head.number) })
  // Fees go to the stakers of this chain.
  expect(reward.result).toMatchObject({ blockMiner: getAddress(head.miner), blockReward: '0', uncles: [] })
  expect(await ask({ module: 'block', action: 'getblockreward', blockno: '999999' })).toMatchObject({ status: '0' })
})

it('tells gas prices in gwei, and the number of the newest block by Blockscout’s action', async () => {
  const { viem, read } = on()
  const { result } = await ask({ module: 'gastracker', action: 'gasoracle' })
  const { number, gasUsed, gasLimit } = await viem.getBlock()
  const { gas_prices: prices } = await read('/stats')
  expect(result).toMatchObject({
    LastBlock: String(number),
    SafeGasPrice: formatGwei(BigInt(prices.slow)),
    ProposeGasPrice: formatGwei(BigInt(prices.average)),
    FastGasPrice: formatGwei(BigInt(prices.fast)),
  })
  const ratios: number[] = result.gasUsedRatio.split(',').map(Number)
  expect(ratios).toHaveLength(5)
  expect(ratios[0]).toBeCloseTo(Number(gasUsed) / Number(gasLimit), 12)
  expect(await ask({ module: 'block', action: 'eth_block_number' })).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: `0x${number.toString(16)}`,
  })
})

it('finds all logs of a range, without an address or a topic', async () => {
  const { viem } = on()
  const expected = await viem.getLogs({ fromBlock: 0n, toBlock: 'latest' })
  const of = { module: 'logs', action: 'getLogs' }
  const { result } = await ask({ ...of, fromBlock: '0', toBlock: 'latest' })
  expect(result.map(({ transactionHash, logIndex }: Any) => [transactionHash, Number(logIndex)])).toEqual(
    expected.map(({ transactionHash, logIndex }) => [transactionHash as Hex, logIndex]),
  )
  const [last] = expected.slice(-1)
  const part = await ask({ ...of, fromBlock: String(last?.blockNumber), toBlock: String(last?.blockNumber) })
  expect(part.result.length).toBeGreaterThan(0)
  expect(part.result.every(({ blockNumber }: Any) => BigInt(blockNumber) === last?.blockNumber)).toBe(true)
  // As at Etherscan, pages reach 10,000 rows.
  expect((await ask({ ...of, page: '11', offset: '1000' })).message).toMatch(/Result window is too large/)
})

it('answers at /v2/api for this chain only', async () => {
  const { viem } = on()
  const of = { module: 'account', action: 'balance', address: bob }
  const expected = { ...OK, result: String(await viem.getBalance({ address: bob })) }
  expect(await ask({ chainid: '125', ...of }, '/v2/api')).toEqual(expected)
  expect(await ask(of, '/v2/api')).toEqual(expected)
  for (const chainid of ['1', '0x7d', 'kestrel']) {
    const refused = await ask({ chainid, ...of }, '/v2/api')
    expect(refused).toMatchObject({ status: '0', message: 'NOTOK', result: expect.stringContaining('chainid') })
  }
  const proxied = await ask({ chainid: '125', module: 'proxy', action: 'eth_blockNumber' }, '/v2/api')
  expect(BigInt(proxied.result)).toBe(await viem.getBlockNumber())
})
