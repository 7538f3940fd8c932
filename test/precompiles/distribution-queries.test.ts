// Queries of the distribution contract, through a running node. Numbers in titles are the specification's vectors.
import { encodeFunctionData, type Hex, size, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { openModules } from '../../src/modules/index.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { account } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { withFixedPrices } from '../support/native.ts'
import {
  A,
  abi,
  B,
  bech32,
  COIN,
  CONTRACT,
  DISTRIBUTION,
  delegate,
  distributionChain,
  MILLI,
  operator,
  owner,
  pagedAbi,
  STAKING,
  shown,
  spec,
  withdraw,
} from './distribution-support.ts'

const TENTH = 10n ** 14n
const operatorOfA = hexToAddress(account(10).address)

/** V6: A has 60 coins, 20 of them the owner's, B has 40; the fees of a block, one coin, have been allocated. */
async function v6(overrides: Parameters<typeof distributionChain>[0] = {}) {
  const chain = await distributionChain(overrides)
  await chain.send(delegate(20n * COIN), { to: STAKING })
  await chain.share(COIN)
  return {
    ...chain,
    /** Slashes A at the height of the head by a fraction of its stake, in hundredths. */
    async slash(hundredths: bigint) {
      const { node } = chain
      const { native } = node.chain.spec
      if (native === undefined) throw new Error('the chain is native')
      const { number, timestamp } = node.chain.head
      const block = { number, timestamp, proposer: operatorOfA }
      await node.chain.edit((view) => {
        const { staking } = openModules({ spec: native, block, view, access: 'write' })
        const power = (staking.validator(operatorOfA)?.tokens ?? 0n) / COIN
        staking.slash(operatorOfA, { height: number, power, fraction: hundredths * 10n ** 16n })
      })
      return number
    },
  }
}

describe('queries of vector V6', () => {
  it('return its rewards and commission', async () => {
    const { rewards, outstanding, commission, info } = await v6()
    expect(await rewards()).toEqual(shown(1_764n * TENTH))
    expect(await rewards(account(10).address)).toEqual(shown(3_528n * TENTH))
    expect([await outstanding(), await outstanding(B)]).toEqual([shown(588n * MILLI), shown(392n * MILLI)])
    expect([await commission(), await commission(B)]).toEqual([shown(588n * TENTH), shown(196n * TENTH)])
    expect(await info()).toEqual({
      operatorAddress: bech32(account(10).address),
      selfBondRewards: shown(3_528n * TENTH),
      commission: shown(588n * TENTH),
    })
  })

  it('return 18 decimals on chains with that rule', async () => {
    const compat = {
      allowanceOrder: 'owner-first',
      entriesAsStruct: false,
      decCoinRaw: true,
      distributionGrants: true,
    } as const
    const { rewards, total } = await v6({ spec: spec({ compat }) })
    const raw = [{ denom: 'akest', amount: 1_764n * TENTH * COIN, precision: 18 }]
    expect(await rewards()).toEqual(raw)
    expect(await total()).toEqual([[{ validatorAddress: A, reward: raw }], raw])
  })
})

describe('a delegator’s queries', () => {
  it('list validators in operator order, with rewards and their sum', async () => {
    const { send, share, total, validatorsOf } = await v6()
    await send(delegate(20n * COIN, owner, B), { to: STAKING })
    await share(0n)
    // B is 0x71be…, A is 0xbcd4….
    expect(await validatorsOf()).toEqual([B, A])
    expect(await total()).toEqual([
      [
        { validatorAddress: B, reward: [] },
        { validatorAddress: A, reward: shown(1_764n * TENTH) },
      ],
      shown(1_764n * TENTH),
    ])
  })

  it('are empty for accounts without delegations, and refused for the zero address', async () => {
    const { rewards, total, validatorsOf, withdrawAddress } = await v6()
    const stranger = account(5).address
    expect([await total(stranger), await validatorsOf(stranger)]).toEqual([[[], []], []])
    expect(await withdrawAddress(stranger)).toBe(bech32(stranger))
    const refusal = `invalid delegator address: ${zeroAddress}`
    for (const ask of [rewards, total, validatorsOf, withdrawAddress]) {
      await expect(ask(zeroAddress)).rejects.toThrow(refusal)
    }
  })

  it('38: are answered at older blocks', async () => {
    const { rewards, share, viem, send } = await v6()
    const then = await viem.getBlockNumber()
    await share(COIN)
    await send(withdraw())
    expect(await rewards(owner, A, then)).toEqual(shown(1_764n * TENTH))
    expect(await rewards(owner, A, then + 1n)).toEqual(shown(2n * 1_764n * TENTH))
    expect(await rewards()).toEqual([])
  })

  it('name the missing validator or delegation', async () => {
    const { rewards } = await v6()
    await expect(rewards(owner, operator(5))).rejects.toThrow('validator does not exist')
    await expect(rewards(owner, B)).rejects.toThrow('delegation does not exist')
    await expect(rewards(owner, 'kestvaloper1')).rejects.toThrow('invalid validator address: kestvaloper1: ')
  })
})

describe('a validator’s queries', () => {
  it('are empty for an unknown validator, except its information, which is refused', async () => {
    const { outstanding, commission, info } = await v6()
    expect([await outstanding(operator(5)), await commission(operator(5))]).toEqual([[], []])
    await expect(info(operator(5))).rejects.toThrow('validator does not exist')
  })

  it('show no rewards of an operator without a self-delegation', async () => {
    const { send, share, info } = await v6()
    const undelegate = encodeFunctionData({
      abi: [
        {
          type: 'function',
          name: 'undelegate',
          stateMutability: 'nonpayable',
          inputs: [{ type: 'address' }, { type: 'string' }, { type: 'uint256' }],
          outputs: [{ type: 'int64' }],
        },
      ] as const,
      args: [account(10).address, A, 40n * COIN],
    })
    await send(undelegate, { to: STAKING, from: 10 })
    await share(0n)
    expect((await info()).selfBondRewards).toEqual([])
  })
})

describe('validatorSlashes', () => {
  const slashesOf = async ({ viem }: Awaited<ReturnType<typeof v6>>, from: bigint, to: bigint, validator = A) => {
    const args = [validator, from, to] as const
    return viem.readContract({ address: DISTRIBUTION, abi, functionName: 'validatorSlashes', args })
  }

  it('39: lists the slashes by height', async () => {
    const chain = await v6()
    const first = await chain.slash(5n)
    await chain.share(0n)
    await chain.share(0n)
    const second = await chain.slash(10n)
    const fraction = (hundredths: bigint) => ({ value: hundredths * 10n ** 16n, precision: 18 })
    // The self-delegation ended period 1, the owner's delegation period 2.
    const five = { validatorPeriod: 3n, fraction: fraction(5n) }
    const ten = { validatorPeriod: 4n, fraction: fraction(10n) }
    const all = [[five, ten], { nextKey: '0x', total: 2n }]
    expect(await slashesOf(chain, 0n, 0n)).toEqual(all)
    expect(await slashesOf(chain, first, second)).toEqual(all)
    expect(await slashesOf(chain, first, second - 1n)).toEqual([[five], { nextKey: '0x', total: 1n }])
    expect(await slashesOf(chain, first + 1n, 1_000n)).toEqual([[ten], { nextKey: '0x', total: 1n }])
    expect(await slashesOf(chain, 0n, 100n, B)).toEqual([[], { nextKey: '0x', total: 0n }])
    expect(await slashesOf(chain, 0n, 100n, operator(5))).toEqual([[], { nextKey: '0x', total: 0n }])
    await expect(slashesOf(chain, 10n, 5n)).rejects.toThrow('starting height greater than ending height (10 > 5)')

    const page = (change: { key?: Hex; limit?: bigint; reverse?: boolean }) =>
      chain.viem.readContract({
        address: DISTRIBUTION,
        abi: pagedAbi,
        functionName: 'validatorSlashes',
        args: [A, 0n, 0n, { key: '0x', offset: 0n, limit: 1n, countTotal: true, reverse: false, ...change }],
      })
    const [slashes, { nextKey, total }] = await page({})
    expect([slashes, total]).toEqual([[five], 2n])
    expect(await page({ key: nextKey })).toEqual([[ten], { nextKey: '0x', total: 0n }])
    expect((await page({ reverse: true }))[0]).toEqual([ten])
  })

  it('V9: lowers later rewards', async () => {
    const { slash, share, rewards, info } = await v6()
    await slash(50n)
    // A has 30 coins left, B 40: of the next 2.1 coins A gets 0.98 · 0.9, and the owner a third of that.
    await share(0n)
    await share(21n * 10n ** 17n)
    // The power fraction of A, 30 of 70, is truncated to 18 decimals, and so is the ratio.
    const [reward] = await rewards()
    expect((reward?.amount ?? 0n) - 1_764n * TENTH).toBe(264_599_999_999_999_990n)
    expect((await info()).selfBondRewards).toEqual(shown(3_528n * TENTH + 2n * 264_599_999_999_999_990n))
  })
})

describe('a query of the distribution contract', () => {
  it('22: is answered under delegatecall, callcode and static calls', async () => {
    const { dev, viem } = await v6()
    const data = encodeFunctionData({ abi, functionName: 'delegationRewards', args: [owner, A] })
    const direct = await viem.call({ to: DISTRIBUTION, data })
    for (const kind of ['delegatecall', 'callcode', 'staticcall', 'call'] as const) {
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(DISTRIBUTION, kind) })
      expect((await viem.call({ to: CONTRACT, data })).data).toBe(direct.data)
    }
  })

  it('costs the gas of the table', async () => {
    const { raw, slash } = await v6({ spec: withFixedPrices(spec()) })
    await slash(5n)
    /** Gas without that of the input. */
    const gas = async (data: Hex) => {
      const { result } = await raw('eth_estimateGas', { from: owner, to: DISTRIBUTION, data })
      // Gas of the calldata (EIP-2028).
      const intrinsic = Buffer.from(data.slice(2), 'hex').reduce((sum, byte) => sum + (byte === 0 ? 4n : 16n), 21_000n)
      return BigInt(String(result)) - intrinsic - 1_000n - 3n * BigInt(size(data) - 4)
    }
    // The rewards are calculated over one slash.
    expect(await gas(encodeFunctionData({ abi, functionName: 'delegationRewards', args: [owner, A] }))).toBe(11_000n)
    expect(await gas(encodeFunctionData({ abi, functionName: 'validatorDistributionInfo', args: [A] }))).toBe(15_000n)
    expect(await gas(encodeFunctionData({ abi, functionName: 'validatorDistributionInfo', args: [B] }))).toBe(14_000n)
    expect(await gas(encodeFunctionData({ abi, functionName: 'validatorSlashes', args: [A, 0n, 0n] }))).toBe(5_000n)
    expect(await gas(encodeFunctionData({ abi, functionName: 'delegationTotalRewards', args: [owner] }))).toBe(14_000n)
    expect(await gas(encodeFunctionData({ abi, functionName: 'delegatorValidators', args: [owner] }))).toBe(4_000n)
    for (const name of ['validatorOutstandingRewards', 'validatorCommission'] as const) {
      expect(await gas(encodeFunctionData({ abi, functionName: name, args: [A] }))).toBe(4_000n)
    }
    expect(await gas(encodeFunctionData({ abi, functionName: 'delegatorWithdrawAddress', args: [owner] }))).toBe(2_600n)
  })
})

