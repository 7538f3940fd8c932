// The fuzzer against go-ethereum, tested without go-ethereum: it generates valid tests, detects a program that disagrees,
// shrinks a difference, and reports a missing `evm`.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Random } from '../scripts/fuzz-geth/code.ts'
import { type Guess, judgedByGeth, judgedByOurs } from '../scripts/fuzz-geth/judge.ts'
import { TestProgram } from '../scripts/fuzz-geth/program.ts'
import { settingOf } from '../scripts/fuzz-geth/scenario.ts'
import { fullBlocks } from '../scripts/fuzz-geth/scenarios/code-ends.ts'
import { KINDS } from '../scripts/fuzz-geth/scenarios/index.ts'
import { shrink } from '../scripts/fuzz-geth/shrink.ts'
import { type StateTest, testOfSeed } from '../scripts/fuzz-geth/state-test.ts'
import { runStateTests } from './conformance/state-test.ts'

/** A program that prints this text for each file name. */
async function programThat(prints: string, form: 'lines' | 'array'): Promise<TestProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-geth-test-'))
  const script = join(folder, 'program.cjs')
  await writeFile(
    script,
    `require('node:readline').createInterface({ input: process.stdin }).on('line', () => console.log(${JSON.stringify(prints)}))`,
  )
  const program = new TestProgram({ name: 'other', command: process.execPath, args: [script], form })
  onTestFinished(async () => {
    program.close()
    await rm(folder, { recursive: true })
  })
  return program
}

const subtest = (expectException?: string) => ({
  hash: '0x01',
  logs: '0x02',
  txbytes: '0x',
  indexes: { data: 0, gas: 0, value: 0 },
  ...(expectException !== undefined && { expectException }),
})
const empty: StateTest = { env: {}, pre: {}, transaction: {}, post: {} }
const found = (name: string, fork: string, error?: string) => ({
  name,
  fork,
  pass: error === undefined,
  stateRoot: '0x01',
  logsHash: '0x02',
  error,
})
/** Two tests with three subtests, of which the last was refused. */
const guessed: Guess = {
  file: 'file.json',
  tests: {
    a: { ...empty, post: { Osaka: [subtest(), subtest()] } },
    b: { ...empty, post: { Osaka: [subtest('transaction rejected: why')] } },
  },
  verdicts: [found('a', 'Osaka'), found('a', 'Osaka'), found('b', 'Osaka', 'transaction rejected: why')],
  rejected: 1,
}

describe('the fuzzer’s test of a seed', () => {
  it('is deterministic, and differs from that of another seed', () => {
    expect(testOfSeed(7)).toEqual(testOfSeed(7))
    expect(testOfSeed(7)).not.toEqual(testOfSeed(8))
  })

  it.each(KINDS.map(({ name }) => name))('can be run, for the kind %s', async (name) => {
    let ran = 0
    let refused = 0
    for (let seed = 100; seed < 104; seed++) {
      const { kind, test } = testOfSeed(seed, name)
      expect(kind).toBe(name)
      for await (const { error } of runStateTests(JSON.stringify({ [seed]: test }), {})) {
        expect(error).not.toMatch(/^fault/)
        ran++
        if (error?.startsWith('transaction rejected') === true) refused++
      }
    }
    expect(ran).toBeGreaterThan(0)
    expect(refused).toBeLessThan(ran)
  })

  it('has code that ends within a PUSH of every length', () => {
    const setting = settingOf(new Random(1), 'Osaka')
    const cut = new Set<number>()
    for (let i = 0; i < 2000; i++) {
      const code = fullBlocks(setting)
      let at = 0
      let last = 0
      while (at < code.length) {
        last = code[at] ?? 0
        at += last >= 0x60 && last <= 0x7f ? last - 0x5e : 1
      }
      if (at > code.length) cut.add(last)
    }
    expect(cut.size).toBe(32)
  })
})

describe('the comparison with geth', () => {
  const geth = (...of: readonly object[]) => JSON.stringify(of, undefined, 1)

  it('finds no difference when geth agrees, whatever the order of its results', async () => {
    const other = await programThat(
      geth({ name: 'b', fork: 'Osaka', pass: true }, ...[1, 2].map(() => ({ name: 'a', fork: 'Osaka', pass: true }))),
      'array',
    )
    expect(await judgedByGeth(other, guessed)).toEqual([])
  })

  it('names the subtest on which geth disagrees', async () => {
    const answer = geth(
      { name: 'b', fork: 'Osaka', pass: true },
      { name: 'a', fork: 'Osaka', pass: true },
      { name: 'a', fork: 'Osaka', pass: false, error: 'another root' },
    )
    expect(await judgedByGeth(await programThat(answer, 'array'), guessed)).toEqual([
      { name: 'a', fork: 'Osaka', index: 1, program: 'other', found: 'another root' },
    ])
  })

  it('reports an internal error of the first engine as a difference', async () => {
    const answer = geth(...['a', 'a', 'b'].map((name) => ({ name, fork: 'Osaka', pass: true })))
    const faulty = { ...guessed, verdicts: [found('a', 'Osaka', 'fault: why'), ...guessed.verdicts.slice(1)] }
    const differences = await judgedByGeth(await programThat(answer, 'array'), faulty)
    expect(differences.map(({ index, found: words }) => [index, words])).toEqual([[0, 'fault: why']])
  })

  it.each([
    ['agrees', 'post state root mismatch: as nothing is expected', '0x01', []],
    ['has run what was refused', 'expected exception: transaction rejected: why', '0x01', ['b']],
    ['has another state after a refusal', 'post state root mismatch: as nothing is expected', '0x09', ['b']],
  ])('of our own engine: it %s', async (_, error, stateRoot, differing) => {
    const lines = [found('a', 'Osaka'), found('a', 'Osaka'), { ...found('b', 'Osaka', error), stateRoot }]
    const other = await programThat(lines.map((line) => JSON.stringify(line)).join('\n'), 'lines')
    expect((await judgedByOurs(other, guessed)).map(({ name }) => name)).toEqual(differing)
  })

  it('fails when the program ends', async () => {
    const ended = new TestProgram({ name: 'gone', command: process.execPath, args: ['-e', ''], form: 'lines' })
    await expect(ended.run('file.json', 1)).rejects.toThrow('gone ended on file.json')
  })
})

describe('a difference', () => {
  it('is shrunk to the smallest test that reproduces it', async () => {
    const account = { balance: '0x0', nonce: '0x0', storage: {} }
    const test = {
      ...empty,
      pre: { x: { ...account, code: '0x600160025560035b00' }, y: { ...account, code: '0x00' } },
    }
    const smallest = await shrink(test, async ({ pre }) => pre['x']?.code.includes('55') === true)
    expect(smallest.pre).toEqual({ x: { ...account, code: '0x55' } })
  })
})

it('fuzz:geth is skipped without evm and Go', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'fuzz-geth-cache-'))
  onTestFinished(() => rm(cache, { recursive: true }))
  const main = join(import.meta.dirname, '../scripts/fuzz-geth/main.ts')
  const { GETH_EVM: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', main, '--seconds', '1'], {
    env: { ...env, PATH: cache, XDG_CACHE_HOME: cache },
  })
  expect(stdout).toBe('fuzz:geth is skipped: there is no evm 1.17.10 of go-ethereum, and no Go to build it\n')
}, 60_000)
