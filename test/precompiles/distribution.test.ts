// Transactions of the distribution contract, through a running node. Numbers in titles are the specification's vectors.
import { formatAbi } from 'abitype'
import {
  decodeFunctionResult,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  numberToHex,
  pad,
  size,
  stringToBytes,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { distribution } from '../../src/precompiles/distribution.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { account } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { withFixedPrices } from '../support/native.ts'
import {
  A,
  AUTHORIZATION,
  abi,
  approve,
  B,
  bech32,
  COIN,
  CONTRACT,
  claim,
  DISTRIBUTION,
  delegate,
  distributionChain,
  fund,
  lateAbi,
  MILLI,
  operator,
  owner,
  pagedAbi,
  STAKING,
  setWithdrawAddress,
  shown,
  spec,
  withdraw,
  withdrawCommission,
} from './distribution-support.ts'

const word = (value: bigint | Hex) => pad(typeof value === 'bigint' ? numberToHex(value) : value, { size: 32 })
const fresh = getAddress('0xfefefefefefefefefefefefefefefefefefefefe')
const missing = (message: string) =>
  `authorization to /cosmos.distribution.v1beta1.${message} for address ${CONTRACT} does not exist or is expired`
const stranger = (origin: Hex, subject: Hex, role = 'delegator') =>
  `tx origin address ${origin} does not match the ${role} address ${subject}`

/** V6: A has 60 coins, 20 of them the owner's, B has 40; the fees of a block, one coin, have been allocated. */
async function v6(overrides: Parameters<typeof distributionChain>[0] = {}) {
  const chain = await distributionChain(overrides)
  await chain.send(delegate(20n * COIN), { to: STAKING })
  await chain.share(COIN)
  return chain
}
/** The owner's part of the fees. */
const EARNED = 1_764n * 10n ** 14n

describe('the interface', () => {
  it('has the published selectors and topics', () => {
    expect(formatAbi(distribution.abi)).toEqual(
      expect.arrayContaining([...formatAbi([...abi, ...lateAbi, ...pagedAbi])]),
    )
    const selectors = distribution.abi.flatMap((entry) =>
      entry.type === 'function' ? [toFunctionSelector(entry)] : [],
    )
    expect(new Set(selectors)).toEqual(
      new Set([
        ...['0x5a9d9a96', '0xb46a8d61', '0x3ce4e3be', '0x54212a89', '0x85b2d2da', '0x3dd40f78', '0xa75395a5'],
        ...['0x8f2473ce', '0x9ad563b4', '0x54be1a28', '0xa66cb605', '0x5431f450', '0x2efe8a5f', '0xed41d0b6'],
        // The five functions of the authorization interface.
        ...['0xb6039895', '0x61dc5c3b', '0xa386a63c', '0xf007d286', '0xfc08930c'],
      ]),
    )
    const topics = distribution.abi.flatMap((entry) =>
      entry.type === 'event' ? [[entry.name, toEventSelector(entry)]] : [],
    )
    expect(Object.fromEntries(topics)).toMatchObject({
      SetWithdrawerAddress: '0xb55d29542a844fa64e70cbc06556201957fa0253fe7b54677830b586e2288e1e',
      WithdrawDelegatorRewards: '0x8d0912e7f8b09f64d001b73731ae9eecce7fe900e91a92ee9499659777450112',
      WithdrawValidatorCommission: '0x27596802346c7411d593e471243e3f9570666fade155d35f26150d851fdaf587',
      ClaimRewards: '0x1f89f96333d3133000ee447473151fa9606543368f02271c9d95ae14f13bcc67',
      FundCommunityPool: '0xcaf76e243f2c5363d9c1509c402f2eadf947c6ce9920350c4e3572cb3dd3487e',
    })
  })
})

describe('withdrawDelegatorRewards', () => {
  it('V6: pays, returns and logs the rewards', async () => {
    const { send, balance, rewards, viem } = await v6()
    const { data: answer } = await viem.call({ account: owner, to: DISTRIBUTION, data: withdraw() })
    expect(decodeFunctionResult({ abi, functionName: 'withdrawDelegatorRewards', data: answer ?? '0x' })).toEqual([
      { denom: 'akest', amount: EARNED },
    ])
    const before = await balance()
    const { logs } = await send(withdraw())
    expect(await balance()).toBe(before + EARNED)
    expect(logs).toMatchObject([
      {
        address: DISTRIBUTION,
        topics: [
          '0x8d0912e7f8b09f64d001b73731ae9eecce7fe900e91a92ee9499659777450112',
          word(owner).toLowerCase(),
          keccak256(stringToBytes(A)),
        ],
        data: word(EARNED),
      },
    ])
    expect(await rewards()).toEqual([])
  })

  it('35: succeeds and pays nothing the second time in one block', async () => {
    const { walletOf, viem, rpc, mine } = await v6()
    await rpc('evm_setAutomine', false)
    const nonce = await viem.getTransactionCount({ address: owner })
    const hashes = await Promise.all(
      [0, 1].map((i) =>
        walletOf(0).sendTransaction({
          to: DISTRIBUTION,
          data: withdraw(),
          gas: 500_000n,
          gasPrice: 0n,
          nonce: nonce + i,
        }),
      ),
    )
    await mine()
    const receipts = await Promise.all(hashes.map((hash) => viem.getTransactionReceipt({ hash })))
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBe(1)
    expect(receipts.map(({ status }) => status)).toEqual(['success', 'success'])
    expect(receipts.map(({ logs }) => hexToBigInt(logs[0]?.data ?? '0x'))).toEqual([EARNED, 0n])
  })

  it('35: returns one coin even when its amount is zero', async () => {
    const { send, viem } = await v6()
    await send(withdraw())
    const { data } = await viem.call({ account: owner, to: DISTRIBUTION, data: withdraw() })
    expect(decodeFunctionResult({ abi, functionName: 'withdrawDelegatorRewards', data: data ?? '0x' })).toEqual([
      { denom: 'akest', amount: 0n },
    ])
  })

  it('is refused without a validator, a delegation or permission', async () => {
    const { refusal } = await v6()
    expect(await refusal(withdraw(owner, operator(5)))).toBe('no validator distribution info')
    expect(await refusal(withdraw(owner, B))).toBe('no delegation distribution info')
    expect(await refusal(withdraw(), { from: 1 })).toBe(stranger(account(1).address, owner))
    expect(await refusal(withdraw(owner, bech32(owner)))).toBe(
      `invalid validator address: ${bech32(owner)}: invalid Bech32 prefix; expected kestvaloper, got kest`,
    )
  })

  it('34: by a contract for the owner needs a grant, which stays; for itself it needs none', async () => {
    const { send, refusal, share, balance, allowance, dev } = await v6()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    expect(await refusal(withdraw(), { to: CONTRACT })).toBe(missing('MsgWithdrawDelegatorReward'))
    expect((await send(withdraw(), { to: CONTRACT })).status).toBe('reverted')
    await send(approve(['MSG_SET_WITHDRAWER_ADDRESS', 'MSG_WITHDRAW_VALIDATOR_COMMISSION']), { to: AUTHORIZATION })
    expect(await refusal(withdraw(), { to: CONTRACT })).toBe(missing('MsgWithdrawDelegatorReward'))
    await send(approve(['MSG_WITHDRAW_DELEGATOR_REWARD']), { to: AUTHORIZATION })
    await share(COIN)
    const before = await balance()
    const { events } = await send(withdraw(), { to: CONTRACT })
    expect(events).toMatchObject([{ args: { delegatorAddress: owner, amount: 2n * EARNED } }])
    // The owner receives the rewards, not the contract.
    expect([await balance(), await balance(CONTRACT)]).toEqual([before + 2n * EARNED, 0n])
    expect(await allowance('MSG_WITHDRAW_DELEGATOR_REWARD')).toBe(2n ** 256n - 1n)
    expect((await send(withdraw(), { to: CONTRACT })).status).toBe('success')

    expect(await refusal(withdraw(), { to: CONTRACT, from: 1 })).toBe(stranger(account(1).address, owner))
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(STAKING) })
    await dev.setBalance({ address: CONTRACT, value: 20n * COIN })
    await send(delegate(20n * COIN, CONTRACT), { to: CONTRACT })
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    await share(COIN)
    expect((await send(withdraw(CONTRACT), { to: CONTRACT, from: 1 })).status).toBe('success')
    // A has 80 coins, B 40: 0.98 · 2/3 · 0.9 · 20/80, each factor truncated to 18 decimals.
    expect(await balance(CONTRACT)).toBe(146_999_999_999_999_980n)
  })

  it('37: also happens at a second delegation, before the coins are delegated', async () => {
    const { send, balance, rewards } = await v6()
    const before = await balance()
    await send(delegate(COIN), { to: STAKING })
    expect(await balance()).toBe(before - COIN + EARNED)
    expect(await rewards()).toEqual([])
  })
})

