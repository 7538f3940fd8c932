// The ERC-20 interface of an IBC voucher, at the last 20 bytes of its trace's hash. Balances are the bank's, so coin and token
// are the same asset; allowances are stored at this address. Only vouchers that this chain has received have the interface.
import { parseAbi } from 'viem'
import type { NativeContract } from '../evm/native-call.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { isVoucherContract } from '../modules/erc20/erc20.ts'
import type { Pair } from '../modules/erc20/layout.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { definePrecompile, type FaultReport, implement, type ReadCall } from './define.ts'
import { namedAbi } from './named-abi.ts'

const abi = namedAbi(
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

const voucherAt = (address: Address) => {
  const pair = ({ modules }: ReadCall): Pair => {
    const pair = modules.erc20.pair(address)
    if (pair === undefined) throw new ChainError('execution-reverted', 'token pair not found')
    return pair
  }
  return definePrecompile({
    name: 'voucher',
    address,
    since: 0n,
    abi,
    functions: implement(abi, {
      gas,
      functions: {
        name: (call) => [pair(call).name],
        symbol: (call) => [pair(call).symbol],
        decimals: (call) => [pair(call).decimals],
        totalSupply: (call) => [call.modules.bank.supply(pair(call).denom)],
        balanceOf: (call, account) => [call.modules.bank.balance(account, pair(call).denom)],
        allowance: (call, owner, spender) => [call.modules.erc20.allowance(pair(call), owner, spender)],
        transfer(call, to, value) {
          call.modules.erc20.transferVouchers(pair(call), call.caller, to, value)
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
          erc20.spendAllowance(pair(call), from, call.caller, value)
          erc20.transferVouchers(pair(call), from, to, value)
          call.emit('Transfer', { from, to, value })
          return [true]
        },
      },
    }),
  })
}

/** Finds the voucher contracts in the state of a block. */
export function voucherContracts(
  spec: NativeSpec,
  report: FaultReport,
): (view: StateView, address: Address) => NativeContract | undefined {
  const made = new Map<Address, NativeContract>()
  return (view, address) => {
    if (!isVoucherContract(view, address)) return undefined
    const known = made.get(address) ?? voucherAt(address).on(spec, report)
    made.set(address, known)
    return known
  }
}
