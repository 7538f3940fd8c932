// The first 300 requests of a node that was just started, as a test suite sends them, each kind on a node of its own, and the
// same requests in the steady state. One connection; the values are means, because a suite waits for the sum.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { type Contender, temporaryFolder } from '../contenders.ts'
import { callData, deploySlots, deployToken, mineTransfers } from '../contracts.ts'
import { mean, oneByOne, request } from '../requests.ts'
import { recipient, senders, sign } from '../senders.ts'
import type { Target } from '../target.ts'
import { sendOneByOne } from './latency.ts'

const FIRST = 300
/** Requests before those of the steady state. */
const WARM_UP = 3000
/** Slots that one call reads. */
const READ = 500
/** Cold reads of one node: the table has as many slots as they read together. */
const COLD = 60
/** Milliseconds for a node to finish its start and its set-up. */
const SETTLING = 500

/** The request of each index, on a node that has been prepared for it. */
type Requests = (index: number) => Buffer
type Work = {
  readonly name: string
  readonly flags?: readonly string[]
  prepare(target: Target): Promise<Requests>
}

const of = (index: number) => senders[index % senders.length] ?? '0x'

const traced = (name: string, options: object, flags: readonly string[] = []): Work => ({
  name: `${name}, a token transfer`,
  flags,
  async prepare(target) {
    const { last } = await mineTransfers(target, await deployToken(target), 1)
    return () => request(target, 'debug_traceTransaction', [last, options])
  },
})

const reading = (target: Target, slots: string, first: number): Buffer => {
  const data = callData('Slots', 'readFrom', [BigInt(first), BigInt(READ), 1n])
  return request(target, 'eth_call', [{ to: slots, data }, 'latest'])
}

const WORKS: readonly Work[] = [
  {
    name: 'eth_getBalance',
    prepare: async (target) => (index) => request(target, 'eth_getBalance', [of(index), 'latest']),
  },
  {
    name: 'eth_call balanceOf',
    async prepare(target) {
      const to = await deployToken(target)
      return (index) => {
        const call = { to, data: callData('Token', 'balanceOf', [of(index)]) }
        return request(target, 'eth_call', [call, 'latest'])
      }
    },
  },
  {
    name: `${READ} slots, the same each time`,
    async prepare(target) {
      const slots = await deploySlots(target, 1000)
      return () => reading(target, slots, 0)
    },
  },
  traced('callTracer', { tracer: 'callTracer' }),
  traced('prestateTracer', { tracer: 'prestateTracer' }),
  // Without this flag anvil has no struct logs; with it, its other tracers are slower.
  traced('struct logger', {}, ['--steps-tracing']),
]

export const fresh: Group = {
  name: 'fresh',
  title: `The first ${FIRST} requests of a fresh node, and later ones`,
  of: 'both',
  async rows(contender, bench) {
    const rows: Row[] = [sends(contender, bench)]
    for (const work of WORKS) rows.push(first(contender, bench, work), await steady(contender, bench, work))
    return [...rows, coldSlots(contender, bench)]
  },
}

const row = (name: string, run: () => Promise<Sample>): Row => ({ name, unit: 'ms', better: 'less', run })

/** Measures on a node of its own. */
async function onFresh(target: Target, measure: () => Promise<Sample>): Promise<Sample> {
  try {
    await sleep(SETTLING)
    return await measure()
  } finally {
    await target.stop()
  }
}

/** Sends of one account with automine, each until its receipt. */
function sends(contender: Contender, { size }: Bench): Row {
  const count = size(FIRST, 5)
  const transactions = Array.from({ length: count }, (_, nonce) =>
    sign(of(0), nonce, { to: recipient(nonce), value: 1n, gas: 21_000n }),
  )
  return row(`${count} sends on a fresh node`, async () => {
    const target = await contender.start()
    return onFresh(target, async () => mean(await sendOneByOne(target, transactions)))
  })
}

function first(contender: Contender, { size }: Bench, { name, flags = [], prepare }: Work): Row {
  const times = size(FIRST, 5)
  return row(`${name}, first ${times}`, async () => {
    const target = await contender.start({ flags: { anvil: flags } })
    const requests = await prepare(target)
    return onFresh(target, async () => mean(await oneByOne(target, requests, { times })))
  })
}

async function steady(contender: Contender, { size }: Bench, { name, flags = [], prepare }: Work): Promise<Row> {
  const target = await contender.start({ flags: { anvil: flags } })
  const requests = await prepare(target)
  await oneByOne(target, requests, { times: size(WARM_UP, 5) })
  return row(`${name}, steady`, async () => mean(await oneByOne(target, requests, { times: size(FIRST, 5) })))
}

/** Calls that read slots for the first time since the start; kestrel starts again before them and has them on disk only. */
function coldSlots(contender: Contender, { size }: Bench): Row {
  const times = size(COLD, 2)
  return row(`${READ} slots, others each time, first ${times} after a restart`, async () => {
    const datadir = join(temporaryFolder(), 'data')
    const filled = await contender.start({ datadir })
    const slots = await deploySlots(filled, times * READ)
    const isOnDisk = contender.program === 'kestrel'
    if (isOnDisk) await filled.stop()
    const target = isOnDisk ? await contender.start({ datadir }) : filled
    const requests = (index: number) => reading(target, slots, index * READ)
    return onFresh(target, async () => mean(await oneByOne(target, requests, { times })))
  })
}
