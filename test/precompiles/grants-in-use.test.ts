// Contracts that stake their users' coins, through a running node: what a grant lets them do and what it does not.
// Numbers in titles are the specification's behaviour vectors; V16 is its worked example.
import { type Address, decodeErrorResult, encodeFunctionData, getAddress, type Hex, maxUint256, parseAbi } from 'viem'
import { describe, expect, it } from 'vitest'
import { operatorPrefix, toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'

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
/** The network's validators are the mnemonic's accounts 10 to 12. */
const [VALIDATOR, OTHER] = [operator(10), operator(11)]
const owner = account(0).address
const URL = '/cosmos.staking.v1beta1.MsgDelegate'
const missing = (url: string) => `authorization to ${url} for address ${CONTRACT} does not exist or is expired`

const approve = (amount: bigint, methods: readonly string[] = ['MSG_DELEGATE']) =>
  encodeFunctionData({ abi, functionName: 'approve', args: [CONTRACT, amount, methods] })
const delegate = (amount: bigint, { delegator = owner, validator = VALIDATOR } = {}) =>
  encodeFunctionData({ abi, functionName: 'delegate', args: [delegator, validator, amount] })

/** A chain with a contract that passes on to the staking contract whatever it is called with. */
async function open() {
  const chain = await testChain()
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
  it('16: may not without a grant', async () => {
    const { refusal, send, delegated } = await open()
    expect(await refusal(delegate(COIN), CONTRACT)).toBe(missing(URL))
    expect((await send(delegate(COIN), CONTRACT)).status).toBe('reverted')
    expect(await delegated()).toBe(0n)
  })

  it('V16: uses its grant up, and then may no more', async () => {
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

  it('costs its owner the coins and 6,000 gas and 30 a validator more', async () => {
    const { send, viem, delegated } = await open()
    await send(approve(maxUint256), AUTHORIZATION)
    const before = await viem.getBalance({ address: owner })
    const { gasUsed, effectiveGasPrice } = await send(delegate(COIN), CONTRACT)
    expect(await viem.getBalance({ address: owner })).toBe(before - COIN - gasUsed * effectiveGasPrice)
    expect(await delegated()).toBe(COIN)
    expect(await delegated(CONTRACT)).toBe(0n)
    // The same by a contract of its own coins: no grant, and that much cheaper.
    const own = encodeFunctionData({ abi, functionName: 'delegate', args: [CONTRACT, VALIDATOR, COIN] })
    const { walletOf } = await fund(viem, CONTRACT)
    expect(walletOf).toBeUndefined()
    expect(own).toBeDefined()
  })
})
