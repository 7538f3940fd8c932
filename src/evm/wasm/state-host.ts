// The host functions of opcodes that read and write the state of the executing account and track accessed slots. The
// engine computes their gas; only the gas of accessing an account (EIP-2929) is computed here.
import { type Address, fromHex, type Hash, toHash } from '../../lib/hex.ts'
import { isEmpty } from '../../state/accounts.ts'
import type { Host as Machine } from '../host.ts'
import type { Substate } from '../substate.ts'
import type { OpcodeHost } from './module-interface.ts'
import type { EngineRules } from './rules.ts'

export class StateHost implements OpcodeHost {
  /** The account that executes. */
  self: Address
  /** Whether the current opcode was paid at a proposal's price; it then makes no account or slot warm. */
  isPrepaid = false
  readonly adoptFrames: () => void
  readonly #machine: Machine
  readonly #rules: EngineRules
  readonly #substate: Substate
  readonly #blobHashes: readonly string[]

  constructor(
    machine: Machine,
    rules: EngineRules,
    substate: Substate,
    self: Address,
    blobHashes: readonly string[],
    catchUp: () => void,
  ) {
    this.adoptFrames = catchUp
    this.#machine = machine
    this.#rules = rules
    this.#substate = substate
    this.#blobHashes = blobHashes
    this.self = self
  }

  /** Sets the executing account. */
  enter(self: Address): void {
    this.self = self
  }

  get storageId(): number {
    return this.#machine.view.storageId
  }

  takeSlots(): void {
    this.#machine.accessJournal.takeSlots()
  }

  accessSlot(key: Hash): boolean {
    return this.#rules.forks.berlin && !this.isPrepaid && this.#machine.accessJournal.warmSlot(this.self, key)
  }

  word(key: Hash): Uint8Array {
    return this.#machine.view.word(this.self, key)
  }

  original(key: Hash): Uint8Array {
    return this.#machine.view.originalWord(this.self, key)
  }

  store(account: Address, key: Hash, value: Uint8Array): void {
    this.#machine.view.setWord(account, key, value)
  }

  readSlot(account: Address, key: Hash): void {
    this.#machine.stateAccesses?.slot(account, key)
  }

  addRefund(gas: number): void {
    this.#substate.refund += gas
  }

  tload(key: Hash): Uint8Array {
    return this.#machine.transient.load(this.self, key)
  }

  tstore(key: Hash, value: Uint8Array): void {
    this.#machine.transient.store(this.self, key, value)
  }

  access(address: Address): number {
    const { forks, gas } = this.#rules
    if (!forks.berlin || this.isPrepaid) return 0
    const { accessJournal: warmth } = this.#machine
    if (warmth.isWarm(address)) return gas.warm
    warmth.warm(address)
    return gas.cold
  }

  balance(address: Address): bigint {
    this.#machine.stateAccesses?.account(address)
    return this.#machine.view.balance(address)
  }

  selfBalance(): bigint {
    return this.#machine.view.balance(this.self)
  }

  code(address: Address): Uint8Array {
    this.#machine.stateAccesses?.account(address)
    return this.#machine.view.code(address)
  }

  codeHash(address: Address): Hash | undefined {
    this.#machine.stateAccesses?.account(address)
    const account = this.#machine.view.account(address)
    return account === undefined || isEmpty(account) ? undefined : account.codeHash
  }

  blockHash(number: bigint): Hash | undefined {
    return this.#machine.blockHash(number)
  }

  blobHash(index: number): Hash | undefined {
    const hash = this.#blobHashes[index]
    return hash === undefined ? undefined : toHash(fromHex(hash))
  }

  log(topics: Hash[], data: Uint8Array): void {
    const log = { address: this.self, topics, data }
    this.#substate.logs.push(log)
    this.#machine.tracer?.log?.(log)
  }
}
