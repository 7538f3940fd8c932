// MetaMask's requests on a manually added network, and what it requires of the responses. It uses plain fetch from a page or an
// extension, compares some responses as strings, and signs everything itself.
import { encodeFunctionData, erc20Abi, type Hex, hexToBigInt, keccak256, parseEther, parseGwei, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { deployToken } from '../support/contracts.ts'
import { processForFile } from '../support/process.ts'

const clients = await processForFile()
const endpoint = `${clients.url}/rpc`
/** The origin of its background page, which sends all requests. */
const ORIGIN = 'chrome-extension://nkbihfbeogaeaoehlefnkodbefgpgknn'
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const HASH = /^0x[0-9a-f]{64}$/

let lastId = 0

/** Sends one request like the extension's fetch; every response must have HTTP status 200. */
async function send(method: string, params: readonly unknown[] = []) {
  const id = ++lastId
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', origin: ORIGIN },
    body: JSON.stringify({ id, jsonrpc: '2.0', method, params }),
  })
  expect(response.status, method).toBe(200)
  const answer = (await response.json()) as { id: number; jsonrpc: string; result?: never; error?: WireError }
  expect(answer).toMatchObject({ id, jsonrpc: '2.0' })
  return answer
}
type WireError = { code: number; message: string; data?: unknown }

const result = async (method: string, ...params: unknown[]) => {
  const { result, error } = await send(method, params)
  expect(error, method).toBeUndefined()
  // The type of a result depends on the method.
  return result as never
}
const refusal = async (method: string, ...params: unknown[]): Promise<WireError> => {
  const { error } = await send(method, params)
  if (error === undefined) throw new Error(`${method} was not refused`)
  return error
}

const latestNumber = (): Promise<Hex> => result('eth_blockNumber')
const stranger = () => privateKeyToAccount(generatePrivateKey()).address

describe('MetaMask adds the network', () => {
  test('the chain id is compared as a string', async () => {
    expect(await result('eth_chainId')).toBe('0x7d')
    expect(await result('net_version')).toBe('125')
  })

  test('EIP-1559 is detected by the base fee of the latest block', async () => {
    const latest: Record<string, Hex> = await result('eth_getBlockByNumber', 'latest', false)
    const block: Record<string, Hex> = await result('eth_getBlockByNumber', latest.number, false)
    expect(block).toEqual(latest)
    for (const field of ['baseFeePerGas', 'gasLimit', 'gasUsed', 'number', 'timestamp'])
      expect(block[field], field).toMatch(QUANTITY)
    expect(await result('eth_getBlockByNumber', toHex(1_000_000), false)).toBeNull()
  })

  test('its background page may call: preflights and responses have the CORS headers', async () => {
    const preflight = await fetch(endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect([200, 204]).toContain(preflight.status)
    expect(['*', ORIGIN]).toContain(preflight.headers.get('access-control-allow-origin'))
    expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(/content-type|\*/)
    const body = JSON.stringify({ id: 1, jsonrpc: '2.0', method: 'eth_chainId', params: [] })
    const answer = await fetch(endpoint, { method: 'POST', headers: { origin: ORIGIN }, body })
    expect(['*', ORIGIN]).toContain(answer.headers.get('access-control-allow-origin'))
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const broken = await fetch(endpoint, { method: 'POST', headers: { origin: ORIGIN }, body: '{' })
    expect(broken.status).toBe(200)
    expect(['*', ORIGIN]).toContain(broken.headers.get('access-control-allow-origin'))
  })
})

describe('MetaMask shows the accounts', () => {
  test('balances, nonces and code at the block tracker’s number', async () => {
    const number = await latestNumber()
    expect(number).toMatch(QUANTITY)
    expect(await result('eth_getBalance', account(0).address, number)).toBe(toHex(parseEther('10000')))
    expect(await result('eth_getBalance', stranger(), number)).toBe('0x0')
    expect(await result('eth_getTransactionCount', account(0).address, number)).toBe('0x0')
    expect(await result('eth_getTransactionCount', account(0).address, 'pending')).toBe('0x0')
    expect(await result('eth_getCode', account(0).address, number)).toBe('0x')
  })

  test('a token is detected by calls, some of which fail', async () => {
    const { address } = await deployToken(clients, 1)
    const number = await latestNumber()
    const call = (data: Hex) => send('eth_call', [{ to: address, data }, number])
    const read = (functionName: 'symbol' | 'decimals') => call(encodeFunctionData({ abi: erc20Abi, functionName }))
    const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account(1).address] })
    expect((await read('symbol')).result).toContain(toHex('TOK').slice(2))
    expect((await read('decimals')).result).toBe(toHex(18, { size: 32 }))
    expect((await call(balance)).result).toBe(toHex(parseEther('1000'), { size: 32 }))
    // supportsInterface(ERC-721), ERC-165: the token has none, and refuses without a reason.
    const { error } = await call(`0x01ffc9a7${'80ac58cd'.padEnd(64, '0')}`)
    expect(error).toMatchObject({ message: expect.stringMatching(/^execution reverted/) })
    // A call of an account without code succeeds with empty data.
    expect(await result('eth_call', { to: stranger(), data: '0x95d89b41' }, number)).toBe('0x')
  })
})

