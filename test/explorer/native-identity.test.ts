// Names of the native modules in the explorer: precompiles as verified contracts, module accounts, proposers, searches for
// them; and coins that native contracts move as internal transactions.
import { readFileSync } from 'node:fs'
import { getAddress, type Hex, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { submit } from '../precompiles/gov-support.ts'
import { delegate, operator, STAKING, stakingChain } from '../precompiles/staking-support.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'
import { api } from './support.ts'

/** The first 20 bytes of SHA-256 of the pools' names in the Cosmos SDK. */
const BONDED_POOL = '0x4feA76427B8345861e80A3540a8a9D936FD39391'

describe('precompiles in the explorer', () => {
  it('are verified contracts with their published ABI', async () => {
    const { url, rpc } = await testChain()
    const { read } = api(url)
    const published = readFileSync('solidity/Staking.sol', 'utf8')
    const abi = JSON.parse(readFileSync('solidity/abi/Staking.json', 'utf8'))
    expect(await read(`/smart-contracts/${STAKING}`)).toMatchObject({
      is_verified: true,
      is_fully_verified: true,
      name: 'Staking',
      language: 'solidity',
      license_type: 'mit',
      file_path: 'Staking.sol',
      source_code: published,
      abi,
      deployed_bytecode: '0xfe',
      additional_sources: [{ file_path: 'Authorization.sol' }, { file_path: 'Types.sol' }],
    })
    expect(await read(`/addresses/${STAKING}`)).toMatchObject({ is_contract: true, is_verified: true, name: 'Staking' })
    const { items } = await read('/smart-contracts?q=distr')
    expect(items).toMatchObject([{ name: 'Distribution', address: { is_verified: true } }])
    const etherscan = (await (
      await fetch(`${url}/api?module=contract&action=getsourcecode&address=${STAKING}`)
    ).json()) as { result: unknown }
    expect(etherscan.result).toMatchObject([{ ContractName: 'Staking', ABI: JSON.stringify(abi), Proxy: '0' }])
    expect(await rpc('eth_getCode', STAKING, 'latest')).toBe('0xfe')
  })

  it('have the interfaces of their chain', async () => {
    const { url } = await testChain({ spec: presets['cosmos-evm']() })
    const { read, get } = api(url)
    expect(await read(`/smart-contracts/${STAKING}`)).toMatchObject({
      name: 'Staking',
      file_path: 'cosmos-evm/Staking.sol',
      source_code: readFileSync('solidity/cosmos-evm/Staking.sol', 'utf8'),
      abi: JSON.parse(readFileSync('solidity/abi/cosmos-evm/Staking.json', 'utf8')),
      additional_sources: [{ file_path: 'Types.sol' }],
    })
    const bank = await read('/smart-contracts/0x0000000000000000000000000000000000000804')
    expect(bank).toMatchObject({ name: 'Bank', file_path: 'Bank.sol' })
    expect((await get('/smart-contracts/0x0000000000000000000000000000000000000a00')).status).toBe(404)
  })

  it('are ordinary addresses on a chain without native modules', async () => {
    const { url } = await testChain({ spec: plainSpec(account(0).address) })
    const { read, get } = api(url)
    expect((await get(`/smart-contracts/${STAKING}`)).status).toBe(404)
    expect(await read(`/addresses/${BONDED_POOL}`)).toMatchObject({ name: null })
    expect(await read('/search?q=staking')).toMatchObject({ items: [] })
    expect((await read('/blocks/0')).miner.name).toBeNull()
  })
})

describe('module accounts and validators', () => {
  it('have names wherever their addresses appear', async () => {
    const { url } = await testChain()
    const { read, readAll } = api(url)
    expect(await read(`/addresses/${BONDED_POOL}`)).toMatchObject({ name: 'bonded_tokens_pool' })
    const [richest] = (await readAll('/addresses')).filter(({ name }) => name !== null)
    // 1,000 coins of each of the three validators of the genesis.
    expect(richest).toMatchObject({ name: 'bonded_tokens_pool', coin_balance: parseEther('3000').toString() })
    expect(await read(`/addresses/${account(10).address}`)).toMatchObject({ name: 'kestrel-0' })
  })

  it('propose blocks in turn, and are named in them', async () => {
    const { url, mine, rpc } = await testChain()
    const next = await rpc('eth_coinbase')
    await mine(6)
    const { items } = await api(url).read('/blocks')
    const miners = items.map(({ miner }: { miner: { name: string } }) => miner.name)
    // Block 0 has no proposer.
    expect(miners.pop()).toBeNull()
    expect(new Set(miners.slice(0, 3))).toEqual(new Set(['kestrel-0', 'kestrel-1', 'kestrel-2']))
    expect(miners.slice(0, 3)).toEqual(miners.slice(3))
    expect(items[5].miner.hash.toLowerCase()).toBe(next)
    expect(await api(url).read(`/addresses/${account(10).address}/counters`)).toMatchObject({ validations_count: '2' })
  })

  it('are replaced by a fee recipient that was set', async () => {
    const { url, mine, rpc } = await testChain()
    await rpc('anvil_setCoinbase', account(5).address)
    await mine(2)
    const { items } = await api(url).read('/blocks?items_count=2')
    for (const { miner } of items) expect(miner.hash).toBe(account(5).address)
  })

  it('are found by name, by bech32 address and by number', async () => {
    const { url, send } = await stakingChain()
    const { read } = api(url)
    const names = async (q: string) => (await read(`/search?q=${encodeURIComponent(q)}`)).items
    expect(await names('staking')).toMatchObject([{ type: 'contract', name: 'Staking', address_hash: STAKING }])
    expect(await names('bonded')).toMatchObject([
      { name: 'bonded_tokens_pool', address_hash: BONDED_POOL },
      { name: 'not_bonded_tokens_pool' },
    ])
    expect(await names('kestrel-1')).toMatchObject([{ name: 'kestrel-1', address_hash: account(11).address }])
    const alice = toBech32('kest', hexToAddress(account(0).address))
    for (const [text, found] of [
      [alice, account(0).address],
      [alice.toUpperCase(), account(0).address],
      [operator(12), account(12).address],
    ] as const) {
      const redirect = await read(`/search/check-redirect?q=${text}`)
      expect(redirect).toEqual({ redirect: true, type: 'address', parameter: found })
    }
    // A wrong checksum, and another chain's prefix.
    for (const text of [`${alice.slice(0, -1)}q`, toBech32('evmos', hexToAddress(account(0).address))]) {
      expect(await read(`/search/check-redirect?q=${text}`)).toMatchObject({ redirect: false })
    }
    const gov = '0x0000000000000000000000000000000000000805'
    const { status } = await send(submit([], { title: 'More blocks, please' }), { to: gov })
    expect(status).toBe('success')
    const proposal = { type: 'proposal', proposal_id: 1, title: 'More blocks, please', url: '/proposal/1' }
    expect(await names('proposal 1')).toMatchObject([proposal])
    expect(await names('blocks')).toMatchObject([proposal])
    expect(await names('proposal 2')).toEqual([])
  })
})

describe('coins that a native contract moves', () => {
  /** Forwards its calldata to the staking contract, and returns whether the call succeeded. */
  const FORWARDER = '0x365f5f375f5f365f5f6108005af15f5260205ff3'
  const deployed = (code: string): Hex => {
    const length = (code.length - 2) / 2
    return `0x60${length.toString(16).padStart(2, '0')}8060095f395ff3${code.slice(2)}`
  }

  it('are internal transactions of the transaction and of both accounts, until it is reverted', async () => {
    const { url, viem, walletOf, rpc, send } = await stakingChain()
    const { read } = api(url)
    const hash = await walletOf(0).sendTransaction({ data: deployed(FORWARDER) })
    const { contractAddress } = await viem.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('the contract was not deployed')
    const contract = getAddress(contractAddress)
    await rpc('anvil_setBalance', contractAddress, `0x${parseEther('3').toString(16)}`)
    const snapshot = await rpc('evm_snapshot')
    const before = await read(`/addresses/${BONDED_POOL}/tabs-counters`)

    const sent = await send(delegate(parseEther('2'), contractAddress), { to: contractAddress })
    const { items } = await read(`/transactions/${sent.transactionHash}/internal-transactions`)
    expect(items).toMatchObject([
      { index: 1, type: 'call', from: { hash: contract }, to: { name: 'Staking' }, value: '0' },
      {
        index: 2,
        type: 'call',
        from: { hash: contract },
        to: { hash: BONDED_POOL },
        value: parseEther('2').toString(),
        success: true,
        error: null,
        gas_limit: '0',
        gas_used: '0',
      },
    ])
    const listed = await fetch(`${url}/api?module=account&action=txlistinternal&txhash=${sent.transactionHash}`)
    const { result } = (await listed.json()) as { result: readonly { value: string }[] }
    expect(result.at(-1)).toMatchObject({ type: 'call', value: parseEther('2').toString(), isError: '0' })
    const ofPool = await read(`/addresses/${BONDED_POOL}/internal-transactions?filter=to`)
    expect(ofPool.items).toMatchObject([{ transaction_hash: sent.transactionHash, value: parseEther('2').toString() }])
    const after = await read(`/addresses/${BONDED_POOL}/tabs-counters`)
    expect(after.internal_transactions_count).toBe(before.internal_transactions_count + 1)
    // Only messages, as shown by a tracer.
    expect(await read(`/transactions/${sent.transactionHash}/raw-trace`)).toHaveLength(2)
    await rpc('evm_revert', snapshot)
    expect(await read(`/addresses/${BONDED_POOL}/tabs-counters`)).toEqual(before)
  })

  it('are listed for a transaction to the precompile itself, and not when it failed', async () => {
    const { url, send, refusal } = await stakingChain()
    const { read } = api(url)
    const { transactionHash } = await send(delegate(7n))
    const { items } = await read(`/transactions/${transactionHash}/internal-transactions`)
    expect(items).toMatchObject([
      { index: 1, value: '7', from: { hash: account(0).address }, to: { hash: BONDED_POOL } },
    ])
    const tooMuch = delegate(parseEther('20000'))
    expect(await refusal(tooMuch)).toMatch(/insufficient funds/)
    const failed = await send(tooMuch)
    expect(failed.status).toBe('reverted')
    expect(await read(`/transactions/${failed.transactionHash}/internal-transactions`)).toMatchObject({ items: [] })
  })
})
