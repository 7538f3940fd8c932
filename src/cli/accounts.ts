// `kestrel accounts`: creates, imports and lists encrypted key files. No command prints a private key.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { fromHex } from '../lib/hex.ts'
import { createAccount, importKey, listAccounts } from '../wallet/keystore.ts'
import { keystoreFolder, requireFolder } from './datadir.ts'
import { path, readFlags, readOperand } from './flags.ts'
import { askNewPassword, readPasswords } from './password.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const flags = z.object({ ...schemasOf(['datadir', 'keystore']), passwordFile: path.optional() })

const withKeystore = (command: Command): Command => withOptions(command, 'datadir', 'keystore')

const withPassword = (command: Command): Command =>
  withKeystore(command).option('--password-file <file>', 'take the password from the first line of a file')

const folderOf = ({ keystore, datadir }: z.infer<typeof flags>): string => keystore ?? keystoreFolder(datadir)

async function newPassword({ passwordFile }: z.infer<typeof flags>): Promise<string> {
  return passwordFile === undefined ? askNewPassword() : (await readPasswords(passwordFile))(0)
}

export function register(accounts: Command): void {
  accounts.addHelpText(
    'after',
    `
Examples:
  kestrel accounts new
  kestrel accounts import key.txt --password-file password.txt
  kestrel accounts list
  kestrel start --unlock 0xADDRESS --password-file password.txt`,
  )

  withKeystore(accounts.command('list').description('list the addresses that have a key file')).action(
    async (given) => {
      const options = readFlags(flags, given)
      // A data directory without keys has no keystore folder yet, but a missing data directory is an error.
      const { keystore, datadir } = options
      requireFolder(keystore ?? datadir)
      for (const address of await listAccounts(folderOf(options))) process.stdout.write(`${address}\n`)
    },
  )

  withPassword(accounts.command('new').description('create a random key, encrypt it and print its address')).action(
    async (given) => {
      const options = readFlags(flags, given)
      const password = await newPassword(options)
      process.stdout.write(`${await createAccount(folderOf(options), password)}\n`)
    },
  )

  withPassword(
    accounts
      .command('import')
      .description('encrypt a private key from a file and print its address')
      .argument('<keyfile>', 'file that holds the key as 64 hex digits'),
  ).action(async (keyfile: string, given) => {
    const options = readFlags(flags, given)
    readOperand('keyfile', path, keyfile)
    const key = await readKey(keyfile)
    const password = await newPassword(options)
    process.stdout.write(`${await importKey(folderOf(options), key, password)}\n`)
  })
}

/** Reads a private key from a text file. Throws ChainError `invalid-params`. */
export async function readKey(file: string): Promise<Uint8Array> {
  const digits = (await readFile(file, 'utf8')).trim().replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new ChainError('invalid-params', `${file}: expected a key of 64 hex digits`)
  return fromHex(`0x${digits}`)
}