describe('MetaMask sends transactions', () => {
  const from = account(2)
  const to = stranger()

  const feesNow = async () => {
    const gasPrice: Hex = await result('eth_gasPrice')
    expect(gasPrice).toMatch(QUANTITY)
    return { maxFeePerGas: hexToBigInt(gasPrice), maxPriorityFeePerGas: hexToBigInt(gasPrice) }
  }
  const sign = async (nonce: number, value = 1n, fees?: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }) =>
    from.signTransaction({
      chainId: 125,
      type: 'eip1559',
      to,
      value,
      gas: 21_000n,
      nonce,
      ...(fees ?? (await feesNow())),
    })
  /** The higher of both counts, as in the nonce tracker. */
  const nextNonce = async () => {
    const confirmed: Hex = await result('eth_getTransactionCount', from.address, await latestNumber())
    const pending: Hex = await result('eth_getTransactionCount', from.address, 'pending')
    return Math.max(Number(confirmed), Number(pending))
  }

  test('a transfer: recipient, gas, fee, nonce, publication, receipt, block', async () => {
    const number = await latestNumber()
    expect(await result('eth_getCode', to, number)).toBe('0x')
    expect(await result('eth_estimateGas', { from: from.address, to, value: '0x1', data: '0x', type: '0x2' })).toBe(
      '0x5208',
    )
    const raw = await sign(await nextNonce())
    const hash: Hex = await result('eth_sendRawTransaction', raw)
    expect(hash).toBe(keccak256(raw))

    await expect.poll(() => result('eth_getTransactionReceipt', hash)).not.toBeNull()
    const receipt: Record<string, Hex> = await result('eth_getTransactionReceipt', hash)
    // With an integer status MetaMask shows the transaction as pending forever.
    expect(receipt).toMatchObject({ status: '0x1', gasUsed: '0x5208', type: '0x2', contractAddress: null, logs: [] })
    for (const field of ['blockNumber', 'transactionIndex', 'cumulativeGasUsed', 'effectiveGasPrice'])
      expect(receipt[field], field).toMatch(QUANTITY)
    const block: Record<string, Hex> = await result('eth_getBlockByHash', receipt.blockHash, false)
    expect(block).toMatchObject({ hash: receipt.blockHash, number: receipt.blockNumber, transactions: [hash] })
    expect(block.baseFeePerGas).toMatch(QUANTITY)
    expect(block.timestamp).toMatch(QUANTITY)
    expect(await result('eth_getTransactionByHash', hash)).toMatchObject({
      hash,
      blockHash: receipt.blockHash,
      value: '0x1',
    })
    expect(await result('eth_getBalance', to, receipt.blockNumber)).toBe('0x1')
    expect(await result('eth_getBalance', to, number)).toBe('0x0')
  })

  test('while a transaction is pending: no receipt, found by its hash, counted in the pending nonce', async () => {
    const nonce = await nextNonce()
    const gapped = await sign(nonce + 1)
    const hash: Hex = await result('eth_sendRawTransaction', gapped)
    expect(await result('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await result('eth_getTransactionByHash', hash)).toMatchObject({ blockHash: null, blockNumber: null })
    // MetaMask publishes pending transactions again, and expects one of its messages for "known".
    expect((await refusal('eth_sendRawTransaction', gapped)).message).toMatch(KNOWN)
    const dearer = { maxFeePerGas: parseGwei('50') + 1n, maxPriorityFeePerGas: 1n }
    expect((await refusal('eth_sendRawTransaction', await sign(nonce + 1, 2n, dearer))).message).toMatch(KNOWN)
    await result('eth_sendRawTransaction', await sign(nonce))
    await expect.poll(() => result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
    expect((await refusal('eth_sendRawTransaction', gapped)).message).toMatch(KNOWN)
    expect(await nextNonce()).toBe(nonce + 2)
    expect(await result('eth_getTransactionReceipt', keccak256('0x00'))).toBeNull()
  })
  const KNOWN =
    /known transaction|nonce too low|already known|replacement transaction underpriced|same hash was already imported/

  test('speeding up and cancelling: the same nonce with a tenth more', async () => {
    const nonce = await nextNonce()
    const fees = { maxFeePerGas: parseGwei('10'), maxPriorityFeePerGas: parseGwei('1') }
    const more = { maxFeePerGas: parseGwei('11'), maxPriorityFeePerGas: parseGwei('1.1') }
    const first: Hex = await result('eth_sendRawTransaction', await sign(nonce + 1, 1n, fees))
    const second: Hex = await result('eth_sendRawTransaction', await sign(nonce + 1, 0n, more))
    await result('eth_sendRawTransaction', await sign(nonce))
    await expect.poll(() => result('eth_getTransactionReceipt', second)).toMatchObject({ status: '0x1' })
    expect(await result('eth_getTransactionReceipt', first)).toBeNull()
  })

  test('a failing transaction: the estimate has the reason, the receipt has status 0x0', async () => {
    const { address } = await deployToken(clients, 1)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args: [account(1).address, to, 1n] })
    const error = await refusal('eth_estimateGas', { from: from.address, to: address, data, value: '0x0', type: '0x2' })
    // Error(string): selector, offset, length, text.
    expect(error).toMatchObject({ code: 3, message: 'execution reverted: allowance exceeded' })
    expect(error.data).toMatch(/^0x08c379a0/)
    const raw = await from.signTransaction({
      chainId: 125,
      type: 'eip1559',
      to: address,
      data,
      gas: 100_000n,
      nonce: await nextNonce(),
      ...(await feesNow()),
    })
    const hash: Hex = await result('eth_sendRawTransaction', raw)
    await expect.poll(() => result('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x0', logs: [] })
  })

  test('a transaction that costs too much is refused with geth’s message and HTTP 200', async () => {
    const nonce = await nextNonce()
    const rich = await refusal('eth_sendRawTransaction', await sign(nonce, parseEther('1000000')))
    expect(rich).toMatchObject({ code: -32000, message: expect.stringContaining('insufficient funds') })
    const otherChain = await from.signTransaction({
      chainId: 1,
      type: 'eip1559',
      to,
      gas: 21_000n,
      nonce,
      ...(await feesNow()),
    })
    expect(await refusal('eth_sendRawTransaction', otherChain)).toMatchObject({ code: -32000 })
    // The node sends only for accounts whose keys it holds.
    expect(await refusal('eth_sendTransaction', { from: stranger(), to, value: '0x1' })).toMatchObject({
      code: -32000,
      message: 'unknown account',
    })
  })
})

