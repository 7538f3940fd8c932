// Prices and limits that differ by fork, each with its EIP. Those that are equal in all forks are in `gas-rules.ts`.
import type { Common } from '../ethereumjs/library-types.ts'
import { WARM_ACCESS } from './gas-rules.ts'
import { COLD_SLOT, type StoreGas, storeGas } from './sstore-gas.ts'

/** Numbers: the engine is given no more gas than they hold exactly. */
export type ForkGas = {
  /** First access to an account in a transaction, and each later one (EIP-2929). */
  readonly cold: number
  readonly warm: number
  /** Of a call that carries value, and of one that makes an account. */
  readonly value: number
  readonly newAccount: number
  /** Per byte of deployed code. */
  readonly codeByte: number
  readonly destroyRefund: number
  readonly expByte: number
  readonly initCodeWord: number
  /** Added to the warm price at the first access to a slot. */
  readonly coldSlot: number
  readonly maxCodeSize: number
  readonly maxInitCodeSize: number
  readonly store: StoreGas
}

const COLD_ACCOUNT = 2_600

export function forkGas(common: Common): ForkGas {
  const isBerlin = common.isActivatedEIP(2929)
  const isLondon = common.isActivatedEIP(3529)
  const limitsCode = common.gteHardfork('spuriousDragon')
  const limitsInitCode = common.isActivatedEIP(3860)
  return {
    cold: COLD_ACCOUNT,
    warm: WARM_ACCESS,
    value: 9_000,
    newAccount: 25_000,
    codeByte: 200,
    destroyRefund: isLondon ? 0 : 24_000,
    // EIP-160
    expByte: limitsCode ? 50 : 10,
    initCodeWord: limitsInitCode ? 2 : 0,
    coldSlot: isBerlin ? COLD_SLOT : 0,
    // EIP-170 and EIP-3860
    maxCodeSize: limitsCode ? 24_576 : Infinity,
    maxInitCodeSize: limitsInitCode ? 49_152 : Infinity,
    store: storeGas(common),
  }
}
