// Data of tokens that their contracts do not log or return: counts of items, holders by id, rebasing balances, confusable
// names.
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { ALICE, BOB, CAROL, tokenChain } from '../indexer/token-chain.ts'
import { api } from './support.ts'

const ZERO = `0x${'00'.repeat(20)}`

async function chainWithApi() {
  const chain = await tokenChain()
  return { ...chain, ...api(chain.url) }
}

describe('the total supply of a token', () => {
  it('without totalSupply is the number of items of an ERC-721, the sum of all ids of an ERC-1155', async () => {
    const { deploy, send, read, rpc } = await chainWithApi()
    const art = await deploy('Art', [false])
    const items = await deploy('Items')
    const supplies = async () => [
      (await read(`/tokens/${art.address}`)).total_supply,
      (await read(`/tokens/${items.address}`)).total_supply,
    ]
    expect(await supplies()).toEqual(['0', '0'])
    for (const id of [1n, 2n, 3n]) await send(art, 'mint', [ALICE, id])
    await send(items, 'mintBatch', [ALICE, [7n, 8n], [10n, 1n]])
    await send(items, 'mint', [BOB, 7n, 5n])
    expect(await supplies()).toEqual(['3', '16'])
    const snapshot = await rpc('evm_snapshot')
    await send(art, 'transferFrom', [ALICE, BOB, 1n])
    await send(art, 'burn', [2n])
    await send(items, 'transfer', [ALICE, ZERO, 8n, 1n])
    await send(items, 'transfer', [ALICE, ZERO, 7n, 4n])
    expect(await supplies()).toEqual(['2', '11'])
    await send(art, 'mint', [CAROL, 2n])
    expect(await supplies()).toEqual(['3', '11'])
    await rpc('evm_revert', snapshot)
    expect(await supplies()).toEqual(['3', '16'])
  })

  it('of a rebasing token is its present answer, as are the balances of its holders', async () => {
    const { deploy, send, read } = await chainWithApi()
    const coin = await deploy('RebasingCoin', ['Rebasing', 'GROW'])
    await send(coin, 'grow', [3n])
    expect(await read(`/tokens/${coin.address}`)).toMatchObject({ total_supply: '3000', decimals: 18 })
    expect((await read('/tokens')).items[0]).toMatchObject({ total_supply: '3000' })
    const { items } = await read(`/tokens/${coin.address}/holders`)
    expect(items).toMatchObject([{ address: { hash: getAddress(ALICE) }, value: '3000', token_id: null }])
  })
})

it('holders of an ERC-1155 are listed by id, the largest amount first', async () => {
  const { deploy, send, read, readAll, get } = await chainWithApi()
  const items = await deploy('Items')
  await send(items, 'mintBatch', [ALICE, [3n, 2n ** 255n], [10n, 20n]])
  await send(items, 'mint', [BOB, 3n, 30n])
  await send(items, 'transfer', [ALICE, CAROL, 2n ** 255n, 5n])
  await send(items, 'transfer', [ALICE, BOB, 3n, 10n])
  const rows = await readAll(`/tokens/${items.address}/holders`, 1)
  expect(rows.map(({ address, value, token_id }) => [address.hash, value, token_id])).toEqual([
    [getAddress(BOB), '40', '3'],
    [getAddress(ALICE), '15', (2n ** 255n).toString()],
    [getAddress(CAROL), '5', (2n ** 255n).toString()],
  ])
  expect((await read(`/tokens/${items.address}/holders`)).total_count).toBe(3)
  expect((await read(`/tokens/${items.address}`)).holders).toBe(3)
  expect((await get(`/tokens/${ALICE}/holders`)).status).toBe(404)
})

describe('the name of a token', () => {
  it('is shown and found without invisible characters, and is flagged', async () => {
    const { deploy, read, url } = await chainWithApi()
    const real = await deploy('Coin', ['Kestrel Dollar', 'KUSD', 18, 1n])
    const hidden = await deploy('Coin', ['Kest\u200b\u200brel Dollar', 'K\u202eUSD', 18, 1n])
    const mixed = await deploy('Coin', ['Kestrel Dоllar', 'КUSD', 18, 1n])
    const shown = async (of: string) => {
      const { name, symbol, name_warning } = await read(`/tokens/${of}`)
      return [name, symbol, name_warning]
    }
    expect(await shown(real.address)).toEqual(['Kestrel Dollar', 'KUSD', null])
    expect(await shown(hidden.address)).toEqual(['Kestrel Dollar', 'KUSD', 'invisible_characters'])
    expect(await shown(mixed.address)).toEqual(['Kestrel Dоllar', 'КUSD', 'mixed_scripts'])
    const found = await read('/search?q=kestrel%20dollar')
    const address = ({ address_hash }: { address_hash: string }) => address_hash.toLowerCase()
    expect(found.items.map(address).sort()).toEqual([real.address, hidden.address].sort())
    expect((await read('/tokens?q=kusd')).items).toHaveLength(2)
    expect((await read(`/addresses/${hidden.address}`)).name).toBe('Kestrel Dollar')
    const answer = await fetch(`${url}/api?module=account&action=tokentx&contractaddress=${hidden.address}`)
    expect(await answer.json()).toMatchObject({ result: [{ tokenName: 'Kestrel Dollar', tokenSymbol: 'KUSD' }] })
  })

  it('of 5 KB is truncated to 256 characters', async () => {
    const { deploy, read } = await chainWithApi()
    const long = await deploy('Coin', [`Long ${'x'.repeat(5_000)}`, 'L'.repeat(5_000), 18, 1n])
    expect(await read(`/tokens/${long.address}`)).toMatchObject({
      name: `Long ${'x'.repeat(251)}`,
      symbol: 'L'.repeat(256),
    })
  })

  it('if missing, is “Unnamed token” in search', async () => {
    const { deploy, send, read } = await chainWithApi()
    const bare = await deploy('BareCoin')
    await send(bare, 'mint', [ALICE, 5n])
    const { items } = await read(`/search?q=${bare.address}`)
    expect(items[0]).toMatchObject({ type: 'token', name: 'Unnamed token', symbol: '' })
    expect((await read(`/tokens/${bare.address}`)).name).toBeNull()
  })
})