// Without a gas service for the chain the wallet uses eth_gasPrice for both fees: its tip is the price's headroom.
test('the gas price that MetaMask suggests does not climb by itself', { timeout: 60_000 }, async () => {
  const sender = account(5)
  const { address: to } = account(6)
  // As on a chain in use, with a constant base fee.
  const price = async () => {
    await result('anvil_setNextBlockBaseFeePerGas', toHex(parseGwei('1')))
    return hexToBigInt(await result('eth_gasPrice'))
  }
  const before = await price()
  for (let nonce = 0; nonce < 100; nonce++) {
    const fee = await price()
    const fees = { maxFeePerGas: fee, maxPriorityFeePerGas: fee }
    const raw = await sender.signTransaction({
      chainId: 125,
      type: 'eip1559',
      to,
      value: 1n,
      gas: 21_000n,
      nonce,
      ...fees,
    })
    const hash: Hex = await result('eth_sendRawTransaction', raw)
    await expect.poll(() => result('eth_getTransactionReceipt', hash), { interval: 5 }).not.toBeNull()
  }
  expect(await price()).toBeLessThanOrEqual((before * 12n) / 10n)
})

describe('requests of a dApp through the wallet', () => {
  test('logs of a range and blocks by hash replace filters and subscriptions', async () => {
    const { address, receipt } = await deployToken(clients, 3)
    const fromBlock = toHex(receipt.blockNumber)
    const toBlock = await latestNumber()
    const logs: Record<string, unknown>[] = await result('eth_getLogs', {
      address: [address],
      fromBlock,
      toBlock,
      topics: [],
    })
    expect(logs).toHaveLength(1)
    expect(logs[0]).toMatchObject({
      address: address.toLowerCase(),
      blockHash: receipt.blockHash,
      logIndex: '0x0',
      removed: false,
    })
    expect(logs[0]?.transactionHash).toMatch(HASH)
    expect(await result('eth_getBlockByHash', receipt.blockHash, true)).toMatchObject({ number: fromBlock })
  })

  test('client version, syncing and unknown methods are passed through', async () => {
    expect(await result('web3_clientVersion')).toMatch(/kestrel/)
    expect(await result('eth_syncing')).toBe(false)
    expect(await refusal('wallet_doesNotExist')).toMatchObject({ code: -32601 })
    expect(await refusal('eth_getBalance', 'nonsense')).toMatchObject({ code: -32602 })
  })
})
