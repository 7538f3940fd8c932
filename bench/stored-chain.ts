// The chain of chain.ts on disk, in a folder: `genesis.json` in geth's format, kestrel's data directory `data`, and
// `blocks.tsv` with the cost of each block. It is made once and can be continued, after an interruption or to a greater size.
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { A_BLOCK, extendChain } from './chain.ts'
import { type Contender, runKestrel, temporaryFolder } from './contenders.ts'
import { writeGenesis } from './genesis.ts'
import { ACCOUNTS, deployer, senders } from './senders.ts'

export type StoredChain = {
  readonly genesis: string
  readonly datadir: string
  /** Milliseconds and microseconds of CPU of each block of 200, as it was made. */
  readonly blocks: readonly { readonly took: number; readonly cpu: number }[]
}

/** Throws when the folder has no chain. */
function openStoredChain(folder: string): StoredChain {
  const lines = readFileSync(join(folder, 'blocks.tsv'), 'utf8').trim().split('\n')
  const blocks = lines.map((line) => line.split('\t').map(Number)).map(([took = 0, cpu = 0]) => ({ took, cpu }))
  return { genesis: join(folder, 'genesis.json'), datadir: join(folder, 'data'), blocks }
}

/** Makes the chain of this many transactions, or continues it; `log` gets a line for each 10,000. */
export async function storeChain(
  contender: Contender,
  folder: string,
  total: number,
  log: (line: string) => void,
): Promise<StoredChain> {
  mkdirSync(folder, { recursive: true })
  const genesis = join(folder, 'genesis.json')
  const datadir = join(folder, 'data')
  if (!existsSync(datadir)) {
    await writeGenesis(genesis, ACCOUNTS, (index) => (index === 0 ? deployer : (senders[index - 1] ?? '0x')))
    await runKestrel(contender, ['init', '--datadir', datadir, '--genesis', genesis])
  }
  const target = await contender.start({ datadir })
  let before = target.cpuTime() ?? 0
  let done = 0
  try {
    await extendChain(target, total, (took) => {
      const cpu = target.cpuTime() ?? 0
      appendFileSync(join(folder, 'blocks.tsv'), `${took.toFixed(2)}\t${(cpu - before).toFixed(0)}\n`)
      before = cpu
      done += A_BLOCK
      if (done % 10_000 === 0) log(`${done.toLocaleString('en')} more transactions`)
    })
  } finally {
    await target.stop()
  }
  return openStoredChain(folder)
}

/** A copy of the chain that the run names, or of a small one, which is kept in the temporary folder. */
export async function chainOf(contender: Contender, { chain, size }: Bench): Promise<StoredChain> {
  const total = size(60_000, 2000)
  const stored =
    chain === undefined
      ? await storeChain(contender, cachedFolder(total), total, () => undefined)
      : openStoredChain(chain)
  const datadir = join(temporaryFolder(), 'data')
  await cp(stored.datadir, datadir, { recursive: true })
  return { ...stored, datadir }
}

/** Folder for a chain of this size; another one when the code that writes chains is another one. */
function cachedFolder(total: number): string {
  const hash = createHash('sha256')
  for (const room of ['chain', 'indexer', 'primitives', 'state']) {
    const folder = join(import.meta.dirname, '../src', room)
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) hash.update(readFileSync(join(folder, file)))
    }
  }
  return join(tmpdir(), `kestrel-bench-chain-${total}-${hash.digest('hex').slice(0, 12)}`)
}
