// What a transaction has warmed (EIP-2929), touched (EIP-161) and stored for its own time (EIP-1153), as plain sets with
// an undo log each, in the place of the library's. Its opcodes and the engine write in the same ones; nothing awaits.
import type { EVM } from '@ethereumjs/evm'
import type { Account as LibAccount, Address as LibAddress } from '@ethereumjs/util'
import { type Address, EMPTY_BYTES, type Hash, toHex } from '../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { StateView } from '../state/types.ts'
import { addressOf, type StateAdapter } from './state-adapter.ts'

/** What undoing an entry takes back: the account's warmth, its being touched, or else the warmth of that slot. */
const WARMED = 'warmed'
const TOUCHED = 'touched'

/** Stays touched whatever is undone: what happened on the main chain before EIP-161 was understood. */
const RIPEMD160 = `0x${'3'.padStart(40, '0')}`

type Warm = Map<string, Set<string>>

export class Journal {
  /** Which addresses and slots were accessed, without `0x`, while somebody wants to know. */
  accessList: Map<string, Set<string>> | undefined
  readonly #view: StateView
  readonly #state: StateAdapter
  /** EIP-161 holds. */
  readonly #clears: boolean
  #always: Warm = new Map()
  #warm: Warm = new Map()
  #touched = new Set<string>()
  #whose: string[] = []
  #what: string[] = []
  #marks: number[] = []

  constructor(view: StateView, state: StateAdapter, clears: boolean) {
    this.#view = view
    this.#state = state
    this.#clears = clears
  }

  // --- checkpoints of the journal and of the view

  open(): void {
    this.#marks.push(this.#whose.length)
    this.#view.checkpoint()
  }

  close(): void {
    this.#marks.pop()
    this.#view.commit()
  }

  undo(): void {
    const mark = this.#marks.pop() ?? 0
    for (let i = this.#whose.length - 1; i >= mark; i--) {
      const address = this.#whose[i] ?? ''
      const what = this.#what[i] ?? ''
      if (what === WARMED) this.#warm.delete(address)
      else if (what !== TOUCHED) this.#warm.get(address)?.delete(what)
      else if (address !== RIPEMD160) this.#touched.delete(address)
    }
    this.#whose.length = mark
    this.#what.length = mark
    this.#view.revert()
  }

  // --- accounts

