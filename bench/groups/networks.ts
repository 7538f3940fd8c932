// Networks of validators on this machine, with the CometBFT that COMETBFT names (without it the group has no rows): transfers go to
// one node in batches, and are timed until they are in blocks of all nodes. The CPU is that of one transaction at one node.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { type Contender, runKestrel, temporaryFolder } from '../contenders.ts'
import { cpuOf } from '../requests.ts'
import { recipient, senders, sign } from '../senders.ts'
import { SETTLING, type Target } from '../target.ts'

const SIZES = [1, 4]
const BATCH = 100
const CONNECTIONS = 4
const POLL = 100
const LONGEST = 300_000
/** The accounts of a testnet's genesis that are no validators, without the deployer. */
const SENDERS = senders.slice(0, 9)
/** Ports of the next engine, of which each has ten: below the ephemeral ports. */
let nextPorts = 12_000 + (process.pid % 100) * 200

export const networks: Group = {
  name: 'networks',
  title: `Networks on this machine: transfers in batches of ${BATCH} to one validator, until all have them`,
  of: 'kestrel',
  async rows(contender, bench) {
    if (process.env['COMETBFT'] === undefined) return []
    const total = bench.size(4000, 2 * BATCH)
    let network: Network | undefined
    /** Only one network runs at a time. */
    const networkOf = async (size: number): Promise<Network> => {
      if (network?.nodes.length === size) return network
      for (const { target } of network?.nodes ?? []) await target.stop()
      network = { nodes: await startNetwork(contender, size), sent: 0 }
      return network
    }
    const rows: Row[] = []
    for (const size of SIZES) {
      const row = (name: string, of: Pick<Row, 'unit' | 'better'>, pick: (burst: Burst) => Sample): Row => ({
        name: `${total.toLocaleString('en')} transfers, ${size === 1 ? 'one validator' : `${size} validators`}${name}`,
        ...of,
        run: async () => pick(await burst(await networkOf(size), bench, total)),
      })
      rows.push(
        row('', { unit: 'transactions/s', better: 'more' }, ({ rate, cpu }) => ({ value: rate, cpu })),
        row(': CPU of an engine', { unit: 'µs', better: 'less' }, ({ engine }) => ({ value: engine })),
      )
    }
    return rows
  },
}

type Node = { readonly target: Target; readonly metrics: string }
/** `sent`: transactions of earlier bursts. */
type Network = { readonly nodes: readonly Node[]; sent: number }

async function startNetwork(contender: Contender, size: number): Promise<readonly Node[]> {
  const folder = join(temporaryFolder(), 'net')
  const ports = nextPorts
  nextPorts += 10 * size
  const shape = ['--validators', String(size), '--block-time', '1', '--port-base', String(ports)]
  await runKestrel(contender, ['testnet', '--output', folder, ...shape])
  const starts = Array.from({ length: size }, async (_, index) => ({
    target: await contender.start({ home: join(folder, `node${index}`) }),
    metrics: `http://127.0.0.1:${ports + 10 * index + 2}/metrics`,
  }))
  const nodes = await Promise.all(starts)
  await until(nodes, async ({ rpc }) => Number(await rpc('eth_blockNumber')) > 1)
  return nodes
}

type Burst = {
  /** Transactions per second. */
  readonly rate: number
  /** Means of all nodes in microseconds for one transaction: kestrel and its CometBFT, idle blocks included. */
  readonly cpu: number | undefined
  readonly engine: number
}

async function burst(network: Network, { generator }: Bench, total: number): Promise<Burst> {
  const { nodes } = network
  const [first] = nodes
  if (first === undefined) throw new RangeError('no node')
  const calls = Array.from({ length: total }, (_, index) => {
    const order = network.sent + index
    const raw = sign(SENDERS[order % SENDERS.length] ?? '0x', Math.floor(order / SENDERS.length), {
      to: recipient(order % 1000),
      value: 1n,
      gas: 21_000n,
    })
    return { jsonrpc: '2.0', id: index, method: 'eth_sendRawTransaction', params: [raw] }
  })
  network.sent += total
  const bodies = Array.from({ length: total / BATCH }, (_, index) =>
    JSON.stringify(calls.slice(index * BATCH, (index + 1) * BATCH)),
  )
  const before = await cpuOfEngines(nodes)
  let took = 0
  const work = async () => {
    const began = performance.now()
    await generator.run({ url: first.target.url, bodies, connections: CONNECTIONS, seconds: undefined })
    await until(nodes, async ({ rpc }) => {
      let mined = 0
      for (const of of SENDERS) mined += Number(await rpc('eth_getTransactionCount', of, 'latest'))
      return mined >= network.sent
    })
    took = performance.now() - began
    await sleep(SETTLING)
    return total * nodes.length
  }
  const cpuTime = () => nodes.reduce<number | undefined>((sum, { target }) => add(sum, target.cpuTime()), 0)
  const cpu = await cpuOf({ ...first.target, cpuTime }, work)
  const engine = ((await cpuOfEngines(nodes)) - before) / (total * nodes.length)
  return { rate: total / (took / 1000), cpu, engine }
}

const add = (sum: number | undefined, more: number | undefined): number | undefined =>
  sum === undefined || more === undefined ? undefined : sum + more

/** Waits until it is true at all nodes. */
async function until(nodes: readonly Node[], check: (target: Target) => Promise<boolean>): Promise<void> {
  const end = performance.now() + LONGEST
  for (const { target } of nodes) {
    while (!(await check(target))) {
      if (performance.now() > end) throw new Error('the network takes too long')
      await sleep(POLL)
    }
  }
}

/** Microseconds since their starts, from the engines' own metrics. */
async function cpuOfEngines(nodes: readonly Node[]): Promise<number> {
  const times = nodes.map(async ({ metrics }) => {
    const text = await (await fetch(metrics)).text()
    return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1e6
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}
