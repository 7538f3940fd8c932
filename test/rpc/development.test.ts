// The development methods on a running node, under all their names. Expected answers are those of anvil (null) and of
// Hardhat and Ganache (true), from their documentation.
import { gunzipSync, gzipSync } from 'node:zlib'
import { encodeAbiParameters, encodeFunctionData, erc20Abi, type Hex, keccak256, pad, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { methods } from '../../src/rpc/methods/index.ts'
import { account, testChain } from '../support/chain.ts'
import { plainSpec } from '../support/plain-spec.ts'

const from = account(0).address.toLowerCase()
const to = account(1).address.toLowerCase()
const other = '0x00000000000000000000000000000000000000aa'
const word = (value: number | bigint) => pad(`0x${value.toString(16)}`, { size: 32 })

type Block = { number: Hex; timestamp: Hex; baseFeePerGas: Hex; gasLimit: Hex; miner: Hex; mixHash: Hex; hash: Hex }
type Test = Awaited<ReturnType<typeof testChain>>

const latest = async ({ rpc }: Test) => (await rpc('eth_getBlockByNumber', 'latest', false)) as Block
const clock = async (test: Test) => Number((await latest(test)).timestamp)
const wallClock = () => Math.floor(Date.now() / 1000)

describe('every name of a development method', () => {
  /** The short names of tier 2 in the method list. */
  const both = `impersonateAccount stopImpersonatingAccount autoImpersonateAccount setBalance setNonce setCode
    setStorageAt setCoinbase mine setNextBlockBaseFeePerGas setMinGasPrice dropTransaction getAutomine reset metadata
    dumpState loadState setPrevRandao setLoggingEnabled dropAllTransactions addBalance`
  const anvil = `setAutomine getIntervalMining setIntervalMining nodeInfo increaseTime setTime setNextBlockTimestamp
    setBlockTimestampInterval removeBlockTimestampInterval snapshot revert rollback setChainId setBlockGasLimit
    removePoolTransactions setNextBlockPrevRandao mine_detailed dealERC20 setERC20Allowance`
  const evm = `snapshot revert mine mine_detailed increaseTime setTime setNextBlockTimestamp setAutomine
    setIntervalMining setBlockGasLimit setAccountBalance setAccountCode setAccountNonce setAccountStorageAt addAccount
    removeAccount`
  const miner = 'start stop setEtherbase setGasPrice setGasLimit setExtra'
  const names = [
    ...both.split(/\s+/).flatMap((name) => [`anvil_${name}`, `hardhat_${name}`]),
    ...anvil.split(/\s+/).map((name) => `anvil_${name}`),
    ...evm.split(/\s+/).map((name) => `evm_${name}`),
    ...miner.split(' ').map((name) => `miner_${name}`),
  ]

  it('is registered behind the development gate', () => {
    expect(names.filter((name) => methods.get(name)?.gate !== 'development')).toEqual([])
  })

  it('does not exist outside development', async () => {
    const { raw } = await testChain({ rpc: {} })
    for (const name of ['anvil_setBalance', 'hardhat_mine', 'evm_snapshot', 'miner_stop']) {
      expect((await raw(name)).error?.code, name).toBe(-32601)
    }
  })
})

describe('accounts', () => {
  it('have the balance that anvil_setBalance sets, in every spelling of the number', async () => {
    const { rpc, raw } = await testChain()
    const balance = () => rpc('eth_getBalance', other)
    expect(await rpc('anvil_setBalance', other, '0x10')).toBeNull()
    expect(await balance()).toBe('0x10')
    expect(await rpc('hardhat_setBalance', other, 17)).toBe(true)
    expect(await balance()).toBe('0x11')
    expect(await rpc('evm_setAccountBalance', other, '18')).toBe(true)
    expect(await balance()).toBe('0x12')
    await rpc('anvil_addBalance', other, '0x02')
    expect(await balance()).toBe('0x14')
    expect((await raw('anvil_setBalance', other, -1)).error?.code).toBe(-32602)
    expect((await raw('anvil_setBalance', other, 'ten')).error?.code).toBe(-32602)
    expect((await raw('anvil_setBalance', other, `0x1${'00'.repeat(32)}`)).error?.code).toBe(-32602)
  })

  it('have the nonce, code and storage that the setters set', async () => {
    const { rpc, raw } = await testChain()
    expect(await rpc('hardhat_setNonce', other, '0x5')).toBe(true)
    expect(await rpc('evm_setAccountNonce', other, '0x3')).toBe(true)
    expect(await rpc('eth_getTransactionCount', other)).toBe('0x3')
    expect((await raw('anvil_setNonce', other, `0x${'ff'.repeat(8)}`)).error?.code).toBe(-32602)
    expect(await rpc('anvil_setCode', other, '0x6001')).toBeNull()
    expect(await rpc('eth_getCode', other)).toBe('0x6001')
    for (const [method, value] of [
      ['anvil_setStorageAt', 1],
      ['hardhat_setStorageAt', 2],
      ['evm_setAccountStorageAt', 3],
    ] as const) {
      expect(await rpc(method, other, '0x0', word(value))).toBe(true)
      expect(await rpc('eth_getStorageAt', other, '0x0')).toBe(word(value))
    }
  })

  it('change in the state at the head, not in earlier blocks', async () => {
    const { rpc, mine } = await testChain()
    const balance = (block: string) => rpc('eth_getBalance', other, block)
    await rpc('anvil_setBalance', other, '0x1')
    await mine(1)
    await rpc('anvil_setBalance', other, '0x2')
    await mine(1)
    expect([await balance('0x0'), await balance('0x1'), await balance('0x2')]).toEqual(['0x1', '0x2', '0x2'])
  })

  it('can be added and removed by Ganache’s methods', async () => {
    const { rpc } = await testChain()
    expect(await rpc('evm_addAccount', other, 'password')).toBe(true)
    expect(await rpc('evm_addAccount', other, 'password')).toBe(false)
    expect(await rpc('evm_addAccount', from, 'password')).toBe(false)
    expect(await rpc('evm_removeAccount', other, 'password')).toBe(true)
    expect(await rpc('evm_removeAccount', other, 'password')).toBe(false)
  })

  it('have the ERC-20 balances and allowances that are set', async () => {
    const { rpc, raw } = await testChain()
    const token = '0x0000000000000000000000000000000000007000'
    // For every call returns the slot keccak256(calldata): like a mapping, one slot for each account or pair.
    // CALLDATACOPY(0, 0, CALLDATASIZE); SLOAD(KECCAK256(0, CALLDATASIZE)); MSTORE(0); RETURN(0, 32).
    await rpc('anvil_setCode', token, '0x36600060003736600020545f5260205ff3')
    const balance = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [other] })
    const allowance = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [other, to as Hex] })
    await rpc('anvil_dealERC20', other, token, '0x64')
    await rpc('anvil_setERC20Allowance', other, to, token, '0x65')
    expect(await rpc('eth_call', { to: token, data: balance })).toBe(word(100))
    expect(await rpc('eth_getStorageAt', token, keccak256(balance))).toBe(word(100))
    expect(await rpc('eth_call', { to: token, data: allowance })).toBe(word(101))
    expect((await raw('anvil_dealERC20', other, other, '0x64')).error?.code).toBe(-32000)
  })
})

