// A state view in the form of the library's state interface: every method is one call on the view. The interface is
// asynchronous and the view is not, so each returned promise is already settled.
import type { AccountFields, StateManagerInterface } from '@ethereumjs/common'
import { KECCAK256_NULL, KECCAK256_RLP, Account as LibAccount, Address as LibAddress } from '@ethereumjs/util'
import { type Address, fromHex, type Hash, toHash, toHex, ZERO_HASH } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import type { Account, StateView } from '../../state/types.ts'

const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))
const LONE_EF = Uint8Array.of(0xef)
const SOME_ROOT = fromHex(ZERO_HASH)

/** The library formats addresses as lower-case hex already. */
export const addressOf = (address: LibAddress): Address => address.toString() as Address
/** An address in the library's form. */
export const toLibAddress = (address: Address): LibAddress => new LibAddress(fromHex(address))
const keyOf = (key: Uint8Array): Hash => toHex(key) as Hash

/**
 * An account in the library's form. The library reads the storage root only when a contract is created, to see whether there is
 * storage (EIP-7610); that may scan all slots, so it is computed on access.
 */
class ViewAccount extends LibAccount {
  readonly #hasStorage: () => boolean

  constructor({ nonce, balance, codeHash }: Account, hasStorage: () => boolean) {
    super(nonce, balance, KECCAK256_RLP, codeHash === EMPTY_CODE_HASH ? KECCAK256_NULL : fromHex(codeHash))
    this.#hasStorage = hasStorage
  }

  override get storageRoot(): Uint8Array {
    return this.#hasStorage() ? SOME_ROOT : KECCAK256_RLP
  }
}

export class StateAdapter implements StateManagerInterface {
  readonly #view: StateView
  readonly originalStorageCache: StateManagerInterface['originalStorageCache']

  constructor(view: StateView) {
    this.#view = view
    this.originalStorageCache = {
      get: async (address, key) => view.originalWord(addressOf(address), keyOf(key)),
      // Original values belong to the view: `beginTransaction` resets them.
      clear: () => undefined,
    }
  }

  async getAccount(address: LibAddress): Promise<LibAccount | undefined> {
    const of = addressOf(address)
    const account = this.#view.account(of)
    if (account === undefined) return undefined
    return new ViewAccount(account, () => this.#view.hasStorage(of))
  }

  async putAccount(address: LibAddress, account?: LibAccount): Promise<void> {
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

  /**
   * Code that begins with 0xef and is no delegation fails at its first opcode. The library would parse some of it as EOF or as
   * a delegation of another length and throw, so it gets only the first byte.
   */
  async getCode(address: LibAddress): Promise<Uint8Array> {
    const code = this.#view.code(addressOf(address))
    return code[0] === 0xef && delegationOf(code) === undefined ? LONE_EF : code
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
