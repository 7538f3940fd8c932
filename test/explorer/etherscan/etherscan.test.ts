// The Etherscan-style API with the requests of Foundry, Hardhat and wallets. Rows are compared with JSON-RPC.
import { encodeFunctionData, getAddress, type Hex, parseEther } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { token } from '../../support/contracts.ts'
import { compile, compilerVersion, standardInput, verifyingExplorer } from '../contracts/support.ts'

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
beforeAll(async () => {
  explorer = await verifyingExplorer()
}, 60_000)
afterAll(() => explorer.close())

const OK = { status: '1', message: 'OK' }
const NOTOK = { status: '0', message: 'NOTOK' }
const SOURCE =
  '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\ncontract Counter { uint256 public count; constructor(uint256 start) { count = start; } }'

describe('module=contract of the Etherscan API', () => {
  const input = standardInput({ 'src/Counter.sol': SOURCE }, { evmVersion: 'prague' })
  const deploy = () => explorer.deploy(compile(input)('src/Counter.sol:Counter'), [5n])

  it('verifies a contract with the requests of forge verify-contract', async () => {
    const { address } = await deploy()
    const ask = { module: 'contract', apikey: 'any' }
    // Foundry first checks whether the contract is verified already.
    const before = await explorer.etherscan({ ...ask, action: 'getsourcecode', address })
    expect(before).toMatchObject({ ...OK, result: [{ SourceCode: '', ABI: 'Contract source code not verified' }] })

    const submitted = await explorer.post({
      ...ask,
      action: 'verifysourcecode',
      contractaddress: address,
      codeformat: 'solidity-standard-json-input',
      contractname: 'src/Counter.sol:Counter',
      compilerversion: compilerVersion(),
      sourceCode: JSON.stringify(input),
      constructorArguements: '5'.padStart(64, '0'),
    })
    expect(submitted).toEqual({ ...OK, result: expect.stringMatching(/^[0-9a-f]{32}$/) })
    // Foundry polls by a form, too.
    let status = await explorer.post({ ...ask, action: 'checkverifystatus', guid: submitted.result })
    while (status.result === 'Pending in queue') {
      expect(status).toMatchObject(NOTOK)
      status = await explorer.post({ ...ask, action: 'checkverifystatus', guid: submitted.result })
    }
    expect(status).toEqual({ ...OK, result: 'Pass - Verified' })

    const after = await explorer.etherscan({ ...ask, action: 'getsourcecode', address })
    expect(after.result[0]).toMatchObject({
      SourceCode: SOURCE,
      ContractName: 'Counter',
      CompilerVersion: compilerVersion(),
      OptimizationUsed: '1',
      Runs: '200',
      EVMVersion: 'prague',
      ConstructorArguments: '5'.padStart(64, '0'),
      Proxy: '0',
    })
    const abi = await explorer.etherscan({ ...ask, action: 'getabi', address })
    expect(JSON.parse(abi.result)).toEqual(compile(input)('src/Counter.sol:Counter').abi)
  })

  it('verifies a contract with the requests of hardhat verify: the action in the query, the sources in a form', async () => {
    const { address } = await deploy()
    const ask = { module: 'contract', chainid: '125', apikey: 'any' }
    const submitted = await explorer.json(`/api?${new URLSearchParams({ ...ask, action: 'verifysourcecode' })}`, {
      method: 'POST',
      body: new URLSearchParams({
        contractaddress: address,
        sourceCode: JSON.stringify({ ...input, settings: { ...input.settings, remappings: ['a/=b/'] } }),
        codeformat: 'solidity-standard-json-input',
        contractname: 'src/Counter.sol:Counter',
        compilerversion: compilerVersion(),
        constructorArguments: '',
      }),
    })
    expect(submitted).toMatchObject(OK)
    // Remappings are part of the metadata.
    expect((await explorer.settled(submitted.result)).result).toBe('Pass - Verified')
    expect(await explorer.contract(address)).toMatchObject({ is_partially_verified: true })
    const { result } = await explorer.etherscan({ ...ask, action: 'getsourcecode', address })
    expect(result[0].SourceCode).toMatch(/^\{\{.*\}\}$/s)
    expect(JSON.parse(result[0].SourceCode.slice(1, -1)).sources).toEqual(input.sources)
  })

  it('verifies a contract of a single file', async () => {
    const { address } = await deploy()
    const submitted = await explorer.post({
      module: 'contract',
      action: 'verifysourcecode',
      contractaddress: address,
      sourceCode: SOURCE,
      codeformat: 'solidity-single-file',
      contractname: 'Counter',
      compilerversion: compilerVersion(),
      optimizationUsed: '1',
      runs: '200',
      evmversion: 'Prague',
      licenseType: '3',
    })
    expect((await explorer.settled(submitted.result)).result).toBe('Pass - Verified')
    expect(await explorer.contract(address)).toMatchObject({ name: 'Counter', license_type: 'mit' })
  })

  it('refuses with the messages that tools compare', async () => {
    const ask = (fields: Record<string, string>) => explorer.post({ module: 'contract', ...fields })
    const nowhere = `0x${'99'.repeat(20)}`
    const source = { sourceCode: SOURCE, compilerversion: compilerVersion() }
    const verify = { action: 'verifysourcecode', ...source }
    expect(await ask({ ...verify, contractaddress: nowhere })).toEqual({
      ...NOTOK,
      result: `Unable to locate ContractCode at ${nowhere}`,
    })
    const { address } = await deploy()
    const refused = { status: '0', result: expect.stringContaining('Error!') }
    expect(await ask({ ...verify, contractaddress: '0x99' })).toMatchObject(refused)
    expect(await ask({ ...verify, contractaddress: address, codeformat: 'cobol' })).toMatchObject(refused)
    expect(await ask({ action: 'verifysourcecode', contractaddress: address })).toMatchObject(refused)
    expect((await ask({ ...verify, contractaddress: address, compilerversion: 'v0.4.11' })).status).toBe('0')
    expect((await ask({ action: 'checkverifystatus', guid: 'none' })).result).toBe('Unable to locate GUID')
    expect(await ask({ action: 'getabi', address: nowhere })).toEqual({
      ...NOTOK,
      result: 'Contract source code not verified',
    })
    expect(await ask({ action: 'getcontractcreation', contractaddresses: nowhere })).toEqual({
      status: '0',
      message: 'No data found',
      result: [],
    })
  })

  it('returns the ABI of a native contract', async () => {
    const { result } = await explorer.etherscan({
      module: 'contract',
      action: 'getabi',
      address: '0x0000000000000000000000000000000000000800',
    })
    expect(JSON.parse(result)).toContainEqual(expect.objectContaining({ type: 'function', name: 'delegate' }))
  })
})

