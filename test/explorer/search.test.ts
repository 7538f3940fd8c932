// Search over the explorer API: by address, hash and number, and by name.
import { getAddress, parseEther } from 'viem'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Address, hexToAddress } from '../../src/lib/hex.ts'
import { ALICE, BOB, contract, tokenChain } from '../indexer/token-chain.ts'
import { testChain } from '../support/chain.ts'
import { verifyingExplorer } from './contracts/support.ts'
import { type Answer, api } from './support.ts'

type Hit = Answer['body']
const UNUSED = getAddress('0x00000000000000000000000000000000000dead0')
const NOTHING = { items: [], next_page_params: null, total_count: 0 }
const NOWHERE = { redirect: false, type: null, parameter: null }
const named = (hits: readonly Hit[]): string[] => hits.map(({ type, name }) => `${type} ${name}`)

describe('a search for one thing', () => {
  it('finds any address in any spelling, also unknown ones', async () => {
    const { url } = await testChain()
    const { read } = api(url)
    for (const q of [UNUSED, UNUSED.toLowerCase(), UNUSED.slice(2), ` ${UNUSED} `]) {
      const query = `?q=${encodeURIComponent(q)}`
      const hit = {
        type: 'address',
        name: null,
        address_hash: UNUSED,
        address: UNUSED,
        url: `/address/${UNUSED}`,
        is_smart_contract_verified: false,
        is_smart_contract_address: false,
        ens_info: null,
        certified: false,
        reputation: 'ok',
        priority: 0,
      }
      expect((await read(`/search${query}`)).items).toEqual([hit])
      expect(await read(`/search/quick${query}`)).toEqual([hit])
      const redirect = { redirect: true, type: 'address', parameter: UNUSED }
      expect(await read(`/search/check-redirect${query}`)).toEqual(redirect)
    }
    const staking = await read('/search?q=0x0000000000000000000000000000000000000800')
    expect(staking.items).toMatchObject([{ name: 'Staking', is_smart_contract_address: true }])
  })

  it('finds a token by its address, and the address itself', async () => {
    const { deploy, url } = await tokenChain()
    const coin = await deploy('Coin', ['Some Coin', 'SOME', 18, 77n])
    const address = getAddress(coin.address)
    const { items } = await api(url).read(`/search?q=${coin.address}`)
    expect(items).toEqual([
      {
        type: 'token',
        name: 'Some Coin',
        symbol: 'SOME',
        address_hash: address,
        address,
        token_type: 'ERC-20',
        token_url: `/token/${address}`,
        address_url: `/address/${address}`,
        icon_url: null,
        total_supply: '77',
        exchange_rate: null,
        circulating_market_cap: null,
        is_smart_contract_verified: false,
        priority: 0,
        is_smart_contract_address: true,
        is_verified_via_admin_panel: false,
        certified: false,
        reputation: 'ok',
        name_warning: null,
      },
      expect.objectContaining({ type: 'address', address_hash: address, name: 'Some Coin' }),
    ])
  })

  it('finds a transaction, mined or pending', async () => {
    const chain = await testChain()
    const { read } = api(chain.url)
    const wallet = chain.walletOf(0)
    const mined = await wallet.sendTransaction({ to: BOB, value: parseEther('1') })
    const { timestamp } = await chain.viem.getBlock()
    await chain.dev.setAutomine(false)
    const waiting = await wallet.sendTransaction({ to: BOB })
    const time = new Date(Number(timestamp) * 1000).toISOString().replace('Z', '000Z')
    for (const [hash, at] of [
      [mined, time],
      [waiting, null],
    ] as const) {
      const hit = { type: 'transaction', transaction_hash: hash, tx_hash: hash, url: `/tx/${hash}`, timestamp: at }
      expect((await read(`/search?q=${hash}`)).items).toEqual([{ ...hit, priority: 0 }])
      const redirect = { redirect: true, type: 'transaction', parameter: hash }
      expect(await read(`/search/check-redirect?q=${hash.slice(2).toUpperCase()}`)).toEqual(redirect)
    }
    const unknown = `0x${'ab'.repeat(32)}`
    expect(await read(`/search?q=${unknown}`)).toEqual(NOTHING)
    expect(await read(`/search/check-redirect?q=${unknown}`)).toEqual(NOWHERE)
  })

  it('finds a block by number or hash', async () => {
    const chain = await testChain()
    const { read } = api(chain.url)
    await chain.mine(123)
    for (const number of [0, 7, 123]) {
      const { hash, timestamp } = await chain.viem.getBlock({ blockNumber: BigInt(number) })
      const time = new Date(Number(timestamp) * 1000).toISOString().replace('Z', '000Z')
      for (const q of [number, hash]) {
        expect((await read(`/search?q=${q}`)).items).toEqual([
          {
            type: 'block',
            block_number: number,
            block_hash: hash,
            block_type: 'block',
            url: `/block/${hash}`,
            timestamp: time,
            priority: 0,
          },
        ])
        const redirect = { redirect: true, type: 'block', parameter: hash }
        expect(await read(`/search/check-redirect?q=${q}`)).toEqual(redirect)
      }
    }
    expect(await read('/search/quick?q=123')).toHaveLength(1)
    for (const q of ['124', '9'.repeat(30), '-1', '0x7']) {
      expect(await read(`/search?q=${q}`)).toEqual(NOTHING)
      expect(await read(`/search/check-redirect?q=${q}`)).toEqual(NOWHERE)
    }
  })
})

