// Queries of the staking contract, through a running node. Numbers in titles are the specification's vectors.
import { encodeFunctionData, getAddress, type Hex, numberToHex, parseAbi, stringToHex, toHex, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { presets } from '../../src/spec/presets.ts'
import { account } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import {
  A,
  abi,
  B,
  byAddressAbi,
  C,
  COIN,
  CONTRACT,
  delegate,
  operator,
  operatorsAbi,
  owner,
  PAGE,
  redelegate,
  STAKING,
  stakingChain,
  UNBONDING,
  undelegate,
} from './staking-support.ts'

const emptyValidator = {
  operatorAddress: '',
  consensusPubkey: '',
  jailed: false,
  status: 0,
  tokens: 0n,
  delegatorShares: 0n,
  description: '',
  unbondingHeight: 0n,
  unbondingTime: 0n,
  commission: 0n,
  minSelfDelegation: 0n,
}
/** The network's validators, ordered by operator address. */
const inOrder = [10, 11, 12].sort((x, y) => (BigInt(account(x).address) < BigInt(account(y).address) ? -1 : 1))
const texts = inOrder.map(operator)

describe('validator', () => {
  it('returns a validator by its bech32 text or its address', async () => {
    const { viem, validator, rpc } = await stakingChain()
    const found = await validator(A)
    expect(found).toMatchObject({
      operatorAddress: A,
      jailed: false,
      status: 3,
      tokens: 1_000n * COIN,
      delegatorShares: 1_000n * COIN * COIN,
      description: '',
      unbondingHeight: 0n,
      unbondingTime: 0n,
      commission: COIN / 10n,
      minSelfDelegation: 1n,
    })
    expect(Buffer.from(found.consensusPubkey, 'base64')).toHaveLength(32)
    const { address } = account(10)
    const read = { address: STAKING, abi: byAddressAbi, functionName: 'validator' } as const
    expect(await viem.readContract({ ...read, args: [address] })).toEqual({ ...found, operatorAddress: address })
    expect(await viem.readContract({ ...read, args: [owner] })).toEqual(emptyValidator)
    expect(await validator(operator(5))).toEqual(emptyValidator)
    expect(await validator(address)).toEqual(found)
    await expect(validator('kest1nonsense')).rejects.toThrow('invalid validator address: kest1nonsense')
    expect(await rpc('eth_getCode', STAKING, 'latest')).toBe('0xfe')
  })
})

describe('the list of validators', () => {
  it('29: is paged in operator order', async () => {
    const { validators } = await stakingChain()
    const names = (found: readonly { operatorAddress: string }[]) => found.map(({ operatorAddress }) => operatorAddress)
    const [all, whole] = await validators('')
    expect([names(all), whole]).toEqual([texts, { nextKey: '0x', total: 3n }])

    const [first, next] = await validators('', { limit: 2n, countTotal: true })
    const third = account(inOrder[2] ?? 0).address.toLowerCase()
    expect([names(first), next]).toEqual([texts.slice(0, 2), { nextKey: third, total: 3n }])
    const [second, end] = await validators('', { key: next.nextKey, limit: 2n, countTotal: true })
    expect([names(second), end]).toEqual([texts.slice(2), { nextKey: '0x', total: 0n }])

    const [byZero] = await validators('', { key: '0x00', limit: 1n })
    expect(names(byZero)).toEqual(texts.slice(0, 1))
    const [skipped, rest] = await validators('', { offset: 1n, limit: 1n })
    expect([names(skipped), rest]).toEqual([texts.slice(1, 2), { nextKey: third, total: 0n }])
    const [backward, before] = await validators('', { reverse: true, limit: 2n })
    const lowest = account(inOrder[0] ?? 0).address.toLowerCase()
    expect([names(backward), before.nextKey]).toEqual([texts.slice(1).reverse(), lowest])
    const [beyond] = await validators('', { offset: 5n })
    expect(beyond).toEqual([])
  })

  it('29: is filtered by status', async () => {
    const { validators } = await stakingChain()
    const [bonded, { total }] = await validators('BOND_STATUS_BONDED', { limit: 1n, countTotal: true })
    expect([bonded.length, total]).toEqual([1, 3n])
    for (const status of ['BOND_STATUS_UNBONDED', 'BOND_STATUS_UNBONDING']) {
      expect((await validators(status))[0]).toEqual([])
    }
    await expect(validators('bonded')).rejects.toThrow('invalid validator status bonded')
    const both = validators('', { key: '0x01', offset: 1n })
    await expect(both).rejects.toThrow('invalid request, either offset or key is expected, got both')
    await expect(validators('', { key: '0x01' })).rejects.toThrow('invalid page key: expected 20 bytes')
  })
})

describe('queries of delegations and unbonding entries', () => {
  it('return zeros or empty lists when there is nothing, and never revert', async () => {
    const { delegation, unbonding, redelegation } = await stakingChain()
    const nothing = { shares: 0n, denom: 'akest', amount: 0n }
    expect(await delegation()).toEqual(nothing)
    expect(await delegation(owner, operator(5))).toEqual(nothing)
    expect(await unbonding()).toEqual([])
    expect(await redelegation()).toEqual([])
    for (const query of [delegation, unbonding]) {
      await expect(query(zeroAddress)).rejects.toThrow(`invalid delegator address: ${zeroAddress}`)
    }
    await expect(delegation(owner, 'nonsense')).rejects.toThrow('invalid validator address: nonsense')
  })

  it('return the state of the requested block', async () => {
    const { viem, send } = await stakingChain()
    const { blockNumber } = await send(delegate(5n))
    await send(delegate(7n))
    const at = async (block: bigint) => {
      const read = { address: STAKING, abi, functionName: 'delegation', args: [owner, A] } as const
      const [shares] = await viem.readContract({ ...read, blockNumber: block })
      return shares
    }
    expect(await Promise.all([0n, blockNumber, blockNumber + 1n].map(at))).toEqual([0n, 5n * COIN, 12n * COIN])
  })

  it('return the wrapped form of Evmos v15 on chains with that rule', async () => {
    const spec = presets.kestrel()
    if (spec.native === undefined) throw new Error('a chain without modules')
    const compat = { ...spec.native.compat, entriesAsStruct: true }
    const { viem, send } = await stakingChain({ spec: { ...spec, native: { ...spec.native, compat } } })
    const late = parseAbi([
      'struct UnbondingDelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 balance; uint64 unbondingId; int64 unbondingOnHoldRefCount; }',
      'struct UnbondingDelegationOutput { string delegatorAddress; string validatorAddress; UnbondingDelegationEntry[] entries; }',
      'struct RedelegationEntry { int64 creationHeight; int64 completionTime; uint256 initialBalance; uint256 sharesDst; }',
      'struct Redelegation { string delegatorAddress; string validatorSrcAddress; string validatorDstAddress; RedelegationEntry[] entries; }',
      'function unbondingDelegation(address delegatorAddress, string validatorAddress) view returns (UnbondingDelegationOutput unbondingDelegation)',
      'function redelegation(address delegatorAddress, string srcValidatorAddress, string dstValidatorAddress) view returns (Redelegation redelegation)',
    ])
    const read = { address: STAKING, abi: late } as const
    const unbonding = () => viem.readContract({ ...read, functionName: 'unbondingDelegation', args: [owner, A] })
    expect(await unbonding()).toEqual({ delegatorAddress: '', validatorAddress: '', entries: [] })
    await send(delegate(10n))
    await send(undelegate(2n))
    const { blockNumber } = await send(redelegate(3n))
    const delegatorAddress = toBech32('kest', hexToAddress(owner))
    expect(await unbonding()).toMatchObject({
      delegatorAddress,
      validatorAddress: A,
      entries: [{ initialBalance: 2n, balance: 2n, unbondingId: 1n, unbondingOnHoldRefCount: 0n }],
    })
    expect(await viem.readContract({ ...read, functionName: 'redelegation', args: [owner, A, B] })).toMatchObject({
      delegatorAddress,
      validatorSrcAddress: A,
      validatorDstAddress: B,
      entries: [{ creationHeight: blockNumber, initialBalance: 3n, sharesDst: 3n * COIN }],
    })
  })
})

describe('queries of redelegations', () => {
  it('find entries by delegator, by source, and by all three', async () => {
    const { viem, send, refusal } = await stakingChain()
    await send(delegate(10n))
    const { blockNumber } = await send(redelegate(2n, A, B))
    await send(redelegate(3n, A, C))
    const { timestamp } = await viem.getBlock({ blockNumber })
    const find = (delegator: Hex, from: string, to: string, page: object = {}) =>
      viem.readContract({
        address: STAKING,
        abi,
        functionName: 'redelegations',
        args: [delegator, from, to, { ...PAGE, ...page }],
      })
    const entry = {
      creationHeight: blockNumber,
      completionTime: timestamp + UNBONDING,
      initialBalance: 2n,
      sharesDst: 2n * COIN,
    }
    const [all, { total }] = await find(owner, '', '')
    expect(total).toBe(2n)
    expect(all[0]).toEqual({
      redelegation: {
        delegatorAddress: toBech32('kest', hexToAddress(owner)),
        validatorSrcAddress: A,
        validatorDstAddress: B,
        entries: [entry],
      },
      entries: [{ redelegationEntry: entry, balance: 2n }],
    })
    const balances = async (...args: Parameters<typeof find>) =>
      (await find(...args))[0].map(({ entries }) => entries[0]?.balance)
    expect(await balances(zeroAddress, A, '')).toEqual([2n, 3n])
    expect(await balances(zeroAddress, B, '')).toEqual([])
    expect(await balances(owner, A, C)).toEqual([3n])
    expect(await balances(owner, B, C)).toEqual([])
    expect(await balances(owner, '', C)).toEqual([3n])
    expect(await balances(owner, '', '', { limit: 1n })).toEqual([2n])
    const [, { nextKey }] = await find(owner, '', '', { limit: 1n })
    expect(nextKey).toBe('0x0000000000000001')
    expect(await balances(owner, '', '', { key: nextKey })).toEqual([3n])
    const nothing = encodeFunctionData({ abi, functionName: 'redelegations', args: [zeroAddress, '', B, PAGE] })
    expect(await refusal(nothing)).toBe(
      'invalid query. Need to specify at least a source validator address or delegator address',
    )
  })
})

describe('operators at the staking contract', () => {
  const description = { moniker: 'mine', identity: '', website: '', securityContact: '', details: 'about me' }
  const rates = { rate: COIN / 10n, maxRate: COIN / 2n, maxChangeRate: COIN / 20n }
  const key = Buffer.alloc(32, 9).toString('base64')
  const create = (of: Hex, pubkey = key, value = 2_000n * COIN) =>
    encodeFunctionData({
      abi: operatorsAbi,
      functionName: 'createValidator',
      args: [description, rates, COIN, of, pubkey, value],
    })
  const edit = (of: Hex, rate: bigint, minimum: bigint) => {
    const same = '[do-not-modify]'
    const keep = { moniker: 'yours', identity: same, website: same, securityContact: same, details: same }
    return encodeFunctionData({ abi: operatorsAbi, functionName: 'editValidator', args: [keep, of, rate, minimum] })
  }

  it('create and edit their own validators', async () => {
    const { send, refusal, validator, viem, balance } = await stakingChain()
    const before = await balance()
    const created = await send(create(owner))
    expect(created.logs).toMatchObject([
      {
        topics: [expect.anything(), expect.stringMatching(/f39fd6e51aad88f6f4ce6ab8827279cfffb92266$/)],
        data: toHex(2_000n * COIN, { size: 32 }),
      },
    ])
    expect(await balance()).toBe(before - 2_000n * COIN - created.gasUsed * created.effectiveGasPrice)
    expect(await validator(operator(0))).toMatchObject({
      operatorAddress: operator(0),
      consensusPubkey: key,
      status: 3,
      tokens: 2_000n * COIN,
      description: 'about me',
      commission: COIN / 10n,
      minSelfDelegation: COIN,
    })
    expect(await refusal(edit(owner, COIN / 5n, -1n))).toBe('commission cannot be changed more than once in 24h')
    const { status, logs } = await send(edit(owner, -1n, 2n * COIN))
    expect([status, logs[0]?.data]).toEqual([
      'success',
      `${numberToHex(-1n, { size: 32, signed: true })}${toHex(2n * COIN, { size: 32 }).slice(2)}`,
    ])
    expect(await validator(operator(0))).toMatchObject({ minSelfDelegation: 2n * COIN, description: 'about me' })
    expect((await viem.getLogs({ address: STAKING, fromBlock: 0n })).length).toBe(2)
  })

  it('may not act for other accounts, through a contract, or with an invalid key', async () => {
    const { refusal, dev } = await stakingChain()
    const other = getAddress(account(1).address)
    expect(await refusal(create(other))).toBe(
      `origin address ${owner} is not the same as validator operator address ${other}`,
    )
    await dev.setCode({ address: CONTRACT, bytecode: forwarder(STAKING) })
    expect(await refusal(create(owner), { to: CONTRACT })).toBe(
      'this method can only be called directly to the precompile, not from a smart contract',
    )
    for (const bad of ['', 'AAAA', `${key}=`, stringToHex('x'.repeat(32))]) {
      expect(await refusal(create(owner, bad))).toBe('invalid validator pubkey: expected base64 of 32 bytes')
    }
  })
})
