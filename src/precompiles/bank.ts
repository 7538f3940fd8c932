// Bank: balances and supplies by token contract: that of the coin's token pair, or for the base coin the zero address, which is
// WERC20 with cosmos/evm's interfaces. (The functions are those of Evmos v16.)
import { ZERO_ADDRESS } from '../lib/hex.ts'
import type { Coin } from '../modules/bank.ts'
import { NATIVE_CONTRACT, WERC20 } from '../spec/addresses.ts'
import { definePrecompile, implement, type ReadCall } from './define.ts'
import { bankAbi } from './generated/abi.ts'

/** Gas of each listed item after the first, which the function's price includes. */
const BALANCE_GAS = 2_851n
const SUPPLY_GAS = 2_477n

/** Coins by their contracts; coins without a contract are left out. */
function byContract({ modules, spec, charge }: ReadCall, coins: readonly Coin[], gasOfOne: bigint) {
  const base = spec.interfaces === 'cosmos-evm' ? WERC20 : ZERO_ADDRESS
  const listed = coins.flatMap(({ denom, amount }) => {
    const contractAddress = denom === spec.denom ? base : modules.erc20.tokenOf(denom)
    return contractAddress === undefined ? [] : [{ contractAddress, amount }]
  })
  if (listed.length > 1) charge(gasOfOne * BigInt(listed.length - 1))
  return listed
}

export const bank = definePrecompile({
  name: 'bank',
  address: NATIVE_CONTRACT.bank,
  since: 0n,
  abi: bankAbi,
  functions: implement(bankAbi, {
    gas: { balances: BALANCE_GAS, totalSupply: SUPPLY_GAS, supplyOf: SUPPLY_GAS },
    functions: {
      balances: (call, account) => [byContract(call, call.modules.bank.balances(account), BALANCE_GAS)],
      totalSupply: (call) => [byContract(call, call.modules.bank.supplies(), SUPPLY_GAS)],
      supplyOf({ modules }, erc20Address) {
        if (erc20Address === ZERO_ADDRESS) return [modules.bank.supply()]
        const pair = modules.erc20.pair(erc20Address)
        return [pair === undefined ? 0n : modules.bank.supply(pair.denom)]
      },
    },
  }),
})
