// Contracts that stake their users' coins, through a running node: what a grant allows and what it does not.
// Numbers in titles are the specification's behaviour vectors; V16 is its worked example.
import { type Address, decodeErrorResult, encodeFunctionData, getAddress, type Hex, maxUint256, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'
import { withFixedPrices } from '../support/native.ts'

const AUTHORIZATION = '0x0000000000000000000000000000000000000a00'
const STAKING = '0x0000000000000000000000000000000000000800'
const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const COIN = 10n ** 18n
const YEAR = 31_536_000

const abi = parseAbi([
  'function approve(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function revoke(address spender, string[] methods) returns (bool revoked)',
  'function decreaseAllowance(address spender, uint256 amount, string[] methods) returns (bool approved)',
  'function allowance(address owner, address spender, string method) view returns (uint256 remaining)',
  'function delegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (bool success)',
  'function undelegate(address delegatorAddress, string validatorAddress, uint256 amount) returns (int64 completionTime)',
  'function redelegate(address delegatorAddress, string validatorSrcAddress, string validatorDstAddress, uint256 amount) returns (int64 completionTime)',
  'struct Coin { string denom; uint256 amount; }',
  'function delegation(address delegatorAddress, string validatorAddress) view returns (uint256 shares, Coin balance)',
  'struct Description { string moniker; string identity; string website; string securityContact; string details; }',
  'struct CommissionRates { uint256 rate; uint256 maxRate; uint256 maxChangeRate; }',
  'function createValidator(Description description, CommissionRates commissionRates, uint256 minSelfDelegation, address validatorAddress, string pubkey, uint256 value) returns (bool success)',
])

const operator = (index: number) => toBech32(operatorPrefix('kest'), hexToAddress(account(index).address))
/** The network's validators are accounts 10 to 12 of the mnemonic. */
const VALIDATOR = operator(10)
const OTHER = operator(11)
const owner = account(0).address
const URL = '/cosmos.staking.v1beta1.MsgDelegate'
const missing = (url: string) => `authorization to ${url} for address ${CONTRACT} does not exist or is expired`

const approve = (amount: bigint, methods: readonly string[] = ['MSG_DELEGATE']) =>
  encodeFunctionData({ abi, functionName: 'approve', args: [CONTRACT, amount, methods] })
const delegate = (amount: bigint, { delegator = owner, validator = VALIDATOR } = {}) =>
  encodeFunctionData({ abi, functionName: 'delegate', args: [delegator, validator, amount] })

/** A chain with a contract that forwards every call to the staking contract. */
async function open(overrides: Parameters<typeof testChain>[0] = {}) {
  const chain = await testChain(overrides)
  const { dev, viem, raw, walletOf } = chain
  await dev.setCode({ address: CONTRACT, bytecode: forwarder(STAKING) })
  return {
    ...chain,
    async send(data: Hex, to: Address, from = 0) {
      const hash = await walletOf(from).sendTransaction({ to, data, gas: 1_000_000n })
      return viem.waitForTransactionReceipt({ hash })
    },
    async refusal(data: Hex, to: Address, from = 0) {
      const { error } = await raw('eth_call', { from: account(from).address, to, data }, 'latest')
      const [reason] = decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error?.data as Hex }).args
      return reason
    },
    allowance: (method: string, at: Address = AUTHORIZATION) =>
      viem.readContract({ address: at, abi, functionName: 'allowance', args: [owner, CONTRACT, method] }),
    delegated: async (delegator: Address = owner) => {
      const args = [delegator, VALIDATOR] as const
      const [, { amount }] = await viem.readContract({ address: STAKING, abi, functionName: 'delegation', args })
      return amount
    },
  }
}

