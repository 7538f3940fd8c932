// WERC20: the base coin as an ERC-20 token, on a chain of the preset cosmos-evm, through viem. Texts and effects are those of
// cosmos/evm's precompiles erc20 and werc20.
import {
  type Address,
  decodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseEther,
  parseEventLogs,
  zeroAddress,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { toBech32 } from '../../src/lib/bech32.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { MODULE_ACCOUNT } from '../../src/spec/addresses.ts'
import { presets } from '../../src/spec/presets.ts'
import { account, testChain } from '../support/chain.ts'
import { forwarder } from '../support/forwarder.ts'

const WERC20 = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const BANK = '0x0000000000000000000000000000000000000804'
const CONTRACT = getAddress('0xcccccccccccccccccccccccccccccccccccccccc')
const [owner, other] = [account(0).address, account(1).address]

const abi = parseAbi([
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function transfer(address, uint256) returns (bool)',
  'function approve(address, uint256) returns (bool)',
  'function transferFrom(address, address, uint256) returns (bool)',
  'function deposit() payable',
  'function withdraw(uint256)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
])
const bankAbi = parseAbi([
  'struct Balance { address contractAddress; uint256 amount; }',
  'function balances(address account) view returns (Balance[] balances)',
  'function supplyOf(address erc20Address) view returns (uint256 totalSupply)',
])

const move = (to: Address, value: bigint): Hex =>
  encodeFunctionData({ abi, functionName: 'transfer', args: [to, value] })
const allow = (spender: Address, value: bigint): Hex =>
  encodeFunctionData({ abi, functionName: 'approve', args: [spender, value] })
const moveFrom = (from: Address, to: Address, value: bigint): Hex =>
  encodeFunctionData({ abi, functionName: 'transferFrom', args: [from, to, value] })
const DEPOSIT = encodeFunctionData({ abi, functionName: 'deposit' })
const withdraw = (wad: bigint): Hex => encodeFunctionData({ abi, functionName: 'withdraw', args: [wad] })

/** The forwarder's CALL with CALLVALUE in the place of zero. */
const passingValue = forwarder(WERC20).replace('5f5f365f5f73', '5f5f365f3473') as Hex

async function open() {
  const chain = await testChain({
    spec: presets['cosmos-evm']({ accounts: [owner, other].map(hexToAddress), balance: parseEther('1000') }),
  })
  const { viem, raw, walletOf } = chain
  const token = { address: WERC20, abi } as const
  return {
    ...chain,
    async send(data: Hex, { to = WERC20, from = 0, value = 0n }: { to?: Address; from?: number; value?: bigint } = {}) {
      const hash = await walletOf(from).sendTransaction({ to, data, gas: 300_000n, value })
      const receipt = await viem.waitForTransactionReceipt({ hash })
      const events = parseEventLogs({ abi, logs: receipt.logs }).map(({ eventName, args }) => [eventName, args])
      return { ...receipt, events, fee: receipt.gasUsed * receipt.effectiveGasPrice }
    },
    async refusal(
      data: Hex,
      { to = WERC20, from = owner, value = 0n }: { to?: Address; from?: Address; value?: bigint } = {},
    ) {
      const { error } = await raw('eth_call', { from, to, data, value: numberToHex(value) }, 'latest')
      if (error?.data === undefined) return error?.message
      return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: error.data as Hex }).args[0]
    },
    balance: (address: Address) => viem.getBalance({ address }),
    balanceOf: (of: Address) => viem.readContract({ ...token, functionName: 'balanceOf', args: [of] }),
    allowed: (of: Address, by: Address) => viem.readContract({ ...token, functionName: 'allowance', args: [of, by] }),
    ask: <N extends 'name' | 'symbol' | 'decimals' | 'totalSupply'>(functionName: N) =>
      viem.readContract({ ...token, functionName }),
  }
}

