// The gas of one native call. The fixed prices of a precompile's functions assume a state of ordinary size; state accesses
// beyond that are charged per slot, so a call never becomes too cheap because the state has grown. With `nativeGas: 2` a call costs no
// less than its work besides: decoding, encoding, reads and changes, each at a measured price.
import type { CoinTransfer } from '../evm/native-call.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { NativeSpec } from '../spec/chain-spec.ts'
import type { Account, AccountProof, ChangedAccount, SlotAccess, StateView, TransactionDiff } from '../state/types.ts'

/**
 * The part of a fixed price that covers reading one slot or account, and changing one. Measured on two busy cores: 4 µs per
 * read, 23 µs per change with its part of the state root. So 1,000,000 gas cover at most 10,000 reads (40 ms) or 2,000 changes
 * (46 ms).
 */
const COVERED_GAS = { read: 100n, write: 500n }

/** Gas of a read that the fixed price does not cover. */
const READ_GAS = 200n

/** How a slot changes: from zero, to another value, to zero. A changed account counts as `changed`. */
export type SlotChange = 'fresh' | 'changed' | 'cleared'

/**
 * Gas of a change that the fixed price does not cover. The first two are SSTORE's for a cold slot (EIP-2929 with EIP-3529:
 * 22,100 and 5,000). SSTORE refunds 4,800 of its 5,000 for a cleared slot; 1,000 here covers the work.
 */
const WRITE_GAS: { readonly [C in SlotChange]: bigint } = { fresh: 22_100n, changed: 5_000n, cleared: 1_000n }

/**
 * Gas of the pieces of work of a call: that of a loop of keccak256 which takes as long, by `npm run bench:native` (7 ns a gas on two busy
 * cores). `call`: finding the function and opening the modules; a word of the input is decoded, one of the result or an event encoded.
 * `change`: with the slot's part of the state root and of the rows, so only the first one of a slot; `rewrite`: another one.
 */
export type WorkPrices = Readonly<
  Record<'call' | 'decodedWord' | 'encodedWord' | 'read' | 'change' | 'rewrite', bigint>
>
const WORK_GAS: WorkPrices = {
  call: 8_000n,
  decodedWord: 300n,
  encodedWord: 650n,
  read: 700n,
  change: 5_500n,
  rewrite: 1_200n,
}
const NO_WORK_GAS: WorkPrices = { call: 0n, decodedWord: 0n, encodedWord: 0n, read: 0n, change: 0n, rewrite: 0n }

/** By the chain's rule `kestrel.nativeGas`. */
export const workPrices = ({ nativeGas }: NativeSpec): WorkPrices => (nativeGas === 2 ? WORK_GAS : NO_WORK_GAS)

/** Thrown when a call runs out of gas. */
export class OutOfGas extends Error {}

/** Counts the gas of a call: the greater sum of prices and of work. Throws OutOfGas above its limit. */
export class GasMeter {
  readonly #limit: bigint
  readonly #workPrices: WorkPrices
  #priced = 0n
  #worked = 0n
  /** Gas of fixed prices that has not covered any state access yet. */
  #cover = 0n
  /** Slots and accounts that this call has changed already: changing them again adds no entry to the trie. */
  readonly #changed = new Map<Address, Set<bigint | 'account'>>()

  constructor(limit: bigint, work: WorkPrices = NO_WORK_GAS) {
    this.#limit = limit
    this.#workPrices = work
  }

  get used(): bigint {
    return this.#priced > this.#worked ? this.#priced : this.#worked
  }

  get left(): bigint {
    return this.#limit - this.used
  }

  /** Charges gas that covers no state access: the input. */
  spend(gas: bigint): void {
    this.#priced += gas
    this.#requireWithin()
  }

  /** Charges gas used by another contract. */
  spendInner(gas: bigint): void {
    this.#worked += gas
    this.spend(gas)
  }

  /** Charges a fixed price, which covers later state accesses. */
  charge(price: bigint): void {
    this.spend(price)
    this.#cover += price
  }

