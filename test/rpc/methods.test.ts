// The read, call and send methods on a running chain. Expected values: the genesis (10,000 KEST for each account, base fee 1
// gwei), EIP-1559, the Yellow Paper's gas, and go-ethereum's responses to bad requests.
import { keccak256, parseGwei, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { testChain } from '../support/chain.ts'

const TEN_THOUSAND = '0x21e19e0c9bab2400000' // 10,000 * 10^18
const EMPTY_ACCOUNT = `0x${'99'.repeat(20)}`
const word = (value: bigint | number) => `0x${value.toString(16).padStart(64, '0')}`

/** PUSH0 PUSH0 REVERT, NUMBER, INVALID, and a contract that returns its slot 0. */
const code = {
  revert: '0x5f5ffd',
  number: '0x435f5260205ff3',
  invalid: '0xfe',
  slot0: '0x5f545f5260205ff3',
}

describe('a new chain', () => {
  it('has the values of its genesis', async () => {
    const { rpc, alice } = await testChain()
    expect(await rpc('eth_chainId')).toBe('0x7d')
    expect(await rpc('net_version')).toBe('125')
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(await rpc('eth_syncing')).toBe(false)
    expect(await rpc('eth_getBalance', alice.address)).toBe(TEN_THOUSAND)
    expect(await rpc('eth_getBalance', EMPTY_ACCOUNT, 'latest')).toBe('0x0')
    expect(await rpc('eth_getTransactionCount', EMPTY_ACCOUNT, 'pending')).toBe('0x0')
    expect(await rpc('eth_getCode', EMPTY_ACCOUNT)).toBe('0x')
    expect(await rpc('eth_getStorageAt', EMPTY_ACCOUNT, '0x0')).toBe(word(0))
    // The empty genesis block lowers the base fee by an eighth.
    expect(await rpc('eth_baseFee')).toBe(`0x${(875_000_000).toString(16)}`)
    expect(await rpc('web3_sha3', '0x68656c6c6f20776f726c64')).toBe(keccak256('0x68656c6c6f20776f726c64'))
  })

  it('has a client version that development tools recognize, in development only', async () => {
    const development = await testChain()
    expect(await development.rpc('web3_clientVersion')).toMatch(/^anvil\//)
    expect(await development.rpc('rpc_modules')).toMatchObject({ eth: '1.0', evm: '1.0' })
    const plain = await testChain({ rpc: { development: false } })
    expect(await plain.rpc('web3_clientVersion')).toMatch(/^kestrel\/v/)
    expect(await plain.rpc('rpc_modules')).not.toHaveProperty('evm')
    expect((await plain.raw('evm_mine')).error?.code).toBe(-32601)
  })

  it('returns null or an error for unknown blocks and transactions', async () => {
    const { rpc, raw } = await testChain()
    const unknown = `0x${'77'.repeat(32)}`
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x1', false],
      ['eth_getBlockByHash', unknown, false],
      ['eth_getTransactionByHash', unknown],
      ['eth_getTransactionReceipt', unknown],
      ['eth_getRawTransactionByHash', unknown],
      ['eth_getBlockReceipts', '0x1'],
      ['eth_getHeaderByNumber', '0x1'],
      ['eth_getBlockTransactionCountByNumber', '0x1'],
      ['eth_getUncleCountByBlockHash', unknown],
      ['eth_getUncleByBlockNumberAndIndex', 'latest', '0x0'],
      ['eth_getTransactionByBlockNumberAndIndex', 'latest', '0x0'],
      ['eth_getAccount', EMPTY_ACCOUNT],
    ] as const) {
      expect(await rpc(method, ...params), method).toBeNull()
    }
    expect((await raw('eth_getBalance', EMPTY_ACCOUNT, '0x1')).error).toEqual({
      code: -32000,
      message: 'header not found',
    })
    expect((await raw('eth_call', {}, { blockHash: unknown })).error?.code).toBe(-32000)
    expect((await raw('eth_getLogs', { blockHash: unknown })).error?.code).toBe(-32000)
  })
})

describe('a transfer', () => {
  it('is found by hash, by position, by sender, and with its receipt', async () => {
    const { rpc, alice, bob, walletOf } = await testChain()
    const hash = await walletOf(0).sendTransaction({
      to: bob.address,
      value: 5n,
      gas: 21000n,
      maxFeePerGas: parseGwei('3'),
      maxPriorityFeePerGas: parseGwei('1'),
    })
    const receipt = await rpc('eth_getTransactionReceipt', hash)
    // Base fee 0.875 gwei and a tip of 1 gwei.
    expect(receipt).toMatchObject({
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: `0x${(1_875_000_000).toString(16)}`,
      blockNumber: '0x1',
      contractAddress: null,
      logs: [],
    })
    const found = await rpc('eth_getTransactionByHash', hash)
    expect(found).toMatchObject({ hash, gasPrice: `0x${(1_875_000_000).toString(16)}`, value: '0x5', nonce: '0x0' })
    expect(await rpc('eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0')).toEqual(found)
    expect(await rpc('eth_getTransactionBySenderAndNonce', alice.address, '0x0')).toEqual(found)
    expect(await rpc('eth_getTransactionBySenderAndNonce', alice.address, '0x1')).toBeNull()
    expect(await rpc('eth_getBlockReceipts', 'latest')).toEqual([receipt])
    expect(keccak256((await rpc('eth_getRawTransactionByHash', hash)) as `0x${string}`)).toBe(hash)
    expect(await rpc('eth_getBalance', bob.address)).toBe(`0x${(10_000n * 10n ** 18n + 5n).toString(16)}`)
    expect(await rpc('eth_getBalance', bob.address, '0x0')).toBe(TEN_THOUSAND)
  })

  it('that is pending has no receipt, and counts for the `pending` nonce', async () => {
    const { rpc, raw, alice, bob, walletOf } = await testChain({ automine: false })
    const hash = await walletOf(0).sendTransaction({ to: bob.address, value: 5n })
    expect(await rpc('eth_getTransactionReceipt', hash)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, blockHash: null, transactionIndex: null })
    expect(await rpc('eth_getTransactionBySenderAndNonce', alice.address, '0x0')).toMatchObject({ hash })
    expect(await rpc('eth_pendingTransactions')).toMatchObject([{ hash }])
    expect(await rpc('eth_getTransactionCount', alice.address, 'latest')).toBe('0x0')
    expect(await rpc('eth_getTransactionCount', alice.address, 'pending')).toBe('0x1')
    expect(await rpc('eth_getBlockByNumber', 'pending', false)).toMatchObject({ number: '0x1', transactions: [hash] })
    expect(await rpc('eth_mining')).toBe(false)

    const wallet = walletOf(1)
    const request = await wallet.prepareTransactionRequest({ to: alice.address, value: 1n })
    const signed = await wallet.signTransaction(request)
    const waited = await raw('eth_sendRawTransactionSync', signed, 20)
    expect(waited.error).toMatchObject({ code: 4, data: keccak256(signed) })
    const receipt = raw('eth_sendRawTransactionSync', await wallet.signTransaction({ ...request, nonce: 1 }))
    await expect.poll(() => rpc('eth_pendingTransactions')).toHaveLength(3)
    await rpc('evm_mine')
    expect((await receipt).result).toMatchObject({ status: '0x1', blockNumber: '0x1' })
  })
})

