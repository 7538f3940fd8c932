// The state as opcodes see it, for the account that runs: reads, writes, and what they cost in the fork.
import { type Address, equalBytes, fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { Account } from '../../state/types.ts'
import type { Host as Machine } from '../host.ts'
import type { Substate } from '../substate.ts'
import type { Host } from './host-imports.ts'
import { type Rules, warmStores } from './rules.ts'

const TOO_LITTLE_GAS = -1
const REFUND_BELOW_ZERO = -2

/** Nothing in it that would make it an account (EIP-161). */
export const isEmpty = (account: Account | undefined): boolean =>
  account === undefined || (account.balance === 0n && account.nonce === 0n && account.codeHash === EMPTY_CODE_HASH)

export class StateHost implements Host {
  /** In whose name code runs. */
  self: Address
  /** The opcode that runs was paid for at a proposal's price: nothing gets warm by it. */
  isPaid = false
  readonly catchUp: () => void
  readonly #around: Machine
  readonly #rules: Rules
  readonly #ledger: Substate
  readonly #blobHashes: readonly string[]

  constructor(
    around: Machine,
    rules: Rules,
    ledger: Substate,
    self: Address,
    blobHashes: readonly string[],
    catchUp: () => void,
  ) {
    this.catchUp = catchUp
    this.#around = around
    this.#rules = rules
    this.#ledger = ledger
    this.#blobHashes = blobHashes
    this.self = self
  }

  /** Another account's frame runs from now on. */
  enter(self: Address): void {
    this.self = self
  }

  sload(key: Hash): number {
    const { warms, gas } = this.#rules
    if (!warms || this.isPaid) return 0
    return this.#around.warmth.warmSlot(this.self, key) ? gas.coldSlot : gas.warm
  }

  word(key: Hash): Uint8Array {
    return this.#around.view.word(this.self, key)
  }

  sstore(key: Hash, value: Uint8Array, gas: number): number {
    const { view } = this.#around
    const current = view.word(this.self, key)
    const price = this.#storePrice(key, current, value, gas)
    if (price < 0) return price
    if (price > gas) return TOO_LITTLE_GAS
    if (!equalBytes(current, value)) view.setWord(this.self, key, value)
    return price
  }

  original(key: Hash): Uint8Array {
    return this.#around.view.originalWord(this.self, key)
  }

  stored(account: Address, key: Hash, value: Uint8Array): void {
    this.#around.view.setWord(account, key, value)
  }

  refunded(gas: number): void {
    this.#ledger.refund += gas
  }

  tload(key: Hash): Uint8Array {
    return this.#around.transient.load(this.self, key)
  }

  tstore(key: Hash, value: Uint8Array): void {
    this.#around.transient.store(this.self, key, value)
  }

  access(address: Address): number {
    const { warms, gas } = this.#rules
    if (!warms || this.isPaid) return 0
    const { warmth } = this.#around
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
    this.#ledger.logs.push(log)
    this.#around.tracer?.log?.(log)
  }

  /** Words are without leading zeros. Negative: why it fails. */
  #storePrice(key: Hash, current: Uint8Array, value: Uint8Array, gas: number): number {
    const { sstore, gas: prices, warms } = this.#rules
    if (sstore === 'by value') return this.#priceByValue(current, value)
    const isStipended = sstore === 'net with stipend'
    const p = isStipended ? prices.net : prices.early
    if (isStipended && gas <= prices.net.sentry) return TOO_LITTLE_GAS
    const wasCold = warms && !this.isPaid && this.#around.warmth.warmSlot(this.self, key)
    const price = this.#netPrice(p, key, current, value, warms && !wasCold)
    return wasCold && price >= 0 ? price + prices.coldSlot : price
  }

  #priceByValue(current: Uint8Array, value: Uint8Array): number {
    const { gas } = this.#rules
    if (current.length === 0) return value.length === 0 ? gas.reset : gas.set
    if (value.length === 0) this.#ledger.refund += gas.clearRefund
    return gas.reset
  }

  /** EIP-1283 and EIP-2200, with the changes of EIP-2929 and EIP-3529. */
  #netPrice(
    p: Rules['gas']['net'] | Rules['gas']['early'],
    key: Hash,
    current: Uint8Array,
    value: Uint8Array,
    isWarm: boolean,
  ): number {
    const ledger = this.#ledger
    const { gas } = this.#rules
    const { noop, initRefund, cleanRefund } = isWarm ? warmStores(gas, true) : p
    if (equalBytes(current, value)) return noop
    const original = this.#around.view.originalWord(this.self, key)
    if (equalBytes(original, current)) {
      if (original.length === 0) return p.init
      if (value.length === 0) ledger.refund += p.clearRefund
      return p.clean
    }
    if (original.length > 0) {
      if (current.length === 0) {
        ledger.refund -= p.clearRefund
        if (ledger.refund < 0) return REFUND_BELOW_ZERO
      } else if (value.length === 0) ledger.refund += p.clearRefund
    }
    if (equalBytes(original, value)) {
      ledger.refund += original.length === 0 ? initRefund : cleanRefund
    }
    return p.dirty
  }
}
