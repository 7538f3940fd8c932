// Bank: what accounts hold and what exists, by token contract. The base coin has no contract here: it stands under
// the zero address. (The functions are those of Evmos v16.)
import { parseAbi } from 'viem'
import { ZERO_ADDRESS } from '../lib/hex.ts'
import { NATIVE_CONTRACT } from '../spec/addresses.ts'
import { definePrecompile, implement } from './define.ts'

const abi = parseAbi([
  'struct Balance { address contractAddress; uint256 amount; }',
  'function balances(address account) view returns (Balance[] balances)',
  'function totalSupply() view returns (Balance[] totalSupply)',
  'function supplyOf(address erc20Address) view returns (uint256 totalSupply)',
])

/** A list with what there is of the base coin; nothing is not listed. */
const baseCoin = (amount: bigint) => (amount === 0n ? [] : [{ contractAddress: ZERO_ADDRESS, amount }])

export const bank = definePrecompile({
  name: 'bank',
  address: NATIVE_CONTRACT.bank,
  since: 0n,
  interfaces: [
    implement({
      abi,
      gas: { balances: 2_851n, totalSupply: 2_477n, supplyOf: 2_477n },
      functions: {
        balances({ modules }, account) {
          return [baseCoin(modules.bank.balance(account))]
        },
        totalSupply({ modules }) {
          return [baseCoin(modules.bank.supply())]
        },
        supplyOf({ modules }, erc20Address) {
          return [erc20Address === ZERO_ADDRESS ? modules.bank.supply() : 0n]
        },
      },
    }),
  ],
})
