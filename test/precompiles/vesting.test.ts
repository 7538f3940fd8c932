// The vesting contract through a running node. Numbers in titles are the specification's vectors.
import { encodeFunctionData, getAddress, type Hex, toEventSelector, toFunctionSelector, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { vesting } from '../../src/precompiles/vesting.ts'
import { presets } from '../../src/spec/presets.ts'
import { forwarder } from '../support/forwarder.ts'
import { withFixedPrices } from '../support/native.ts'
import {
  abi,
  balancesOf,
  COIN,
  clawback,
  coins,
  convert,
  create,
  FUNDER,
  fund,
  funder,
  HOLDER,
  holder,
  LOCKUP,
  periodsOf,
  STEPS,
  STRANGER,
  stranger,
  updateFunder,
  VESTING,
  vestingChain,
} from './vesting-support.ts'

const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const GOV = '0x7b5Fe22B5446f7C62Ea27B8BD71CeF94e03f3dF2'
const kest = (address: Hex) => toBech32('kest', hexToAddress(address))
const notVesting = (of: Hex) => `account at address '${kest(of)}' either does not exist or is not a vesting account`

describe('the interface', () => {
  it('has the published selectors and topics', () => {
    const functions = vesting.abi.flatMap((entry) =>
      entry.type === 'function' ? [[entry.name, toFunctionSelector(entry)]] : [],
    )
    expect(Object.fromEntries(functions)).toEqual({
      createClawbackVestingAccount: '0xcdb50175',
      fundVestingAccount: '0x4fe1a8df',
      clawback: '0x72e7c9ab',
      updateVestingFunder: '0x9cfef129',
      convertVestingAccount: '0x5a211064',
      balances: '0x27e235e3',
      approve: '0x29cd00f7',
    })
    const events = vesting.abi.flatMap((entry) =>
      entry.type === 'event' ? [[entry.name, toEventSelector(entry)]] : [],
    )
    expect(Object.fromEntries(events)).toEqual({
      CreateClawbackVestingAccount: '0x61cdaeda7bd5dc41ce3fc7891c944c544cc837b74cd488394f9b9de83110e8a0',
      FundVestingAccount: '0x498f9ce81b4e10d265b5dfe2a152942dadff6125e39a5518f4b23e950ed56711',
      Clawback: '0xdb023ff832f9185f740a82c13c04252a8c001a8b75fbb39c25c0d50e63c64ad5',
      UpdateVestingFunder: '0x1b95e8b7cb8941999fc1a0c8e6923807b55ad8d1bca4032edeaba41dc8132d4c',
      ConvertVestingAccount: '0x97da56c0cf81f28e959265316779a66359e95fe58ede2db35677b40d2d8941d2',
      Approval: '0x1f84ad2a44b444ff59c84b14c29a0515df82fffbd26a5a923e601d8302872c91',
    })
  })
})

describe('createClawbackVestingAccount', () => {
  it('49: may be called by the signer once, and not by contracts', async () => {
    const { send, refusal, dev } = await vestingChain()
    expect(await refusal(create())).toBe(`tx origin address ${funder} does not match the from address ${holder}`)
    expect(await refusal(create(zeroAddress), { from: HOLDER })).toBe(
      'funder address cannot be the zero address: invalid address',
    )
    const { status, events } = await send(create(), { from: HOLDER })
    expect(status).toBe('success')
    expect(events.map(({ eventName, args, address }) => [eventName, args, address])).toEqual([
      ['CreateClawbackVestingAccount', { funderAddress: funder, vestingAddress: holder }, VESTING],
    ])
    expect(await refusal(create(), { from: HOLDER })).toBe(
      `${kest(holder)} is already a clawback vesting account: invalid request`,
    )
    await dev.setCode({ address: stranger, bytecode: '0x00' })
    expect(await refusal(create(funder, stranger), { from: STRANGER })).toBe(
      `account ${kest(stranger)} is a contract account and cannot be converted in a clawback vesting account: invalid request`,
    )
  })

  it('is refused for a contract that the account merely calls', async () => {
    const { refusal, dev } = await vestingChain()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(VESTING) })
    expect(await refusal(create(), { to: CONTRACT, from: FUNDER })).toBe(
      `tx origin address ${funder} does not match the from address ${holder}`,
    )
    expect(await refusal(create(), { to: CONTRACT, from: HOLDER })).toBe(
      'this method can only be called directly to the precompile, not from a smart contract',
    )
  })
})