describe('WERC20', () => {
  it('is a contract of the coin with its metadata, supply and balances', async () => {
    const { viem, ask, balanceOf, balance } = await open()
    expect(await viem.getCode({ address: WERC20 })).toBe('0xfe')
    expect([await ask('name'), await ask('symbol'), await ask('decimals')]).toEqual(['Test Token', 'TEST', 18])
    const bank = { address: BANK, abi: bankAbi } as const
    expect(await ask('totalSupply')).toBe(
      await viem.readContract({ ...bank, functionName: 'supplyOf', args: [WERC20] }),
    )
    expect([await balanceOf(owner), await balanceOf(CONTRACT)]).toEqual([await balance(owner), 0n])
    expect(await viem.readContract({ ...bank, functionName: 'balances', args: [owner] })).toEqual([
      { contractAddress: WERC20, amount: await balance(owner) },
    ])
  })

  it.each([
    ['deposit()', DEPOSIT],
    ['no input', '0x'],
    ['less than a selector', '0x010203'],
    ['an unknown function', '0x6e6f6e4578697374696e674d6574686f64'],
  ] as const)('returns the value of a call with %s to its sender', async (_, data) => {
    const { send, balance } = await open()
    const before = await balance(owner)
    const { events, fee, gasUsed, status } = await send(data, { value: parseEther('1') })
    expect([status, events]).toEqual(['success', [['Deposit', { dst: owner, wad: parseEther('1') }]]])
    expect([await balance(owner), await balance(WERC20)]).toEqual([before - fee, 0n])
    expect(gasUsed).toBeGreaterThanOrEqual(21_000n + 23_878n)
  })

  it('withdraws nothing, and not more than the caller has', async () => {
    const { send, balance, refusal } = await open()
    const before = await balance(owner)
    const { events, fee, gasUsed } = await send(withdraw(5n))
    expect(events).toEqual([['Withdrawal', { src: owner, wad: 5n }]])
    expect(await balance(owner)).toBe(before - fee)
    expect(gasUsed).toBeGreaterThanOrEqual(21_000n + 9_207n)
    expect((await send(withdraw(0n))).events).toEqual([['Withdrawal', { src: owner, wad: 0n }]])
    expect(await refusal(withdraw(1n), { from: CONTRACT })).toBe('account balance 0 is lower than withdraw balance 1')
  })

  it('transfers coins, and refuses what the bank refuses', async () => {
    const { send, balance, refusal } = await open()
    const before = await balance(other)
    const { events, status } = await send(move(other, 7n))
    expect([status, events]).toEqual(['success', [['Transfer', { from: owner, to: other, value: 7n }]]])
    expect(await balance(other)).toBe(before + 7n)
    expect(await refusal(move(other, parseEther('1000')))).toBe('ERC20: transfer amount exceeds balance')
    expect(await refusal(move(other, 0n))).toBe('coin 0atest amount is not positive')
    expect(await refusal(move(MODULE_ACCOUNT.gov, 1n))).toBe(
      `${toBech32('cosmos', MODULE_ACCOUNT.gov)} is not allowed to receive funds: unauthorized`,
    )
    expect(await refusal(move(other, 1n), { value: 1n })).toBe('extension methods do not accept value')
    expect(await refusal(move(zeroAddress, 1n))).toBeUndefined()
  })

  it('counts allowances down, logs the rest, and has none that is unlimited', async () => {
    const { send, allowed, balance, refusal } = await open()
    const spend = (value: bigint) => send(moveFrom(owner, CONTRACT, value), { from: 1 })
    expect(await refusal(moveFrom(owner, CONTRACT, 1n), { from: other })).toBe('ERC20: insufficient allowance')
    // An owner needs an allowance too.
    expect(await refusal(moveFrom(owner, CONTRACT, 1n))).toBe('ERC20: insufficient allowance')
    expect((await send(allow(other, 5n))).events).toEqual([['Approval', { owner, spender: other, value: 5n }]])
    expect((await spend(3n)).events).toEqual([
      ['Transfer', { from: owner, to: CONTRACT, value: 3n }],
      ['Approval', { owner, spender: other, value: 2n }],
    ])
    expect([await allowed(owner, other), await balance(CONTRACT)]).toEqual([2n, 3n])
    await send(allow(other, maxUint256))
    await spend(1n)
    expect(await allowed(owner, other)).toBe(maxUint256 - 1n)
    await send(allow(other, 0n))
    expect(await allowed(owner, other)).toBe(0n)
    expect(await refusal(allow(zeroAddress, 1n))).toBe('spender address is empty: invalid address')
    expect((await send(allow(zeroAddress, 0n))).events).toEqual([
      ['Approval', { owner, spender: zeroAddress, value: 0n }],
    ])
  })

  it('returns deposits to the contract that calls, which the calling of its code and static calls cannot', async () => {
    const { send, dev, balance, refusal } = await open()
    await dev.setCode({ address: CONTRACT, bytecode: passingValue })
    const { events } = await send(DEPOSIT, { to: CONTRACT, value: 9n })
    expect(events).toEqual([['Deposit', { dst: CONTRACT, wad: 9n }]])
    expect([await balance(CONTRACT), await balance(WERC20)]).toEqual([9n, 0n])
    for (const how of ['staticcall', 'delegatecall'] as const) {
      await dev.setCode({ address: CONTRACT, bytecode: forwarder(WERC20, how) })
      for (const data of [DEPOSIT, '0x01020304', move(other, 1n), allow(other, 1n)] as const)
        expect([how, await refusal(data, { to: CONTRACT })]).toEqual([how, 'write protection'])
    }
  })
})
