// The unlocked private keys of the node, in memory only. Signatures are requested by account.
import { pbkdf2Sync } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { ChainError } from '../lib/errors.ts'
import type { Address } from '../lib/hex.ts'
import { privateKeyToAddress, type Signature, signHash } from '../primitives/signature.ts'

/** BIP-44's path of Ethereum accounts, without the last part, the account's index. */
export const ETHEREUM_PATH = "m/44'/60'/0'/0"

/** The address of a private key. Throws ChainError `invalid-params` when it is not a valid key. */
export function addressOf(privateKey: Uint8Array): Address {
  try {
    return privateKeyToAddress(privateKey)
  } catch {
    throw new ChainError('invalid-params', 'invalid private key')
  }
}

/** Unlocked keys by account. Listed accounts are those that eth_accounts shows. */
export class Wallet {
  readonly #keys = new Map<Address, Uint8Array>()
  readonly #unlisted = new Set<Address>()

  /**
   * A wallet with `count` accounts of the mnemonic under `path`, from index `first` on (BIP-39 without passphrase,
   * BIP-32).
   * Throws ChainError `invalid-params` when the phrase is not a BIP-39 mnemonic or the path is malformed.
   */
  static fromMnemonic(phrase: string, count: number, path = ETHEREUM_PATH, first = 0): Wallet {
    const wallet = new Wallet()
    wallet.addMnemonic(phrase, count, path, first)
    return wallet
  }

  /** Adds accounts as `fromMnemonic` does and returns them. */
  addMnemonic(phrase: string, count: number, path = ETHEREUM_PATH, first = 0): Address[] {
    const words = phrase.normalize('NFKD').trim().split(/\s+/).join(' ')
    if (!validateMnemonic(words, wordlist)) throw new ChainError('invalid-params', 'invalid mnemonic')
    // BIP-39's seed by Node's native PBKDF2, because the library's takes longer than the rest of the node's start.
    const parent = derive(HDKey.fromMasterSeed(pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512')), path)
    return Array.from({ length: count }, (_, index) => {
      const { privateKey } = parent.deriveChild(first + index)
      if (!privateKey) throw new ChainError('invalid-params', 'invalid mnemonic') // BIP-32: probability 2^-127
      return this.add(privateKey)
    })
  }

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

function derive(root: HDKey, path: string): HDKey {
  try {
    return root.derive(path)
  } catch {
    throw new ChainError('invalid-params', `invalid derivation path ${path}`)
  }
}
