// A part of Ethereum's state tests on every fork, and the two programs that run them. The expected roots and logs are the
// suite's, recorded from other clients.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BlockExecution } from '../../src/runtime/block-execution.ts'
import { runStateTests, type StateTestResult } from './state-test.ts'
import { statetest } from './statetest.ts'
import { SHARE, stateTestFiles } from './statetests.ts'

const read = (file: string): string => readFileSync(join(SHARE, file), 'utf8')

async function resultsOf(text: string, forks?: readonly string[]): Promise<StateTestResult[]> {
  const results: StateTestResult[] = []
  for await (const result of runStateTests(text, { forks })) results.push(result)
  return results
}

type File = Record<
  string,
  { post: Record<string, { hash: unknown; logs: unknown; txbytes?: string; expectException?: string }[]> }
>

/** A file with all its expectations changed by `change`. */
function changed(file: string, change: (subtest: File[string]['post'][string][number]) => void): string {
  const tests: File = JSON.parse(read(file))
  for (const { post } of Object.values(tests)) for (const subtests of Object.values(post)) subtests.forEach(change)
  return JSON.stringify(tests)
}

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

describe('state tests', () => {
  it.each(stateTestFiles(SHARE))('%s', async (file) => {
    const results = await resultsOf(read(file))
    const tests: File = JSON.parse(read(file))
    const subtests = Object.values(tests).flatMap(({ post }) => Object.values(post).flat())
    expect(results.filter(({ pass }) => !pass)).toEqual([])
    expect(results.map(({ stateRoot }) => stateRoot)).toEqual(subtests.map(({ hash }) => hash))
  })
})

describe('a run of state tests', () => {
  const ADD = 'stExample/add11.json'
  const CANCUN = ['Cancun']
  const ROOT = '0xe8010ce590f401c9d61fef8ab05bea9bcec24281b795e5868809bc4e515aa530'

  it.each(['', null, undefined])('reports the computed root when the expected one is %j', async (expected) => {
    const blank = changed(ADD, (subtest) => {
      subtest.hash = expected
    })
    expect(await resultsOf(blank, CANCUN)).toEqual([
      expect.objectContaining({ fork: 'Cancun', pass: false, stateRoot: ROOT, error: expect.stringContaining('root') }),
    ])
  })

  it('survives an internal error of the node', async () => {
    vi.spyOn(BlockExecution.prototype, 'apply').mockRejectedValueOnce(new TypeError('a fault'))
    const [first, ...others] = await resultsOf(read(ADD))
    expect(first).toMatchObject({ fork: 'Berlin', pass: false, error: expect.stringContaining('a fault') })
    expect(others.map(({ pass }) => pass)).toEqual([true, true, true, true])
  })

  it('fails on different logs', async () => {
    const other = changed(ADD, (subtest) => {
      subtest.logs = ROOT
    })
    expect(await resultsOf(other, CANCUN)).toEqual([
      expect.objectContaining({ pass: false, stateRoot: ROOT, error: expect.stringContaining('logs') }),
    ])
  })

  it('fails when an invalid transaction runs, and when a valid one is rejected', async () => {
    const forbidden = changed(ADD, (subtest) => {
      subtest.expectException = 'TR_NoFunds'
    })
    expect(await resultsOf(forbidden, CANCUN)).toEqual([
      expect.objectContaining({ pass: false, stateRoot: ROOT, error: 'expected exception: TR_NoFunds' }),
    ])
    const allowed = changed('stEIP3607/transactionCollidingWithNonEmptyAccount_init_Paris.json', (subtest) => {
      delete subtest.expectException
    })
    const results = await resultsOf(allowed, CANCUN)
    expect(results.map(({ pass }) => pass)).toContain(false)
    expect(results.find(({ pass }) => !pass)?.error).toContain('sender not an eoa')
  })

  it.each(stateTestFiles(SHARE))('signs the transactions of %s that are not given as bytes', async (file) => {
    const tests = JSON.parse(read(file))
    const unsigned = changed(file, (subtest) => {
      // The bytes of an invalid transaction may differ from its fields.
      if (subtest.expectException === undefined) delete subtest.txbytes
    })
    expect(Object.keys(tests)).not.toEqual([])
    expect((await resultsOf(unsigned)).filter(({ pass }) => !pass)).toEqual([])
  })

  it('fails on unknown forks, unless only others are requested', async () => {
    const unknown = read(ADD).replaceAll('"Cancun"', '"Futurum"')
    const results = await resultsOf(unknown)
    expect(results.map(({ pass }) => pass)).toEqual([true, false, true, true, true])
    // go-ethereum's message.
    expect(results[1]).toMatchObject({ fork: 'Futurum', error: 'unsupported fork "Futurum"' })
    expect((await resultsOf(unknown, ['Berlin'])).map(({ pass }) => pass)).toEqual([true])
  })

  it.each([
    ['no JSON', 'add11', 'not JSON'],
    ['another file', '{"add11":{}}', 'not a state test: add11.env'],
    ['a bad number', read(ADD).replace('"0x03e8"', '"1000"'), 'not a state test: add11.env.currentTimestamp'],
  ])('refuses %s', async (_, text, words) => {
    await expect(resultsOf(text)).rejects.toMatchObject({
      code: 'invalid-params',
      message: expect.stringContaining(words),
    })
  })
})

