// Prices and limits that differ by fork, each with its EIP. Those that are equal in all forks are in `gas-rules.ts`.
import { maxCodeSize, maxInitCodeSize } from '../../primitives/gas.ts'
import type { ForkRules } from '../../spec/fork-rules.ts'
import { CALL_STIPEND, KECCAK_WORD, WARM_ACCESS } from './gas-rules.ts'
import { COLD_SLOT, type StoreGas, storeGas } from './sstore-gas.ts'

/** Numbers, not bigints: the engine never gets more gas than they represent exactly. */
export type ForkGas = {
  /** First access to an account in a transaction, and each later one (EIP-2929). */
  readonly cold: number
  readonly warm: number
  /** EXTCODESIZE and EXTCODECOPY, for the second read that the code takes (EIP-8038). */
  readonly codeRead: number
  /** A call with value, and a call or a SELFDESTRUCT that creates an account. */
  readonly value: number
  readonly newAccount: number
  readonly newHeir: number
  /** Per byte of deployed code, and per word for its hash. */
  readonly codeByte: number
  readonly codeWord: number
  readonly destroyRefund: number
  readonly expByte: number
  readonly initCodeWord: number
  /** SLOAD on a slot that the transaction has not accessed, and what SSTORE adds there. */
  readonly coldSlot: number
  readonly coldStore: number
  readonly maxCodeSize: number
  readonly maxInitCodeSize: number
  readonly store: StoreGas
  readonly state: StateGas
}

/** State gas (EIP-8037), which pays for what the state grows by. All 0 before Amsterdam. */
export type StateGas = {
  readonly account: number
  readonly slot: number
  /** Per byte of deployed code. */
  readonly codeByte: number
  /** Of a delegation that an account had not (EIP-7702). */
  readonly delegation: number
  /** Reservoir of a system call. */
  readonly systemCall: number
}

const COLD_ACCOUNT = 2_600
/** EIP-8038. */
const COLD_ACCOUNT_AMSTERDAM = 3_000
const ACCOUNT_WRITE = 9_000
/** EIP-8037: bytes of an account, of a slot and of a delegation, and the gas of each. */
const [ACCOUNT_BYTES, SLOT_BYTES, DELEGATION_BYTES] = [120, 64, 23]
const STATE_BYTE = 1_530
/** EIP-8037: slots that the reservoir of a system call pays for. */
const SYSTEM_CALL_SLOTS = 16

const NO_STATE_GAS: StateGas = { account: 0, slot: 0, codeByte: 0, delegation: 0, systemCall: 0 }
const STATE_GAS: StateGas = {
  account: ACCOUNT_BYTES * STATE_BYTE,
  slot: SLOT_BYTES * STATE_BYTE,
  codeByte: STATE_BYTE,
  delegation: DELEGATION_BYTES * STATE_BYTE,
  systemCall: SYSTEM_CALL_SLOTS * SLOT_BYTES * STATE_BYTE,
}

export function forkGas(rules: ForkRules): ForkGas {
  const { spuriousDragon, berlin, london, shanghai, amsterdamOpcodes, amsterdam } = rules
  const coldSlot = berlin ? COLD_SLOT : 0
  return {
    cold: amsterdamOpcodes ? COLD_ACCOUNT_AMSTERDAM : COLD_ACCOUNT,
    warm: WARM_ACCESS,
    codeRead: amsterdamOpcodes ? WARM_ACCESS : 0,
    value: amsterdamOpcodes ? ACCOUNT_WRITE + CALL_STIPEND : 9_000,
    newAccount: amsterdamOpcodes ? 0 : 25_000,
    newHeir: amsterdamOpcodes ? ACCOUNT_WRITE : 25_000,
    codeByte: amsterdam ? 0 : 200,
    codeWord: amsterdam ? KECCAK_WORD : 0,
    // EIP-3529
    destroyRefund: london ? 0 : 24_000,
    // EIP-160
    expByte: spuriousDragon ? 50 : 10,
    initCodeWord: shanghai ? 2 : 0,
    coldSlot,
    coldStore: amsterdamOpcodes ? coldSlot - WARM_ACCESS : coldSlot,
    maxCodeSize: maxCodeSize(rules),
    maxInitCodeSize: maxInitCodeSize(rules),
    store: storeGas(rules),
    state: amsterdamOpcodes ? STATE_GAS : NO_STATE_GAS,
  }
}
