// `kestrel reindex` from the command line.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folder, ONE_LINE, run, start } from './support.ts'

const CONFORMANCE = join(import.meta.dirname, '../conformance/execution-apis')

test('reindex executes all blocks again, and the chain can continue', async () => {
  const cwd = await folder()
  await run(cwd, 'init', '--genesis', join(CONFORMANCE, 'genesis.json'))
  await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))
  const { code, stdout, stderr } = await run(cwd, 'reindex')
  expect([code, stdout]).toEqual([0, ''])
  // The genesis and its 54 blocks.
  expect(stderr).toMatch(/indexed 55 blocks in \d+\.\d s\n$/)
  const node = await start(cwd)
  expect((await run(cwd, 'reindex')).stderr).toMatch(/^kestrel: .* is in use by another process\n$/)
  expect((await node.stop()).code).toBe(0)
})

test('reindex is refused without a chain', async () => {
  const { code, stderr } = await run(await folder(), 'reindex')
  expect([code, stderr]).toEqual([1, expect.stringMatching(ONE_LINE)])
  expect(stderr).toContain('holds no chain')
})