describe('mining', () => {
  it('makes the given number of blocks, an interval apart', async () => {
    const test = await testChain()
    const { rpc, raw } = test
    expect(await rpc('anvil_mine')).toBeNull()
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await rpc('hardhat_mine', '0x100', '0x3c')).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe('0x101')
    const at = async (number: string) => Number(((await rpc('eth_getBlockByNumber', number, false)) as Block).timestamp)
    expect((await at('0x101')) - (await at('0x2'))).toBe(255 * 60)
    expect(await rpc('hardhat_mine', '0x0')).toBe(true)
    expect(await rpc('eth_blockNumber')).toBe('0x101')
    expect((await raw('anvil_mine', '0xffffffffff')).error?.code).toBe(-32005)
  })

  it('applies the interval as anvil and as Hardhat do', async () => {
    const test = await testChain()
    const start = wallClock() + 1000
    await test.rpc('evm_mine', start)
    // anvil 1.7.1: each block is an interval later, including the first.
    await test.rpc('anvil_mine', '0x3', '0x3c')
    expect((await clock(test)) - start - 180).toBeLessThan(5)
    expect((await clock(test)) - start).toBeGreaterThanOrEqual(180)
    // Hardhat 2: one second apart unless the request has an interval; the first block follows the clock.
    const before = await clock(test)
    await test.rpc('hardhat_mine', '0x3e9')
    expect((await clock(test)) - before - 1000).toBeLessThan(5)
    expect((await clock(test)) - before).toBeGreaterThanOrEqual(1000)
    // Without an interval anvil's blocks share the second in which they are mined.
    const last = await clock(test)
    await test.rpc('anvil_mine', '0x64')
    expect((await clock(test)) - last).toBeLessThan(10)
  })

  it('accepts every form of evm_mine’s argument', async () => {
    const test = await testChain()
    const { rpc, raw } = test
    const start = wallClock() + 1000
    expect(await rpc('evm_mine')).toBe('0x0')
    expect(await rpc('evm_mine', start)).toBe('0x0')
    expect(await clock(test)).toBe(start)
    await rpc('evm_mine', `0x${(start + 10).toString(16)}`)
    expect(await clock(test)).toBe(start + 10)
    await rpc('evm_mine', { blocks: 3, timestamp: start + 20 })
    expect(await rpc('eth_blockNumber')).toBe('0x6')
    expect(Number(((await rpc('eth_getBlockByNumber', '0x4', false)) as Block).timestamp)).toBe(start + 20)
    expect((await raw('evm_mine', start)).error?.code).toBe(-32602)
    expect((await raw('evm_mine', 'soon')).error?.code).toBe(-32602)
  })

  it('returns outputs and revert reasons in anvil_mine_detailed', async () => {
    const { rpc } = await testChain({ automine: false })
    // Error("no"), as Solidity encodes it, by CODECOPY and REVERT.
    const reason = `0x08c379a0${encodeAbiParameters(parseAbiParameters('string'), ['no']).slice(2)}`
    await rpc('anvil_setCode', other, `0x6064600c60003960646000fd${reason.slice(2)}`)
    const hash = await rpc('eth_sendTransaction', { from, to: other, gas: '0x186a0' })
    const blocks = await rpc('evm_mine_detailed')
    expect(blocks).toMatchObject([{ number: '0x1', transactions: [{ hash, output: reason, revertReason: 'no' }] }])
  })

  it('is automatic, at intervals, both or neither; each is set without the other', async () => {
    const { rpc, node } = await testChain()
    expect(await rpc('anvil_getAutomine')).toBe(true)
    expect(await rpc('anvil_getIntervalMining')).toBeNull()
    expect(await rpc('anvil_setIntervalMining', 60)).toBeNull()
    expect(await rpc('hardhat_getAutomine')).toBe(true)
    expect(await rpc('anvil_getIntervalMining')).toBe(60)
    expect(await rpc('evm_setAutomine', false)).toBe(true)
    expect(node.producer.mode()).toEqual({ automine: false, interval: 60 })
    expect(await rpc('evm_setIntervalMining', 5000)).toBe(true)
    expect(await rpc('anvil_getIntervalMining')).toBe(5)
    await rpc('evm_setIntervalMining', 7)
    expect(await rpc('anvil_getIntervalMining')).toBe(7)
    await rpc('evm_setIntervalMining', [3000, 6000])
    expect(await rpc('anvil_getIntervalMining')).toBe(3)
    expect(await rpc('miner_start', '0x1')).toBe(true)
    expect(node.producer.mode()).toEqual({ automine: true, interval: 3 })
    expect(await rpc('miner_stop')).toBe(true)
    expect(node.producer.mode()).toEqual({ automine: false, interval: 0 })
  })

  it('mines pending transactions when automine is switched on again', async () => {
    const { rpc, viem } = await testChain()
    await rpc('anvil_setAutomine', false)
    const hash = (await rpc('eth_sendTransaction', { from, to })) as Hex
    expect(await rpc('eth_getTransactionReceipt', hash)).toBeNull()
    await rpc('anvil_setAutomine', true)
    expect((await viem.waitForTransactionReceipt({ hash })).blockNumber).toBe(1n)
  })
})