describe('fees of transactions at the distribution contract', () => {
  it('are rewards in the next block, base fee and tip, and the invariants hold; the next delegation moves the coins', async () => {
    const { send, balance, outstanding, mine, rpc } = await distributionChain()
    const pool = () => balance(MODULE_ACCOUNT.distribution)
    const before = await pool()
    const { fee, status } = await send(delegate(COIN), { to: STAKING, price: 3_000_000_000n })
    expect([status, fee > 0n]).toEqual(['success', true])
    expect(await balance(MODULE_ACCOUNT.feeCollector)).toBe(fee)
    await mine()
    expect([await balance(MODULE_ACCOUNT.feeCollector), (await pool()) - before]).toEqual([fee, 0n])
    const ofA = await outstanding()
    const ofB = await outstanding(B)
    // 2 % goes to the community pool; A has 41 coins, B 40.
    const lacking = (of: typeof ofA, power: bigint) => (fee * 98n * power) / 8_100n - (of[0]?.amount ?? 0n)
    for (const lack of [lacking(ofA, 41n), lacking(ofB, 40n)]) expect([0n, 1n]).toContain(lack)
    expect(await rpc('dev_invariants')).toEqual([])
    const next = await send(delegate(COIN), { to: STAKING })
    expect(await balance(MODULE_ACCOUNT.feeCollector)).toBe(next.fee)
    expect(await rpc('dev_invariants')).toEqual([])
  })
})

describe('dev_invariants', () => {
  it('reports violations at any block', async () => {
    const { rpc, dev, viem } = await v6()
    expect(await rpc('dev_invariants')).toEqual([])
    const block = await viem.getBlockNumber()
    await dev.mine({ blocks: 1 })
    await dev.setBalance({ address: MODULE_ACCOUNT.distribution, value: 0n })
    await dev.setBalance({ address: MODULE_ACCOUNT.notBondedPool, value: 1n })
    expect(await rpc('dev_invariants')).toEqual([
      'staking: not-bonded pool is 1, should be 0',
      'distribution: 0.000000000000000000 held, 1000000000000000000.000000000000000000 due',
    ])
    expect(await rpc('dev_invariants', `0x${block.toString(16)}`)).toEqual([])
    expect(await rpc('dev_invariants', 'pending')).toHaveLength(2)
  })

  it('exists in development only', async () => {
    const { raw } = await distributionChain({ rpc: { development: false } })
    expect((await raw('dev_invariants')).error?.code).toBe(-32601)
  })
})