describe('fundVestingAccount', () => {
  it('50: refuses impossible grants, and callers other than the funder', async () => {
    const { send, refusal, T } = await vestingChain()
    expect(await refusal(fund(T, LOCKUP, STEPS))).toBe(`${kest(holder)}: account is not subject to clawback vesting`)
    await send(create(), { from: HOLDER })
    expect(await refusal(fund(T, LOCKUP, STEPS))).toBeUndefined()
    expect(await refusal(fund(T, LOCKUP, STEPS, stranger))).toBe(
      `tx origin address ${funder} does not match the from address ${stranger}`,
    )
    expect(await refusal(fund(T, LOCKUP, STEPS, stranger), { from: STRANGER })).toBe(
      `account ${kest(holder)} can only accept grants from account ${kest(funder)}: invalid request`,
    )
    expect(await refusal(fund(T, LOCKUP, [[1n, 999n]]))).toBe('vesting and lockup schedules must have same total coins')
    expect(
      await refusal(
        fund(
          T,
          [],
          [
            [1n, 1n],
            [0n, 1n],
          ],
        ),
      ),
    ).toBe('invalid period length of 0 in period 1, length must be greater than 0: invalid request')
    expect(await refusal(fund(T, [], []))).toBe('vesting and/or lockup schedules must be present')
    expect(await refusal(fund(2n ** 63n, [], STEPS))).toMatch('after the last one')
    expect(await refusal(fund(T, [], [[1n, 0n]]))).toBe('coin 0akest amount is not positive: invalid coins')
    expect(await refusal(fund(T, [], [[1n, 20_000n * COIN]]))).toMatch('insufficient funds')
    // The sum of both amounts overflows a word.
    expect(
      await refusal(
        fund(
          T,
          [],
          [
            [1n, 2n ** 255n],
            [1n, 2n ** 255n],
          ],
        ),
      ),
    ).toMatch('insufficient funds')
    const foreign = { length: 1n, amount: coins(5n, 'ibc/ABC') }
    const args = [funder, holder, T, [], [foreign]] as const
    expect(await refusal(encodeFunctionData({ abi, functionName: 'fundVestingAccount', args }))).toBe(
      'ibc/ABC cannot vest, only akest can: invalid coins',
    )
  })

  it('moves the coins at once and logs the grant', async () => {
    const { grant, balance, T } = await vestingChain()
    const before = await balance(holder)
    const { events } = await grant()
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      [
        'FundVestingAccount',
        {
          funderAddress: funder,
          vestingAddress: holder,
          startTime: T,
          lockupPeriods: periodsOf(LOCKUP),
          vestingPeriods: periodsOf(STEPS),
        },
      ],
    ])
    // Minus the gas of creating the account.
    expect(await balance(holder)).toBeGreaterThan(before + 999n * COIN)
  })

  it("55: by a contract needs no grant for its own coins, and a grant for the signer's", async () => {
    const { send, refusal, dev, balances, T } = await vestingChain()
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(VESTING) })
    await dev.setBalance({ address: CONTRACT, value: 5_000n * COIN })
    await send(create(CONTRACT), { from: HOLDER })
    const ofContract = fund(T, LOCKUP, STEPS, CONTRACT)
    expect((await send(ofContract, { to: CONTRACT, from: STRANGER })).status).toBe('success')
    expect(await balances()).toEqual([1000n * COIN, 1000n * COIN, 0n])

    const toFunder = encodeFunctionData({ abi, functionName: 'updateVestingFunder', args: [CONTRACT, funder, holder] })
    expect((await send(toFunder, { to: CONTRACT, from: STRANGER })).status).toBe('success')
    const ofFunder = fund(T, LOCKUP, STEPS)
    expect(await refusal(ofFunder, { to: CONTRACT, from: FUNDER })).toBe(
      `authorization to /evmos.vesting.v2.MsgFundVestingAccount for address ${CONTRACT} does not exist or is expired`,
    )
    const approve = encodeFunctionData({ abi, functionName: 'approve', args: [CONTRACT, 'MSG_FUND_VESTING_ACCOUNT'] })
    const { events } = await send(approve)
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Approval', { grantee: CONTRACT, granter: funder, method: 'MSG_FUND_VESTING_ACCOUNT' }],
    ])
    expect((await send(ofFunder, { to: CONTRACT, from: FUNDER })).status).toBe('success')
    expect((await send(ofFunder, { to: CONTRACT, from: FUNDER })).status).toBe('success')
    expect(await balances()).toEqual([3000n * COIN, 3000n * COIN, 0n])
    expect(await refusal(ofFunder, { to: CONTRACT, from: STRANGER })).toBe(
      `tx origin address ${stranger} does not match the from address ${funder}`,
    )
  })

  it('accepts grants of this message only', async () => {
    const { refusal } = await vestingChain()
    const approve = (method: string, to: Hex = CONTRACT) =>
      encodeFunctionData({ abi, functionName: 'approve', args: [to, method] })
    expect(await refusal(approve('MSG_DELEGATE'))).toBe('invalid vesting transaction type: MSG_DELEGATE')
    expect(await refusal(approve('MSG_CLAWBACK', zeroAddress))).toBe(`invalid grantee address: ${zeroAddress}`)
    expect(await refusal(approve('/evmos.vesting.v2.MsgClawback'))).toBeUndefined()
  })
})