describe('lists of the Etherscan API', () => {
  const bob = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const fresh = getAddress(`0x${'c0ffee'.padStart(40, '1')}`)
  const sent: Hex[] = []
  let coin: Hex
  beforeAll(async () => {
    coin = (await explorer.deploy(token, ['Token', parseEther('1000')])).address
    const send = async (request: { to: Hex; value?: bigint; data?: Hex }) => {
      const hash = await explorer.walletOf(0).sendTransaction(request)
      await explorer.viem.waitForTransactionReceipt({ hash })
      sent.push(hash)
    }
    for (const value of [1n, 2n, 3n, 4n, 5n]) await send({ to: fresh, value })
    for (const value of [10n, 20n]) {
      await send({
        to: coin,
        data: encodeFunctionData({ abi: token.abi, functionName: 'transfer', args: [fresh, value] }),
      })
    }
  })
  const account = (action: string, more: Record<string, string> = {}) =>
    explorer.etherscan({ module: 'account', action, address: fresh, ...more })

  it('balances equal those of JSON-RPC', async () => {
    expect(await account('balance', { tag: 'latest' })).toEqual({ ...OK, result: '15' })
    expect(await account('balancemulti', { address: `${fresh},${`0x${'12'.repeat(20)}`}` })).toEqual({
      ...OK,
      result: [
        { account: fresh.toLowerCase(), balance: '15' },
        { account: `0x${'12'.repeat(20)}`, balance: '0' },
      ],
    })
    expect((await account('tokenbalance', { contractaddress: coin })).result).toBe('30')
    expect((await explorer.etherscan({ module: 'stats', action: 'tokensupply', contractaddress: coin })).result).toBe(
      parseEther('1000').toString(),
    )
  })

  it('transactions have both orders, a range of blocks, and pages', async () => {
    const hashes = async (more: Record<string, string>) =>
      (await account('txlist', more)).result.map((row: { hash: string }) => row.hash)
    const coins = sent.slice(0, 5)
    expect(await hashes({})).toEqual(coins)
    expect(await hashes({ sort: 'desc' })).toEqual(coins.toReversed())
    expect(await hashes({ page: '2', offset: '2', sort: 'asc' })).toEqual(coins.slice(2, 4))
    expect(await hashes({ page: '3', offset: '2', sort: 'desc' })).toEqual(coins.slice(0, 1))
    expect(await account('txlist', { page: '4', offset: '2' })).toEqual({
      status: '0',
      message: 'No transactions found',
      result: [],
    })
    const receipts = await Promise.all(coins.map((hash) => explorer.viem.getTransactionReceipt({ hash })))
    const at = (index: number) => String(receipts[index]?.blockNumber)
    expect(await hashes({ startblock: at(1), endblock: at(3) })).toEqual(coins.slice(1, 4))
    expect(await hashes({ startblock: at(1), endblock: at(3), sort: 'desc', offset: '2' })).toEqual([
      coins[3],
      coins[2],
    ])
    expect(await hashes({ startblock: at(4), endblock: 'latest' })).toEqual(coins.slice(4))
    expect((await account('txlist', { startblock: '99999' })).result).toEqual([])
    const [row] = (await account('txlist', {})).result
    const block = await explorer.viem.getBlock({ blockNumber: receipts[0]?.blockNumber ?? 0n })
    expect(row).toMatchObject({
      from: explorer.alice.address.toLowerCase(),
      to: fresh.toLowerCase(),
      value: '1',
      input: '0x',
      blockNumber: at(0),
      blockHash: receipts[0]?.blockHash,
      timeStamp: String(block.timestamp),
      gasUsed: '21000',
      gasPrice: String(receipts[0]?.effectiveGasPrice),
      isError: '0',
      txreceipt_status: '1',
      transactionIndex: '0',
      contractAddress: '',
      methodId: '0x',
      functionName: '',
    })
  })

  it('token transfers equal those of the logs', async () => {
    const rows = (await account('tokentx')).result
    expect(rows.map((row: { value: string }) => row.value)).toEqual(['10', '20'])
    expect(rows[0]).toMatchObject({
      hash: sent[5],
      from: explorer.alice.address.toLowerCase(),
      to: fresh.toLowerCase(),
      contractAddress: coin.toLowerCase(),
      tokenName: 'Token',
      tokenDecimal: '18',
    })
    expect((await account('tokentx', { contractaddress: coin, sort: 'desc' })).result).toHaveLength(2)
    expect((await account('tokentx', { contractaddress: bob })).result).toEqual([])
    const ofToken = await explorer.etherscan({ module: 'account', action: 'tokentx', contractaddress: coin })
    // The deployment mints.
    expect(ofToken.result).toHaveLength(3)
    expect((await account('tokennfttx')).result).toEqual([])
    expect((await explorer.etherscan({ module: 'account', action: 'tokentx' })).status).toBe('0')
  })

  it('transactions that call a contract have the function’s name', async () => {
    const { result } = await account('txlist', { address: coin, sort: 'desc', offset: '1' })
    expect(result[0]).toMatchObject({
      hash: sent[6],
      methodId: '0xa9059cbb',
      functionName: 'transfer(address to, uint256 value)',
    })
  })

  it('internal transactions begin with the creation', async () => {
    const { result } = await account('txlistinternal', { address: coin })
    expect(result).toEqual([expect.objectContaining({ type: 'create', contractAddress: coin.toLowerCase(), to: '' })])
    const [{ hash }] = result
    expect((await explorer.etherscan({ module: 'account', action: 'txlistinternal', txhash: hash })).result).toEqual(
      result,
    )
    expect((await account('txlistinternal', {})).message).toBe('No internal transactions found')
    const all = await explorer.etherscan({ module: 'account', action: 'txlistinternal', startblock: '0', sort: 'asc' })
    expect(all.result).toContainEqual(result[0])
  })

  it('logs equal those of eth_getLogs', async () => {
    const topic0 = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    const topic2 = `0x${fresh.slice(2).toLowerCase().padStart(64, '0')}`
    const expected = (await explorer.rpc('eth_getLogs', {
      fromBlock: '0x0',
      toBlock: 'latest',
      address: coin,
      topics: [topic0, null, topic2],
    })) as { data: Hex; transactionHash: Hex; logIndex: Hex; blockNumber: Hex; topics: Hex[] }[]
    expect(expected).toHaveLength(2)
    const logs = (more: Record<string, string>) =>
      explorer.etherscan({ module: 'logs', action: 'getLogs', fromBlock: '0', toBlock: 'latest', ...more })
    const pick = ({ data, transactionHash, logIndex, blockNumber, topics }: (typeof expected)[number]) => ({
      data,
      transactionHash,
      logIndex,
      blockNumber,
      topics,
    })
    const { result } = await logs({ address: coin, topic0, topic2, topic0_2_opr: 'and' })
    expect(result.map(pick)).toEqual(expected.map(pick))
    expect(result[0]).toMatchObject({ address: coin.toLowerCase(), gasUsed: expect.stringMatching(/^0x/) })
    expect((await logs({ topic2 })).result.map(pick)).toEqual(expected.map(pick))
    expect((await logs({ address: coin, topic0, page: '3', offset: '1' })).result.map(pick)).toEqual([
      pick(expected[1] ?? fail()),
    ])
    const either = await logs({ address: coin, topic1: topic2, topic2, topic1_2_opr: 'or' })
    expect(either.result.map(pick)).toEqual(expected.map(pick))
    expect(await logs({ address: bob })).toEqual({ status: '0', message: 'No records found', result: [] })
  })
})

