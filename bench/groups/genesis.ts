// Costs that depend on the size of the state: making a chain from a genesis of 10,000 and of 1,000,000 accounts (linear), and
// the start and memory of a node on it (constant). Each size is made once; its folder is removed at the end.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Group, Row, Sample } from '../bench.ts'
import { runKestrel, temporaryFolder } from '../contenders.ts'
import { BALANCE, writeGenesis } from '../genesis.ts'
import { recipient } from '../senders.ts'
import { SETTLING } from '../target.ts'

const SIZES = [10_000, 1_000_000]
const QUICK_SIZES = [500, 2_000]

export const genesis: Group = {
  name: 'genesis',
  title: 'Cost that grows with the genesis',
  of: 'kestrel',
  async rows(contender, bench) {
    const rows: Row[] = []
    for (const [index, full] of SIZES.entries()) {
      const accounts = bench.size(full, QUICK_SIZES[index] ?? 0)
      const folder = temporaryFolder()
      const file = join(folder, 'genesis.json')
      await writeGenesis(file, accounts, recipient)
      const datadir = join(folder, 'data')
      const init = await runKestrel(contender, ['init', '--datadir', datadir, '--genesis', file])
      let memory = Number.NaN
      const start = async (): Promise<Sample> => {
        const target = await contender.start({ datadir })
        try {
          const cpu = target.cpuTime()
          if ((await target.rpc('eth_getBalance', recipient(accounts - 1), 'latest')) !== BALANCE)
            throw new Error('an account of the genesis is missing')
          await sleep(SETTLING)
          memory = target.residentMemory() / 1e6
          return { value: target.startedIn, cpu }
        } finally {
          await target.stop()
        }
      }
      const row = (name: string, unit: string, run: () => Promise<Sample>): Row => {
        return { name: `${name}, ${accounts.toLocaleString('en')} accounts`, unit, better: 'less', run }
      }
      rows.push(
        row('init (once)', 's', async () => ({ value: init.seconds, cpu: init.cpu })),
        row('memory of init (once)', 'MB', async () => ({ value: (init.memory ?? Number.NaN) / 1e6 })),
        row('start until the first answer', 'ms', start),
        // Of the start that was measured for the row before.
        row('resident memory after the start', 'MB', async () => ({ value: memory })),
        row('size of the database', 'MB', async () => ({ value: sizeOfFolder(datadir) })),
      )
    }
    return rows
  },
}

/** Megabytes on disk. */
const sizeOfFolder = (folder: string): number =>
  Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1000
