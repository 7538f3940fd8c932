// What grows with a chain and what does not: start, memory, pages, logs and old states of a chain of many transactions, the
// bytes that each kind of row takes, and the blocks as they were made.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ClassicLevel } from 'classic-level'
import { type Hex, numberToHex } from 'viem'
import { KEY } from '../../src/state/keyspace.ts'
import type { Group, Row, Sample } from '../bench.ts'
import { A_BLOCK, RECIPIENTS, TOKEN, topicOf } from '../chain.ts'
import { callData } from '../contracts.ts'
import { get } from '../load/http.ts'
import { median, oneByOne, type Repeat, request } from '../requests.ts'
import { recipient, senders } from '../senders.ts'
import { formatValue } from '../statistics.ts'
import { chainOf, type StoredChain } from '../stored-chain.ts'
import { SETTLING, type Target } from '../target.ts'

const A_PAGE = 50
/** Kinds of rows that take fewer bytes per transaction are left out. */
const LEAST_BYTES = 1

export const size: Group = {
  name: 'size',
  title: 'A chain of many transactions',
  of: 'kestrel',
  async rows(contender, bench) {
    const chain = await chainOf(contender, bench)
    const total = chain.blocks.length * A_BLOCK
    const rowsOnDisk = await bytesByKind(join(chain.datadir, 'chain'), total)
    const start = async () => await contender.start({ datadir: chain.datadir, flags: { kestrel: ['--no-mining'] } })
    const started = async (): Promise<Sample> => {
      const target = await start()
      const sample = { value: target.startedIn, cpu: target.cpuTime() }
      await target.stop()
      return sample
    }
    const first = await started()
    const target = await start()
    await sleep(SETTLING)
    const memory = target.residentMemory() / 1e6
    const repeat = { times: bench.size(5, 1), time: bench.size(300, 0) }
    return [
      ...asMade(chain),
      constant(`start until the first answer, ${total.toLocaleString('en')} transactions`, 'ms', first),
      constant('resident memory after the start', 'MB', { value: memory }),
      ...(await pages(target, total, repeat)),
      ...(await reads(target, repeat)),
      {
        name: 'resident memory after these reads',
        unit: 'MB',
        better: 'less',
        run: async () => ({ value: target.residentMemory() / 1e6 }),
      },
      ...rowsOnDisk,
    ]
  },
}

/** A row that is measured once. */
const constant = (name: string, unit: string, sample: Sample, note?: string): Row => ({
  name: `${name} (once)`,
  unit,
  better: 'less',
  run: async () => sample,
  ...(note === undefined ? {} : { note: () => note }),
})

/** Blocks as they were made, by the version that made them. The longest ones stand where LevelDB merges tables. */
function asMade({ blocks }: StoredChain): Row[] {
  const took = blocks.map((block) => block.took).toSorted((a, b) => a - b)
  const cpuOf = (of: StoredChain['blocks']) => of.reduce((sum, { cpu }) => sum + cpu, 0) / of.length / A_BLOCK
  const tenth = Math.ceil(blocks.length / 10)
  const at = (part: number) => ({ value: took[Math.floor((took.length - 1) * part)] ?? 0 })
  const micro = (value: number): Sample => ({ value, cpu: value })
  return [
    constant(`a block of ${A_BLOCK}, median`, 'ms', at(0.5)),
    constant(`a block of ${A_BLOCK}, 99th percentile`, 'ms', at(0.99)),
    constant(`a block of ${A_BLOCK}, longest`, 'ms', at(1)),
    constant('CPU of a transaction, first tenth of the chain', 'µs', micro(cpuOf(blocks.slice(0, tenth)))),
    constant('CPU of a transaction, last tenth of the chain', 'µs', micro(cpuOf(blocks.slice(-tenth)))),
  ]
}

/** First pages and pages in the middle of lists. */
async function pages(target: Target, total: number, repeat: Repeat): Promise<Row[]> {
  const bySender = total / senders.length
  const lists = [
    ['transactions', '/transactions', total],
    ['transactions of an address', `/addresses/${senders[0]}/transactions`, bySender],
    ['transfers of a token', `/tokens/${TOKEN}/transfers`, total / 2],
    ['holders of a token', `/tokens/${TOKEN}/holders`, Math.min(total, RECIPIENTS) / 2],
  ] as const
  const rows: Row[] = []
  for (const [name, path, length] of lists) {
    for (const page of new Set([1, Math.max(1, Math.floor(length / A_PAGE / 2))])) {
      const asked = get(new URL(`/api/v2${path}?page=${page}&items_count=${A_PAGE}`, target.url).href)
      const { items = [] } = JSON.parse((await target.ask(asked)).toString()) as { items?: unknown[] }
      if (items.length === 0) throw new Error(`${path}: page ${page} is empty`)
      rows.push(row(`${name}, page ${page.toLocaleString('en')}`, target, asked, repeat))
    }
  }
  return rows
}