describe('setWithdrawAddress', () => {
  it('33: changes the account that receives the rewards', async () => {
    const { send, balance, withdrawAddress } = await v6()
    expect(await withdrawAddress()).toBe(bech32(owner))
    const { events, logs } = await send(setWithdrawAddress(bech32(fresh)))
    expect(events).toMatchObject([{ args: { caller: owner, withdrawerAddress: bech32(fresh) } }])
    expect(logs[0]?.topics).toEqual([
      '0xb55d29542a844fa64e70cbc06556201957fa0253fe7b54677830b586e2288e1e',
      word(owner).toLowerCase(),
    ])
    expect(await withdrawAddress()).toBe(bech32(fresh))
    const before = await balance()
    await send(withdraw())
    expect([await balance(), await balance(fresh)]).toEqual([before, EARNED])
  })

  it('33: is refused for module and contract accounts, and for malformed addresses', async () => {
    const { refusal, send } = await distributionChain()
    const blocked = [MODULE_ACCOUNT.distribution, STAKING, pad('0x01', { size: 20 })] as const
    for (const to of blocked) {
      const why = `${bech32(to)} is not allowed to receive external funds: unauthorized`
      expect(await refusal(setWithdrawAddress(bech32(to)))).toBe(why)
      expect(await refusal(setWithdrawAddress(to))).toBe(why)
    }
    expect(await refusal(setWithdrawAddress(A))).toBe(
      `invalid withdraw address: ${A}: invalid Bech32 prefix; expected kest, got kestvaloper`,
    )
    expect(await refusal(setWithdrawAddress(''))).toBe(
      'invalid withdraw address: : empty address string is not allowed',
    )
    expect(await refusal(setWithdrawAddress(fresh), { from: 1 })).toBe(stranger(account(1).address, owner))
    // A hex address is accepted too; the log has bech32.
    expect((await send(setWithdrawAddress(fresh))).events).toMatchObject([
      { args: { withdrawerAddress: bech32(fresh) } },
    ])
  })

  it('by a contract needs a grant of this message', async () => {
    const { send, refusal, withdrawAddress, dev } = await distributionChain()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    await send(approve(['MSG_WITHDRAW_DELEGATOR_REWARD']))
    expect(await refusal(setWithdrawAddress(fresh), { to: CONTRACT })).toBe(missing('MsgSetWithdrawAddress'))
    await send(approve(['/cosmos.distribution.v1beta1.MsgSetWithdrawAddress']))
    await send(setWithdrawAddress(fresh), { to: CONTRACT })
    expect(await withdrawAddress()).toBe(bech32(fresh))
  })
})