describe('the clock', () => {
  it('moves forward by evm_increaseTime and stays ahead', async () => {
    const test = await testChain()
    expect(await test.rpc('evm_increaseTime', '0x0e10')).toBe(3600)
    expect(await test.rpc('anvil_increaseTime', 400)).toBe(4000)
    await test.mine(1)
    expect(Math.abs((await clock(test)) - wallClock() - 4000)).toBeLessThan(5)
  })

  it('is set by evm_setTime in seconds or in milliseconds', async () => {
    const test = await testChain()
    const future = wallClock() + 5000
    expect(await test.rpc('evm_setTime', future * 1000)).toBeLessThanOrEqual(5000)
    await test.mine(1)
    expect(Math.abs((await clock(test)) - future)).toBeLessThan(5)
    await test.rpc('anvil_setTime', future + 1000)
    await test.mine(1)
    expect(Math.abs((await clock(test)) - future - 1000)).toBeLessThan(5)
  })

  it('gives the next block the timestamp of evm_setNextBlockTimestamp, and continues from it', async () => {
    const test = await testChain()
    const time = wallClock() + 7777
    expect(await test.rpc('evm_setNextBlockTimestamp', time)).toBeNull()
    await test.rpc('eth_sendTransaction', { from, to })
    expect(await clock(test)).toBe(time)
    await test.mine(1)
    expect((await clock(test)) - time).toBeGreaterThanOrEqual(0)
    expect((await clock(test)) - time).toBeLessThan(5)
    expect((await test.raw('evm_setNextBlockTimestamp', time - 1)).error?.code).toBe(-32602)
  })

  it('can be a fixed interval between blocks', async () => {
    const test = await testChain()
    await test.rpc('anvil_setBlockTimestampInterval', 12)
    const start = await clock(test)
    await test.mine(3)
    expect(await clock(test)).toBe(start + 36)
    expect(await test.rpc('anvil_removeBlockTimestampInterval')).toBe(true)
    expect(await test.rpc('anvil_removeBlockTimestampInterval')).toBe(false)
    await test.mine(1)
    expect(Math.abs((await clock(test)) - wallClock())).toBeLessThan(5)
  })
})

