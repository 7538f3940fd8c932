// Costs that depend on the size of the state: making a chain from a genesis of 10,000 and of 1,000,000 accounts (linear), and
// the start and memory of a node on it (constant). Each size is made once; its folder is removed at the end.
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { numberToHex } from 'viem'
import type { Group, Row } from '../bench.ts'
import { initChain, temporaryFolder } from '../contenders.ts'
import { CHAIN_ID, GAS_LIMIT, recipient } from '../senders.ts'

const SIZES = [10_000, 1_000_000]
const QUICK_SIZES = [500, 2_000]
const BALANCE = numberToHex(10n ** 18n)
/** Milliseconds for a node to finish its work after its first answer. */
const SETTLING = 1000
/** Accounts in one write to the genesis file. */
const PART = 10_000

export const size: Group = {
  name: 'size',
  title: 'Cost that grows with the genesis',
  of: 'kestrel',
  async rows(contender, bench) {
    const rows: Row[] = []
    for (const [index, full] of SIZES.entries()) {
      const accounts = bench.size(full, QUICK_SIZES[index] ?? 0)
      const folder = temporaryFolder()
      const genesis = join(folder, 'genesis.json')
      await writeGenesis(genesis, accounts)
      const datadir = join(folder, 'data')
      const began = performance.now()
      const memory = initChain(contender, datadir, genesis)
      const took = (performance.now() - began) / 1000
      const started = async () => {
        const target = await contender.start({ datadir })
        try {
          if ((await target.rpc('eth_getBalance', recipient(accounts - 1), 'latest')) !== BALANCE)
            throw new Error('an account of the genesis is missing')
          await sleep(SETTLING)
          return { time: target.startedIn, memory: target.residentMemory() / 1e6 }
        } finally {
          await target.stop()
        }
      }
      const title = `${accounts.toLocaleString('en')} accounts`
      const row = (name: string, unit: string, run: () => Promise<number>): Row => {
        return { name: `${name}, ${title}`, unit, better: 'less', run: async () => ({ value: await run() }) }
      }
      rows.push(
        row('init (once)', 's', async () => took),
        row('memory of init (once)', 'MB', async () => memory / 1e6),
        row('start until the first answer', 'ms', async () => (await started()).time),
        row('resident memory after the start', 'MB', async () => (await started()).memory),
        row('size of the database', 'MB', async () => sizeOfFolder(datadir)),
      )
    }
    return rows
  },
}

/** Megabytes on disk. */
const sizeOfFolder = (folder: string): number =>
  Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]) / 1000

/** Writes a genesis of funded accounts in parts: a million of them take 80 MB. */
async function writeGenesis(file: string, accounts: number): Promise<void> {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']
  const config = {
    chainId: CHAIN_ID,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    ...Object.fromEntries([...blocks, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
  }
  const head = JSON.stringify({ config, gasLimit: numberToHex(GAS_LIMIT), difficulty: '0x0' })
  const out = createWriteStream(file)
  const write = async (text: string) => {
    if (!out.write(text)) await once(out, 'drain')
  }
  await write(`${head.slice(0, -1)},"alloc":{`)
  for (let from = 0; from < accounts; from += PART) {
    const part = Array.from({ length: Math.min(PART, accounts - from) }, (_, index) => {
      return `"${recipient(from + index)}":{"balance":"${BALANCE}"}`
    })
    await write(`${from === 0 ? '' : ','}${part.join(',')}`)
  }
  out.end('}}')
  await once(out, 'finish')
}