describe('withdrawValidatorCommission', () => {
  it('pays the operator in whole units', async () => {
    const { send, balance, commission, viem } = await v6()
    const of = account(10).address
    const { data: answer } = await viem.call({ account: of, to: DISTRIBUTION, data: withdrawCommission() })
    const expected = 588n * 10n ** 14n
    expect(decodeFunctionResult({ abi, functionName: 'withdrawValidatorCommission', data: answer ?? '0x' })).toEqual([
      { denom: 'akest', amount: expected },
    ])
    const before = await balance(of)
    const { logs } = await send(withdrawCommission(), { from: 10 })
    expect(await balance(of)).toBe(before + expected)
    expect(logs).toMatchObject([
      {
        topics: ['0x27596802346c7411d593e471243e3f9570666fade155d35f26150d851fdaf587', keccak256(stringToBytes(A))],
        data: word(expected),
      },
    ])
    expect(await commission()).toEqual([])
  })

  it('36: is refused for other accounts, and without commission', async () => {
    const { refusal, dev } = await distributionChain()
    const of = account(10).address
    expect(await refusal(withdrawCommission())).toBe(stranger(owner, of))
    const why = 'no validator commission to withdraw'
    expect(await refusal(withdrawCommission(), { from: 10 })).toBe(why)
    expect(await refusal(withdrawCommission(operator(0)))).toBe(why)
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    expect(await refusal(withdrawCommission(), { to: CONTRACT, from: 10 })).toBe(
      missing('MsgWithdrawValidatorCommission'),
    )
  })
})

describe('claimRewards', () => {
  it('pays the first delegations in operator order', async () => {
    const { send, share, rewards, balance } = await distributionChain()
    await send(delegate(20n * COIN), { to: STAKING })
    await send(delegate(40n * COIN, owner, B), { to: STAKING })
    await share(COIN)
    // A has 60 coins, B 80, each truncated to 18 decimals; B, 0x71be…, is first in order.
    const ofA = 126n * MILLI
    const ofB = 266n * MILLI
    expect([await rewards(owner, A), await rewards(owner, B)]).toEqual([shown(ofA - 20n), shown(ofB - 40n)])
    const before = await balance()
    const { events, logs } = await send(claim(1))
    expect(events).toMatchObject([{ eventName: 'ClaimRewards', args: { delegatorAddress: owner, amount: ofB - 40n } }])
    expect(logs).toHaveLength(1)
    expect(await balance()).toBe(before + ofB - 40n)
    await share(0n)
    expect((await send(claim(100))).events).toMatchObject([{ args: { amount: ofA - 20n } }])
    expect((await send(claim(100), { from: 3 })).status).toBe('reverted')
  })

  it('pays at most as many delegations as the maximum of validators, and those of other accounts only with a grant', async () => {
    const { send, refusal, dev } = await v6()
    expect(await refusal(claim(101))).toBe('maxRetrieve (101) parameter exceeds the maximum number of validators (100)')
    expect(await refusal(claim(5), { from: 1 })).toBe(stranger(account(1).address, owner))
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    expect(await refusal(claim(5), { to: CONTRACT })).toBe(missing('MsgWithdrawDelegatorReward'))
    await send(approve(['MSG_WITHDRAW_DELEGATOR_REWARD']))
    expect((await send(claim(5), { to: CONTRACT })).events).toMatchObject([{ args: { amount: EARNED } }])
  })
})