  /** Counts the beginning of the call and the decoding of its input. */
  begin(bytes: number): void {
    this.#work(this.#workPrices.call + this.#workPrices.decodedWord * wordsOf(bytes))
  }

  /** Counts the encoding of a result, or of an event with its topics. */
  encoded(bytes: number): void {
    this.#work(this.#workPrices.encodedWord * wordsOf(bytes))
  }

  /** Counts a read of a slot or an account. */
  read(): void {
    this.#access(COVERED_GAS.read, READ_GAS)
    this.#work(this.#workPrices.read)
  }

  /** Counts a change of a slot, or of the account itself. */
  write(of: Address, what: bigint | 'account', change: SlotChange): void {
    const changed = this.#changed.get(of) ?? new Set()
    if (changed.size === 0) this.#changed.set(of, changed)
    if (changed.has(what)) {
      this.#access(COVERED_GAS.read, READ_GAS)
      this.#work(this.#workPrices.rewrite)
      return
    }
    changed.add(what)
    this.#access(COVERED_GAS.write, WRITE_GAS[change])
    this.#work(this.#workPrices.change)
  }

  #access(covered: bigint, charged: bigint): void {
    if (this.#cover >= covered) this.#cover -= covered
    else this.spend(charged)
  }

  #work(gas: bigint): void {
    this.#worked += gas
    this.#requireWithin()
  }

  #requireWithin(): void {
    if (this.used > this.#limit) throw new OutOfGas()
  }
}

const wordsOf = (bytes: number): bigint => BigInt(Math.ceil(bytes / 32))

const changeOf = (before: bigint, after: bigint): SlotChange =>
  before === 0n ? 'fresh' : after === 0n ? 'cleared' : 'changed'

export class MeteredView implements StateView {
  readonly #view: StateView
  readonly #meter: GasMeter
  /** Coin transfers in order, without reverted ones. */
  readonly coinTransfers: CoinTransfer[] = []
  /** Lengths of `coinTransfers` at the open checkpoints. */
  readonly #checkpoints: number[] = []

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

  findCode(hash: Hash): Uint8Array | undefined {
    this.#meter.read()
    return this.#view.findCode(hash)
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
    if (amount > 0n && from !== to) this.coinTransfers.push({ from, to, value: amount })
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
    if (before === word) {
      this.#meter.read()
      return
    }
    this.#meter.write(of, slot, changeOf(before, word))
    this.#view.setStorage(of, slot, word)
  }

  overwriteStorage(of: Address, slot: bigint, word: bigint): void {
    this.setStorage(of, slot, word)
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

  // No native call uses the following members; they belong to the block.

  root(): Hash {
    return this.#view.root()
  }

  holds(of: Address): boolean {
    return this.#view.holds(of)
  }

  get size(): number {
    return this.#view.size
  }

  storageRoot(of: Address): Hash {
    return this.#view.storageRoot(of)
  }

  prove(of: Address, slots: readonly bigint[]): AccountProof {
    return this.#view.prove(of, slots)
  }

  checkpoint(): void {
    this.#checkpoints.push(this.coinTransfers.length)
    this.#view.checkpoint()
  }

  commit(): void {
    this.#checkpoints.pop()
    this.#view.commit()
  }

  revert(): void {
    this.coinTransfers.length = this.#checkpoints.pop() ?? 0
    this.#view.revert()
  }

  get checkpoints(): number {
    return this.#view.checkpoints
  }

  get storageId(): number {
    return this.#view.storageId
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

  accesses(): TransactionDiff {
    return this.#view.accesses()
  }

  fork(): StateView {
    return new MeteredView(this.#view.fork(), this.#meter)
  }

  get missing(): StateView['missing'] {
    return this.#view.missing
  }

  hasForkedStorage(of: Address): boolean {
    return this.#view.hasForkedStorage(of)
  }

  trial(): ReturnType<StateView['trial']> {
    return this.#view.trial()
  }
}