describe('balances of vesting accounts', () => {
  it('V12: follow both schedules', async () => {
    const { grant, balances, mineAt, T } = await vestingChain()
    await grant()
    const seen = [await balances()]
    for (const at of [999n, 1000n, 1500n, 2000n, 2999n, 3000n, 4000n]) {
      await mineAt(T + at)
      seen.push(await balances())
    }
    const rows = [
      [1000n, 1000n, 0n],
      [1000n, 1000n, 0n],
      [1000n, 750n, 250n],
      [1000n, 750n, 250n],
      [500n, 500n, 500n],
      [500n, 500n, 500n],
      [0n, 250n, 750n],
      [0n, 0n, 1000n],
    ]
    expect(seen).toEqual(rows.map((row) => row.map((amount) => amount * COIN)))
  })

  it('V13: include a second grant', async () => {
    const { grant, send, balances, mineAt, T } = await vestingChain()
    await grant()
    await mineAt(T + 500n)
    await send(
      fund(
        T + 500n,
        [],
        [
          [500n, 100n * COIN],
          [1000n, 100n * COIN],
        ],
      ),
    )
    await mineAt(T + 1000n)
    expect(await balances()).toEqual([1000n * COIN, 850n * COIN, 350n * COIN])
    await mineAt(T + 2000n)
    expect(await balances()).toEqual([500n * COIN, 500n * COIN, 700n * COIN])
    await mineAt(T + 4000n)
    expect(await balances()).toEqual([0n, 0n, 1200n * COIN])
  })

  it('are refused for other accounts, and cost the gas of the table', async () => {
    const { grant, refusal, send } = await vestingChain({ spec: withFixedPrices(presets.kestrel()) })
    expect(await refusal(balancesOf())).toBe(notVesting(holder))
    await grant()
    // The input (1096), the function (5000), six stored steps (600) and the transaction itself.
    const calldata = balancesOf()
    const bytes = Buffer.from(calldata.slice(2), 'hex')
    const data = bytes.reduce((gas, byte) => gas + (byte === 0 ? 4n : 16n), 0n)
    expect((await send(calldata)).gasUsed).toBe(21_000n + data + 1_096n + 5_000n + 600n)
  })
})