describe('fundCommunityPool', () => {
  it('transfers the caller’s coins to the pool', async () => {
    const { send, balance, rpc } = await distributionChain()
    const before = await balance()
    const pool = await balance(MODULE_ACCOUNT.distribution)
    const { events } = await send(fund(5n * COIN))
    expect(events).toMatchObject([{ eventName: 'FundCommunityPool', args: { depositor: owner, amount: 5n * COIN } }])
    expect(await balance()).toBe(before - 5n * COIN)
    expect(await balance(MODULE_ACCOUNT.distribution)).toBe(pool + 5n * COIN)
    expect(await rpc('dev_invariants')).toEqual([])
  })

  it('refuses coins of other accounts, even with a grant', async () => {
    const { send, refusal, balance, dev } = await distributionChain()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION) })
    expect(await refusal(fund(0n))).toBe('0akest: invalid coins')
    expect(await refusal(fund(10n ** 40n))).toMatch(
      /^spendable balance \d+akest is smaller than 1(0{40})akest: insufficient funds$/,
    )
    expect(await refusal(fund(1n), { from: 1 })).toBe(stranger(account(1).address, owner, 'spender'))
    expect(await refusal(fund(1n), { to: CONTRACT })).toMatch(/not from a smart contract$/)
    await dev.setBalance({ address: CONTRACT, value: 7n })
    await send(fund(7n, CONTRACT), { to: CONTRACT, from: 1 })
    expect(await balance(CONTRACT)).toBe(0n)
  })
})

describe('the five authorization functions at the distribution contract', () => {
  it('13: accept distribution messages only, and share the store of grants', async () => {
    const { refusal, send, allowance } = await distributionChain()
    for (const method of ['MSG_DELEGATE', '/evmos.vesting.v2.MsgClawback', '/foo']) {
      expect(await refusal(approve(['MSG_WITHDRAW_DELEGATOR_REWARD', method]))).toBe(
        `invalid distribution transaction type: ${method}`,
      )
    }
    const { logs } = await send(approve(['MSG_WITHDRAW_DELEGATOR_REWARD']))
    expect(logs.map(({ address }) => address)).toEqual([DISTRIBUTION])
    expect(await allowance('/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward')).toBe(2n ** 256n - 1n)
  })
})

describe('a call of the distribution contract', () => {
  it('22: is refused under delegatecall, callcode and static calls', async () => {
    const { refusal, dev } = await v6()
    for (const kind of ['delegatecall', 'callcode', 'staticcall'] as const) {
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION, kind) })
      for (const data of [withdraw(), setWithdrawAddress(fresh), claim(1), fund(1n)]) {
        expect(await refusal(data, { to: CONTRACT }), kind).toBe('write protection')
      }
    }
  })

  it('31: refuses a value', async () => {
    const { refusal } = await v6()
    expect(await refusal(withdraw(), { value: 1n })).toBe('extension methods do not accept value')
  })

  it('30: costs the gas of the table, and with one unit less runs out of gas without effect', async () => {
    const { viem, send, rewards } = await v6({ spec: withFixedPrices(spec()) })
    /** Gas of the calldata (EIP-2028). */
    const intrinsic = (data: Hex) =>
      Buffer.from(data.slice(2), 'hex').reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n)
    const perByte = (data: Hex) => 30n * BigInt(size(data) - 4)
    const data = withdraw()
    const cost = intrinsic(data) + 2_000n + perByte(data) + 60_000n
    expect(await viem.estimateGas({ account: owner, to: DISTRIBUTION, data })).toBe(cost)
    expect((await send(data, { gas: cost - 1n })).status).toBe('reverted')
    expect(await rewards()).toEqual(shown(EARNED))
    const { status, gasUsed } = await send(data, { gas: cost })
    expect([status, gasUsed]).toEqual(['success', cost])

    for (const [other, gas] of [
      [setWithdrawAddress(fresh), 12_000n],
      // One delegation.
      [claim(5), 10_000n + 60_000n],
      [fund(1n), 30_000n],
    ] as const) {
      expect((await send(other)).gasUsed).toBe(intrinsic(other) + 2_000n + perByte(other) + gas)
    }
  })
})
