// Import of a chain's blocks, as `kestrel export` writes them, into a new data directory: kestrel with its archive and index
// beside go-ethereum with its usual pruned state. Each runs once.
import { join } from 'node:path'
import { GETH_VERSION, gethProgram } from '../../scripts/fuzz-geth/geth.ts'
import type { Bench, Group, Row } from '../bench.ts'
import { A_BLOCK } from '../chain.ts'
import { type Contender, kestrel, runKestrel, temporaryFolder } from '../contenders.ts'
import { type Cost, runToEnd } from '../programs.ts'
import { chainOf, type StoredChain } from '../stored-chain.ts'

export const imports: Group = {
  name: 'import',
  title: 'Import of a chain beside go-ethereum',
  of: 'both',
  async rows(contender, bench) {
    const { chain, file } = await exported(bench)
    const total = chain.blocks.length * A_BLOCK
    const found = contender.program === 'kestrel' ? kestrelImport(contender, chain, file) : gethImport(chain, file)
    const cost = await found
    if (cost === undefined) return []
    const note = () => (contender.program === 'kestrel' ? 'kestrel' : `geth ${GETH_VERSION}`)
    const row = (name: string, unit: string, value: number, cpu?: number): Row => {
      return { name, unit, better: 'less', note, run: async () => ({ value, cpu }) }
    }
    return [
      row(
        `a transaction of ${total.toLocaleString('en')} (once)`,
        'µs',
        (cost.seconds * 1e6) / total,
        cost.cpu === undefined ? undefined : cost.cpu / total,
      ),
      row('peak of the memory (once)', 'MB', (cost.memory ?? Number.NaN) / 1e6),
    ]
  },
}

let written: Promise<{ chain: StoredChain; file: string }> | undefined

/** The chain and a file with its blocks, which both programs read. */
const exported = (bench: Bench) => {
  written ??= chainOf(kestrel(), bench).then(async (chain) => {
    const file = join(temporaryFolder(), 'chain.rlp')
    await runKestrel(kestrel(), ['export', '--datadir', chain.datadir, file])
    return { chain, file }
  })
  return written
}

async function kestrelImport(contender: Contender, { genesis }: StoredChain, file: string): Promise<Cost> {
  const datadir = join(temporaryFolder(), 'data')
  await runKestrel(contender, ['init', '--datadir', datadir, '--genesis', genesis])
  return runKestrel(contender, ['import', '--datadir', datadir, file])
}

/** undefined when there is no geth: neither in GETH, nor on the path, nor buildable with Go. */
async function gethImport({ genesis }: StoredChain, file: string): Promise<Cost | undefined> {
  const geth = await gethProgram('geth')
  if (geth === undefined) return undefined
  const datadir = join(temporaryFolder(), 'geth')
  await runToEnd(geth, ['--datadir', datadir, 'init', '--state.scheme', 'path', genesis])
  return runToEnd(geth, ['--datadir', datadir, '--state.scheme', 'path', '--gcmode', 'full', 'import', file])
}
