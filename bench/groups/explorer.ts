// First pages and pages in the middle of lists, in an index of 100,000 transactions: the cost of a page does not depend on
// its position. The chain is built once and cached in the temporary folder until the code that writes it changes.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getContractAddress, type Hex } from 'viem'
import type { Bench, Group, Row } from '../bench.ts'
import { type Contender, temporaryFolder } from '../contenders.ts'
import { callData, deployToken } from '../contracts.ts'
import { get } from '../load/http.ts'
import { deployer, recipient, senders, sign } from '../senders.ts'
import { summarize } from '../statistics.ts'
import type { Target } from '../target.ts'

const A_BLOCK = 1000
const A_PAGE = 50
const ROOMS = ['chain', 'indexer', 'primitives', 'state']
/** Address of the token, which the first transaction of the chain creates. */
const TOKEN = getContractAddress({ from: deployer, nonce: 0n })

export const explorer: Group = {
  name: 'explorer',
  title: 'Explorer pages',
  of: 'kestrel',
  async rows(contender, bench) {
    const total = bench.size(100_000, 2_000)
    const datadir = await filled(contender, bench, total)
    const target = await contender.start({ datadir, flags: { kestrel: ['--no-mining'] } })
    const deep = total / A_PAGE / 2
    const lists = [
      ['transactions', '/transactions'],
      ['transactions of a busy address', `/addresses/${senders[0]}/transactions`],
      ['holders of a token', `/tokens/${TOKEN}/holders`],
    ] as const
    const rows: Row[] = []
    for (const [name, path] of lists) {
      for (const page of [1, deep]) rows.push(await row(target, name, path, page, bench.size(30, 5)))
    }
    return rows
  },
}

async function row(target: Target, name: string, path: string, page: number, times: number): Promise<Row> {
  const request = get(new URL(`/api/v2${path}?page=${page}&items_count=${A_PAGE}`, target.url).href)
  const { items } = JSON.parse((await target.ask(request)).toString()) as { items?: unknown[] }
  if (items?.length !== A_PAGE) throw new Error(`${path}: ${items?.length} entries on page ${page}`)
  return {
    name: `${name}, page ${page.toLocaleString('en')}`,
    unit: 'ms',
    better: 'less',
    async run() {
      const waits: number[] = []
      for (let count = 0; count < times; count++) {
        const began = performance.now()
        await target.ask(request)
        waits.push(performance.now() - began)
      }
      return { value: summarize(waits).median }
    },
  }
}

/** Path of a data directory with `count` token transfers of one sender, each to a different account. */
async function filled(contender: Contender, { generator }: Bench, total: number): Promise<string> {
  const datadir = join(tmpdir(), `kestrel-bench-explorer-${total}-${layout()}`)
  if (existsSync(datadir)) return datadir
  const draft = join(temporaryFolder(), 'datadir')
  const target = await contender.start({ datadir: draft })
  await deployToken(target)
  await target.rpc('evm_setAutomine', false)
  const from = senders[0] ?? '0x'
  for (let first = 0; first < total; first += A_BLOCK) {
    const bodies: string[] = []
    for (let nonce = first; nonce < Math.min(first + A_BLOCK, total); nonce++) {
      const raw = sign(from, nonce, { to: TOKEN, data: transfer(recipient(nonce)), gas: 100_000n })
      bodies.push(JSON.stringify({ jsonrpc: '2.0', id: nonce, method: 'eth_sendRawTransaction', params: [raw] }))
    }
    await generator.run({ url: target.url, bodies, connections: 1, seconds: undefined })
    await target.rpc('evm_mine')
  }
  await target.stop()
  try {
    await rename(draft, datadir)
  } catch (error) {
    // Keep the directory of a concurrent run that finished first.
    if (!existsSync(datadir)) throw error
  }
  return datadir
}

const transfer = (to: Hex): Hex => callData('Token', 'transfer', [to, 1n])

/** Hash of the sources that determine the rows of a chain; it names the cached directory. */
function layout(): string {
  const hash = createHash('sha256')
  for (const room of ROOMS) {
    const folder = join(import.meta.dirname, '../../src', room)
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.ts')) hash.update(readFileSync(join(folder, file)))
    }
  }
  return hash.digest('hex').slice(0, 12)
}