  touch(address: Address): void {
    if (this.#touched.has(address)) return
    this.#touched.add(address)
    this.#log(address, TOUCHED)
  }

  /** Touched accounts that are empty go (EIP-161), and everything is forgotten. */
  clear(): void {
    if (this.#clears) {
      for (const address of this.#touched as Set<Address>) {
        const account = this.#view.account(address)
        const isEmpty = account?.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
        if (account === undefined || isEmpty) this.#view.deleteAccount(address)
      }
    }
    this.#always = new Map()
    this.#warm = new Map()
    this.#touched = new Set()
    this.#whose.length = 0
    this.#what.length = 0
    this.#marks.length = 0
    this.accessList = undefined
  }

  // --- warmth

  isWarm(address: Address): boolean {
    return this.#warm.has(address) || this.#always.has(address)
  }

  warm(address: Address): void {
    if (!this.#warm.has(address)) {
      this.#warm.set(address, new Set())
      this.#log(address, WARMED)
    }
    this.#report(address)
  }

  isWarmSlot(address: Address, key: Hash): boolean {
    return this.#warm.get(address)?.has(key) === true || this.#always.get(address)?.has(key) === true
  }

  warmSlot(address: Address, key: Hash): void {
    this.warm(address)
    const slots = this.#warm.get(address)
    if (slots !== undefined && !slots.has(key)) {
      slots.add(key)
      this.#log(address, key)
    }
    this.#report(address)?.add(key.slice(2))
  }

  // --- the same as the library calls it

  async checkpoint(): Promise<void> {
    this.open()
  }

  async commit(): Promise<void> {
    this.close()
  }

  async revert(): Promise<void> {
    this.undo()
  }

  async cleanup(): Promise<void> {
    this.clear()
  }

  async putAccount(address: LibAddress, account: LibAccount | undefined): Promise<void> {
    this.touch(addressOf(address))
    return this.#state.putAccount(address, account)
  }

  async deleteAccount(address: LibAddress): Promise<void> {
    this.touch(addressOf(address))
    return this.#state.deleteAccount(address)
  }

  startReportingAccessList(): void {
    this.accessList = new Map()
  }

  addAlwaysWarmAddress(address: string, isReported = false): void {
    if (!this.#always.has(address)) this.#always.set(address, new Set())
    if (isReported) this.#report(address)
  }

  addAlwaysWarmSlot(address: string, key: string, isReported = false): void {
    this.addAlwaysWarmAddress(address, isReported)
    this.#always.get(address)?.add(key)
    if (isReported) this.#report(address)?.add(key.slice(2))
  }

  isWarmedAddress(address: Uint8Array): boolean {
    return this.isWarm(toHex(address) as Address)
  }

  addWarmedAddress(address: Uint8Array): void {
    this.warm(toHex(address) as Address)
  }

  isWarmedStorage(address: Uint8Array, key: Uint8Array): boolean {
    return this.isWarmSlot(toHex(address) as Address, toHex(key) as Hash)
  }

  addWarmedStorage(address: Uint8Array, key: Uint8Array): void {
    this.warmSlot(toHex(address) as Address, toHex(key) as Hash)
  }

  #log(address: string, what: string): void {
    if (this.#marks.length === 0) return
    this.#whose.push(address)
    this.#what.push(what)
  }

  #report(address: string): Set<string> | undefined {
    if (this.accessList === undefined) return undefined
    const bare = address.slice(2)
    const known = this.accessList.get(bare)
    if (known !== undefined) return known
    const slots = new Set<string>()
    this.accessList.set(bare, slots)
    return slots
  }
}

type Undo = { readonly slots: Map<string, Uint8Array>; readonly key: string; readonly before: Uint8Array }

/** Words without leading zeros. */
export class TransientStorage {
  #storage = new Map<string, Map<string, Uint8Array>>()
  #undo: Undo[] = []
  #marks: number[] = []

  load(of: Address, key: Hash): Uint8Array {
    return this.#storage.get(of)?.get(key) ?? EMPTY_BYTES
  }

  store(of: Address, key: Hash, value: Uint8Array): void {
    const slots = this.#storage.get(of) ?? new Map<string, Uint8Array>()
    this.#storage.set(of, slots)
    this.#undo.push({ slots, key, before: slots.get(key) ?? EMPTY_BYTES })
    slots.set(key, value)
  }

  checkpoint(): void {
    this.#marks.push(this.#undo.length)
  }

  commit(): void {
    this.#marks.pop()
  }

  revert(): void {
    const mark = this.#marks.pop() ?? 0
    for (let i = this.#undo.length - 1; i >= mark; i--) {
      const entry = this.#undo[i]
      entry?.slots.set(entry.key, entry.before)
    }
    if (this.#undo.length > mark) this.#undo.length = mark
  }

  clear(): void {
    this.#storage = new Map()
    this.#undo = []
  }

  get(of: LibAddress, key: Uint8Array): Uint8Array {
    return this.load(addressOf(of), toHex(key) as Hash)
  }

  put(of: LibAddress, key: Uint8Array, value: Uint8Array): void {
    this.store(addressOf(of), toHex(key) as Hash, value)
  }
}

// The library's classes are not exported, and their private fields make them nominal types.
export const asLibJournal = (journal: Journal): EVM['journal'] => journal as unknown as EVM['journal']
export const asLibTransient = (storage: TransientStorage): EVM['transientStorage'] =>
  storage as unknown as EVM['transientStorage']
