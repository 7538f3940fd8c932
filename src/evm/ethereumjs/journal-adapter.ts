// The machine's journal and transient storage in the form of the library's interface: the same sets under other names.
import type { EVM } from '@ethereumjs/evm'
import type { Account as LibAccount, Address as LibAddress } from '@ethereumjs/util'
import { type Address, bigToWord, bytesToBig, type Hash, toHex } from '../../lib/hex.ts'
import { SYSTEM_ADDRESS } from '../../spec/addresses.ts'
import type { AccessJournal, TransientStorage } from '../access-journal.ts'
import type { Host } from '../host.ts'
import { addressOf, type StateAdapter } from './state-adapter.ts'

export class LibJournal {
  readonly #journal: AccessJournal
  readonly #state: StateAdapter

  constructor(journal: AccessJournal, state: StateAdapter) {
    this.#journal = journal
    this.#state = state
  }

  async checkpoint(): Promise<void> {
    this.#journal.checkpoint()
  }

  async commit(): Promise<void> {
    this.#journal.commit()
  }

  async revert(): Promise<void> {
    this.#journal.revert()
  }

  async putAccount(address: LibAddress, account: LibAccount | undefined): Promise<void> {
    this.#journal.touch(addressOf(address))
    return this.#state.putAccount(address, account)
  }

  async deleteAccount(address: LibAddress): Promise<void> {
    this.#journal.touch(addressOf(address))
    return this.#state.deleteAccount(address)
  }

  addAlwaysWarmAddress(address: string): void {
    this.#journal.addAlwaysWarm(address as Address)
  }

  isWarmedAddress(address: Uint8Array): boolean {
    return this.#journal.isWarm(toHex(address) as Address)
  }

  addWarmedAddress(address: Uint8Array): void {
    this.#journal.warm(toHex(address) as Address)
  }

  isWarmedStorage(address: Uint8Array, key: Uint8Array): boolean {
    return this.#journal.isWarmSlot(toHex(address) as Address, toHex(key) as Hash)
  }

  addWarmedStorage(address: Uint8Array, key: Uint8Array): void {
    this.#journal.warmSlot(toHex(address) as Address, toHex(key) as Hash)
  }
}

export class LibTransient {
  readonly #storage: TransientStorage

  constructor(storage: TransientStorage) {
    this.#storage = storage
  }

  get(of: LibAddress, key: Uint8Array): Uint8Array {
    return this.#storage.load(addressOf(of), toHex(key) as Hash)
  }

  put(of: LibAddress, key: Uint8Array, value: Uint8Array): void {
    this.#storage.store(addressOf(of), toHex(key) as Hash, value)
  }

  checkpoint(): void {
    this.#storage.checkpoint()
  }

  commit(): void {
    this.#storage.commit()
  }

  revert(): void {
    this.#storage.revert()
  }

  clear(): void {
    this.#storage.clear()
  }
}

// The library's classes are not exported, and their private fields make them nominal types.
export const asLibJournal = (journal: LibJournal): EVM['journal'] => journal as unknown as EVM['journal']
export const asLibTransient = (storage: LibTransient): EVM['transientStorage'] =>
  storage as unknown as EVM['transientStorage']

/** The library's block access list (EIP-7928): only what is read is taken from it; changes follow from the view. */
export function accessListOf(machine: Pick<Host, 'stateAccesses' | 'outer'>): NonNullable<EVM['blockLevelAccessList']> {
  const account = (address: string): void => {
    // The library touches the caller of a system call, which by the EIP is not accessed.
    if (address !== SYSTEM_ADDRESS || machine.outer.from !== SYSTEM_ADDRESS) {
      machine.stateAccesses?.account(address as Address)
    }
  }
  const slot = (address: string, key: Uint8Array): void => {
    machine.stateAccesses?.slot(address as Address, bigToWord(bytesToBig(key)))
  }
  const ignore = (): void => undefined
  const list = {
    blockAccessIndex: 0,
    addAddress: account,
    addBalanceChange: account,
    addNonceChange: account,
    addCodeChange: account,
    addStorageRead: slot,
    addStorageWrite: slot,
    checkpoint: ignore,
    commit: ignore,
    revert: ignore,
  }
  // The library's class is not exported by the packages that we use.
  return list as unknown as NonNullable<EVM['blockLevelAccessList']>
}