describe('clawback', () => {
  it('52: may be called by the funder of a funded account', async () => {
    const { send, refusal, grant } = await vestingChain()
    expect(await refusal(clawback(stranger))).toBe(`${kest(holder)}: account is not subject to clawback vesting`)
    await send(create(), { from: HOLDER })
    expect(await refusal(clawback(stranger))).toBe(
      `account ${kest(holder)} has no vesting or lockup periods: invalid request`,
    )
    await send(convert())
    await grant()
    expect(await refusal(clawback(stranger), { from: STRANGER })).toBe(
      `tx origin address ${stranger} does not match the funder address ${funder}`,
    )
    expect(await refusal(clawback(stranger, stranger), { from: STRANGER })).toBe(
      `clawback can only be requested by original funder: ${kest(funder)}: unauthorized`,
    )
    expect(await refusal(clawback(GOV))).toBe(
      `${kest(GOV)} is a blocked address and not allowed to receive funds: unauthorized`,
    )
  })

  it('52, V12: takes the unvested coins; the holder keeps the rest, unlocked', async () => {
    const { grant, send, viem, mineAt, refusal, balance, T } = await vestingChain()
    await grant()
    await mineAt(T + 1000n)
    const before = await balance(stranger)
    const held = await balance(holder)
    const { result } = await viem.simulateContract({
      address: VESTING,
      abi,
      functionName: 'clawback',
      args: [funder, holder, stranger],
      account: funder,
    })
    expect(result).toEqual(coins(750n * COIN))
    const { events } = await send(clawback(stranger))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['Clawback', { funderAddress: funder, accountAddress: holder, destAddress: stranger }],
    ])
    expect(await balance(stranger)).toBe(before + 750n * COIN)
    expect(await balance(holder)).toBe(held - 750n * COIN)
    expect(await refusal(balancesOf())).toBe(notVesting(holder))
    const value = (await balance(holder)) - COIN
    expect((await send('0x', { to: CONTRACT, from: HOLDER, value })).status).toBe('success')
  })

  it('pays the funder by default, and nothing when all has vested', async () => {
    const { grant, send, viem, mineAt, T } = await vestingChain()
    await grant()
    await mineAt(T + 4000n)
    const request = { address: VESTING, abi, functionName: 'clawback', args: [funder, holder, zeroAddress] } as const
    expect((await viem.simulateContract({ ...request, account: funder })).result).toEqual([])
    const { events } = await send(clawback(zeroAddress))
    expect(events[0]?.args).toEqual({ funderAddress: funder, accountAddress: holder, destAddress: funder })
  })
})

describe('convertVestingAccount', () => {
  it('53: is refused until all coins are vested and unlocked; any account may call it', async () => {
    const { send, refusal, mineAt, T } = await vestingChain()
    await send(create(), { from: HOLDER })
    await send(fund(T, [[3000n, 1000n]], [[1000n, 1000n]]))
    expect(await refusal(convert(), { from: STRANGER })).toBe(
      `vesting coins still left in account: ${kest(holder)}: invalid request`,
    )
    await mineAt(T + 1000n)
    expect(await refusal(convert(), { from: STRANGER })).toBe(
      `locked up coins still left in account: ${kest(holder)}: invalid request`,
    )
    await mineAt(T + 3000n)
    const { events } = await send(convert(), { from: STRANGER })
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['ConvertVestingAccount', { vestingAddress: holder }],
    ])
    expect(await refusal(balancesOf())).toBe(notVesting(holder))
    expect(await refusal(convert())).toBe(`${kest(holder)}: account is not subject to clawback vesting`)
  })
})

describe('updateVestingFunder', () => {
  it('54: transfers the right to claw back to another funder permanently', async () => {
    const { grant, send, refusal } = await vestingChain()
    await grant()
    expect(await refusal(updateFunder(funder))).toBe('new funder address is equal to current funder address')
    expect(await refusal(updateFunder(zeroAddress))).toBe(
      'new funder address cannot be the zero address: invalid address',
    )
    expect(await refusal(updateFunder(GOV))).toBe(
      `${kest(GOV)} is a blocked address and not allowed to fund vesting accounts: unauthorized`,
    )
    expect(await refusal(updateFunder(funder, stranger), { from: STRANGER })).toBe(
      `${kest(funder)} is not the current funder and cannot update the funder address: unauthorized`,
    )
    const { events } = await send(updateFunder(stranger))
    expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
      ['UpdateVestingFunder', { funderAddress: funder, vestingAddress: holder, newFunderAddress: stranger }],
    ])
    expect(await refusal(clawback(funder))).toBe(
      `clawback can only be requested by original funder: ${kest(stranger)}: unauthorized`,
    )
    expect((await send(clawback(stranger, stranger), { from: STRANGER })).status).toBe('success')
  })
})

it('every transaction of the vesting contract fails in static calls and under delegatecall', async () => {
  const { dev, refusal } = await vestingChain()
  for (const kind of ['staticcall', 'delegatecall', 'callcode'] as const) {
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(VESTING, kind) })
    expect(await refusal(create(), { to: CONTRACT, from: HOLDER })).toBe('write protection')
  }
})
