// `kestrel check` from the command line: an intact chain, a damaged one, and accepting a loss.
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BlockStore, blockRows } from '../../src/chain/blocks.ts'
import { openStore } from '../../src/state/kv.ts'
import { folder, ONE_LINE, run, start } from './support.ts'

const CONFORMANCE = join(import.meta.dirname, '../conformance/execution-apis')

/** A chain of 54 blocks, most of them in LevelDB's log. Returns the working folder and the log's path. */
async function chain(): Promise<{ cwd: string; log: string }> {
  const cwd = await folder()
  await run(cwd, 'init', '--genesis', join(CONFORMANCE, 'genesis.json'))
  await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))
  const files = join(cwd, 'kestrel-data/chain')
  const log = (await readdir(files)).find((name) => name.endsWith('.log')) ?? ''
  return { cwd, log: join(files, log) }
}

test('check finds nothing in an intact chain, and does not change it', { timeout: 60_000 }, async () => {
  const { cwd } = await chain()
  const files = join(cwd, 'kestrel-data/chain')
  const before = (await readdir(files)).sort()
  const { code, stdout, stderr } = await run(cwd, 'check')
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).toContain('checking index\n')
  expect(stderr).toMatch(/\nnothing is damaged\n$/)
  expect((await readdir(files)).sort()).toEqual(before)
  const node = await start(cwd)
  expect((await run(cwd, 'check')).stderr).toMatch(/^kestrel: .* is in use by another process\n$/)
  expect((await node.stop()).code).toBe(0)
})

test('a truncated LevelDB log is refused by start, reported by check, and accepted with --accept-loss', {
  timeout: 60_000,
}, async () => {
  const { cwd, log } = await chain()
  const { length } = await readFile(log)
  await truncate(log, length - 100)
  const refused = await run(cwd, 'start', '--port', '0')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(ONE_LINE)])
  expect(refused.stderr).toMatch(/^kestrel: chain: the newest \d+ of \d+ changes are missing; the head was block 54;/)
  const checked = await run(cwd, 'check', '--quick')
  expect([checked.code, checked.stdout]).toEqual([
    1,
    expect.stringMatching(/^chain: the newest \d+ of .*--accept-loss`\n$/),
  ])
  const accepted = await run(cwd, 'check', '--accept-loss')
  expect([accepted.code, accepted.stdout]).toEqual([0, ''])
  // The last block is lost, and can be imported again.
  const imported = await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))
  expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('imported 1 block in')])
})

test('a gap in a LevelDB log is refused by start, reported by check, and accepted with --accept-loss', {
  timeout: 60_000,
}, async () => {
  const { cwd, log } = await chain()
  const bytes = await readFile(log)
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
  await writeFile(log, bytes)
  expect((await run(cwd, 'start', '--port', '0')).stderr).toMatch(
    /^kestrel: chain\/\d+\.log: is damaged at byte \d+, and/,
  )
  expect((await run(cwd, 'check', '--quick')).stdout).toMatch(/^chain\/\d+\.log: is damaged at byte \d+/)
  expect((await run(cwd, 'check', '--accept-loss')).code).toBe(0)
  expect((await run(cwd, 'import', join(CONFORMANCE, 'chain.rlp'))).code).toBe(0)
})

test('check --execute finds no difference on another engine, while the node runs and after it stopped', {
  timeout: 60_000,
}, async () => {
  const { cwd } = await chain()
  const node = await start(cwd)
  const running = await run(cwd, 'check', '--execute', '--engine', 'library', '--from', '10')
  // Blocks 10 to 54.
  expect([running.code, running.stdout]).toEqual([0, ''])
  expect(running.stderr).toMatch(/^executed 45 blocks in [\d.]+ s on library: no difference\n$/m)
  expect((await node.stop()).code).toBe(0)
  const stopped = await run(cwd, 'check', '--execute', '--to', '12')
  expect([stopped.code, stopped.stderr]).toEqual([0, expect.stringMatching(/^executed 12 blocks in /m)])
  expect(await readdir(join(cwd, 'kestrel-data'))).not.toContain('check-execution')
})

test('check --execute ends with code 1 and the first difference', { timeout: 60_000 }, async () => {
  const { cwd } = await chain()
  const store = await openStore(join(cwd, 'kestrel-data/chain'))
  const blocks = new BlockStore(store, 54n)
  const number = Array.from({ length: 54 }, (_, index) => BigInt(index + 1)).find(
    (candidate) => (blocks.receipts(candidate)?.length ?? 0) > 0,
  )
  const [block, [receipt, ...others] = []] = [blocks.block(number ?? 0n), blocks.receipts(number ?? 0n)]
  if (block === undefined || receipt === undefined) throw new Error('the chain has a transaction')
  await store.write([...blockRows(block, [{ ...receipt, gasUsed: receipt.gasUsed + 1n }, ...others])])
  await store.close()
  const { code, stdout } = await run(cwd, 'check', '--execute')
  const [{ hash = '' } = {}] = block.transactions
  expect([code, stdout]).toEqual([
    1,
    `block ${number} (${block.header.hash}): transaction 0 (${hash}): gasUsed is ${receipt.gasUsed + 1n} in the database, ${receipt.gasUsed} on library\n`,
  ])
})

test.each([
  [['--execute', '--from', '0'], 1, /^kestrel: block 0 has no state before it: begin with block 1\n$/m],
  [['--execute', '--to', '55'], 1, /^kestrel: the chain ends with block 54, before block 55\n$/m],
  [['--execute', '--quick'], 2, /^kestrel: --quick: not with --execute\n$/m],
  [['--from', '3'], 2, /^kestrel: --from: only with --execute\n$/m],
  [
    ['--execute', '--engine', 'other'],
    2,
    /^kestrel: --engine: expected one of compiled, wasm, library, not "other"\n$/m,
  ],
] as const)('check %j is refused in one line', { timeout: 60_000 }, async (flags, code, line) => {
  const { cwd } = await chain()
  const refused = await run(cwd, 'check', ...flags)
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([code, '', expect.stringMatching(line)])
})
