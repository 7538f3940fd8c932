// Compares our engines with go-ethereum. One of ours runs a file first; its results are written into the file as expected
// values, so that geth, which prints roots only, compares the logs as well. Then every other program runs this file.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProgram, Verdict } from './program.ts'
import type { StateTest, Subtest } from './state-test.ts'

export type Tests = Readonly<Record<string, StateTest>>

export type Difference = {
  readonly name: string
  readonly fork: string
  readonly index: number
  /** Name of the program that disagrees with the engine that ran first. */
  readonly program: string
  readonly found: string
}

/** A file that has run once: each subtest with its result. */
export type Guess = {
  readonly file: string
  readonly tests: Tests
  readonly verdicts: readonly Verdict[]
  /** Number of transactions that were refused before execution. */
  readonly rejected: number
}

const REJECTED = 'transaction rejected: '
/** With this expected root geth does not check the state of a refused transaction. */
const ANY_HASH = `0x${'00'.repeat(32)}`

/** The subtests of some tests in the order of our program's results. */
const subtestsOf = (tests: Tests): readonly { name: string; fork: string; index: number; subtest: Subtest }[] =>
  Object.entries(tests).flatMap(([name, { post }]) =>
    Object.entries(post).flatMap(([fork, subtests]) =>
      subtests.map((subtest, index) => ({ name, fork, index, subtest })),
    ),
  )

/** Runs tests once and writes their results as expected values into a file in `folder`. Throws like `TestProgram.run`. */
export async function guess(first: TestProgram, tests: Tests, folder: string, name: string): Promise<Guess> {
  const file = join(folder, `${name}.json`)
  await writeFile(file, JSON.stringify(tests))
  const all = subtestsOf(tests)
  const verdicts = await first.run(file, all.length)
  let rejected = 0
  const expected = new Map<Subtest, Subtest>()
  for (const [at, { subtest }] of all.entries()) {
    const { stateRoot = ANY_HASH, logsHash = ANY_HASH, error } = verdicts[at] ?? {}
    const isRejected = error?.startsWith(REJECTED) === true
    if (isRejected) rejected++
    expected.set(
      subtest,
      isRejected
        ? { ...subtest, hash: ANY_HASH, logs: ANY_HASH, expectException: error }
        : { ...subtest, hash: stateRoot, logs: logsHash },
    )
  }
  const filled = Object.fromEntries(
    Object.entries(tests).map(([of, test]) => {
      const post = Object.entries(test.post).map(([fork, list]) => [fork, list.map((one) => expected.get(one) ?? one)])
      return [of, { ...test, post: Object.fromEntries(post) }]
    }),
  )
  await writeFile(file, JSON.stringify(filled))
  return { file, tests: filled, verdicts, rejected }
}

/** A hash that no state has, so that geth says which it has found. */
const NO_HASH = `0x${'11'.repeat(32)}`

/**
 * The tests with the results of geth as expected values: roots, hashes of logs, and which transactions it refuses. geth prints the
 * hash of logs only where it differs from the expected one, and the root does not.
 */
export async function answeredByGeth(geth: TestProgram, tests: Tests, folder: string): Promise<Tests> {
  const file = join(folder, 'answered.json')
  const ask = async (expected: (name: string, fork: string, index: number, subtest: Subtest) => Subtest) => {
    const asked = Object.fromEntries(
      Object.entries(tests).map(([name, test]) => {
        const post = Object.entries(test.post).map(([fork, list]) => {
          return [fork, list.map((subtest, index) => expected(name, fork, index, subtest))] as const
        })
        return [name, { ...test, post: Object.fromEntries(post) }]
      }),
    )
    await writeFile(file, JSON.stringify(asked))
    const found = new Map<string, Verdict[]>()
    for (const verdict of await geth.run(file, subtestsOf(tests).length)) {
      const key = `${verdict.name} ${verdict.fork}`
      found.set(key, [...(found.get(key) ?? []), verdict])
    }
    return { asked, of: (name: string, fork: string, index: number) => found.get(`${name} ${fork}`)?.[index] }
  }
  const blank = { hash: NO_HASH, logs: NO_HASH }
  const roots = await ask((_name, _fork, _index, { expectException: _, ...subtest }) => ({ ...subtest, ...blank }))
  const rooted = ({ hash: _, expectException: __, ...subtest }: Subtest, verdict: Verdict | undefined): Subtest => {
    const hash = verdict?.stateRoot ?? NO_HASH
    const isRefused = verdict?.error?.startsWith('unexpected error: ') === true
    return { ...subtest, hash, logs: NO_HASH, ...(isRefused && { expectException: verdict.error }) }
  }
  const logs = await ask((name, fork, index, subtest) => rooted(subtest, roots.of(name, fork, index)))
  const answered = await ask((name, fork, index, subtest) => {
    const [, hash = NO_LOGS] =
      / logs hash mismatch: got ([0-9a-f]{64})/.exec(logs.of(name, fork, index)?.error ?? '') ?? []
    return { ...rooted(subtest, roots.of(name, fork, index)), logs: `0x${hash}` }
  })
  return answered.asked
}

/** keccak256 of the RLP of an empty list. */
const NO_LOGS = '1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/** geth's differences from a guess; its tests and forks come in any order, the subtests of a fork in order. */
export async function judgedByGeth(geth: TestProgram, { file, tests, verdicts }: Guess): Promise<Difference[]> {
  const all = subtestsOf(tests)
  const byFork = new Map<string, Verdict[]>()
  for (const verdict of await geth.run(file, all.length)) {
    const key = `${verdict.name} ${verdict.fork}`
    byFork.set(key, [...(byFork.get(key) ?? []), verdict])
  }
  return all.flatMap(({ name, fork, index }, at) => {
    const judged = byFork.get(`${name} ${fork}`)?.[index]
    const fault = verdicts[at]?.error?.startsWith('fault') ? verdicts[at]?.error : undefined
    if (judged?.pass === true && fault === undefined) return []
    return [{ name, fork, index, program: geth.name, found: fault ?? judged?.error ?? 'nothing' }]
  })
}

/** Forks that the library has as a draft: its results differ from go-ethereum's there, and are not compared. */
const DRAFTS: ReadonlySet<string> = new Set(['Amsterdam'])

/** Differences of another engine of ours from a guess. */
export async function judgedByOurs(engine: TestProgram, { file, tests, verdicts }: Guess): Promise<Difference[]> {
  const all = subtestsOf(tests)
  const found = await engine.run(file, all.length)
  return all.flatMap(({ name, fork, index, subtest }, at) => {
    const verdict = found[at]
    const first = verdicts[at]
    if (engine.name === 'library' && DRAFTS.has(fork)) return []
    // The root of a refused transaction is compared here, because the file does not have it.
    const agrees =
      subtest.expectException === undefined
        ? verdict?.pass === true
        : verdict?.stateRoot === first?.stateRoot && verdict?.error?.startsWith('post state root mismatch') === true
    if (agrees) return []
    return [{ name, fork, index, program: engine.name, found: verdict?.error ?? 'nothing' }]
  })
}
