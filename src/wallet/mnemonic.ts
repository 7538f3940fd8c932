// The keys of a mnemonic: BIP-39 without passphrase, BIP-32. A file of its own, because the node of a preset needs none of it.
import { pbkdf2Sync } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { generateMnemonic, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { ChainError } from '../lib/errors.ts'
import { ETHEREUM_PATH, Wallet } from './wallet.ts'

/**
 * A wallet with `count` accounts of the mnemonic under `path`, from index `first` on. Throws ChainError `invalid-params` when
 * the phrase is not a BIP-39 mnemonic or the path is malformed.
 */
export function walletOfMnemonic(phrase: string, count: number, first = 0, path = ETHEREUM_PATH): Wallet {
  const words = phrase.normalize('NFKD').trim().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist)) throw new ChainError('invalid-params', 'invalid mnemonic')
  // BIP-39's seed by Node's native PBKDF2, because the library's takes longer than the rest of the node's start.
  const parent = derive(HDKey.fromMasterSeed(pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512')), path)
  const wallet = new Wallet()
  for (let index = first; index < first + count; index++) {
    const { privateKey } = parent.deriveChild(index)
    if (!privateKey) throw new ChainError('invalid-params', 'invalid mnemonic') // BIP-32: probability 2^-127
    wallet.add(privateKey)
  }
  return wallet
}

/** A new mnemonic of 12, 15, 18, 21 or 24 words. */
export const randomMnemonic = (words: number): string => generateMnemonic(wordlist, (words / 3) * 32)

function derive(root: HDKey, path: string): HDKey {
  try {
    return root.derive(path)
  } catch {
    throw new ChainError('invalid-params', `invalid derivation path ${path}`)
  }
}
