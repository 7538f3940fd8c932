import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Wallet as EthersWallet, encryptKeystoreJsonSync } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bigToFixed, fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { createAccount, importKey, LIGHT_SCRYPT, listAccounts, unlock } from '../../src/wallet/keystore.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'keystore-test-'))
})
afterAll(() => rm(root, { recursive: true }))

const folder = (name: string) => join(root, name)
const KEY = bigToFixed(1n, 32)
const ACCOUNT = hexToAddress('0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf')

describe('a stored key', () => {
  it('is a version 3 file that ethers can read, and only its owner may read', async () => {
    const dir = folder('written')
    expect(await importKey(dir, KEY, 'secret', LIGHT_SCRYPT)).toBe(ACCOUNT)
    const [file = ''] = await readdir(dir)
    expect(file).toMatch(/^UTC--\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d+Z--7e5f4552091a69125d5dfcb7b8c2659029395bdf$/)
    expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600)
    const content = await readFile(join(dir, file), 'utf8')
    expect(content).not.toContain(toHex(KEY).slice(2))
    expect(JSON.parse(content).crypto.kdfparams).toMatchObject({ n: 4096, r: 8, p: 6, dklen: 32 })
    expect(EthersWallet.fromEncryptedJsonSync(content, 'secret').privateKey).toBe(toHex(KEY))
  })

  it('is unlocked by its password only', async () => {
    const dir = folder('written')
    expect(await unlock(dir, ACCOUNT, 'secret')).toEqual(KEY)
    await expect(unlock(dir, ACCOUNT, 'Secret')).rejects.toMatchObject({
      code: 'invalid-params',
      message: 'could not decrypt key with given password',
    })
  })

  it('is not overwritten', async () => {
    const dir = folder('written')
    await expect(importKey(dir, KEY, 'other', LIGHT_SCRYPT)).rejects.toMatchObject({
      code: 'invalid-params',
      message: 'account already exists',
    })
    expect(await readdir(dir)).toHaveLength(1)
    expect(await unlock(dir, ACCOUNT, 'secret')).toEqual(KEY)
  })

  it('may have been written by ethers', async () => {
    const dir = folder('foreign')
    const own = await createAccount(dir, 'own', LIGHT_SCRYPT)
    const content = encryptKeystoreJsonSync({ address: ACCOUNT, privateKey: toHex(KEY) }, 'geheim', {
      scrypt: { N: 1024, r: 8, p: 1 },
    })
    await writeFile(join(dir, 'UTC--2099-01-01T00-00-00.0Z--from-ethers'), content)
    expect(await listAccounts(dir)).toEqual([own, ACCOUNT])
    expect(await unlock(dir, ACCOUNT, 'geheim')).toEqual(KEY)
  })

  it('may use PBKDF2, as in the test vector of the Web3 Secret Storage definition', async () => {
    const dir = folder('pbkdf2')
    await importKey(dir, bigToFixed(2n, 32), 'x', LIGHT_SCRYPT)
    await writeFile(
      join(dir, 'vector'),
      JSON.stringify({
        address: '008aeeda4d805471df9b2a5b0f38a0c3bcba786b',
        crypto: {
          cipher: 'aes-128-ctr',
          cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
          ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
          kdf: 'pbkdf2',
          kdfparams: {
            c: 262144,
            dklen: 32,
            prf: 'hmac-sha256',
            salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
          },
          mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
        },
        id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
        version: 3,
      }),
    )
    const account = hexToAddress('0x008aeeda4d805471df9b2a5b0f38a0c3bcba786b')
    expect(await unlock(dir, account, 'testpassword')).toEqual(
      fromHex('0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'),
    )
  })
})

it('createAccount generates random keys', async () => {
  const dir = folder('random')
  const one = await createAccount(dir, '', LIGHT_SCRYPT)
  const two = await createAccount(dir, '', LIGHT_SCRYPT)
  expect(one).not.toBe(two)
  expect(new Set(await listAccounts(dir))).toEqual(new Set([one, two]))
})

describe('a keystore folder', () => {
  it('may be missing', async () => {
    expect(await listAccounts(folder('nowhere'))).toEqual([])
    await expect(unlock(folder('nowhere'), ACCOUNT, 'x')).rejects.toMatchObject({ code: 'unknown-account' })
  })

  it('may contain other files', async () => {
    const dir = folder('mixed')
    const account = await createAccount(dir, 'x', LIGHT_SCRYPT)
    await writeFile(join(dir, 'README'), 'not a key')
    await writeFile(join(dir, 'other.json'), '{"version":3}')
    await writeFile(join(dir, 'null.json'), 'null')
    expect(await listAccounts(dir)).toEqual([account])
  })

  it('may contain damaged files', async () => {
    const dir = folder('damaged')
    await importKey(dir, KEY, 'x', LIGHT_SCRYPT)
    const [file = ''] = await readdir(dir)
    const content = JSON.parse(await readFile(join(dir, file), 'utf8'))
    await writeFile(join(dir, file), JSON.stringify({ ...content, crypto: { kdf: 'rot13' } }))
    await expect(unlock(dir, ACCOUNT, 'x')).rejects.toMatchObject({ code: 'storage' })
    await writeFile(join(dir, file), JSON.stringify({ ...content, address: '12'.repeat(20) }))
    await expect(unlock(dir, hexToAddress(`0x${'12'.repeat(20)}`), 'x')).rejects.toMatchObject({ code: 'storage' })
  })

  it('refuses an invalid key', async () => {
    const dir = folder('invalid')
    await expect(importKey(dir, new Uint8Array(32), 'x', LIGHT_SCRYPT)).rejects.toMatchObject({
      code: 'invalid-params',
    })
    expect(await listAccounts(dir)).toEqual([])
  })
})
