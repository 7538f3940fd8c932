// Passwords of key files: read from a terminal without echo, or from a file. Never from the command line, which every user of
// the machine can read.
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ChainError } from '../lib/errors.ts'

/** Reads a password file: line n is the password of key n; the last line also applies to all further keys. */
export async function readPasswords(file: string): Promise<(index: number) => string> {
  const lines = (await readFile(file, 'utf8')).replace(/\r?\n$/, '').split(/\r?\n/)
  return (index) => lines[index] ?? lines.at(-1) ?? ''
}

/** Asks at the terminal. Throws ChainError `invalid-params` without a terminal, or when the user cancels. */
export function askPassword(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new ChainError('invalid-params', 'there is no terminal to ask for a password; give --password-file FILE')
  process.stderr.write(`${question}: `)
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silence, terminal: true })
  return new Promise((resolve, reject) => {
    const leave = (then: () => void) => {
      lines.removeAllListeners('close')
      lines.close()
      process.stderr.write('\n')
      then()
    }
    const broken = () => leave(() => reject(new ChainError('invalid-params', 'no password was given')))
    lines.once('line', (answer) => leave(() => resolve(answer)))
    lines.once('SIGINT', broken)
    lines.once('close', broken)
  })
}

/** Asks twice. Throws ChainError `invalid-params` when the answers differ. */
export async function askNewPassword(): Promise<string> {
  const password = await askPassword('New password')
  if ((await askPassword('The same again')) !== password)
    throw new ChainError('invalid-params', 'the passwords are not the same')
  return password
}
