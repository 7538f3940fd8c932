// The unlocked private keys of the node, in memory only. Signatures are requested by account.
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { privateKeyToAddress, type Signature, signHash } from '../primitives/signature.ts'

/** The address of a private key. Throws ChainError `invalid-params` when it is not a valid key. */
export function addressOf(privateKey: Uint8Array): Address {
  try {
    return privateKeyToAddress(privateKey)
  } catch {
    throw new ChainError('invalid-params', 'invalid private key')
  }
}

/** BIP-44's path of Ethereum accounts, without the last part, the account's index. */
export const ETHEREUM_PATH = "m/44'/60'/0'/0"

/** Unlocked keys by account. Listed accounts are those that eth_accounts shows. */
export class Wallet {
  readonly #keys = new Map<Address, Uint8Array>()
  readonly #unlisted = new Set<Address>()

  /** Adds a key of 32 bytes and returns its account. Throws ChainError `invalid-params` when it is not a valid key. */
  add(privateKey: Uint8Array): Address {
    const address = addressOf(privateKey)
    this.#keys.set(address, Uint8Array.from(privateKey))
    this.#unlisted.delete(address)
    return address
  }

  /** Adds a key that can sign but is not in `addresses`, unless its account is listed already. Throws as `add`. */
  addUnlisted(privateKey: Uint8Array): Address {
    const address = addressOf(privateKey)
    if (!this.has(address)) this.#unlisted.add(address)
    this.#keys.set(address, Uint8Array.from(privateKey))
    return address
  }

  /** The listed accounts in the order they were added. */
  addresses(): Address[] {
    return [...this.#keys.keys()].filter((address) => !this.#unlisted.has(address))
  }

  has(address: Address): boolean {
    return this.#keys.has(address)
  }

  /** A copy of the account's key, for showing it to its owner. Throws ChainError `unknown-account`. */
  privateKey(address: Address): Uint8Array {
    return Uint8Array.from(this.#key(address))
  }

  /** Signs 32 bytes: RFC 6979, with the low s of EIP-2. Throws ChainError `unknown-account`. */
  sign(address: Address, hash: Uint8Array): Signature {
    return signHash(hash, this.#key(address))
  }

  #key(address: Address): Uint8Array {
    const key = this.#keys.get(address)
    if (!key) throw new ChainError('unknown-account', 'unknown account')
    return key
  }
}