describe('a contract that delegates for the account that signed', () => {
  it('16: is refused without a grant', async () => {
    const { refusal, send, delegated } = await open()
    expect(await refusal(delegate(COIN), CONTRACT)).toBe(missing(URL))
    expect((await send(delegate(COIN), CONTRACT)).status).toBe('reverted')
    expect(await delegated()).toBe(0n)
  })

  it('V16: uses its grant up, and is refused afterwards', async () => {
    const { send, refusal, allowance, delegated } = await open()
    await send(approve(COIN), AUTHORIZATION)
    const { status } = await send(delegate(4n * 10n ** 17n), CONTRACT)
    expect([status, await allowance(URL)]).toEqual(['success', 6n * 10n ** 17n])
    expect(await refusal(delegate(7n * 10n ** 17n), CONTRACT)).toBe(
      'amount 700000000000000000 greater than allowed limit 600000000000000000',
    )
    await send(delegate(6n * 10n ** 17n), CONTRACT)
    expect([await allowance(URL), await delegated()]).toEqual([0n, COIN])
    expect(await refusal(delegate(1n), CONTRACT)).toBe(missing(URL))
  })

  it('spends the owner’s coins, and gas for the check: 6,000 and 30 for each of three validators', async () => {
    const { send, viem, dev, delegated } = await open({ spec: withFixedPrices(presets.kestrel()) })
    await send(approve(maxUint256), AUTHORIZATION)
    const before = await viem.getBalance({ address: owner })
    const granted = await send(delegate(COIN), CONTRACT)
    expect(await viem.getBalance({ address: owner })).toBe(before - COIN - granted.gasUsed * granted.effectiveGasPrice)
    expect([await delegated(), await delegated(CONTRACT)]).toEqual([COIN, 0n])
    // The contract's own coins need no grant. Both calldatas have the same number of non-zero bytes.
    await dev.setBalance({ address: CONTRACT, value: COIN })
    const own = await send(delegate(COIN, { delegator: CONTRACT }), CONTRACT)
    expect(await delegated(CONTRACT)).toBe(COIN)
    expect(granted.gasUsed - own.gasUsed).toBe(6_090n)
  })

  it('7, 8: is refused when the allowance is zero or revoked', async () => {
    const { send, refusal } = await open()
    await send(approve(5n), AUTHORIZATION)
    const lower = encodeFunctionData({ abi, functionName: 'decreaseAllowance', args: [CONTRACT, 5n, ['MSG_DELEGATE']] })
    await send(lower, AUTHORIZATION)
    expect(await refusal(delegate(1n), CONTRACT)).toBe('amount 1 greater than allowed limit 0')
    await send(encodeFunctionData({ abi, functionName: 'revoke', args: [CONTRACT, [URL]] }), AUTHORIZATION)
    expect(await refusal(delegate(1n), CONTRACT)).toBe(missing(URL))
  })

  it('9: may act for a year, and again after a new grant', async () => {
    const { send, refusal, dev, delegated } = await open()
    await send(approve(COIN), AUTHORIZATION)
    await dev.increaseTime({ seconds: YEAR + 1 })
    await dev.mine({ blocks: 1 })
    expect(await refusal(delegate(5n), CONTRACT)).toBe(missing(URL))
    await send(approve(COIN), AUTHORIZATION)
    await send(delegate(5n), CONTRACT)
    expect(await delegated()).toBe(5n)
  })

  it('11: may use the granted messages only', async () => {
    const { send, refusal } = await open()
    await send(delegate(COIN), STAKING)
    await send(approve(maxUint256, ['MSG_DELEGATE', 'MSG_CANCEL_UNDELEGATION']), AUTHORIZATION)
    const undelegate = encodeFunctionData({ abi, functionName: 'undelegate', args: [owner, VALIDATOR, 1n] })
    expect(await refusal(undelegate, CONTRACT)).toBe(missing('/cosmos.staking.v1beta1.MsgUndelegate'))
    const redelegate = encodeFunctionData({ abi, functionName: 'redelegate', args: [owner, VALIDATOR, OTHER, 1n] })
    expect(await refusal(redelegate, CONTRACT)).toBe(missing('/cosmos.staking.v1beta1.MsgBeginRedelegate'))
  })

  it('17: may not use a validator created after the grant, though its owner may', async () => {
    const { send, refusal, delegated } = await open()
    await send(approve(COIN), AUTHORIZATION)
    const description = { moniker: 'new', identity: '', website: '', securityContact: '', details: '' }
    const commission = { rate: 0n, maxRate: COIN, maxChangeRate: 0n }
    const key = Buffer.alloc(32, 7).toString('base64')
    const args = [description, commission, 1n, account(5).address, key, COIN] as const
    const created = await send(encodeFunctionData({ abi, functionName: 'createValidator', args }), STAKING, 5)
    expect(created.status).toBe('success')
    const late = delegate(5n, { validator: operator(5) })
    expect(await refusal(late, CONTRACT)).toBe(`cannot delegate/undelegate to ${operator(5)} validator: unauthorized`)
    expect((await send(late, STAKING)).status).toBe('success')
    expect(await refusal(delegate(5n, { validator: operator(6) }), CONTRACT)).toBe('validator does not exist')
    await send(approve(COIN), AUTHORIZATION)
    expect((await send(late, CONTRACT)).status).toBe('success')
    expect(await delegated()).toBe(0n)
  })
})

describe('an account that did not sign', () => {
  it('12: keeps its coins, although it has granted the contract', async () => {
    const { send, refusal } = await open()
    await send(approve(maxUint256), AUTHORIZATION)
    const why = `origin address ${account(1).address} is not the same as delegator address ${owner}`
    expect(await refusal(delegate(1n), CONTRACT, 1)).toBe(why)
    expect(await refusal(delegate(1n), STAKING, 1)).toBe(why)
  })
})

describe('the five authorization functions at the staking contract', () => {
  it('13: share the store of grants, and log under the staking address', async () => {
    const { send, allowance, delegated } = await open()
    const here = await send(approve(5n), STAKING)
    const there = await send(approve(6n, ['MSG_UNDELEGATE']), AUTHORIZATION)
    expect([here, there].map(({ logs }) => logs.map(({ address }) => address))).toEqual([[STAKING], [AUTHORIZATION]])
    for (const at of [STAKING, AUTHORIZATION] as const) {
      expect([await allowance('MSG_DELEGATE', at), await allowance('MSG_UNDELEGATE', at)]).toEqual([5n, 6n])
    }
    await send(delegate(5n), CONTRACT)
    expect(await delegated()).toBe(5n)
    expect(await allowance('MSG_DELEGATE')).toBe(0n)
  })

  it('13: accept staking messages only', async () => {
    const { refusal } = await open()
    for (const method of ['MSG_SET_WITHDRAWER_ADDRESS', '/evmos.vesting.v2.MsgClawback', '/foo']) {
      expect(await refusal(approve(5n, ['MSG_DELEGATE', method]), STAKING)).toBe(
        `invalid staking transaction type: ${method}`,
      )
    }
  })
})