/** Logs of the whole chain, and reads of the oldest, middle and newest states. */
async function reads(target: Target, repeat: Repeat): Promise<Row[]> {
  const head = Number(await target.rpc('eth_blockNumber'))
  const heights: readonly (readonly [string, Hex])[] = [
    ['block 10', '0xa'],
    ['the middle', numberToHex(Math.floor(head / 2))],
    ['the head', numberToHex(head)],
  ]
  const all = { fromBlock: '0x0', toBlock: 'latest' }
  const [one = '0x'] = senders
  const balanceOf = { to: TOKEN, data: callData('Token', 'balanceOf', [one]) }
  const last = { address: TOKEN, fromBlock: numberToHex(head - 9), toBlock: 'latest' }
  // Recipient 50 is the first whose transfers are the token's.
  const sparse = { ...all, address: TOKEN, topics: [null, null, topicOf(recipient(50))] }
  const works: readonly (readonly [name: string, method: string, params: readonly unknown[]])[] = [
    ['eth_getLogs of one recipient, all blocks', 'eth_getLogs', [sparse]],
    [
      'eth_getLogs of one sender, all blocks',
      'eth_getLogs',
      [{ ...all, address: TOKEN, topics: [null, topicOf(one)] }],
    ],
    ['eth_getLogs of a topic that no log has', 'eth_getLogs', [{ ...all, topics: [null, topicOf('0x11')] }]],
    ['eth_getLogs of the token in the last 10 blocks', 'eth_getLogs', [last]],
    ...heights.flatMap(([name, height]) => [
      [`eth_getBalance at ${name}`, 'eth_getBalance', [one, height]] as const,
      [`eth_call balanceOf at ${name}`, 'eth_call', [balanceOf, height]] as const,
    ]),
  ]
  const rows: Row[] = []
  for (const [name, method, params] of works) {
    const result = await target.rpc(method, ...params)
    const found = Array.isArray(result) ? `, ${result.length.toLocaleString('en')} found` : ''
    rows.push(row(name + found, target, request(target, method, params), repeat))
  }
  return rows
}

const row = (name: string, target: Target, asked: Buffer, repeat: Repeat): Row => ({
  name,
  unit: 'ms',
  better: 'less',
  run: async () => median(await oneByOne(target, () => asked, repeat)),
})

/** Names of the kinds of rows by the first byte of their keys, which does not depend on a key's arguments. */
const NAMES = new Map(
  Object.entries(KEY).map(([name, of]) => {
    const key: Uint8Array = Reflect.apply(of, undefined, Array(of.length).fill('0x'))
    return [key[0], name]
  }),
)
const nameOf = (kind: number | undefined): string => NAMES.get(kind) ?? `0x${kind?.toString(16)}`
const HISTORY = 0x18

/** Bytes on disk and in keys and values, and rows, of each kind of row, for one transaction. The node must not run. */
async function bytesByKind(folder: string, transactions: number): Promise<Row[]> {
  const database = new ClassicLevel<Uint8Array, Uint8Array>(folder, {
    keyEncoding: 'view',
    valueEncoding: 'view',
    createIfMissing: false,
  })
  await database.open()
  const kinds = new Map<string, { prefix: number[]; rows: number; bytes: number }>()
  try {
    for await (const [key, value] of database.iterator()) {
      const prefix = [...key.subarray(0, key[0] === HISTORY ? 2 : 1)]
      const name = prefix.map(nameOf).join(' of ')
      const kind = kinds.get(name) ?? { prefix, rows: 0, bytes: 0 }
      kinds.set(name, { prefix, rows: kind.rows + 1, bytes: kind.bytes + key.length + value.length })
    }
    const found: { name: string; disk: number; note: string }[] = []
    for (const [name, { prefix, rows, bytes }] of kinds) {
      const end = [...prefix.slice(0, -1), (prefix.at(-1) ?? 0) + 1]
      const disk = await database.approximateSize(Uint8Array.from(prefix), Uint8Array.from(end))
      const note = `${formatValue(rows / transactions)} rows, ${formatValue(bytes / transactions)} raw`
      found.push({ name, disk: disk / transactions, note })
    }
    const sum = found.reduce((all, { disk }) => all + disk, 0)
    const raw = [...kinds.values()].reduce((all, { bytes }) => all + bytes, 0)
    const listed = found.filter(({ disk }) => disk >= LEAST_BYTES).sort((one, other) => other.disk - one.disk)
    return [
      constant('on disk for a transaction', 'bytes', { value: sum }, `${formatValue(raw / transactions)} raw`),
      ...listed.map(({ name, disk, note }) => constant(`of it ${name}`, 'bytes', { value: disk }, note)),
    ]
  } finally {
    await database.close()
  }
}
