// Cases of the fuzzers: state tests with go-ethereum's results, which run on every engine, and worlds on which two engines have to
// agree, and chains with the number of blocks that go-ethereum imports. `npm run prove` writes each difference that it finds into this folder.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { FOUND } from '../../scripts/fuzz-geth/found.ts'
import type { EngineChoice } from '../../src/evm/engine-selection.ts'
import { acquireInstance } from '../../src/evm/wasm/instance-pool.ts'
import { compilation } from '../../src/evm/wasm-compiler/module-cache.ts'
import { fromHex } from '../../src/lib/hex.ts'
import { splitItems } from '../../src/primitives/rlp.ts'
import { differenceOfFile } from '../evm/wasm/world-file.ts'
import { PROGRAM, temporaryFolder } from '../support/process.ts'
import { runStateTests } from './state-test.ts'

const WORLD = '.world.json'
const CHAIN = '.chain.json'
const CASES = readdirSync(FOUND).filter((file) => file.endsWith('.json'))
const WORLDS = CASES.filter((file) => file.endsWith(WORLD))
const CHAINS = CASES.filter((file) => file.endsWith(CHAIN))
const FILES = CASES.filter((file) => !file.endsWith(WORLD) && !file.endsWith(CHAIN))
const ENGINES: readonly EngineChoice[] = ['wasm', 'compiled', 'library']

beforeAll(() => {
  expect(acquireInstance()).toBeDefined()
  compilation.heat = 0
})

test.each(FILES.flatMap((file) => ENGINES.map((engine) => [file, engine] as const)))(
  '%s on %s',
  async (file, engine) => {
    const text = readFileSync(join(FOUND, file), 'utf8')
    let ran = 0
    for await (const { pass, error } of runStateTests(text, { engine })) {
      expect(pass, error).toBe(true)
      ran++
    }
    expect(ran).toBeGreaterThan(0)
  },
)

test.each(WORLDS)('%s', async (file) => {
  expect(await differenceOfFile(JSON.parse(readFileSync(join(FOUND, file), 'utf8')))).toBeUndefined()
})

test.each(CHAINS)('%s is imported as far as go-ethereum imports it', async (file) => {
  const { genesis, blocks, valid } = JSON.parse(readFileSync(join(FOUND, file), 'utf8'))
  const folder = await temporaryFolder()
  onTestFinished(folder.remove)
  const [chain, data, again] = ['chain.rlp', 'data', 'again.rlp'].map((name) => join(folder.path, name))
  const run = async (...args: readonly (string | undefined)[]) => {
    const env = { ...process.env, KESTREL_COMPILE: 'eagerly' }
    await promisify(execFile)(process.execPath, [PROGRAM, ...args.map(String)], { env })
  }
  await writeFile(join(folder.path, 'genesis.json'), JSON.stringify(genesis))
  await writeFile(String(chain), fromHex(blocks))
  await run('init', '--datadir', data, '--genesis', join(folder.path, 'genesis.json'))
  await run('import', '--datadir', data, chain).catch(() => undefined)
  await run('export', '--datadir', data, again)
  expect([...splitItems(readFileSync(String(again)))]).toHaveLength(valid)
})
