// The state as opcodes see it, for the account that runs: reads, writes, and what is warm. What they cost the engine works
// out, but for accounts that are accessed.
import { type Address, fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { Account } from '../../state/types.ts'
import type { Host } from './host-imports.ts'
import type { Ledger } from './ledger.ts'
import type { Rules } from './rules.ts'
import type { Surroundings } from './surroundings.ts'

/** What another account sees of code in EOF, which is no fork of Ethereum: its first two bytes. */
const EOF_CODE = Uint8Array.of(0xef, 0x00)
const EOF_HASH = keccakHash(EOF_CODE)
const isEof = (code: Uint8Array): boolean => code[0] === 0xef && code[1] === 0x00

/** Nothing in it that would make it an account (EIP-161). */
export const isEmpty = (account: Account | undefined): boolean =>
  account === undefined || (account.balance === 0n && account.nonce === 0n && account.codeHash === EMPTY_CODE_HASH)

export class StateHost implements Host {
  /** In whose name code runs. */
  self: Address
  readonly catchUp: () => void
  readonly #around: Surroundings
  readonly #rules: Rules
  readonly #ledger: Ledger
  readonly #blobHashes: readonly string[]

  constructor(
    around: Surroundings,
    rules: Rules,
    ledger: Ledger,
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

  accessSlot(key: Hash): boolean {
    return this.#rules.warms && this.#around.warmth.warmSlot(this.self, key)
  }

  word(key: Hash): Uint8Array {
    return this.#around.view.word(this.self, key)
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
    if (!warms) return 0
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
    const code = this.#around.view.code(address)
    return isEof(code) ? EOF_CODE : code
  }

  codeHash(address: Address): Hash | undefined {
    const account = this.#around.view.account(address)
    if (account === undefined || isEmpty(account)) return undefined
    return isEof(this.#around.view.code(address)) ? EOF_HASH : account.codeHash
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
}