describe('settings of the next block', () => {
  it('apply to coinbase, gas limit, base fee, randomness and extra data', async () => {
    const test = await testChain()
    const { rpc, raw, mine } = test
    expect(await rpc('hardhat_setCoinbase', other)).toBe(true)
    expect(await rpc('evm_setBlockGasLimit', '0x1c9c380')).toBe(true)
    expect(await rpc('hardhat_setNextBlockBaseFeePerGas', '0x77359400')).toBe(true)
    expect(await rpc('hardhat_setPrevRandao', word(7))).toBe(true)
    expect(await rpc('miner_setExtra', '0x1234')).toBe(true)
    await mine(1)
    expect(await latest(test)).toMatchObject({
      miner: other,
      gasLimit: '0x1c9c380',
      baseFeePerGas: '0x77359400',
      mixHash: word(7),
      extraData: '0x1234',
    })
    await mine(1)
    // EIP-1559 after an empty block: an eighth less than 2 gwei.
    const next = await latest(test)
    expect(next).toMatchObject({ baseFeePerGas: '0x684ee180', gasLimit: '0x1c9c380' })
    expect(next.mixHash).not.toBe(word(7))
    expect((await raw('miner_setExtra', `0x${'00'.repeat(33)}`)).error?.code).toBe(-32602)
    expect((await raw('evm_setBlockGasLimit', 0)).error?.code).toBe(-32602)
    expect((await raw('hardhat_setMinGasPrice', '0x1')).error?.code).toBe(-32602)
  })

  it('apply to the pending block of eth_call', async () => {
    const { rpc } = await testChain()
    // TIMESTAMP, and BASEFEE: MSTORE(0), RETURN(0, 32)
    await rpc('anvil_setCode', other, '0x425f5260205ff3')
    await rpc('anvil_setCode', to, '0x485f5260205ff3')
    const pending = (address: string) => rpc('eth_call', { to: address }, 'pending')
    await pending(other)
    const time = wallClock() + 12345
    await rpc('evm_setNextBlockTimestamp', time)
    expect(await pending(other)).toBe(word(time))
    await rpc('anvil_setNextBlockBaseFeePerGas', '0x3b9aca07')
    expect(await rpc('eth_getBlockByNumber', 'pending', false)).toMatchObject({ baseFeePerGas: '0x3b9aca07' })
  })
})

