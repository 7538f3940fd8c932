// Module accounts refuse messages with a reason and leave the gas that is left. Their coins are the module's, and a plain
// transfer to one would be lost to the sender (the Cosmos SDK refuses it as well).
import type { NativeContract } from '../evm/native-call.ts'
import type { Address } from '../lib/hex.ts'
import { MODULE_NAME, moduleAddress } from '../spec/addresses.ts'
import { errorString } from './abi.ts'

function moduleAccount(name: string): NativeContract {
  const [coins, call] = [
    errorString(`module account ${name} is not allowed to receive funds: unauthorized`),
    errorString(`module account ${name} has no functions`),
  ]
  return {
    address: moduleAddress(name),
    run: ({ value }) => ({ output: value > 0n ? coins : call, gasUsed: 0n, logs: [], error: 'revert' }),
  }
}

/** All of them by address; they are no precompiles, so that they are not warm from the start (EIP-2929). */
export const MODULE_ACCOUNTS: ReadonlyMap<Address, NativeContract> = new Map(
  Object.values(MODULE_NAME)
    .map(moduleAccount)
    .map((account) => [account.address, account]),
)