describe('statetest', () => {
  async function run(...args: string[]): Promise<{ out: string; err: string; exitCode: unknown }> {
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await statetest().parseAsync(args, { from: 'user' })
    const textOf = (spy: typeof out) => spy.mock.calls.map(([text]) => text).join('')
    return { out: textOf(out), err: textOf(err), exitCode: process.exitCode }
  }

  it('prints one JSON line per subtest', async () => {
    const { out, err, exitCode } = await run('--fork', 'Berlin,Cancun', join(SHARE, 'stExample/add11.json'))
    expect(out).toBe(
      '{"name":"add11","fork":"Berlin","index":0,"pass":true,"stateRoot":"0xcd39e0cdd18f8f811911222ae6779341663d0293e1a3d9501da7ac2f4da9b277","logsHash":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"}\n' +
        '{"name":"add11","fork":"Cancun","index":0,"pass":true,"stateRoot":"0xe8010ce590f401c9d61fef8ab05bea9bcec24281b795e5868809bc4e515aa530","logsHash":"0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"}\n',
    )
    expect(err).toBe('')
    expect(exitCode).toBeUndefined()
  })

  it('continues after an unreadable file, and reports it at the end', async () => {
    const { out, err, exitCode } = await run(
      '--jobs',
      '1',
      '--fork',
      'Cancun',
      'no-such-file',
      join(SHARE, 'stExample/add11.json'),
    )
    expect(out.split('\n')).toHaveLength(2)
    expect(err).toBe('statetest: no-such-file: no such file or folder\n')
    expect(exitCode).toBe(1)
  })

  // Nothing ran, so nothing passed.
  it.each([
    ['a file without tests', '{}', []],
    ['tests of no fork', JSON.stringify({ a: { ...JSON.parse(read('stExample/add11.json')).add11, post: {} } }), []],
    ['tests of other forks than the requested ones', read('stExample/add11.json'), ['--fork', 'Frontier']],
  ])('fails for %s', async (_, text, flags) => {
    const folder = await mkdtemp(join(tmpdir(), 'statetest-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'file.json')
    await writeFile(file, text)
    const { out, err, exitCode } = await run('--jobs', '1', ...flags, file)
    expect(out).toBe('')
    expect(err).toBe(`statetest: ${flags.length === 0 ? `${file}: it has no tests` : 'no test ran'}\n`)
    expect(exitCode).toBe(1)
  })

  // go-ethereum's words; it knows a fork of the first name, which is not in any chain's schedule.
  it.each(['Verkle', 'EOFv1'])('fails on the fork %s, and names it', async (fork) => {
    const folder = await mkdtemp(join(tmpdir(), 'statetest-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'file.json')
    await writeFile(file, read('stExample/add11.json').replaceAll('"Cancun"', JSON.stringify(fork)))
    const { out, exitCode } = await run('--jobs', '1', file)
    expect(out).toContain(`"error":"unsupported fork \\"${fork}\\""`)
    expect(exitCode).toBe(1)
  })

  it('refuses an unknown fork', async () => {
    await expect(run('--fork', 'Cancan', 'file')).rejects.toThrow('--fork: expected forks out of Frontier')
  })
})

describe('the runner of state tests', () => {
  it('sums up the results of several processes', async () => {
    const runner = join(import.meta.dirname, 'run-statetests.ts')
    const args = ['--import', 'tsx', runner, '--jobs', '2', '--fork', 'Cancun', join(SHARE, 'stExample')]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout.trim().split('\n').at(-1)).toBe('2 passed, 0 failed')
    // Three processes load the sources, which takes long on a busy machine.
  }, 120_000)
})
