// The common part of `statetest` and `blocktest`: flags, files from arguments or standard input, one JSON line per test on
// standard output, and exit code 1 if any failed.
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { exitCodeOf, explain } from '../../src/cli/explain.ts'
import { list, oneOf, path, readFlags, readOperand, wholeNumber, wrongOperand } from '../../src/cli/flags.ts'
import { ENGINES } from '../../src/evm/engine-selection.ts'
import { answerParent, type FileOutcome, runTestFiles, type TestFormat } from './test-workers.ts'

export type TestCommand<F extends TestFormat> = {
  readonly name: string
  readonly description: string
  /** The end of the help page. */
  readonly help: string
  readonly format: F
  /** Whether a name is valid for `--fork`. */
  readonly isFork: (name: string) => boolean
  /** The valid names, for error messages. */
  readonly forks: readonly string[]
  /** The JSON line of one result. */
  readonly line: (result: FileOutcome<F>['results'][number]) => string
  /** Whether this result makes the exit code 1. */
  readonly isFailure: (result: FileOutcome<F>['results'][number]) => boolean
  /** The summary on standard error after all files. */
  readonly summary?: () => string
}

/** The program with its arguments, flags and action. */
export function testCommand<F extends TestFormat>(what: TestCommand<F>): Command {
  const flags = z.object({
    fork: list
      .refine((names) => names.every(what.isFork), { message: `expected forks out of ${what.forks.join(', ')}` })
      .optional(),
    jobs: wholeNumber(1, 1024).optional(),
    engine: oneOf(...ENGINES).optional(),
    worker: z.boolean().optional(),
  })
  return new Command(what.name)
    .description(what.description)
    .addHelpText('after', what.help)
    .exitOverride()
    .argument(
      '[file...]',
      'files of tests, plain or gzipped (.gz); without any their names are read from standard input, one per line',
    )
    .option('--fork <names>', "run only these forks, by the tests' names, separated by commas")
    .option('--jobs <number>', 'how many files run at a time (default: as many as there are cores)')
    .option('--engine <name>', `what runs the code: ${ENGINES.join(', ')}`)
    .addOption(new Option('--worker').hideHelp())
    .action(async (files: string[], given) => {
      const { fork: forks, jobs = availableParallelism(), engine, worker } = readFlags(flags, given)
      if (worker === true) return answerParent()
      const options = {
        format: what.format,
        forks,
        engine,
        workerArgs: ['--worker'],
        jobs: files.length === 0 ? jobs : Math.min(jobs, files.length),
      }
      for (const file of files) readOperand('file', path, file)
      const names = files.length === 0 ? namesFrom(process.stdin) : files
      let count = 0
      await runTestFiles(names, options, ({ results, error }) => {
        count += results.length
        for (const result of results) process.stdout.write(`${what.line(result)}\n`)
        if (error !== undefined) process.stderr.write(`${what.name}: ${error}\n`)
        if (error !== undefined || results.some(what.isFailure)) process.exitCode = 1
      })
      if (count === 0 && process.exitCode === undefined) {
        process.stderr.write(`${what.name}: no test ran\n`)
        process.exitCode = 1
      }
      if (what.summary !== undefined) process.stderr.write(`${what.name}: ${what.summary()}\n`)
    })
}

/** Runs a program on the arguments of this process. A failure is one line on standard error; exit codes are kestrel's. */
export async function runTestCommand(command: Command): Promise<void> {
  try {
    await command.parseAsync()
  } catch (error) {
    const { code, isPrinted } = exitCodeOf(error)
    if (!isPrinted) process.stderr.write(`${command.name()}: ${explain(error)}\n`)
    process.exitCode = code
  }
}

/**
 * The names on standard input, one per line, each as soon as it arrives: a fuzzer waits for a file's results before it writes
 * the next name. Throws WrongCommandLine if there are none.
 */
async function* namesFrom(input: typeof process.stdin): AsyncGenerator<string> {
  let count = 0
  if (!input.isTTY) {
    for await (const text of createInterface({ input })) {
      const name = text.trim()
      if (name === '') continue
      count++
      yield name
    }
  }
  if (count === 0) throw wrongOperand('file', 'expected files of tests, or their names on standard input')
}
