// `kestrel resync` on the files of a node, with placeholder files for the databases: what moves, what stays, and when it
// refuses. test/network/resync.test.ts uses the real CometBFT.
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folder, ONE_LINE, run, start } from './support.ts'

/** Signing state of a validator that has signed. */
const SIGNED = '{"height":"1234","round":0,"step":3,"signature":"c2ln","signbytes":"00"}'
const KEPT = ['priv_validator_key.json', 'node_key.json', 'config.toml', 'genesis.json']

/** The home of a network's node that has run, with small files in place of its databases. */
async function homeOfUsedNode(...flags: string[]) {
  const cwd = await folder()
  const port = String(20_000 + Math.floor(Math.random() * 10_000))
  const made = await run(cwd, 'testnet', '--port-base', port, ...flags)
  expect(made.stderr).toBe('')
  const home = join(cwd, 'net', 'node0')
  const engine = join(home, 'engine')
  const put = async (path: string) => {
    await mkdir(join(home, path), { recursive: true })
    await writeFile(join(home, path, 'CURRENT'), path)
  }
  for (const path of ['data/chain', 'data/snapshots/1000', 'data/keystore']) await put(path)
  for (const name of ['blockstore.db', 'state.db', 'evidence.db', 'cs.wal']) await put(`engine/data/${name}`)
  await writeFile(join(engine, 'data/priv_validator_state.json'), SIGNED)
  const kept = async () => {
    const texts = await Promise.all(KEPT.map((name) => readFile(join(engine, 'config', name), 'utf8')))
    return [...texts, await readFile(join(engine, 'data/priv_validator_state.json'), 'utf8')]
  }
  return { cwd, home, engine, kept, port: Number(port) }
}
const names = (path: string) => readdirSync(path).sort()
const aside = (path: string) => names(path).filter((name) => name.startsWith('before-resync-'))

describe('resync', () => {
  test('moves chain, state snapshots and blocks away, and leaves keys, signing state and configuration unchanged', async () => {
    const { cwd, home, engine, kept } = await homeOfUsedNode()
    const before = await kept()
    const { code, stdout, stderr } = await run(cwd, 'resync', '--home', home)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^chain and blocks are set aside in .*; keys and signatures .*fetches all blocks from the peers\n$/,
    )
    expect(await kept()).toEqual(before)
    const [name = ''] = aside(join(home, 'data'))
    expect(name).toMatch(/^before-resync-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d$/)
    expect(names(join(home, 'data'))).toEqual([name, 'keystore'])
    expect(names(join(home, 'data', name))).toEqual(['chain', 'snapshots'])
    expect(names(join(engine, 'data'))).toEqual([name, 'priv_validator_state.json'])
    expect(names(join(engine, 'data', name))).toEqual(['blockstore.db', 'cs.wal', 'evidence.db', 'state.db'])
    expect(await readFile(join(engine, 'data', name, 'state.db/CURRENT'), 'utf8')).toBe('engine/data/state.db')
  })

  test('deletes the data with --discard', async () => {
    const { cwd, home, engine, kept } = await homeOfUsedNode()
    const before = await kept()
    const { code, stdout } = await run(cwd, 'resync', '--home', home, '--discard')
    expect(code).toBe(0)
    expect(stdout).toContain('chain and blocks are deleted')
    expect(await kept()).toEqual(before)
    expect(names(join(home, 'data'))).toEqual(['keystore'])
    expect(names(join(engine, 'data'))).toEqual(['priv_validator_state.json'])
  })

  test('continues an interrupted run, until which other commands refuse the folder', async () => {
    const { cwd, home, engine, kept } = await homeOfUsedNode()
    const before = await kept()
    const data = join(home, 'data')
    const name = 'before-resync-2026-01-01T00-00-00'
    // The state after `kill -9` when one of CometBFT's folders was moved, and CometBFT has then created that folder again.
    await mkdir(join(data, `${name}.unfinished`))
    await mkdir(join(engine, 'data', name, 'blockstore.db'), { recursive: true })
    for (const args of [
      ['rewind', '--to', '0', '--datadir', data],
      ['start', '--home', home],
    ]) {
      const { code, stderr } = await run(cwd, ...args)
      expect([args[0], code, stderr]).toEqual([args[0], 1, expect.stringMatching(ONE_LINE)])
      expect(stderr).toContain('has not come to its end: run `kestrel resync` again')
    }
    expect((await run(cwd, 'resync', '--home', home)).code).toBe(0)
    expect(await kept()).toEqual(before)
    expect(names(data)).toEqual([name, 'keystore'])
    expect(names(join(data, name))).toEqual(['chain', 'snapshots'])
    expect(names(join(engine, 'data', name))).toEqual([
      'blockstore.db',
      'blockstore.db-2',
      'cs.wal',
      'evidence.db',
      'state.db',
    ])
  })

  test('is not needed after chain and blocks were removed by hand', async () => {
    const { cwd, home, engine, kept } = await homeOfUsedNode()
    const before = await kept()
    for (const path of ['data/chain', 'data/keystore']) await rm(join(home, path), { recursive: true })
    for (const name of ['blockstore.db', 'state.db', 'evidence.db', 'cs.wal'])
      await rm(join(engine, 'data', name), { recursive: true })
    await mkdir(join(home, 'data/snapshots/2000'))
    await (await start(cwd, '--home', home, '--external-engine')).stop()
    expect(names(join(home, 'data'))).toContain('chain')
    expect(await kept()).toEqual(before)
  })

  test('refuses a folder that is not the home of a network’s node, or whose node could not rejoin, and changes nothing', async () => {
    const { cwd, home, engine } = await homeOfUsedNode()
    const data = join(home, 'data')
    const refused = async (words: RegExp, ...args: string[]) => {
      const before = [names(data), names(join(engine, 'data'))]
      const { code, stdout, stderr } = await run(cwd, 'resync', ...args)
      expect([stderr, code, stdout]).toEqual([expect.stringMatching(words), 1, ''])
      expect(stderr).toMatch(ONE_LINE)
      expect([names(data), names(join(engine, 'data'))]).toEqual(before)
    }
    await run(cwd, 'init', '--genesis', join(import.meta.dirname, '../conformance/execution-apis/genesis.json'))
    await refused(/not the home of a consensus engine/, '--datadir', 'kestrel-data')
    await refused(/no such folder/, '--datadir', 'nowhere')
    await refused(/use --home/, '--datadir', data)
    await rm(join(engine, 'data/priv_validator_state.json'))
    await refused(/priv_validator_state\.json is gone/, '--home', home)
    // `validator key` does not create a new one either.
    const { stderr } = await run(cwd, 'validator', 'key', '--home', home)
    expect(stderr).toMatch(/priv_validator_state\.json is gone/)
    expect(existsSync(join(engine, 'data/priv_validator_state.json'))).toBe(false)
  })

  test('refuses while CometBFT runs', async () => {
    const { cwd, home, port } = await homeOfUsedNode()
    const server = createServer().listen(port, '127.0.0.1')
    onTestFinished(() => void server.close())
    const { code, stderr } = await run(cwd, 'resync', '--home', home)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`127.0.0.1:${port}, is in use`)])
  })

  test('refuses a network of one node, whose blocks no peer has', async () => {
    const { cwd, home } = await homeOfUsedNode('--validators', '1')
    const { code, stderr } = await run(cwd, 'resync', '--home', home)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/names no peer: nobody else may have the blocks/)])
  })
})