const fail = (): never => {
  throw new Error('there should be more')
}

describe('modules block, transaction, stats and proxy of the Etherscan API', () => {
  it('find blocks by time and count down to them', async () => {
    const head = await explorer.viem.getBlock()
    const ask = (action: string, fields: Record<string, string>) =>
      explorer.etherscan({ module: 'block', action, ...fields })
    const ahead = await ask('getblockcountdown', { blockno: String(head.number + 7n) })
    expect(ahead.result).toMatchObject({
      CurrentBlock: String(head.number),
      CountdownBlock: String(head.number + 7n),
      RemainingBlock: '7',
    })
    expect(await ask('getblockcountdown', { blockno: String(head.number) })).toMatchObject({
      status: '0',
      result: null,
    })

    const by = async (timestamp: bigint, closest: string) =>
      (await ask('getblocknobytime', { timestamp: String(timestamp), closest })).result
    const first = await explorer.viem.getBlock({ blockNumber: 1n })
    expect(await by(first.timestamp, 'before')).toBe(String(await lastAt(first.timestamp)))
    expect(await by(head.timestamp + 1000n, 'before')).toBe(String(head.number))
    expect(await by(head.timestamp + 1000n, 'after')).toMatch(/^Error!/)
    expect(await by(0n, 'after')).toBe('0')
  })

  /** The last block that is not after the timestamp. */
  async function lastAt(timestamp: bigint): Promise<bigint> {
    const head = await explorer.viem.getBlockNumber({ cacheTime: 0 })
    let last = 0n
    for (let number = 0n; number <= head; number++) {
      if ((await explorer.viem.getBlock({ blockNumber: number })).timestamp <= timestamp) last = number
    }
    return last
  }

  it('return the status of a transaction', async () => {
    const ok = await explorer.walletOf(1).sendTransaction({ to: explorer.alice.address, value: 1n })
    const broken = await explorer.walletOf(1).sendTransaction({ data: '0xfe', gas: 100_000n })
    await explorer.viem.waitForTransactionReceipt({ hash: broken })
    const ask = async (action: string, txhash: string) =>
      (await explorer.etherscan({ module: 'transaction', action, txhash })).result
    expect(await ask('gettxreceiptstatus', ok)).toEqual({ status: '1' })
    expect(await ask('gettxreceiptstatus', broken)).toEqual({ status: '0' })
    expect(await ask('gettxreceiptstatus', `0x${'00'.repeat(32)}`)).toEqual({ status: '' })
    expect(await ask('getstatus', broken)).toMatchObject({ isError: '1' })
    expect((await explorer.etherscan({ module: 'stats', action: 'ethsupply' })).result).toMatch(/^\d{20,}$/)
  })

  it('answer JSON-RPC methods with named parameters', async () => {
    const proxy = (action: string, fields: Record<string, string> = {}) =>
      explorer.etherscan({ module: 'proxy', action, ...fields })
    expect(await proxy('eth_blockNumber')).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: await explorer.rpc('eth_blockNumber'),
    })
    expect((await proxy('eth_getBlockByNumber', { tag: '0x1', boolean: 'false' })).result).toEqual(
      await explorer.rpc('eth_getBlockByNumber', '0x1', false),
    )
    const who = explorer.alice.address
    expect((await proxy('eth_getTransactionCount', { address: who, tag: 'latest' })).result).toBe(
      await explorer.rpc('eth_getTransactionCount', who, 'latest'),
    )
    expect((await proxy('eth_getTransactionCount', { address: 'nobody' })).error.code).toBe(-32602)
    expect((await proxy('eth_unknown')).status).toBe('0')
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    expect(await explorer.json('/api/eth-rpc', init)).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7d' })
  })

  it('refuse unknown modules and actions', async () => {
    const unknown = { ...NOTOK, result: 'Error! Missing Or invalid Module or Action name' }
    expect(await explorer.json('/api')).toEqual(unknown)
    expect(await explorer.etherscan({ module: 'account', action: 'constructor' })).toEqual(unknown)
    expect(await explorer.etherscan({ module: '__proto__', action: 'toString' })).toEqual(unknown)
    const broken = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }
    expect((await explorer.json('/api', broken)).status).toBe('0')
  })
})
