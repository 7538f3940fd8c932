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

/** Differences of another engine of ours from a guess. */
export async function judgedByOurs(engine: TestProgram, { file, tests, verdicts }: Guess): Promise<Difference[]> {
  const all = subtestsOf(tests)
  const found = await engine.run(file, all.length)
  return all.flatMap(({ name, fork, index, subtest }, at) => {
    const verdict = found[at]
    const first = verdicts[at]
    // The root of a refused transaction is compared here, because the file does not have it.
    const agrees =
      subtest.expectException === undefined
        ? verdict?.pass === true
        : verdict?.stateRoot === first?.stateRoot && verdict?.error?.startsWith('post state root mismatch') === true
    if (agrees) return []
    return [{ name, fork, index, program: engine.name, found: verdict?.error ?? 'nothing' }]
  })
}