describe('a search for a name', () => {
  it('matches prefixes of words, and lists tokens with most holders first', async () => {
    const { deploy, send, mine, url } = await tokenChain()
    const { read, readAll } = api(url)
    await deploy('Coin', ['Wrapped Gold', 'WGLD', 18, 0n])
    const silver = await deploy('Coin', ['wrapped (silver)', 'wSLV', 18, 10n])
    await deploy('Coin', ['Wrapped Copper 128', 'WCOP', 18, 5n])
    await send(silver, 'transfer', [BOB, 1n])
    const names = async (q: string) => named((await read(`/search?q=${encodeURIComponent(q)}`)).items)
    const gold = 'token Wrapped Gold'
    const middle = 'token wrapped (silver)'
    const copper = 'token Wrapped Copper 128'
    expect(await names('wrapped')).toEqual([middle, copper, gold])
    expect(await names('WRAP')).toEqual([middle, copper, gold])
    expect(await names('gold, wra')).toEqual([gold])
    expect(await names('  wgl ')).toEqual([gold])
    expect(await names('wsl silv')).toEqual([middle])
    expect(await names('rapped')).toEqual([])
    expect(await names('wrapped tin')).toEqual([])
    expect(await names('wg')).toEqual([])
    expect(await names('()(')).toEqual([])
    expect(await names(' ')).toEqual([])
    expect(await names('%_*')).toEqual([])
    // A number can be a word, too.
    expect(await names('128')).toEqual([copper])
    await mine(200)
    expect(await names('128')).toEqual(['block undefined', copper])
    expect(await names('12')).toEqual(['block undefined'])
    expect(named(await readAll('/search?q=wrapped', 2))).toEqual([middle, copper, gold])
    expect(await read('/search/check-redirect?q=wrapped')).toEqual(NOWHERE)
    expect(named(await read('/search/quick?q=wrapped'))).toEqual([middle, copper, gold])
    expect(await read('/search/quick?q=12')).toEqual([])
  })

  it('finds verified contracts, and divides the results of a quick search among kinds', async () => {
    const explorer = await verifyingExplorer()
    onTestFinished(explorer.close)
    const { read } = api(explorer.explorerUrl)
    const { viem } = explorer
    const coin = contract('Coin')
    const vault = await explorer.deploy(contract('Vault') as never)
    const alsoToken = await explorer.deploy(coin as never, ['Shared Coin', 'SHA', 0, 0n])
    const verify = async (address: Address, name: string) => {
      const { codeHash = '0x' } = await viem.getProof({ address, storageKeys: [] })
      await explorer.verification.contracts.add(address, {
        codeHash: codeHash as never,
        match: 'exact',
        name,
        path: 'a.sol',
        language: 'solidity',
        abi: [],
        compilerVersion: 'v0.8.30',
        isOptimized: true,
        runs: 200,
        evmVersion: 'prague',
        licence: 'mit',
        libraries: [],
        creationSize: undefined,
        verifiedAt: 0,
        input: { language: 'Solidity', sources: {}, settings: {} },
      })
    }
    await verify(hexToAddress(vault.address), 'Shared_Vault')
    await verify(hexToAddress(alsoToken.address), 'SharedCoin')
    // A verified contract that is a token appears once.
    const found = (await read('/search?q=shared')).items
    expect(named(found)).toEqual(['token Shared Coin', 'contract Shared_Vault'])
    expect(found).toMatchObject([
      { is_smart_contract_verified: true, address: getAddress(alsoToken.address) },
      {
        is_smart_contract_verified: true,
        address: getAddress(vault.address),
        url: `/address/${getAddress(vault.address)}`,
      },
    ])
    expect(named((await read('/search?q=vault')).items)).toEqual(['contract Shared_Vault'])
    expect(named((await read(`/search?q=${vault.address}`)).items)).toEqual(['contract Shared_Vault'])

    const factory = await explorer.deploy(contract('Factory') as never)
    for (let i = 0; i < 6; i++) {
      await explorer.walletOf(0).writeContract({
        ...contract('Factory'),
        address: factory.address,
        functionName: 'make',
        args: [10n],
        gas: 16_000_000n,
      })
    }
    await verify(hexToAddress(vault.address), 'Made of Gold')
    const quick = await read('/search/quick?q=made')
    expect(named(quick)).toEqual([...Array.from({ length: 49 }, () => 'token Made'), 'contract Made of Gold'])
    expect((await read('/search?q=made&items_count=100')).items).toHaveLength(61)
  })

  it('refuses a search without a query', async () => {
    const { url } = await testChain()
    const { get } = api(url)
    for (const path of ['/search', '/search?q=', '/search/quick', '/search/check-redirect?query=1']) {
      expect(await get(path)).toMatchObject({ status: 400, body: { message: 'Missing parameter q' } })
    }
    expect((await get(`/search?q=${ALICE}&page=none`)).body.errors[0].source.pointer).toBe('/page')
  })
})

describe('settings that the frontend reads on every page', () => {
  it('have responses', async () => {
    const { url } = await testChain()
    const { read } = api(url)
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default
    expect(await read('/config/backend-version')).toEqual({ backend_version: `v${version}` })
    expect(await read('/config/csv-export')).toEqual({ limit: 10_000, async_enabled: false })
  })
})
