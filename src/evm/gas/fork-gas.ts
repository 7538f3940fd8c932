// Prices and limits that differ by fork, each with its EIP. Those that are equal in all forks are in `gas-rules.ts`.
import type { ForkRules } from '../../spec/fork-rules.ts'
import { WARM_ACCESS } from './gas-rules.ts'
import { COLD_SLOT, type StoreGas, storeGas } from './sstore-gas.ts'

/** Numbers, not bigints: the engine never gets more gas than they represent exactly. */
export type ForkGas = {
  /** First access to an account in a transaction, and each later one (EIP-2929). */
  readonly cold: number
  readonly warm: number
  /** A call with value, and a call that creates an account. */
  readonly value: number
  readonly newAccount: number
  /** Per byte of deployed code. */
  readonly codeByte: number
  readonly destroyRefund: number
  readonly expByte: number
  readonly initCodeWord: number
  /** Added to the warm price for the first access to a slot. */
  readonly coldSlot: number
  readonly maxCodeSize: number
  readonly maxInitCodeSize: number
  readonly store: StoreGas
}

const COLD_ACCOUNT = 2_600

export function forkGas(rules: ForkRules): ForkGas {
  const { spuriousDragon, berlin, london, shanghai } = rules
  return {
    cold: COLD_ACCOUNT,
    warm: WARM_ACCESS,
    value: 9_000,
    newAccount: 25_000,
    codeByte: 200,
    // EIP-3529
    destroyRefund: london ? 0 : 24_000,
    // EIP-160
    expByte: spuriousDragon ? 50 : 10,
    initCodeWord: shanghai ? 2 : 0,
    coldSlot: berlin ? COLD_SLOT : 0,
    // EIP-170 and EIP-3860
    maxCodeSize: spuriousDragon ? 24_576 : Infinity,
    maxInitCodeSize: shanghai ? 49_152 : Infinity,
    store: storeGas(rules),
  }
}
