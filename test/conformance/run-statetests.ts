// Runs all state tests of a folder, several files at a time: prints passed and failed per folder, each failure with its reason,
// and a last line `N passed, N failed`. The whole suite takes minutes, so it is not part of `npm test`.
//   tsx test/conformance/run-statetests.ts [--fork Cancun,London] [--jobs 2] [FOLDER]
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { stateTestFiles, suite } from './statetests.ts'
import { answerParent, runTestFiles } from './test-workers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fork: { type: 'string' }, jobs: { type: 'string' }, worker: { type: 'boolean' } },
})
if (values.worker) answerParent()
else await run(positionals[0] ?? suite())

async function run(root: string): Promise<void> {
  const counts = new Map<string, { passed: number; failed: number }>()
  const options = {
    format: 'state' as const,
    forks: values.fork?.split(','),
    jobs: values.jobs === undefined ? availableParallelism() : Number(values.jobs),
    workerArgs: ['--worker'],
  }
  const files = stateTestFiles(root).map((path) => join(root, path))
  await runTestFiles(files, options, ({ results, error }, file) => {
    const folder = relative(root, dirname(file))
    const count = counts.get(folder) ?? { passed: 0, failed: 0 }
    counts.set(folder, count)
    for (const { name, fork, index, pass, error } of results) {
      if (pass) count.passed++
      else count.failed++
      if (!pass) console.log(`${relative(root, file)}: ${name}, ${fork} ${index}: ${error}`)
    }
    if (error !== undefined) {
      count.failed++
      console.log(error)
    }
  })
  for (const [folder, { passed, failed }] of counts) console.log(`${folder}: ${passed} passed, ${failed} failed`)
  const sum = (which: 'passed' | 'failed') => [...counts.values()].reduce((total, count) => total + count[which], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  if (sum('failed') > 0 || sum('passed') === 0) process.exitCode = 1
}
