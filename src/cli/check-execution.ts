// `kestrel check --execute`: executes stored blocks again on another engine. It works on a copy of the database that shares the
// table files, so that the node may keep running.
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { checkExecution } from '../chain/check-execution.ts'
import { storedSpec } from '../chain/open.ts'
import { type ProposalModule, registryOf, requireNamed } from '../cip/modules.ts'
import { ENGINES, type EngineChoice, reportEngine } from '../evm/engine-selection.ts'
import { ChainError } from '../lib/errors.ts'
import { Runtime } from '../runtime/runtime.ts'
import { copyDatabaseInUse } from '../state/disk-check.ts'
import { hasDatabase, openUnchecked, requireUnlocked } from '../state/kv.ts'
import { integer, oneOf } from './flags.ts'
import { showProgress } from './progress.ts'

/** The default engine of the command: nodes run on `compiled` by default. */
export const SECOND_ENGINE: EngineChoice = 'library'

const blockNumber = integer(0n, 2n ** 64n - 1n)
export const executionFlags = {
  execute: z.boolean().default(false),
  engine: oneOf(...ENGINES).optional(),
  from: blockNumber.optional(),
  to: blockNumber.optional(),
}

type Range = {
  readonly engine?: EngineChoice | undefined
  readonly from?: bigint | undefined
  readonly to?: bigint | undefined
}

/**
 * Prints the first difference on standard output and sets exit code 1; without one, prints a summary on standard error. Throws
 * the errors of `checkExecution` and `copyDatabaseInUse`, and ChainError `storage` while another run uses the copy.
 */
export async function executeAgain(
  folder: string,
  modules: readonly ProposalModule[],
  { engine: chosen = SECOND_ENGINE, from, to }: Range,
): Promise<void> {
  const { engine, warning } = reportEngine(chosen)
  if (warning !== undefined) process.stderr.write(`${warning}\n`)
  const scratch = join(dirname(folder), 'check-execution')
  if (hasDatabase(scratch)) await requireUnlocked(scratch)
  try {
    copyDatabaseInUse(folder, scratch)
    const store = await openUnchecked(scratch)
    try {
      const spec = await storedSpec(store)
      if (spec === undefined) throw new ChainError('storage', 'the database holds no chain')
      requireNamed(spec, modules)
      const runtime = new Runtime(spec, registryOf(spec, modules), engine)
      const progress = showProgress('executed')
      const difference = await checkExecution(store, { runtime, engine, from, to, onBlock: progress.step })
      progress.done(difference === undefined ? ` on ${engine}: no difference` : ` on ${engine} before a difference`)
      if (difference === undefined) return
      process.stdout.write(`${difference}\n`)
      process.exitCode = 1
    } finally {
      await store.close()
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
