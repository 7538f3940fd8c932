// Transactions of the staking contract, through a running node. Numbers in titles are the specification's vectors.
import { formatAbi } from 'abitype'
import {
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  pad,
  slice,
  stringToBytes,
  toBytes,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { initGenesis } from '../../src/modules/index.ts'
import { nativeContracts } from '../../src/precompiles/index.ts'
import { staking } from '../../src/precompiles/staking.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { devKeys, presets } from '../../src/spec/presets.ts'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'
import { account } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { alice, bob, emptyView, nativeCall, nativeSpec, runNow, withFixedPrices } from '../support/native.ts'
import {
  A,
  abi,
  B,
  byAddressAbi,
  C,
  COIN,
  CONTRACT,
  cancel,
  delegate,
  delegationOf,
  operator,
  operatorsAbi,
  owner,
  redelegate,
  STAKING,
  script,
  stakingChain,
  UNBONDING,
  undelegate,
} from './staking-support.ts'

const word = (value: bigint) => pad(numberToHex(value), { size: 32 })

describe('the interface', () => {
  it('has the published selectors and topics', () => {
    expect(formatAbi(staking.abi)).toEqual(
      expect.arrayContaining([...formatAbi([...abi, ...byAddressAbi, ...operatorsAbi])]),
    )
    const selectors = staking.abi.flatMap((entry) => (entry.type === 'function' ? [toFunctionSelector(entry)] : []))
    expect(new Set(selectors)).toEqual(
      new Set([
        ...['0x53266bbb', '0x3edab33c', '0x54b826f5', '0x12d58dfe', '0x241774e6', '0xa03ffee1', '0x0bc82a17'],
        ...['0x186b2167', '0x7d9f939c', '0x10a2851c', '0x223b3b7a', '0xf7cd5516', '0xa50f05ac'],
        // The five functions of the authorization interface.
        ...['0xb6039895', '0x61dc5c3b', '0xa386a63c', '0xf007d286', '0xfc08930c'],
      ]),
    )
    const topics = staking.abi.flatMap((entry) =>
      entry.type === 'event' ? [[entry.name, toEventSelector(entry)]] : [],
    )
    expect(Object.fromEntries(topics)).toMatchObject({
      Delegate: '0x5a5adf903ba232ef17ed8be4ef872e1f60d17c5ba26a1ecbf44e388a672b118a',
      Unbond: '0x1f6938077d62f3610504390aa8486c8172406456826a39907ca0cd40c8fe700a',
      Redelegate: '0x43c8e32499593a7da63d4aec64367350a850199e23d2ce6a6e067365938d1bb6',
      CancelUnbondingDelegation: '0x4df30dbaa29da95e67f93ec6d865329c7e7e870b3939583df3c8889319c89126',
      CreateValidator: '0x9bdb560f8135cb46033a55410c14e14b1a7bc2d3f3e9973f4b49533e176468b0',
      EditValidator: '0xdce27cf2792bd8d8f28df5d2cdf379cd593414f21332370ca808c1e703eb4e1f',
    })
  })

  it('V4: accepts the calldata and emits the log of an Evmos client', async () => {
    const spec = presets.evmos()
    const mnemonic = devKeys.evmos[0]?.mnemonic ?? ''
    const { walletOf: _, ...chain } = await stakingChain({ spec, wallet: walletOfMnemonic(mnemonic, 1) })
    const mykey = mnemonicToAccount(mnemonic).address
    const valoper = 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'
    const data =
      '0x53266bbb0000000000000000000000007cb61d4117ae31a12e393a1cfa3bac666481d02e00000000000000000000000000000000000000000000000000000000000000600000000000000000000000000000000000000000000000000de0b6b3a7640000000000000000000000000000000000000000000000000000000000000000003365766d6f7376616c6f70657231306a6d7036736768346363367a743365386777303577617676656a67723570776c617767686500000000000000000000000000'
    expect(delegate(COIN, mykey, valoper)).toBe(data)
    const hash = (await chain.rpc('eth_sendTransaction', { from: mykey, to: STAKING, data })) as Hex
    const { logs } = await chain.viem.waitForTransactionReceipt({ hash })
    expect(logs).toMatchObject([
      {
        address: STAKING,
        topics: [
          '0x5a5adf903ba232ef17ed8be4ef872e1f60d17c5ba26a1ecbf44e388a672b118a',
          '0x0000000000000000000000007cb61d4117ae31a12e393a1cfa3bac666481d02e',
          '0x1c6aea4d1680b7c7712f31d50e4379e6e5ee2be10f8178e7f92e341028d8e6dd',
        ],
        data: '0x0000000000000000000000000000000000000000000000000de0b6b3a76400000000000000000000000000000000000000c097ce7bc90715b34b9f1000000000',
      },
    ])
    // In addition to its 1000 coins from the genesis.
    expect((await chain.delegation(mykey, valoper)).amount).toBe(1_001n * COIN)
    expect(await chain.delegation(mykey, valoper)).toMatchObject({ denom: 'aevmos', shares: 1_001n * COIN * COIN })
  })

  it('V4: returns the published bytes for `delegation`', async () => {
    const { send, raw } = await stakingChain({ spec: presets.evmos({ accounts: [hexToAddress(owner)] }) })
    const valoper = 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'
    await send(delegate(COIN, owner, valoper))
    const data = encodeFunctionData({ abi, functionName: 'delegation', args: [owner, valoper] })
    const { result } = await raw('eth_call', { to: STAKING, data }, 'latest')
    expect(result).toBe(
      `0x${[
        '0000000000000000000000000000000000c097ce7bc90715b34b9f1000000000',
        '0000000000000000000000000000000000000000000000000000000000000040',
        '0000000000000000000000000000000000000000000000000000000000000040',
        '0000000000000000000000000000000000000000000000000de0b6b3a7640000',
        '0000000000000000000000000000000000000000000000000000000000000006',
        '6165766d6f730000000000000000000000000000000000000000000000000000',
      ].join('')}`,
    )
  })
})

describe('delegate at the staking contract', () => {
  it('15: moves exactly the delegated coins, and refuses impossible delegations', async () => {
    const { send, refusal, delegation, balance } = await stakingChain()
    const before = await balance()
    const { events, gasUsed, effectiveGasPrice } = await send(delegate(3n * COIN))
    expect(await balance()).toBe(before - 3n * COIN - gasUsed * effectiveGasPrice)
    expect(await delegation()).toEqual({ shares: 3n * COIN * COIN, denom: 'akest', amount: 3n * COIN })
    expect(events).toMatchObject([
      {
        eventName: 'Delegate',
        args: {
          delegatorAddress: owner,
          validatorAddress: keccak256(stringToBytes(A)),
          amount: 3n * COIN,
          newShares: 3n * COIN * COIN,
        },
      },
    ])
    expect(await refusal(delegate(0n))).toBe('invalid delegation amount: invalid request')
    expect(await refusal(delegate(1n, owner, operator(5)))).toBe('validator does not exist')
    expect(await refusal(delegate(20_000n * COIN))).toMatch(
      /^spendable balance \d+akest is smaller than 20000000000000000000000akest: insufficient funds$/,
    )
    const poorer = await balance()
    const failed = await send(delegate(20_000n * COIN))
    expect([failed.status, failed.logs]).toEqual(['reverted', []])
    expect(await balance()).toBe(poorer - failed.gasUsed * failed.effectiveGasPrice)
  })

  it('accepts validators in bech32 of either case or in hex, and hashes them in logs as lower-case bech32', async () => {
    const { send, refusal, delegation } = await stakingChain()
    for (const text of [A.toUpperCase(), account(10).address, account(10).address.toLowerCase()]) {
      const { events } = await send(delegate(COIN, owner, text))
      expect(events[0]?.args).toMatchObject({ validatorAddress: keccak256(stringToBytes(A)) })
    }
    expect((await delegation()).amount).toBe(3n * COIN)
    const validatorRefusal = (text: string) => refusal(delegate(1n, owner, text))
    expect(await validatorRefusal('')).toBe('invalid validator address: : empty address string is not allowed')
    expect(await validatorRefusal('nonsense')).toMatch(/^invalid validator address: nonsense: decoding bech32 failed: /)
    const foreign = 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'
    expect(await validatorRefusal(foreign)).toBe(
      `invalid validator address: ${foreign}: invalid Bech32 prefix; expected kestvaloper, got evmosvaloper`,
    )
  })

  it('30: costs the gas of the table; one unit less is out of gas, the estimate suffices', async () => {
    const { send, viem, delegation } = await stakingChain({ spec: withFixedPrices(presets.kestrel()) })
    const data = delegate(COIN)
    // 21000, the calldata (EIP-2028: 16 or 4 a byte), and 2000 + 30 * 192 + 75000.
    const bytes = [...toBytes(data)]
    const intrinsic = 21_000 + bytes.reduce((sum, byte) => sum + (byte === 0 ? 4 : 16), 0)
    const exact = BigInt(intrinsic + 2_000 + 30 * 192 + 75_000)
    const short = await send(data, { gas: exact - 1n })
    expect([short.status, short.gasUsed]).toEqual(['reverted', exact - 1n])
    expect((await delegation()).amount).toBe(0n)
    expect(await viem.estimateGas({ account: owner, to: STAKING, data })).toBe(exact)
    expect(await send(data, { gas: exact })).toMatchObject({ status: 'success', gasUsed: exact })
  })

  it('31: refuses a value, which the sender keeps', async () => {
    const { send, refusal, balance } = await stakingChain()
    expect(await refusal(delegate(1n), { value: 1n })).toBe('extension methods do not accept value')
    const { status } = await send(delegate(1n), { value: 1n })
    expect([status, await balance(STAKING)]).toEqual(['reverted', 0n])
  })

  it('32: refuses malformed calldata, and returns the remaining gas', async () => {
    const { send, refusal } = await stakingChain()
    const data = delegate(1n)
    const reasons = [
      ['0x', 'execution reverted'],
      [slice(data, 0, 3), 'execution reverted'],
      ['0xdeadbeef', 'unknown method: 0xdeadbeef'],
      [slice(data, 0, 150), 'invalid calldata: data too short'],
    ] as const
    for (const [input, reason] of reasons) {
      expect(await refusal(input)).toBe(reason)
      const { status, gasUsed } = await send(input)
      expect(status).toBe('reverted')
      expect(gasUsed).toBeLessThan(200_000n)
    }
  })
})

describe('undelegate', () => {
  it('V17, 28: pays after 21 days, without a log', async () => {
    const { send, mineAt, unbonding, delegation, balance, viem, validator } = await stakingChain()
    await send(delegate(5n * COIN))
    const { events, blockNumber } = await send(undelegate(2n * COIN))
    const { timestamp } = await viem.getBlock({ blockNumber })
    const completionTime = timestamp + UNBONDING
    expect(events).toMatchObject([
      {
        eventName: 'Unbond',
        args: {
          delegatorAddress: owner,
          validatorAddress: keccak256(stringToBytes(A)),
          amount: 2n * COIN,
          completionTime,
        },
      },
    ])
    const entry = { creationHeight: blockNumber, completionTime, initialBalance: 2n * COIN, balance: 2n * COIN }
    expect(await unbonding()).toEqual([entry])
    expect((await delegation()).amount).toBe(3n * COIN)
    expect((await validator()).tokens).toBe(1_003n * COIN)
    const before = await balance()
    await mineAt(completionTime - 1n)
    expect(await balance()).toBe(before)
    await mineAt(completionTime)
    expect(await balance()).toBe(before + 2n * COIN)
    expect(await unbonding()).toEqual([])
    const latest = await viem.getBlock()
    expect(await viem.getLogs({ blockHash: latest.hash })).toEqual([])
  })

  it('27: removes a delegation without remaining shares', async () => {
    const { send, refusal, delegation } = await stakingChain()
    await send(delegate(5n))
    expect(await refusal(undelegate(6n))).toBe('invalid shares amount: invalid request')
    await send(undelegate(5n))
    expect(await delegation()).toEqual({ shares: 0n, denom: 'akest', amount: 0n })
    expect(await refusal(undelegate(1n))).toBe('no delegation for (address, validator) tuple')
  })

  it('23: allows at most seven entries', async () => {
    const { send, refusal, unbonding } = await stakingChain()
    await send(delegate(100n))
    for (let i = 0; i < 7; i++) await send(undelegate(1n))
    expect(await unbonding()).toHaveLength(7)
    expect(await refusal(undelegate(1n))).toBe('too many unbonding delegation entries for (delegator, validator) tuple')
  })

  it('23: merges two entries of one block', async () => {
    const { dev, send, unbonding } = await stakingChain()
    const twice = script([
      { call: delegate(10n, CONTRACT), must: true },
      { call: undelegate(1n, CONTRACT), must: true },
      { call: undelegate(2n, CONTRACT), must: true },
    ])
    await dev.setCode({ address: CONTRACT, bytecode: twice })
    await dev.setBalance({ address: CONTRACT, value: COIN })
    expect((await send('0x', { to: CONTRACT })).status).toBe('success')
    expect(await unbonding(CONTRACT)).toMatchObject([{ initialBalance: 3n, balance: 3n }])
  })
})

describe('cancelUnbondingDelegation', () => {
  it('24: cancels an entry by its creation height, partly or completely', async () => {
    const { send, refusal, unbonding, delegation, balance } = await stakingChain()
    await send(delegate(10n))
    const { blockNumber } = await send(undelegate(4n))
    const height = blockNumber + 1n
    expect(await refusal(cancel(1n, height))).toBe(
      `unbonding delegation entry is not found at block height ${height}: not found`,
    )
    expect(await refusal(cancel(5n, blockNumber))).toBe(
      'amount is greater than the unbonding delegation entry balance: invalid request',
    )
    expect(await refusal(cancel(1n, 2n ** 255n))).toBe('invalid height: invalid request')
    const before = await balance()
    const { events, gasUsed, effectiveGasPrice } = await send(cancel(1n, blockNumber))
    expect(events).toMatchObject([
      { eventName: 'CancelUnbondingDelegation', args: { amount: 1n, creationHeight: blockNumber } },
    ])
    expect(await balance()).toBe(before - gasUsed * effectiveGasPrice)
    expect(await unbonding()).toMatchObject([{ initialBalance: 3n, balance: 3n }])
    await send(cancel(3n, blockNumber))
    expect(await unbonding()).toEqual([])
    expect((await delegation()).amount).toBe(10n)
  })
})

describe('redelegate', () => {
  it('25, 26: moves tokens, but not to the same validator, and not again within 21 days', async () => {
    const { send, refusal, mineAt, redelegation, delegation, viem } = await stakingChain()
    await send(delegate(10n))
    expect(await refusal(redelegate(1n, A, A))).toBe('cannot redelegate to the same validator')
    expect(await refusal(redelegate(1n, A, operator(5)))).toBe('redelegation destination validator not found')
    const { events, blockNumber } = await send(redelegate(4n))
    const { timestamp } = await viem.getBlock({ blockNumber })
    const completionTime = timestamp + UNBONDING
    const [from, to] = [A, B].map((text) => keccak256(stringToBytes(text)))
    expect(events).toMatchObject([
      {
        eventName: 'Redelegate',
        args: {
          delegatorAddress: owner,
          validatorSrcAddress: from,
          validatorDstAddress: to,
          amount: 4n,
          completionTime,
        },
      },
    ])
    expect(await redelegation()).toEqual([
      { creationHeight: blockNumber, completionTime, initialBalance: 4n, sharesDst: 4n * COIN },
    ])
    expect([(await delegation()).amount, (await delegation(owner, B)).amount]).toEqual([6n, 4n])
    expect(await refusal(redelegate(1n, B, C))).toBe(
      'redelegation to this validator already in progress; first redelegation to this validator must complete before next redelegation',
    )
    await mineAt(completionTime)
    expect(await redelegation()).toEqual([])
    expect((await send(redelegate(1n, B, C))).status).toBe('success')
  })
})

describe('a staking call inside other contracts', () => {
  it('18: is reverted with the frame around it', async () => {
    const { dev, send, delegation, balance } = await stakingChain()
    await dev.setCode({ address: CONTRACT, bytecode: script([{ call: delegate(5n, CONTRACT), must: true }], 'revert') })
    await dev.setBalance({ address: CONTRACT, value: 10n })
    const { status, logs } = await send('0x', { to: CONTRACT })
    expect([status, logs]).toEqual(['reverted', []])
    expect([(await delegation(CONTRACT)).amount, await balance(CONTRACT)]).toEqual([0n, 10n])
  })

  it('19, 20, 21: fails without its caller, and its effects are visible at once', async () => {
    const { dev, send, rpc, delegation, balance } = await stakingChain()
    const stranger = getAddress('0x00000000000000000000000000000000000057aa')
    const code = script([
      { call: delegate(1_000n, CONTRACT) },
      { call: delegate(5n, CONTRACT), must: true },
      { call: delegationOf(CONTRACT), must: true, keep: 0 },
      { balance: CONTRACT, keep: 1 },
      { pay: stranger, value: 20n },
      { balance: CONTRACT, keep: 2 },
      { call: delegate(7n, CONTRACT), must: true },
      { call: delegationOf(CONTRACT), must: true, keep: 3 },
      { balance: CONTRACT, keep: 4 },
    ])
    await dev.setCode({ address: CONTRACT, bytecode: code })
    await dev.setBalance({ address: CONTRACT, value: 100n })
    const { status, events } = await send('0x', { to: CONTRACT })
    expect([status, events.map(({ args }) => args)]).toEqual([
      'success',
      [5n, 7n].map((amount) => ({
        delegatorAddress: CONTRACT,
        validatorAddress: keccak256(stringToBytes(A)),
        amount,
        newShares: amount * COIN,
      })),
    ])
    const slots = await Promise.all(
      [0, 1, 2, 3, 4].map(async (slot) =>
        hexToBigInt((await rpc('eth_getStorageAt', CONTRACT, numberToHex(slot), 'latest')) as Hex),
      ),
    )
    expect(slots).toEqual([5n * COIN, 95n, 75n, 12n * COIN, 68n])
    expect([(await delegation(CONTRACT)).amount, await balance(CONTRACT)]).toEqual([12n, 68n])
  })

  it('22: is refused under delegatecall, callcode and static calls, unless it is a query', async () => {
    const { dev, refusal, raw } = await stakingChain()
    const kind = CONTRACT
    const nested = getAddress('0xdddddddddddddddddddddddddddddddddddddddd')
    const query = encodeFunctionData({ abi, functionName: 'validator', args: [A] })
    for (const call of ['delegatecall', 'callcode', 'staticcall'] as const) {
      await dev.setCode({ address: kind, bytecode: forwarder(STAKING, call) })
      expect(await refusal(delegate(1n, kind), { to: kind })).toBe('write protection')
      expect(await refusal(query, { to: kind })).toBeUndefined()
    }
    await dev.setCode({ address: kind, bytecode: forwarder(STAKING, 'call') })
    await dev.setCode({ address: nested, bytecode: forwarder(kind, 'staticcall') })
    expect(await refusal(delegate(1n, kind), { to: nested })).toBe('write protection')
    const { error } = await raw('eth_call', { to: nested, data: delegate(1n, kind) }, 'latest')
    // V5
    expect(error?.data).toBe(
      `0x08c379a0${word(32n).slice(2)}${word(16n).slice(2)}${'77726974652070726f74656374696f6e'.padEnd(64, '0')}`,
    )
  })
})

describe('gas of the input', () => {
  it('is 2000 + 30 a byte, and 1000 + 3 a byte for queries', async () => {
    const view = await emptyView()
    view.setBalance(alice, 10n * COIN)
    const commission = { rate: 0n, maxRate: 0n, maxChangeRate: 0n }
    const one = { operator: bob, consensusKey: undefined, moniker: 'b', commission, minSelfDelegation: 1n }
    view.setBalance(bob, COIN)
    const spec = { ...nativeSpec, bech32Prefix: 'evmos', validators: [{ ...one, selfDelegation: COIN }] }
    initGenesis(view, spec, 11n * COIN, { number: 0n, timestamp: 0n, proposer: bob })
    const contract = nativeContracts(spec, 1n).get(NATIVE_CONTRACT.staking)
    const used = (data: Hex) => runNow(contract, nativeCall(view, toBytes(data), { view })).gasUsed
    const text = 'evmosvaloper1wzvhjxr9cyg6zqxq6pqzw8yqrk2d6l0gm5t2q7'
    expect(text).toHaveLength(51)
    // The checksum is wrong: the input and the function are charged nevertheless.
    expect(used(delegate(1n, alice, text))).toBe(7_760n + 75_000n)
    expect(used(redelegate(1n, text, text))).toBe(11_600n + 110_000n)
    expect(
      used(encodeFunctionData({ abi, functionName: 'cancelUnbondingDelegation', args: [alice, text, 1n, 1n] })),
    ).toBe(8_720n + 75_000n)
    expect(used(encodeFunctionData({ abi, functionName: 'delegation', args: [alice, text] }))).toBe(1_480n + 6_000n)
  })
})
