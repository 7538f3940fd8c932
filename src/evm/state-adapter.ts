// A state view in the shape the library's EVM asks for. It decides nothing: every method is one call on the view.
// The library's interface is asynchronous; the view is not, so each promise is settled when it is returned.
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { Account, KECCAK256_NULL, KECCAK256_RLP, type Address as LibAddress } from '@ethereumjs/util'
import { type Address, fromHex, type Hash, toHash, toHex, ZERO_HASH } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { StateView } from '../state/types.ts'

const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))
/** Any root but the empty one: the library only asks whether there is storage (EIP-7610). */
const SOME_ROOT = fromHex(ZERO_HASH)

/** The library writes addresses as lower-case hex already. */
export const addressOf = (address: LibAddress): Address => address.toString() as Address
const keyOf = (key: Uint8Array): Hash => toHex(key) as Hash

export class StateAdapter implements StateManagerInterface {
  readonly #view: StateView
  readonly originalStorageCache: StateManagerInterface['originalStorageCache']

  constructor(view: StateView) {
    this.#view = view
    this.originalStorageCache = {
      get: async (address, key) => view.originalWord(addressOf(address), keyOf(key)),
      // Originals belong to the view: `beginTransaction` starts them anew.
      clear: () => undefined,
    }
  }

  async getAccount(address: LibAddress): Promise<Account | undefined> {
    const of = addressOf(address)
    const account = this.#view.account(of)
    if (account === undefined) return undefined
    const hasCode = account.codeHash !== EMPTY_CODE_HASH
    return new Account(
      account.nonce,
      account.balance,
      this.#view.hasStorage(of) ? SOME_ROOT : KECCAK256_RLP,
      hasCode ? fromHex(account.codeHash) : KECCAK256_NULL,
    )
  }

  async putAccount(address: LibAddress, account?: Account): Promise<void> {
    const of = addressOf(address)
    if (account === undefined) return this.#view.deleteAccount(of)
    const codeHash = account.codeHash === KECCAK256_NULL ? EMPTY_CODE_HASH : toHash(account.codeHash)
    this.#view.setAccount(of, { nonce: account.nonce, balance: account.balance, codeHash })
  }

  async deleteAccount(address: LibAddress): Promise<void> {
    this.#view.deleteAccount(addressOf(address))
  }

  async modifyAccountFields(address: LibAddress, fields: AccountFields): Promise<void> {
    const of = addressOf(address)
    const before = this.#view.account(of)
    this.#view.setAccount(of, {
      nonce: fields.nonce ?? before?.nonce ?? 0n,
      balance: fields.balance ?? before?.balance ?? 0n,
      codeHash: fields.codeHash ? toHash(fields.codeHash) : (before?.codeHash ?? EMPTY_CODE_HASH),
    })
  }

  async putCode(address: LibAddress, code: Uint8Array): Promise<void> {
    this.#view.setCode(addressOf(address), code)
  }

  async getCode(address: LibAddress): Promise<Uint8Array> {
    return this.#view.code(addressOf(address))
  }

  async getCodeSize(address: LibAddress): Promise<number> {
    return this.#view.code(addressOf(address)).length
  }

  async getStorage(address: LibAddress, key: Uint8Array): Promise<Uint8Array> {
    return this.#view.word(addressOf(address), keyOf(key))
  }

  async putStorage(address: LibAddress, key: Uint8Array, value: Uint8Array): Promise<void> {
    this.#view.setWord(addressOf(address), keyOf(key), value)
  }

  async clearStorage(address: LibAddress): Promise<void> {
    this.#view.clearStorage(addressOf(address))
  }

  async checkpoint(): Promise<void> {
    this.#view.checkpoint()
  }

  async commit(): Promise<void> {
    this.#view.commit()
  }

  async revert(): Promise<void> {
    this.#view.revert()
  }

  async getStateRoot(): Promise<Uint8Array> {
    return fromHex(this.#view.root())
  }

  setStateRoot(): Promise<void> {
    throw new Error('a view is opened at a version and never moved')
  }

  async hasStateRoot(): Promise<boolean> {
    return false
  }

  clearCaches(): void {}

  shallowCopy(): StateManagerInterface {
    return new StateAdapter(this.#view.fork())
  }
}
