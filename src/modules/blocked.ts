// Blocked addresses (Cosmos SDK `BlockedAddr`): modules send them no native coins, because no key can spend them. Plain EVM
// transfers are not checked here; module accounts refuse those themselves (`precompiles/module-accounts.ts`).
import type { Address } from '../lib/hex.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../spec/addresses.ts'

const NATIVE: ReadonlySet<Address> = new Set([...Object.values(MODULE_ACCOUNT), ...Object.values(NATIVE_CONTRACT)])

/** Ethereum's precompiles: 0x01 to 0x11, and P256VERIFY (EIP-7951). */
const LAST_PRECOMPILE = 0x11n
const P256_VERIFY = 0x100n

/** Whether an account may not be named as a receiver: module accounts, native contracts, precompiles. */
export function isBlocked(of: Address): boolean {
  const number = BigInt(of)
  return NATIVE.has(of) || (number > 0n && number <= LAST_PRECOMPILE) || number === P256_VERIFY
}
