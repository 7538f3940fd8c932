// `kestrel check`: compares everything on disk with its checksums, hashes and roots, and the index with one rebuilt from the
// blocks. The database is only read: the command opens a copy of it, because LevelDB writes when it opens.
import { rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Command } from 'commander'
import { z } from 'zod'
import { checkChain } from '../chain/check.ts'
import { storedSpec } from '../chain/open.ts'
import { type ProposalModule, registryOf, requireNamed } from '../cip/modules.ts'
import { VerifiedContracts } from '../contracts/verified-contracts.ts'
import { ENGINES } from '../evm/engine-selection.ts'
import { indexer } from '../indexer/indexer.ts'
import { ChainError, describeError } from '../lib/errors.ts'
import { TransactionJournal } from '../pool/transaction-journal.ts'
import { Runtime } from '../runtime/runtime.ts'
import { acceptLoss, copyDatabase, dropUnsynced, findAllDamage, RESTORE } from '../state/disk-check.ts'
import { hasDatabase, JOURNAL_FILE, openTemporaryStore, openUnchecked, requireUnlocked } from '../state/kv.ts'
import { memoryRecordLog } from '../state/record-log.ts'
import type { KvStore } from '../state/types.ts'
import { executeAgain, executionFlags, SECOND_ENGINE } from './check-execution.ts'
import { chainFolder } from './datadir.ts'
import { readFlags, wrongFlag } from './flags.ts'
import { showProgress } from './progress.ts'
import { readModules } from './proposal-modules.ts'
import { schemasOf, withOptions } from './start-flags.ts'

const shared = ['datadir', 'proposal'] as const
const flags = z.object({
  ...schemasOf(shared),
  quick: z.boolean().default(false),
  acceptLoss: z.boolean().default(false),
  ...executionFlags,
})
type Flags = z.infer<typeof flags>

/** Most faults that are printed; more are only counted, because one gap in the log may cause thousands. */
const SHOWN = 200

export function register(command: Command): void {
  withOptions(command, ...shared)
    .option('--quick', 'do not run the blocks again; the index is then not checked')
    .option('--accept-loss', 'first cut the chain before the lost or damaged part of its log')
    .option('--execute', 'execute stored blocks again on another engine and compare; the chain may be running')
    .option('--engine <name>', `with --execute: ${ENGINES.join(', ')} (default: ${SECOND_ENGINE})`)
    .option('--from <block>', 'with --execute: first block (default: the first whose parent has a stored state)')
    .option('--to <block>', 'with --execute: last block (default: the newest)')
    .addHelpText(
      'after',
      `
Compares files with their checksums, then blocks, state, history, codes, lookups and the index with one another, and the books
of native modules at the newest block with their invariants. Prints one line for each fault on standard output; the exit code is 0
without faults, else 1. The chain must not be running. The disk
needs room for a copy of the index.

A chain whose newest blocks are lost does not start. --accept-loss takes it back to the last block before the loss. Later
blocks and transactions, which clients saw as final, are lost. Copy the data directory first.

Of a fork the rows that were fetched have their checksums, and their codes their hashes; whether the forked chain has the same is
not checked (--fork-verify of \`kestrel start\` does that when it fetches), nor the body of the block at which it was forked.

--execute compares receipts, requests and the state after each block with the stored ones, on a copy of the database, and
prints the first difference: block, transaction, field and both values. Files, history and index are not checked.

Examples:
  kestrel check --datadir DIR
  kestrel check --accept-loss
  kestrel check --execute --engine library --from 120000`,
    )
    .action(async (given) => {
      const parsed = readFlags(flags, given)
      const folder = chainFolder(parsed.datadir)
      if (!hasDatabase(folder)) throw new ChainError('storage', `${parsed.datadir} holds no chain`)
      requireFlagsFit(parsed)
      const modules = await readModules(parsed.proposal)
      if (parsed.execute) return executeAgain(folder, modules, parsed)
      await requireUnlocked(folder)
      if (parsed.acceptLoss) sayAccepted(acceptLoss(folder))
      const count = await check(folder, modules, parsed)
      process.stderr.write(count === 0 ? 'nothing is damaged\n' : `${count} fault${count === 1 ? '' : 's'}\n`)
      if (count > 0) process.exitCode = 1
    })
}

