// The tutorial of docs/precompiles.md: runs its shell blocks in order on a node. Only the port and the folder of compiled files
// differ, and programs are started without npx, which takes half a second each time.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { startProcess, temporaryFolder } from '../support/process.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

it('the steps of docs/precompiles.md work', { timeout: 120_000 }, async () => {
  const node = await startProcess(['--in-memory', '--silent'])
  const folder = await temporaryFolder()
  onTestFinished(async () => {
    await node.stop()
    await folder.remove()
  })
  const page = readFileSync(join(root, 'docs/precompiles.md'), 'utf8')
  const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, text = '']) => text)
  expect(blocks.length).toBeGreaterThan(5)
  const script = `set -eu\n${blocks.join('\n')}`
    .replaceAll('http://127.0.0.1:8545', node.url)
    .replaceAll('build/precompiles', folder.path)
    .replaceAll('npx ', '')
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const { stdout, stderr } = await run('bash', ['-c', script], { cwd: root, env })
  expect(stderr).toContain('authorization to /cosmos.staking.v1beta1.MsgDelegate')
  // 5 KEST counted, 5 KEST delegated, 5 of 10 KEST of the grant left: 18 decimals.
  const [, after = ''] = stdout.split('counted by the contract:\n')
  expect(after.match(/\b5000000000000000000 /g)).toHaveLength(3)
  // Shares have 18 more decimals.
  expect(after).toContain(`5${'0'.repeat(36)} `)
})