describe('eth_call and eth_estimateGas', () => {
  it('return, revert or fail', async () => {
    const { rpc, raw } = await testChain()
    expect(await rpc('eth_call', { data: code.number })).toBe(word(0))
    expect(await rpc('eth_call', { input: code.number }, 'latest', {}, { number: '0x99' })).toBe(word(0x99))
    expect((await raw('eth_call', { data: code.revert })).error).toEqual({
      code: 3,
      message: 'execution reverted',
      data: '0x',
    })
    expect((await raw('eth_call', { data: code.invalid })).error?.code).toBe(-32000)
    expect((await raw('eth_estimateGas', { data: code.revert })).error).toEqual({
      code: -32000,
      message: 'execution reverted',
    })
  })

  it('see overridden state', async () => {
    const { rpc, bob } = await testChain()
    const call = (account: object) => rpc('eth_call', { to: bob.address }, 'latest', { [bob.address]: account })
    expect(await call({ code: code.slot0, stateDiff: { [word(0)]: word(7) } })).toBe(word(7))
    expect(await call({ code: code.slot0, state: { [word(0)]: word(8) } })).toBe(word(8))
  })

  it('that revert return the reason in geth’s words', async () => {
    const { raw, bob } = await testChain()
    // MSTORE of the selector at 0 and of 0x11 at 4, then REVERT of these 36 bytes.
    const revert = `0x7f${toFunctionSelector('Panic(uint256)').slice(2)}${'0'.repeat(56)}5f52601160045260245ffd`
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const { error } = await raw(method, { to: bob.address }, 'latest', { [bob.address]: { code: revert } })
      expect(error).toEqual({
        code: 3,
        message: 'execution reverted: arithmetic underflow or overflow',
        data: `0x4e487b71${'11'.padStart(64, '0')}`,
      })
    }
  })

  it('estimate a plain transfer at 21000 gas, and fill in a transaction', async () => {
    const { rpc, raw, alice, bob } = await testChain()
    const transfer = { from: alice.address, to: bob.address, value: '0x1' }
    expect(await rpc('eth_estimateGas', transfer)).toBe('0x5208')
    expect(await rpc('eth_fillTransaction', transfer)).toMatchObject({
      raw: expect.stringMatching(/^0x02/),
      tx: { type: '0x2', gas: '0x5208', nonce: '0x0', chainId: '0x7d', r: '0x0', s: '0x0' },
    })
    const legacy = await rpc('eth_fillTransaction', { ...transfer, gasPrice: '0x77359400' })
    expect(legacy).toMatchObject({ tx: { type: '0x0', gasPrice: '0x77359400' } })
    const { error } = await raw('eth_fillTransaction', {
      ...transfer,
      maxFeePerGas: '0x1',
      maxPriorityFeePerGas: '0x2',
    })
    expect(error?.code).toBe(-32602)
  })
})

describe('malformed parameters', () => {
  it.each([
    ['eth_getBalance', ['0x12', 'latest'], 'invalid argument 0: hex string has length 2, want 40 for an address'],
    ['eth_getBalance', [EMPTY_ACCOUNT, '1'], 'invalid argument 1: hex string without 0x prefix'],
    ['eth_getBlockByNumber', ['0x', false], 'invalid argument 0: hex string "0x"'],
    ['eth_getBlockByNumber', ['0x1', 'yes'], 'invalid argument 1: expected true or false'],
    ['eth_call', [{ to: '0x1' }], 'invalid argument 0: to: hex string has length 1, want 40 for an address'],
    ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }], 'invalid block range params'],
    ['eth_getLogs', [{ toBlock: '0x1' }], 'block range extends beyond current head block'],
    ['eth_feeHistory', ['0x1', 'latest', [50, 10]], 'invalid reward percentile: 10 (want 0 to 100, ascending)'],
    ['eth_getStorageValues', [{}], 'empty request'],
  ])('%s %j', async (method, params, message) => {
    const { raw } = await testChain()
    expect((await raw(method, ...params)).error).toEqual({ code: -32602, message })
  })
})
