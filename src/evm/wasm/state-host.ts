// The state as opcodes see it, for the account that runs: reads, writes, and what is warm. What they cost the engine works
// out, but for accounts that are accessed.
import { type Address, fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { Account } from '../../state/types.ts'
import type { Host as Machine } from '../host.ts'
import type { Substate } from '../substate.ts'
import type { OpcodeHost } from './module-interface.ts'
import type { Rules } from './rules.ts'

/** Nothing in it that would make it an account (EIP-161). */
export const isEmpty = (account: Account | undefined): boolean =>
  account === undefined || (account.balance === 0n && account.nonce === 0n && account.codeHash === EMPTY_CODE_HASH)

export class StateHost implements OpcodeHost {
  /** In whose name code runs. */
  self: Address
  /** The opcode that runs was paid for at a proposal's price: nothing gets warm by it. */
  isPrepaid = false
  readonly adoptFrames: () => void
  readonly #around: Machine
  readonly #rules: Rules
  readonly #substate: Substate
  readonly #blobHashes: readonly string[]

  constructor(
    around: Machine,
    rules: Rules,
    substate: Substate,
    self: Address,
    blobHashes: readonly string[],
    catchUp: () => void,
  ) {
    this.adoptFrames = catchUp
    this.#around = around
    this.#rules = rules
    this.#substate = substate
    this.#blobHashes = blobHashes
    this.self = self
  }

  /** Another account's frame runs from now on. */
  enter(self: Address): void {
    this.self = self
  }

  accessSlot(key: Hash): boolean {
    return this.#rules.tracksAccess && !this.isPrepaid && this.#around.accessJournal.warmSlot(this.self, key)
  }

  word(key: Hash): Uint8Array {
    return this.#around.view.word(this.self, key)
  }

  original(key: Hash): Uint8Array {
    return this.#around.view.originalWord(this.self, key)
  }

  store(account: Address, key: Hash, value: Uint8Array): void {
    this.#around.view.setWord(account, key, value)
  }

  addRefund(gas: number): void {
    this.#substate.refund += gas
  }

  tload(key: Hash): Uint8Array {
    return this.#around.transient.load(this.self, key)
  }

  tstore(key: Hash, value: Uint8Array): void {
    this.#around.transient.store(this.self, key, value)
  }

  access(address: Address): number {
    const { tracksAccess: warms, gas } = this.#rules
    if (!warms || this.isPrepaid) return 0
    const { accessJournal: warmth } = this.#around
    if (warmth.isWarm(address)) return gas.warm
    warmth.warm(address)
    return gas.cold
  }

  balance(address: Address): bigint {
    return this.#around.view.balance(address)
  }

  selfBalance(): bigint {
    return this.#around.view.balance(this.self)
  }

  code(address: Address): Uint8Array {
    return this.#around.view.code(address)
  }

  codeHash(address: Address): Hash | undefined {
    const account = this.#around.view.account(address)
    return account === undefined || isEmpty(account) ? undefined : account.codeHash
  }

  blockHash(number: bigint): Hash | undefined {
    return this.#around.blockHash(number)
  }

  blobHash(index: number): Hash | undefined {
    const hash = this.#blobHashes[index]
    return hash === undefined ? undefined : toHash(fromHex(hash))
  }

  log(topics: Hash[], data: Uint8Array): void {
    const log = { address: this.self, topics, data }
    this.#substate.logs.push(log)
    this.#around.tracer?.log?.(log)
  }
}
