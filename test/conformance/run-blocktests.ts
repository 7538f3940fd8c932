// Runs the blockchain tests of this or another folder on every engine: prints counts, and each failure with its reason.
//   tsx test/conformance/run-blocktests.ts [--jobs 2] [--engine wasm] [FOLDER]
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ENGINES } from '../../src/evm/engine-selection.ts'
import { answerParent, runTestFiles } from './test-workers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string' }, engine: { type: 'string' }, worker: { type: 'boolean' } },
})
if (values.worker) answerParent()
else await run(positionals[0] ?? join(import.meta.dirname, 'blocks'))

async function run(root: string): Promise<void> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.json(\.gz)?$/.test(path))
    .sort()
    .map((path) => join(root, path))
  const jobs = values.jobs === undefined ? availableParallelism() : Number(values.jobs)
  // The worker processes compile code from the first opcode on.
  process.env['KESTREL_COMPILE'] ??= 'eagerly'
  for (const engine of ENGINES.filter((name) => values.engine === undefined || name === values.engine)) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const options = { format: 'block' as const, engine, jobs, workerArgs: ['--worker'] }
    await runTestFiles(files, options, ({ results, error }) => {
      for (const { name, pass, skipped, error: reason } of results) {
        counts[skipped !== undefined ? 'skipped' : pass ? 'passed' : 'failed']++
        if (reason !== undefined) console.log(`${engine}: ${name}: ${reason}`)
      }
      if (error === undefined) return
      counts.failed++
      console.log(error)
    })
    console.log(
      `${engine}: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped as not applicable`,
    )
    if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1
  }
}
