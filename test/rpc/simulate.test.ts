// eth_simulateV1 on running chains: blocks, calls and fees. Expected values: the method's specification (execution-apis, notes
// on ethSimulateV1), the Yellow Paper's gas, the EIPs named in each case, and blocks that the same chain mined.
import { type Hex, keccak256, parseGwei, toRlp } from 'viem'
import { describe, expect, it } from 'vitest'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { parseGenesis } from '../../src/spec/genesis-file.ts'
import { testChain } from '../support/chain.ts'
import {
  alice,
  type Block,
  bob,
  code,
  contract,
  hex,
  other,
  poor,
  returning,
  simulate,
  word,
} from '../support/simulate.ts'

describe('simulated blocks', () => {
  it('build on each other’s state, and store nothing', async () => {
    const test = await testChain()
    const call = { from: alice, to: contract }
    const blocks = await simulate(test, [
      { stateOverrides: { [contract]: { code: code.counter } }, calls: [call, call] },
      { calls: [call] },
      { stateOverrides: { [contract]: { stateDiff: { [word(0)]: word(40) } } }, calls: [call] },
      { stateOverrides: { [contract]: { state: {} } }, calls: [call] },
    ])
    expect(blocks.map(({ calls }) => calls.map(({ returnData }) => BigInt(returnData)))).toEqual([
      [1n, 2n],
      [3n],
      [41n],
      [1n],
    ])
    expect(await test.rpc('eth_getCode', contract)).toBe('0x')
    expect(await test.rpc('eth_blockNumber')).toBe('0x0')
    expect(await test.rpc('eth_getTransactionCount', alice)).toBe('0x0')
  })

  it('are numbered consecutively, fill gaps, and are twelve seconds apart by default', async () => {
    const test = await testChain()
    const genesis = (await test.rpc('eth_getBlockByNumber', '0x0', false)) as Block
    const blocks = await simulate(test, [
      {},
      { blockOverrides: { number: '0x4' } },
      { blockOverrides: { time: hex(Number(genesis.timestamp) + 49) } },
    ])
    expect(blocks.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4, 5])
    expect(blocks.map(({ timestamp }) => Number(timestamp) - Number(genesis.timestamp))).toEqual([12, 24, 36, 48, 49])
    expect(blocks.map(({ parentHash }) => parentHash)).toEqual([
      genesis.hash,
      ...blocks.slice(0, -1).map(({ hash }) => hash),
    ])
    expect(blocks.every(({ calls }) => calls.length === 0)).toBe(true)
  })

  it('have the hash of their header', async () => {
    const test = await testChain()
    const [block] = await simulate(test, [
      {
        blockOverrides: { feeRecipient: other, prevRandao: word(7), gasLimit: '0x7a1200', beaconRoot: word(9) },
        calls: [{ from: alice, to: bob, value: '0x1' }],
      },
    ])
    if (block === undefined) throw new Error('no block')
    expect(block).toMatchObject({
      miner: other,
      mixHash: word(7),
      gasLimit: '0x7a1200',
      parentBeaconBlockRoot: word(9),
    })
    const fields =
      `parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit
      gasUsed timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas
      parentBeaconBlockRoot requestsHash`.split(/\s+/)
    const amounts = [
      'difficulty',
      'number',
      'gasLimit',
      'gasUsed',
      'timestamp',
      'baseFeePerGas',
      'blobGasUsed',
      'excessBlobGas',
    ]
    const rlp = fields.map((field) => {
      const value = (block as unknown as Record<string, Hex>)[field] ?? '0x'
      if (!amounts.includes(field)) return value
      const digits = BigInt(value) === 0n ? '' : BigInt(value).toString(16)
      return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}` as Hex
    })
    expect(keccak256(toRlp(rlp))).toBe(block.hash)
  })

  it('equal mined blocks', async () => {
    const test = await testChain()
    // A transfer, a creation whose constructor logs, and a failing call: sent, mined, and simulated on the parent block.
    const fees = { maxFeePerGas: parseGwei('5'), maxPriorityFeePerGas: parseGwei('2') }
    const sent = [
      { to: bob, value: 5n, gas: 50_000n, ...fees },
      { data: `0x5f5fa0${returning('6001').slice(2)}` as Hex, gas: 200_000n, ...fees },
      { to: NATIVE_CONTRACT.bank, data: '0x12345678' as Hex, gas: 60_000n, ...fees },
    ]
    await test.rpc('evm_setAutomine', false)
    for (const transaction of sent) await test.walletOf(0).sendTransaction(transaction)
    await test.mine()
    const mined = (await test.rpc('eth_getBlockByNumber', '0x1', true)) as Block
    expect(mined.transactions).toHaveLength(3)
    const [block] = await simulate(
      test,
      [
        {
          blockOverrides: { time: mined.timestamp, feeRecipient: mined.miner, prevRandao: mined.mixHash },
          calls: sent.map(({ gas, maxFeePerGas, maxPriorityFeePerGas, ...call }) => ({
            ...call,
            from: alice,
            ...('value' in call && { value: hex(call.value ?? 0n) }),
            gas: hex(gas),
            maxFeePerGas: hex(maxFeePerGas),
            maxPriorityFeePerGas: hex(maxPriorityFeePerGas),
          })),
        },
      ],
      { validation: true, returnFullTransactions: true },
      '0x0',
    )
    for (const field of ['stateRoot', 'receiptsRoot', 'gasUsed', 'baseFeePerGas', 'logsBloom', 'gasLimit'] as const) {
      expect(block?.[field], field).toBe(mined[field])
    }
    expect(block?.calls.map(({ status }) => status)).toEqual(['0x1', '0x1', '0x0'])
    expect(block?.transactions.map(({ gasPrice }) => gasPrice)).toEqual(
      mined.transactions.map(({ gasPrice }) => gasPrice),
    )
  })

  it('give BLOCKHASH the simulated and the real ancestors', async () => {
    const test = await testChain()
    await test.mine(2)
    const head = (await test.rpc('eth_getBlockByNumber', 'latest', false)) as Block
    const hashOf = (number: number) => ({ to: contract, data: word(number) })
    const blocks = await simulate(test, [
      { stateOverrides: { [contract]: { code: returning('5f3540') } } },
      {},
      { calls: [1, 2, 3, 4, 5, 6].map(hashOf) },
    ])
    const genesisChild = (await test.rpc('eth_getBlockByNumber', '0x1', false)) as Block
    expect(blocks[2]?.calls.map(({ returnData }) => returnData)).toEqual([
      genesisChild.hash,
      head.hash,
      blocks[0]?.hash,
      blocks[1]?.hash,
      word(0),
      word(0),
    ])
  })

  it('pay withdrawals', async () => {
    const test = await testChain()
    const withdrawal = { index: '0x0', validatorIndex: '0x1', address: poor, amount: '0x3' }
    const blocks = await simulate(test, [
      { blockOverrides: { withdrawals: [withdrawal] } },
      { stateOverrides: { [contract]: { code: returning(`73${poor.slice(2)}31`) } }, calls: [{ to: contract }] },
    ])
    expect(blocks[0]?.withdrawals).toEqual([withdrawal])
    expect(blocks[0]?.withdrawalsRoot).not.toBe(blocks[1]?.withdrawalsRoot)
    expect(BigInt(blocks[1]?.calls[0]?.returnData ?? '0x')).toBe(3_000_000_000n)
  })

  it('are visible to their calls (NUMBER, TIMESTAMP, …)', async () => {
    const test = await testChain()
    const seen = {
      NUMBER: '43',
      TIMESTAMP: '42',
      COINBASE: '41',
      GASLIMIT: '45',
      BASEFEE: '48',
      BLOBBASEFEE: '4a',
      PREVRANDAO: '44',
    }
    const wanted = {
      number: '0x3',
      time: '0x70000000',
      feeRecipient: other,
      gasLimit: '0x1312d00',
      baseFeePerGas: '0x7',
      blobBaseFee: '0x9',
      prevRandao: word(11),
    }
    const blocks = await simulate(test, [
      {
        blockOverrides: wanted,
        calls: Object.values(seen).map((opcode) => ({ from: alice, data: returning(opcode) })),
      },
    ])
    expect(blocks.at(-1)?.calls.map(({ returnData }) => returnData)).toEqual(
      [wanted.number, wanted.time, wanted.feeRecipient, wanted.gasLimit, '0x7', '0x9', word(11)].map((value) =>
        word(value as Hex),
      ),
    )
  })

  it('may build on any block, including the pending one', async () => {
    const test = await testChain({ automine: false })
    await test.walletOf(0).sendTransaction({ to: poor, value: 9n })
    const balance = { to: contract, data: '0x' }
    const stateOverrides = { [contract]: { code: returning(`73${poor.slice(2)}31`) } }
    const at = async (ref: string) => {
      const [block] = await simulate(test, [{ stateOverrides, calls: [balance] }], {}, ref)
      return [Number(block?.number), Number(block?.calls[0]?.returnData)]
    }
    expect(await at('latest')).toEqual([1, 0])
    expect(await at('pending')).toEqual([2, 9])
    expect((await test.raw('eth_simulateV1', { blockStateCalls: [{}] }, '0x9')).error).toEqual({
      code: -32000,
      message: 'header not found',
    })
  })
})

describe('a simulation on a chain that collects fees', () => {
  it('charges base fee and tip to the sender and pays the collector', async () => {
    const test = await testChain()
    const collected = { from: bob, to: contract, maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: 0n }
    const wire = (call: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(call).map(([k, v]) => [k, typeof v === 'bigint' ? hex(v) : v]))
    const [block] = await simulate(
      test,
      [
        {
          blockOverrides: { feeRecipient: poor },
          stateOverrides: {
            [contract]: { code: returning(`73${MODULE_ACCOUNT.feeCollector.slice(2)}31`) },
            [other]: { code: returning(`73${poor.slice(2)}31`) },
            [MODULE_ACCOUNT.feeCollector]: { balance: '0x0' },
          },
          calls: [
            wire({ from: alice, to: bob, maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }),
            wire(collected),
            wire({ ...collected, to: other }),
          ],
        },
      ],
      { validation: true },
    )
    // An empty parent lowers the base fee by an eighth; the transfer pays it and a tip of 1 gwei for each of its 21000 gas.
    expect(block?.baseFeePerGas).toBe(hex(875_000_000))
    expect(BigInt(block?.calls[1]?.returnData ?? '0x')).toBe(21_000n * 1_875_000_000n)
    expect(BigInt(block?.calls[2]?.returnData ?? '0x')).toBe(0n)
  })

  it('charges nothing without validation', async () => {
    const test = await testChain()
    const [block] = await simulate(test, [{ calls: [{ from: poor, to: bob }] }])
    expect(block).toMatchObject({ baseFeePerGas: '0x0', calls: [{ status: '0x1', gasUsed: '0x5208' }] })
  })
})

describe('a simulation on a plain chain', () => {
  it('pays the tip to the fee recipient and burns the base fee', async () => {
    const genesis = {
      config: {
        chainId: 1337,
        homesteadBlock: 0,
        eip150Block: 0,
        eip155Block: 0,
        eip158Block: 0,
        byzantiumBlock: 0,
        constantinopleBlock: 0,
        petersburgBlock: 0,
        istanbulBlock: 0,
        berlinBlock: 0,
        londonBlock: 0,
        terminalTotalDifficulty: 0,
        terminalTotalDifficultyPassed: true,
        shanghaiTime: 0,
        cancunTime: 0,
      },
      alloc: { [alice]: { balance: hex(10n ** 18n) } },
      gasLimit: '0x1c9c380',
      difficulty: '0x0',
      timestamp: '0x1',
      baseFeePerGas: '0x3b9aca00',
    }
    const test = await testChain({ spec: parseGenesis(genesis), rpc: {} })
    const [block] = await simulate(
      test,
      [
        {
          blockOverrides: { feeRecipient: poor },
          stateOverrides: { [contract]: { code: returning(`73${poor.slice(2)}31`) } },
          calls: [
            { from: alice, to: bob, maxFeePerGas: hex(parseGwei('3')), maxPriorityFeePerGas: hex(parseGwei('1')) },
            { from: alice, to: contract, maxFeePerGas: hex(parseGwei('2')) },
          ],
        },
      ],
      { validation: true },
    )
    expect(block?.baseFeePerGas).toBe(hex(875_000_000))
    expect(BigInt(block?.calls[1]?.returnData ?? '0x')).toBe(21_000n * 1_000_000_000n)
    // Cancun has no requests hash.
    expect(block).not.toHaveProperty('requestsHash')
  })
})
