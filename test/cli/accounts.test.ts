import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { request } from '../support/chain.ts'
import { postRaw } from '../support/wire.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

// Three times geth's scrypt, which takes a second by design.
test('account import keeps a key encrypted, and a node signs with it once it is unlocked', async () => {
  const cwd = await folder()
  await writeFile(join(cwd, 'key'), `${KEY}\n`)
  await writeFile(join(cwd, 'password'), 'correct horse\n')
  await writeFile(join(cwd, 'wrong'), 'battery staple\n')
  const password = ['--password-file', 'password']

  expect(await run(cwd, 'accounts', 'import', 'key', ...password)).toMatchObject({ code: 0, stdout: `${ACCOUNT}\n` })
  expect((await run(cwd, 'accounts', 'list')).stdout).toBe(`${ACCOUNT}\n`)
  const again = await run(cwd, 'accounts', 'import', 'key', ...password)
  expect(again).toMatchObject({ code: 1, stderr: 'kestrel: account already exists\n' })

  const [file = ''] = await readdir(join(cwd, 'kestrel-data/keystore'))
  const content = await readFile(join(cwd, 'kestrel-data/keystore', file), 'utf8')
  expect(content).not.toContain(KEY.slice(2))

  const production = ['--production', '--preset', 'kestrel', '--unlock', ACCOUNT, '--password-file']
  const refused = await run(cwd, 'start', ...production, 'wrong')
  expect(refused.stderr).toMatch(ONE_LINE)
  expect(refused.stderr).toContain(`--unlock: ${ACCOUNT}: could not decrypt key`)
  const exposed = await run(cwd, 'start', ...production, 'password', '--host', '0.0.0.0')
  expect(exposed.stderr).toContain('0.0.0.0 would open unlocked accounts to others')

  const node = await start(cwd, ...production, 'password')
  expect(await request(node.url, 'eth_accounts')).toEqual([ACCOUNT])
  expect(await request(node.url, 'eth_sendTransaction', [{ from: ACCOUNT, to: ACCOUNT }])).toMatch(/^0x[0-9a-f]{64}$/)
  // Pages of this machine may call a development node, but not one with an unlocked key.
  const sign = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sign', params: [ACCOUNT, '0xdeadbeef'] })
  expect(await postRaw(node.url, sign)).toMatchObject({ status: 200, text: expect.stringContaining('"result":"0x') })
  const foreign = await postRaw(node.url, sign, { origin: 'http://localhost:3000' })
  expect(foreign).toMatchObject({ status: 403, text: expect.not.stringContaining('result') })
  const { stdout } = await node.stop()
  expect(stdout).not.toContain(KEY)
  expect(stdout).toContain('only the explorer may call')
}, 90_000)

test('account prompts for a password only at a terminal', async () => {
  const { code, stderr } = await run(await folder(), 'accounts', 'new')
  expect(code).toBe(1)
  expect(stderr).toBe('kestrel: there is no terminal to ask for a password; give --password-file FILE\n')
})