/** Throws WrongCommandLine for flags that have no effect together. */
function requireFlagsFit(given: Flags): void {
  const stray = given.execute ? (['quick', 'acceptLoss'] as const) : (['engine', 'from', 'to'] as const)
  const name = stray.find((flag) => given[flag] !== undefined && given[flag] !== false)
  if (name !== undefined) throw wrongFlag(name, given.execute ? 'not with --execute' : 'only with --execute')
}

/** Checks everything and returns the number of faults. */
async function check(folder: string, modules: readonly ProposalModule[], { quick }: Flags): Promise<number> {
  const findings = new Findings()
  const scratch = join(dirname(folder), 'check')
  say('files')
  for (const { file, what } of findAllDamage(folder, () => undefined))
    findings.add([basename(folder), ...(file === '' ? [] : [file])].join('/'), what, remedyOfFile(file))
  try {
    const copy = join(scratch, 'chain')
    copyDatabase(folder, copy)
    dropUnsynced(copy)
    const store = await openUnchecked(copy)
    try {
      await checkRows(store, quick ? undefined : join(scratch, 'index'), modules, findings)
      await checkOtherData(store, findings)
    } finally {
      await store.close()
    }
  } catch (error) {
    findings.add(basename(folder), describeError(error), RESTORE)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return findings.count
}

async function checkRows(
  store: KvStore,
  index: string | undefined,
  modules: readonly ProposalModule[],
  findings: Findings,
): Promise<void> {
  const spec = await storedSpec(store)
  if (spec === undefined) throw new ChainError('storage', 'the database holds no chain')
  requireNamed(spec, modules)
  const scratch = index === undefined ? undefined : await openTemporaryStore(index)
  let progress = showProgress('checked')
  try {
    await checkChain(store, {
      runtime: new Runtime(spec, registryOf(spec, modules)),
      indexer,
      scratch,
      report: (place, what) => findings.add(place, what, place.startsWith('index') ? REINDEX : RESTORE),
      onPart: (part) => {
        say(part)
        progress = showProgress('checked')
      },
      onBlock: (number) => progress.step(number),
    })
  } finally {
    await scratch?.close()
  }
}

/** Checks the data besides the chain: sources of contracts, and pending transactions. */
async function checkOtherData(store: KvStore, findings: Findings): Promise<void> {
  try {
    await VerifiedContracts.load(store)
  } catch (error) {
    findings.add('verified contracts', describeError(error), RESTORE)
  }
  try {
    const { records, damaged } = store.log.read()
    for (const { at, length } of damaged)
      findings.add(`chain/${JOURNAL_FILE}`, `${length} bytes at ${at} are not a complete record`, JOURNALED)
    // Loading a journal rewrites it, and `check` must change nothing: it loads a copy.
    const copy = memoryRecordLog()
    copy.append(records)
    new TransactionJournal(copy).load((line) => findings.add(`chain/${JOURNAL_FILE}`, line, JOURNALED))
  } catch (error) {
    findings.add(`chain/${JOURNAL_FILE}`, describeError(error), JOURNALED)
  }
}

const REINDEX = '`kestrel reindex` rebuilds the index'
const ACCEPT = `${RESTORE}, or continue without the lost blocks by \`kestrel check --accept-loss\``
const JOURNALED = 'pending transactions may be lost; send them again'

/** A loss at the end of the log can be accepted, damage within a table cannot. */
const remedyOfFile = (file: string): string => (file === '' || file.endsWith('.log') ? ACCEPT : RESTORE)

class Findings {
  count = 0

  add(place: string, what: string, remedy: string): void {
    this.count++
    if (this.count <= SHOWN) process.stdout.write(`${place}: ${what}: ${remedy}\n`)
    if (this.count === SHOWN) process.stderr.write('more faults are counted but not printed\n')
  }
}

const say = (part: string): void => {
  process.stderr.write(`checking ${part}\n`)
}

function sayAccepted(cut: readonly string[]): void {
  for (const file of cut) process.stderr.write(`${file} was cut before its damage\n`)
  process.stderr.write('the node no longer expects the blocks that were lost\n')
}
