// The ERC-20 contracts of coins. Balances are the bank's, so coin and token are the same asset; allowances are stored at the
// contract's address. A voucher that this chain has received has its contract at the last 20 bytes of its trace's hash; the base
// coin has WERC20, on chains with cosmos/evm's interfaces, whose deposits and withdrawals move nothing.
import { parseAbi } from 'viem'
import type { NativeContract } from '../evm/native-call.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { isCoinContract } from '../modules/erc20/erc20.ts'
import type { Pair } from '../modules/erc20/layout.ts'
import { reverted } from '../modules/module.ts'
import { WERC20 } from '../spec/addresses.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { definePrecompile, type FaultReport, implement, type ReadCall } from './define.ts'
import { werc20Abi } from './generated/cosmos-evm.ts'
import { namedAbi } from './named-abi.ts'

const tokenAbi = namedAbi(
  parseAbi([
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address account) view returns (uint256)',
    'function allowance(address owner, address spender) view returns (uint256)',
    'function transfer(address to, uint256 value) returns (bool)',
    'function approve(address spender, uint256 value) returns (bool)',
    'function transferFrom(address from, address to, uint256 value) returns (bool)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
  ]),
)

/** About the cost of a Solidity token, including the gas of the input. */
const gas = {
  name: 2_600n,
  symbol: 2_600n,
  decimals: 2_600n,
  totalSupply: 2_477n,
  balanceOf: 2_851n,
  allowance: 2_600n,
  transfer: 25_000n,
  approve: 20_000n,
  transferFrom: 30_000n,
}

type PairOf = (call: ReadCall) => Pair

const pairAt =
  (address: Address): PairOf =>
  ({ modules }) => {
    const pair = modules.erc20.pair(address)
    if (pair === undefined) throw new ChainError('execution-reverted', 'token pair not found')
    return pair
  }

const tokenFunctions = (pair: PairOf) =>
  implement(tokenAbi, {
    gas,
    functions: {
      name: (call) => [pair(call).name],
      symbol: (call) => [pair(call).symbol],
      decimals: (call) => [pair(call).decimals],
      totalSupply: (call) => [call.modules.bank.supply(pair(call).denom)],
      balanceOf: (call, account) => [call.modules.bank.balance(account, pair(call).denom)],
      allowance: (call, owner, spender) => [call.modules.erc20.allowance(pair(call), owner, spender)],
      transfer(call, to, value) {
        call.modules.erc20.transferCoins(pair(call), call.caller, to, value)
        call.emit('Transfer', { from: call.caller, to, value })
        return [true]
      },
      approve(call, spender, value) {
        call.modules.erc20.approve(pair(call), call.caller, spender, value)
        call.emit('Approval', { owner: call.caller, spender, value })
        return [true]
      },
      transferFrom(call, from, to, value) {
        const { erc20 } = call.modules
        const left = erc20.spendAllowance(pair(call), from, call.caller, value)
        erc20.transferCoins(pair(call), from, to, value)
        call.emit('Transfer', { from, to, value })
        if (call.spec.interfaces === 'cosmos-evm')
          call.emit('Approval', { owner: from, spender: call.caller, value: left })
        return [true]
      },
    },
  })

const voucherAt = (address: Address) =>
  definePrecompile({ name: 'voucher', address, since: 0n, abi: tokenAbi, functions: tokenFunctions(pairAt(address)) })

const basePair = pairAt(WERC20)

/** The base coin's contract, on chains with cosmos/evm's interfaces. */
export const werc20 = definePrecompile({
  name: 'werc20',
  address: WERC20,
  since: 0n,
  abi: werc20Abi,
  folder: 'cosmos-evm',
  fallback: 'deposit',
  functions: {
    ...tokenFunctions(basePair),
    ...implement(werc20Abi, {
      // cosmos/evm's prices.
      gas: { deposit: 23_878n, withdraw: 9_207n },
      functions: {
        deposit(call) {
          const { caller, value } = call
          call.modules.bank.transfer(WERC20, caller, value)
          call.emit('Deposit', { dst: caller, wad: value })
          return []
        },
        withdraw(call, wad) {
          const spendable = call.modules.erc20.spendable(basePair(call), call.caller)
          if (spendable < wad) throw reverted(`account balance ${spendable} is lower than withdraw balance ${wad}`)
          call.emit('Withdrawal', { src: call.caller, wad })
          return []
        },
      },
    }),
  },
})

/** Finds the contracts of vouchers in the state of a block. */
export function voucherContracts(
  spec: NativeSpec,
  report: FaultReport,
): (view: StateView, address: Address) => NativeContract | undefined {
  const made = new Map<Address, NativeContract>()
  return (view, address) => {
    if (!isCoinContract(view, address)) return undefined
    const known = made.get(address) ?? voucherAt(address).on(spec, report)
    made.set(address, known)
    return known
  }
}
