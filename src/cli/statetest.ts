// `kestrel statetest`: runs Ethereum's state tests through this node's own state and execution, in the manner of geth's
// `evm statetest`. Standard output holds one JSON object per subtest and nothing else, in the order of the files.
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { STATE_TEST_FORKS, type StateTestResult } from '../runtime/state-test.ts'
import { list, readFlags, wholeNumber } from './flags.ts'
import { answerParent, runStateTestFiles } from './state-test-workers.ts'

const forkNames = list.refine((names) => names.every((name) => STATE_TEST_FORKS.includes(name)), {
  message: `expected forks out of ${STATE_TEST_FORKS.join(', ')}`,
})

const flags = z.object({
  fork: forkNames.optional(),
  jobs: wholeNumber(1, 1024).optional(),
  worker: z.boolean().optional(),
})

export function register(program: Command): void {
  program
    .command('statetest')
    .description("run Ethereum's state tests; prints one line of JSON per subtest")
    .argument('[file...]', 'files of tests; without any their names are read from standard input, one per line')
    .option('--fork <names>', "run only these forks, by the tests' names, separated by commas")
    .option('--jobs <number>', 'how many files run at a time (default: as many as there are cores)')
    .addOption(new Option('--worker').hideHelp())
    .addHelpText(
      'after',
      `
Each subtest runs its transaction as in a block of this node, on state of its own. The exit code is 1 if any failed.

Examples:
  kestrel statetest --fork Cancun stExample/*.json
  find GeneralStateTests -name '*.json' | kestrel statetest --jobs 4`,
    )
    .action(async (files: string[], given) => {
      const { fork: forks, jobs = availableParallelism(), worker } = readFlags(flags, given)
      if (worker === true) return answerParent()
      const options = {
        forks,
        jobs: files.length === 0 ? jobs : Math.min(jobs, files.length),
        workerArgs: ['statetest', '--worker'],
      }
      const names = files.length === 0 ? namesFrom(process.stdin) : files
      await runStateTestFiles(names, options, ({ results, error }) => {
        for (const result of results) process.stdout.write(`${line(result)}\n`)
        if (error !== undefined) process.stderr.write(`kestrel: ${error}\n`)
        if (error !== undefined || results.some(({ pass }) => !pass)) process.exitCode = 1
      })
    })
}

/** The names on a stream, one per line. */
async function* namesFrom(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const text of createInterface({ input })) {
    const name = text.trim()
    if (name !== '') yield name
  }
}

const line = ({ name, fork, index, pass, stateRoot, error }: StateTestResult): string =>
  JSON.stringify({ name, fork, index, pass, stateRoot, error })
