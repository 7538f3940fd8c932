// Encrypted private keys on disk: Web3 Secret Storage version 3, one file per account in one folder, with geth's file names.
// A key is never written unencrypted, and a file is never overwritten.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Wallet as KeyFile } from '@ethereumjs/wallet'
import { ChainError } from '../lib/errors.ts'
import { makeFolder } from '../lib/folder.ts'
import { type Address, hexToAddress } from '../lib/hex.ts'
import { addressOf } from './wallet.ts'

/** Parameters of scrypt, which make guessing a password expensive; r is 8. */
export type Scrypt = { readonly n: number; readonly p: number }
/** geth's default: 256 MB and about a second per guess. */
export const STANDARD_SCRYPT: Scrypt = { n: 262_144, p: 1 }
/** geth's `--lightkdf`: 4 MB and about 0.1 s. */
export const LIGHT_SCRYPT: Scrypt = { n: 4096, p: 6 }

type KeyFileEntry = { readonly address: Address; readonly file: string }

/** Generates a random key, stores it in `dir` (created when missing) and returns its account. */
export async function createAccount(dir: string, password: string, scrypt: Scrypt = STANDARD_SCRYPT): Promise<Address> {
  return importKey(dir, KeyFile.generate().getPrivateKey(), password, scrypt)
}

/**
 * Stores a key of 32 bytes in `dir` and returns its account.
 * Throws ChainError `invalid-params` when it is not a valid key or its account exists already.
 */
export async function importKey(
  dir: string,
  privateKey: Uint8Array,
  password: string,
  scrypt: Scrypt = STANDARD_SCRYPT,
): Promise<Address> {
  const address = addressOf(privateKey)
  makeFolder(dir)
  if ((await entries(dir)).some((entry) => entry.address === address))
    throw new ChainError('invalid-params', 'account already exists')
  const key = KeyFile.fromPrivateKey(Uint8Array.from(privateKey))
  const content = await key.toV3String(password, { kdf: 'scrypt', n: scrypt.n, p: scrypt.p, r: 8 })
  await writeFile(join(dir, key.getV3Filename()), content, { mode: 0o600, flag: 'wx', flush: true })
  return address
}

/** Accounts with a key file in `dir`, oldest first; empty when the folder does not exist. */
export const listAccounts = async (dir: string): Promise<Address[]> =>
  (await entries(dir)).map(({ address }) => address)

/**
 * The private key of an account in `dir`. Throws ChainError `unknown-account`, `invalid-params` for a wrong password,
 * `storage` for a damaged file.
 */
export async function unlock(dir: string, address: Address, password: string): Promise<Uint8Array> {
  const entry = (await entries(dir)).find((candidate) => candidate.address === address)
  if (!entry) throw new ChainError('unknown-account', 'unknown account')
  const key = await unlockFile(join(dir, entry.file), password)
  if (addressOf(key) !== address) throw new ChainError('storage', `key file ${entry.file} holds another account's key`)
  return key
}

/** The private key in a key file. Throws ChainError `invalid-params` for a wrong password, `storage` for a damaged file. */
export async function unlockFile(file: string, password: string): Promise<Uint8Array> {
  const content = await readFile(file, 'utf8')
  try {
    return (await KeyFile.fromV3(content, password, true)).getPrivateKey()
  } catch (error) {
    if (error instanceof Error && error.message.includes('wrong passphrase'))
      throw new ChainError('invalid-params', 'could not decrypt key with given password')
    throw new ChainError('storage', `key file ${basename(file)} is damaged`)
  }
}

/** The key files in order of their names, which begin with the time of creation. Other files in the folder are skipped. */
async function entries(dir: string): Promise<KeyFileEntry[]> {
  let names: string[]
  try {
    names = await readdir(dir)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
  const found: KeyFileEntry[] = []
  for (const file of names.sort()) {
    const address = await accountIn(join(dir, file))
    if (address) found.push({ address, file })
  }
  return found
}

/** The address in a key file; undefined when it is not a key file. */
async function accountIn(path: string): Promise<Address | undefined> {
  try {
    const { version, address } = JSON.parse(await readFile(path, 'utf8'))
    return version === 3 ? hexToAddress(`0x${String(address).replace(/^0x/, '')}`) : undefined
  } catch {
    return undefined
  }
}
