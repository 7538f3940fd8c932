// Token pairs without an EVM: registration, conversion on the coins' side, and the ERC-20 contract of a voucher.
import { createHash } from 'node:crypto'
import { getAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { hexToAddress, ZERO_ADDRESS } from '../../../src/lib/hex.ts'
import { Bank } from '../../../src/modules/bank.ts'
import { coinOf, Erc20, isCoinContract, pairId, readErc20Genesis } from '../../../src/modules/erc20/erc20.ts'
import type { Pair } from '../../../src/modules/erc20/layout.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT, WERC20 } from '../../../src/spec/addresses.ts'
import type { StateView } from '../../../src/state/types.ts'
import { alice, bob, emptyView, moduleContext, nativeSpec } from '../../support/native.ts'

const TOKEN = hexToAddress('0x5FbDB2315678afecb367f032d93F642f64180aa3')
const OFF = hexToAddress('0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512')
const VOUCHER_CONTRACT = hexToAddress('0xf36e4C1F926001CEaDa9cA97ea622B25f41e5eB2')
const COIN = `erc20/${getAddress(TOKEN)}`
const VOUCHER = 'ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2'
const MAX = 2n ** 256n - 1n

let view: StateView
let bank: Bank
let erc20: Erc20
beforeEach(async () => {
  view = await emptyView()
  const context = moduleContext(view)
  bank = new Bank(context)
  erc20 = new Erc20(context, bank, (of) => bank.balance(of))
  erc20.initGenesis(readErc20Genesis({ pairs: [{ address: TOKEN }, { address: OFF, enabled: false }] }))
  erc20.createVoucherContract({ token: VOUCHER_CONTRACT, denom: VOUCHER, name: 'Atom', symbol: 'ATOM', decimals: 6n })
})
function pairAt(token: Pair['token']): Pair {
  const pair = erc20.pair(token)
  if (pair === undefined) throw new Error('no such pair')
  return pair
}

describe('token pairs', () => {
  it('are found by contract and by coin', () => {
    expect(erc20.pair(TOKEN)).toMatchObject({ token: TOKEN, denom: COIN, isEnabled: true, owner: 'external' })
    expect(erc20.pairOf(COIN)).toEqual(erc20.pair(TOKEN))
    expect([erc20.pair(alice), erc20.pairOf('akest')]).toEqual([undefined, undefined])
    expect(erc20.pairs().map(({ token }) => token)).toEqual([TOKEN, OFF, VOUCHER_CONTRACT])
  })

  it("are found by their contract's address in any case, and by no other name", () => {
    for (const name of [TOKEN, getAddress(TOKEN), COIN, `erc20/${TOKEN}`]) expect(erc20.named(name)?.denom).toBe(COIN)
    expect(erc20.named(getAddress(VOUCHER_CONTRACT))?.denom).toBe(VOUCHER)
    for (const name of ['akest', VOUCHER, 'erc20/', `${TOKEN}00`]) expect(erc20.named(name)).toBeUndefined()
    expect(() => erc20.named(alice)).toThrow('token pair not found')
  })

  it('have the same id as in Evmos', () => {
    const text = `0x5FbDB2315678afecb367f032d93F642f64180aa3|${COIN}`
    expect(pairId(pairAt(TOKEN))).toBe(`0x${createHash('sha256').update(text).digest('hex')}`)
    expect(coinOf(nativeSpec, TOKEN)).toBe('erc20/0x5FbDB2315678afecb367f032d93F642f64180aa3')
    // cosmos/evm's name, on chains with IBC.
    const withIbc = { ...nativeSpec, modules: { ibc: {} } }
    expect(coinOf(withIbc, TOKEN)).toBe('erc20:0x5FbDB2315678afecb367f032d93F642f64180aa3')
  })

  it('are registered once, and can be switched off and on', () => {
    const again = { token: TOKEN, denom: 'other', isEnabled: true, name: '', symbol: '', decimals: 0n }
    expect(() => erc20.register(again)).toThrow('token pair already exists')
    expect(() => erc20.register({ ...again, token: alice, denom: COIN })).toThrow('token pair already exists')
    expect(() => erc20.requireEnabled(pairAt(OFF))).toThrow('erc20 token pair is disabled')
    erc20.toggle(OFF)
    erc20.toggle(TOKEN)
    expect(() => erc20.requireEnabled(pairAt(OFF))).not.toThrow()
    expect(() => erc20.requireEnabled(pairAt(TOKEN))).toThrow('erc20 token pair is disabled')
    expect(() => erc20.toggle(alice)).toThrow('token pair not found')
  })

  it('can be switched off altogether', () => {
    erc20.initGenesis(readErc20Genesis({ enabled: false }))
    expect(() => erc20.requireEnabled(pairAt(TOKEN))).toThrow('erc20 module is disabled')
  })
})

describe('vouchers converted back to tokens', () => {
  beforeEach(() => erc20.mintCoins(pairAt(TOKEN), alice, 10n))
  const due = () => {
    const found = erc20.takeDueTokens()
    if (found === undefined) throw new Error('nothing is due')
    return found
  }

  it('are burnt when the tokens were paid out, and stay vouchers when the payment failed', () => {
    erc20.returnTokens(COIN, alice, 4n)
    erc20.returnTokens(COIN, alice, 5n)
    const first = due()
    expect([first.amount, bank.balance(alice, COIN), bank.balance(MODULE_ACCOUNT.erc20, COIN)]).toEqual([4n, 6n, 4n])
    erc20.settle(first, true)
    erc20.settle(due(), false)
    expect([bank.balance(alice, COIN), bank.supply(COIN), bank.balance(MODULE_ACCOUNT.erc20, COIN)]).toEqual([
      6n,
      6n,
      0n,
    ])
    expect(erc20.takeDueTokens()).toBeUndefined()
  })

  it('stay vouchers when the holder has spent them, when the pair is off, and when there is no pair', () => {
    erc20.returnTokens(COIN, alice, 10n)
    erc20.returnTokens(COIN, bob, 3n)
    bank.transfer(alice, bob, 3n, COIN)
    erc20.returnTokens('akest', alice, 1n)
    erc20.returnTokens(VOUCHER, alice, 1n)
    expect(due()).toMatchObject({ holder: bob, amount: 3n })
    expect(erc20.takeDueTokens()).toBeUndefined()
    erc20.returnTokens(COIN, alice, 1n)
    erc20.toggle(TOKEN)
    expect(erc20.takeDueTokens()).toBeUndefined()
    expect(bank.balance(alice, COIN)).toBe(7n)
  })
})

describe('the ERC-20 contract of a voucher', () => {
  const voucherPair = () => pairAt(VOUCHER_CONTRACT)
  beforeEach(() => bank.mint(alice, 10n, VOUCHER))

  it('is an account with code and a nonce', () => {
    expect([view.code(VOUCHER_CONTRACT), view.nonce(VOUCHER_CONTRACT)]).toEqual([Uint8Array.of(0xfe), 1n])
    expect([VOUCHER_CONTRACT, TOKEN, alice].map((of) => isCoinContract(view, of))).toEqual([true, false, false])
  })

  it('does not replace an existing contract at its address', () => {
    view.setCode(bob, Uint8Array.of(0x60))
    erc20.createVoucherContract({ token: bob, denom: 'ibc/other', name: '', symbol: '', decimals: 0n })
    expect([view.code(bob), erc20.pairOf('ibc/other')]).toEqual([Uint8Array.of(0x60), undefined])
  })

  it('transfers vouchers, but not to addresses that cannot use them', () => {
    erc20.transferCoins(voucherPair(), alice, bob, 4n)
    erc20.transferCoins(voucherPair(), alice, alice, 6n)
    erc20.transferCoins(voucherPair(), alice, bob, 0n)
    expect([bank.balance(alice, VOUCHER), bank.balance(bob, VOUCHER)]).toEqual([6n, 4n])
    const refusal =
      (to: typeof bob, amount = 1n) =>
      () =>
        erc20.transferCoins(voucherPair(), alice, to, amount)
    expect(refusal(bob, 7n)).toThrow('ERC20: transfer amount exceeds balance')
    expect(refusal(ZERO_ADDRESS)).toThrow('ERC20: transfer to the zero address')
    expect(refusal(NATIVE_CONTRACT.ics20)).toThrow(
      `${toBech32('kest', NATIVE_CONTRACT.ics20)} is not allowed to receive funds: unauthorized`,
    )
  })

  it('stores allowances, and never reduces one of 2^256 - 1', () => {
    erc20.approve(voucherPair(), alice, bob, 5n)
    erc20.spendAllowance(voucherPair(), alice, bob, 2n)
    expect([erc20.allowance(voucherPair(), alice, bob), erc20.allowance(voucherPair(), bob, alice)]).toEqual([3n, 0n])
    expect(() => erc20.spendAllowance(voucherPair(), alice, bob, 4n)).toThrow('ERC20: insufficient allowance')
    erc20.approve(voucherPair(), alice, bob, MAX)
    erc20.spendAllowance(voucherPair(), alice, bob, 2n)
    expect(erc20.allowance(voucherPair(), alice, bob)).toBe(MAX)
    expect(() => erc20.approve(voucherPair(), alice, ZERO_ADDRESS, 1n)).toThrow('ERC20: approve to the zero address')
  })
})

describe("the base coin's pair, with cosmos/evm's interfaces", () => {
  const spec = { ...nativeSpec, interfaces: 'cosmos-evm', coinName: 'Kestrel' } as const
  beforeEach(() => {
    const context = moduleContext(view, { spec })
    erc20 = new Erc20(context, bank, () => 3n)
    view.setCode(WERC20, Uint8Array.of(0x60))
    erc20.initGenesis(readErc20Genesis(undefined))
  })

  it('has the coin’s names, and replaces what the genesis has at its address', () => {
    expect(erc20.pairOf('akest')).toEqual({
      token: WERC20,
      denom: 'akest',
      isEnabled: true,
      owner: 'module',
      name: 'Kestrel',
      symbol: 'KEST',
      decimals: 18n,
    })
    expect(view.code(WERC20)).toEqual(Uint8Array.of(0xfe))
  })

  it('moves only what may be spent: 3 of 10', () => {
    view.setBalance(alice, 10n)
    expect(() => erc20.transferCoins(pairAt(WERC20), alice, bob, 4n)).toThrow('ERC20: transfer amount exceeds balance')
    erc20.transferCoins(pairAt(WERC20), alice, bob, 3n)
    expect([view.balance(alice), view.balance(bob)]).toEqual([7n, 3n])
  })

  it('keeps its allowances while it is disabled', () => {
    erc20.approve(pairAt(WERC20), alice, bob, 5n)
    erc20.toggle(WERC20)
    const refusal = `token pair for address '${getAddress(WERC20)}' is disabled: erc20 token pair is disabled`
    expect(() => erc20.approve(pairAt(WERC20), alice, bob, 6n)).toThrow(refusal)
    expect(() => erc20.spendAllowance(pairAt(WERC20), alice, bob, 1n)).toThrow(refusal)
    expect(erc20.allowance(pairAt(WERC20), alice, bob)).toBe(5n)
  })
})

describe('the genesis section of token pairs', () => {
  it('has no pairs by default', () => {
    expect(readErc20Genesis(undefined)).toEqual({ enabled: true, pairs: [] })
  })

  it.each([
    [{ pair: [] }, 'kestrel.modules.erc20.pair: unknown field'],
    [{ pairs: [{ address: '0x12' }] }, 'kestrel.modules.erc20.pairs.0.address: expected an address of 20 bytes'],
    [{ pairs: [{ address: TOKEN }, { address: getAddress(TOKEN) }] }, 'expected each contract once'],
    [{ pairs: [{ address: TOKEN, decimals: 256 }] }, 'kestrel.modules.erc20.pairs.0.decimals'],
  ])('refuses %o', (json, refusal) => {
    expect(() => readErc20Genesis(json)).toThrow(refusal)
  })
})
