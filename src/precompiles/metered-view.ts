// A state view that counts the reads and writes of a native call. The modules of a call have no other access to the
// state, so all their work is charged, and they contain no code for gas.
import type { Address, Hash } from '../lib/hex.ts'
import type { Account, AccountProof, ChangedAccount, SlotAccess, StateView, TransactionDiff } from '../state/types.ts'
import type { GasMeter, SlotChange } from './gas-meter.ts'

const changeOf = (before: bigint, after: bigint): SlotChange =>
  before === 0n ? 'fresh' : after === 0n ? 'cleared' : 'changed'

export class MeteredView implements StateView {
  readonly #view: StateView
  readonly #meter: GasMeter

  constructor(view: StateView, meter: GasMeter) {
    this.#view = view
    this.#meter = meter
  }

  get balanceNotes(): Set<string> {
    return this.#view.balanceNotes
  }

  account(of: Address): Account | undefined {
    this.#meter.read()
    return this.#view.account(of)
  }

  balance(of: Address): bigint {
    this.#meter.read()
    return this.#view.balance(of)
  }

  nonce(of: Address): bigint {
    this.#meter.read()
    return this.#view.nonce(of)
  }

  code(of: Address): Uint8Array {
    this.#meter.read()
    return this.#view.code(of)
  }

  codeWith(hash: Hash): Uint8Array {
    this.#meter.read()
    return this.#view.codeWith(hash)
  }

  setAccount(of: Address, account: Account | undefined): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.setAccount(of, account)
  }

  setBalance(of: Address, amount: bigint): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.setBalance(of, amount)
  }

  setNonce(of: Address, nonce: bigint): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.setNonce(of, nonce)
  }

  setCode(of: Address, code: Uint8Array): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.setCode(of, code)
  }

  addBalance(of: Address, amount: bigint): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.addBalance(of, amount)
  }

  transfer(from: Address, to: Address, amount: bigint): void {
    this.addBalance(from, -amount)
    this.addBalance(to, amount)
  }

  deleteAccount(of: Address): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.deleteAccount(of)
  }

  storage(of: Address, slot: bigint): bigint {
    this.#meter.read()
    return this.#view.storage(of, slot)
  }

  setStorage(of: Address, slot: bigint, word: bigint): void {
    const before = this.#view.storage(of, slot)
    if (before === word) this.#meter.read()
    else this.#meter.write(of, slot, changeOf(before, word))
    this.#view.setStorage(of, slot, word)
  }

  clearStorage(of: Address): void {
    this.#meter.write(of, 'account', 'changed')
    this.#view.clearStorage(of)
  }

  hasStorage(of: Address): boolean {
    this.#meter.read()
    return this.#view.hasStorage(of)
  }

  word(of: Address, key: Hash): Uint8Array {
    this.#meter.read()
    return this.#view.word(of, key)
  }

  setWord(of: Address, key: Hash, word: Uint8Array): void {
    this.#meter.write(of, BigInt(key), 'fresh')
    this.#view.setWord(of, key, word)
  }

  originalWord(of: Address, key: Hash): Uint8Array {
    this.#meter.read()
    return this.#view.originalWord(of, key)
  }

  slots(of: Address, access: 'read' | 'write'): SlotAccess {
    return {
      load: (slot) => this.storage(of, slot),
      store: (slot, word) => {
        if (access === 'read') throw new Error('storage opened for reading was written')
        this.setStorage(of, slot, word)
      },
    }
  }

  // No native call asks for what follows: it is the block's, not the call's.

  root(): Hash {
    return this.#view.root()
  }

  prove(of: Address, slots: readonly bigint[]): AccountProof {
    return this.#view.prove(of, slots)
  }

  checkpoint(): void {
    this.#view.checkpoint()
  }

  commit(): void {
    this.#view.commit()
  }

  revert(): void {
    this.#view.revert()
  }

  beginTransaction(): void {
    this.#view.beginTransaction()
  }

  changedAccounts(): readonly ChangedAccount[] {
    return this.#view.changedAccounts()
  }

  transactionDiff(): TransactionDiff {
    return this.#view.transactionDiff()
  }

  fork(): StateView {
    return new MeteredView(this.#view.fork(), this.#meter)
  }
}