describe('the pool', () => {
  it('no longer has transactions that were dropped', async () => {
    const { rpc, raw } = await testChain({ automine: false })
    const send = (sender: string, nonce: string) =>
      rpc('eth_sendTransaction', { from: sender, to, nonce, gas: '0x5208', gasPrice: '0x77359400' })
    const first = await send(from, '0x0')
    const second = await send(from, '0x1')
    await send(to, '0x0')
    await send(to, '0x5')
    expect(await rpc('txpool_status')).toEqual({ pending: '0x3', queued: '0x1' })
    expect(await rpc('anvil_dropTransaction', second)).toBe(second)
    expect(await rpc('anvil_dropTransaction', second)).toBeNull()
    expect(await rpc('hardhat_dropTransaction', second)).toBe(false)
    expect(await rpc('anvil_removePoolTransactions', to)).toBeNull()
    expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await rpc('anvil_mine')
    expect((await raw('hardhat_dropTransaction', first)).error?.message).toMatch(/already mined/)
    await send(from, '0x3')
    expect(await rpc('hardhat_dropAllTransactions')).toBe(true)
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('is returned by the txpool_ methods in geth’s shapes', async () => {
    const { rpc } = await testChain({ automine: false })
    const fields = { from, to, gas: '0x5208', gasPrice: '0x77359400', value: '0x5' }
    const waiting = await rpc('eth_sendTransaction', { ...fields, nonce: '0x0' })
    const gapped = await rpc('eth_sendTransaction', { ...fields, to: null, data: '0x00', gas: '0xfde8', nonce: '0xb' })
    const [pending, queued] = await Promise.all([waiting, gapped].map((hash) => rpc('eth_getTransactionByHash', hash)))
    const sender = account(0).address
    expect(await rpc('txpool_content')).toEqual({
      pending: { [sender]: { '0': pending } },
      queued: { [sender]: { '11': queued } },
    })
    expect(await rpc('txpool_contentFrom', from)).toEqual({ pending: { '0': pending }, queued: { '11': queued } })
    expect(await rpc('txpool_contentFrom', other)).toEqual({ pending: {}, queued: {} })
    expect(await rpc('txpool_inspect')).toEqual({
      pending: { [sender]: { '0': `${account(1).address}: 5 wei + 21000 gas × 2000000000 wei` } },
      queued: { [sender]: { '11': 'contract creation: 5 wei + 65000 gas × 2000000000 wei' } },
    })
  })
})

describe('snapshots, rollback and reset', () => {
  it('evm_revert restores head, state and clock; an outer snapshot outlives an inner one', async () => {
    const test = await testChain()
    const { rpc, mine } = test
    const balance = () => rpc('eth_getBalance', other)
    const outer = await rpc('evm_snapshot')
    await rpc('anvil_setBalance', other, '0x1')
    const inner = await rpc('anvil_snapshot')
    expect(inner).not.toBe(outer)
    await rpc('anvil_setBalance', other, '0x2')
    await rpc('evm_increaseTime', 100_000)
    await mine(2)
    expect(await rpc('evm_revert', inner)).toBe(true)
    expect([await rpc('eth_blockNumber'), await balance()]).toEqual(['0x0', '0x1'])
    await mine(1)
    expect(Math.abs((await clock(test)) - wallClock())).toBeLessThan(5)
    expect(await rpc('evm_revert', inner)).toBe(false)
    expect(await rpc('anvil_revert', Number(outer))).toBe(true)
    expect([await rpc('eth_blockNumber'), await balance()]).toEqual(['0x0', '0x0'])
    expect(await rpc('evm_revert', '0x7b')).toBe(false)
  })

  it('anvil_metadata lists the snapshots that evm_revert can restore', async () => {
    const { rpc, mine } = await testChain()
    const listed = async () => Object.keys(((await rpc('anvil_metadata')) as { snapshots: object }).snapshots)
    const first = await rpc('evm_snapshot')
    await mine(1)
    const second = await rpc('evm_snapshot')
    await mine(1)
    const third = await rpc('evm_snapshot')
    expect(await listed()).toEqual([first, second, third])
    await rpc('anvil_rollback', 1)
    expect(await listed()).toEqual([first, second])
    expect(await rpc('evm_revert', third)).toBe(false)
    expect(await rpc('evm_revert', second)).toBe(true)
    await rpc('anvil_reset')
    expect(await listed()).toEqual([first])
    expect(await rpc('evm_revert', first)).toBe(true)
    expect(await listed()).toEqual([])
  })

  it('evm_revert discards overrides of the next block', async () => {
    const test = await testChain()
    const { rpc, mine } = test
    const snapshot = await rpc('evm_snapshot')
    await rpc('evm_setNextBlockTimestamp', wallClock() + 9999)
    await rpc('evm_revert', snapshot)
    await mine(1)
    expect(Math.abs((await clock(test)) - wallClock())).toBeLessThan(5)
  })

  it('anvil_rollback removes the given number of blocks', async () => {
    const { rpc, raw, mine } = await testChain()
    await rpc('eth_sendTransaction', { from, to: other, value: '0x1' })
    const block = (await rpc('eth_getBlockByNumber', 'latest', false)) as Block
    await rpc('eth_sendTransaction', { from, to: other, value: '0x1' })
    await mine(2)
    expect(await rpc('anvil_rollback', 3)).toBeNull()
    expect(await rpc('eth_getBlockByNumber', 'latest', false)).toEqual(block)
    expect(await rpc('eth_getBalance', other)).toBe('0x1')
    expect(await rpc('anvil_rollback')).toBeNull()
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect((await raw('anvil_rollback', 1)).error?.code).toBe(-32602)
  })

  // As in anvil 1.7.1: block 1 after anvil_reset, and the block after anvil_rollback, may have the parent's time.
  it.each(['anvil_reset', 'hardhat_reset', 'anvil_rollback'])(
    '%s lets the clock go on from the block',
    async (method) => {
      const test = await testChain()
      const { rpc, mine } = test
      const before = await clock(test)
      await rpc('evm_increaseTime', 100_000)
      await mine(1)
      await rpc(method)
      await mine(1)
      expect((await clock(test)) - before).toBeLessThan(5)
    },
  )

  it('anvil_reset sets the clock to the machine’s time on a chain with a custom genesis, whose date is arbitrary', async () => {
    const plain = plainSpec(account(0).address)
    const test = await testChain({ spec: { ...plain, genesis: { ...plain.genesis, timestamp: 0n } } })
    await test.rpc('evm_increaseTime', 100_000)
    await test.mine(1)
    await test.rpc('anvil_reset')
    await test.mine(1)
    expect(Math.abs((await clock(test)) - wallClock())).toBeLessThan(5)
  })

  it('anvil_reset returns to genesis, and a fork that cannot begin leaves the chain', async () => {
    const test = await testChain()
    const { rpc, raw, mine, dev } = test
    const genesis = await latest(test)
    await rpc('anvil_setBalance', other, '0x1')
    await rpc('evm_increaseTime', 100_000)
    await rpc('anvil_impersonateAccount', other)
    await mine(2)
    expect(await rpc('hardhat_reset')).toBe(true)
    expect(await latest(test)).toEqual(genesis)
    expect(await rpc('eth_getBalance', other)).toBe('0x0')
    expect(await rpc('eth_accounts')).not.toContain(other)
    await dev.reset()
    await mine(1)
    const head = await latest(test)
    const forking = { forking: { jsonRpcUrl: 'http://127.0.0.1:1', blockNumber: 1 } }
    expect((await raw('hardhat_reset', forking)).error?.message).toMatch(/fork/)
    expect(await latest(test)).toEqual(head)
    expect((await raw('anvil_setChainId', 1)).error?.message).toMatch(/genesis/)
  })
})

describe('a state dump', () => {
  const read = (dump: unknown) => JSON.parse(gunzipSync(Buffer.from(String(dump).slice(2), 'hex')).toString())

  it('is anvil’s JSON, compressed with gzip', async () => {
    const { rpc, mine } = await testChain()
    await rpc('anvil_setBalance', other, '0x10')
    await rpc('anvil_setNonce', other, 3)
    await rpc('anvil_setCode', other, '0x6001')
    await rpc('anvil_setStorageAt', other, '0x1', word(2))
    await mine(4)
    const dump = read(await rpc('anvil_dumpState'))
    expect(dump).toMatchObject({ best_block_number: 4, block: { number: '0x4', gas_limit: 36_000_000 } })
    expect(dump.accounts[other]).toEqual({
      nonce: 3,
      balance: '0x10',
      code: '0x6001',
      storage: { [word(1)]: word(2) },
    })
    expect(dump.accounts[from]).toEqual({ nonce: 0, balance: '0x21e19e0c9bab2400000', code: '0x', storage: {} })
  })

  it('loaded into another node, gives it the same state', async () => {
    const first = await testChain()
    await first.rpc('anvil_setCode', other, '0x6001')
    await first.rpc('anvil_setStorageAt', other, '0x1', word(2))
    await first.rpc('eth_sendTransaction', { from, to, value: '0x5' })
    const dump = await first.rpc('hardhat_dumpState')
    const second = await testChain()
    await second.rpc('anvil_setStorageAt', other, '0x9', word(9))
    expect(await second.rpc('hardhat_loadState', dump)).toBe(true)
    expect(read(await second.rpc('anvil_dumpState')).accounts).toEqual(read(dump).accounts)
    expect(await second.rpc('eth_getTransactionCount', from)).toBe('0x1')
  })

  it('may be uncompressed with unpadded storage, as older anvils wrote it', async () => {
    const { rpc, raw } = await testChain()
    const accounts = { [other]: { nonce: '0x1', balance: '0x2', code: '0x', storage: { '0x0': '0x7' } } }
    const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`
    expect(await rpc('anvil_loadState', hex(Buffer.from(JSON.stringify({ accounts }))))).toBe(true)
    expect(await rpc('eth_getBalance', other)).toBe('0x2')
    expect(await rpc('eth_getStorageAt', other, '0x0')).toBe(word(7))
    const wrong = { [other]: { balance: '0x2', storage: { '0x0': 'seven' } } }
    for (const bytes of [
      Buffer.from('nonsense'),
      Buffer.from('{}'),
      gzipSync('[]'),
      gzipSync(JSON.stringify({ accounts: wrong })),
      Uint8Array.of(0x1f, 0x8b, 0),
    ]) {
      expect((await raw('anvil_loadState', hex(bytes))).error?.code).toBe(-32602)
    }
  })
})

it('anvil_metadata and anvil_nodeInfo answer in anvil’s shapes', async () => {
  const test = await testChain()
  const { rpc, mine } = test
  await mine(2)
  const id = await rpc('evm_snapshot')
  const { hash, timestamp, gasLimit } = await latest(test)
  expect(await rpc('hardhat_metadata')).toEqual({
    clientVersion: await rpc('web3_clientVersion'),
    chainId: 125,
    instanceId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    latestBlockNumber: 2,
    latestBlockHash: hash,
    snapshots: { [String(id)]: [2, hash] },
  })
  expect(await rpc('anvil_nodeInfo')).toEqual({
    currentBlockNumber: '0x2',
    currentBlockTimestamp: Number(timestamp),
    currentBlockHash: hash,
    hardFork: 'bpo2',
    transactionOrder: 'fees',
    environment: {
      baseFee: ((await rpc('eth_getBlockByNumber', 'pending', false)) as Block).baseFeePerGas,
      chainId: 125,
      gasLimit,
      gasPrice: await rpc('eth_gasPrice'),
    },
    forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
  })
  expect(await rpc('hardhat_setLoggingEnabled', false)).toBe(true)
})
