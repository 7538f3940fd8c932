// eth_call in several shapes: tokens of three styles, several numbers of connections, batches, WebSocket, and reads of
// storage slots that no recent call has read.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import WebSocket from 'ws'
import type { Bench, Group, Row, Sample } from '../bench.ts'
import { callData, deploySlots, deployTokens } from '../contracts.ts'
import { post } from '../load/http.ts'
import { cpuOf, median, oneByOne, rateOf, request } from '../requests.ts'
import { senders } from '../senders.ts'
import type { Target } from '../target.ts'

const CONNECTIONS = 16
const OTHER_CONNECTIONS = [1, 4, 64]
const BATCH = 100
/** Slots of the table, and those that one call reads. */
const TABLE = 60_000
const READ = 500
/** Milliseconds for a node to finish its work after the table was filled. */
const SETTLING = 1000

export const calls: Group = {
  name: 'calls',
  title: 'eth_call',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const tokens = await deployTokens(target)
    const rows: Row[] = []
    for (const { style, at } of tokens) {
      const bodies = balanceRequests(at).map((request) => JSON.stringify(request))
      rows.push(await load(target, bench, `balanceOf, token ${style}, ${CONNECTIONS} connections`, bodies, CONNECTIONS))
      if (style !== 'plain') continue
      for (const count of OTHER_CONNECTIONS) {
        rows.push(
          await load(target, bench, `the same, ${count} ${count === 1 ? 'connection' : 'connections'}`, bodies, count),
        )
      }
      const requests = balanceRequests(at)
      const batch = Array.from({ length: BATCH }, (_, index) => requests[index % requests.length])
      rows.push(await load(target, bench, `the same, batches of ${BATCH}`, [JSON.stringify(batch)], CONNECTIONS, BATCH))
      rows.push(webSocket(target, bench, requests))
    }
    rows.push(...(await slotReads(target, bench)))
    return rows
  },
}

const balanceRequests = (token: Hex): object[] =>
  senders.map((of, id) => {
    const call = { to: token, data: callData('Token', 'balanceOf', [of]) }
    return { jsonrpc: '2.0', id, method: 'eth_call', params: [call, 'latest'] }
  })

async function load(
  target: Target,
  { generator, size }: Bench,
  name: string,
  bodies: readonly string[],
  connections: number,
  perBody = 1,
): Promise<Row> {
  const rate = (seconds: number) => rateOf(target, { generator, bodies, connections, seconds, perBody })
  const answer = (await target.ask(post(target.url, bodies[0] ?? ''))).toString()
  await rate(size(1, 0.2))
  const run = () => rate(size(2, 0.3))
  return { name, unit: 'calls/s', better: 'more', isLoad: perBody === 1, answer: resultIn(answer), run }
}

const resultIn = (answer: string): string => /"result":"(0x[0-9a-f]*)"/.exec(answer)?.[1] ?? answer

/** Calls per second over one WebSocket, with this number of unanswered requests at a time. */
function webSocket(target: Target, { size }: Bench, requests: readonly object[]): Row {
  const bodies = requests.map((request) => JSON.stringify(request))
  const run = async (): Promise<Sample> => {
    const socket = new WebSocket(target.url.replace('http', 'ws'))
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('no WebSocket')))
    })
    const began = performance.now()
    const end = began + size(2, 0.3) * 1000
    let sent = 0
    let answers = 0
    const ended = new Promise<void>((resolve) => {
      socket.addEventListener('message', () => {
        answers++
        if (performance.now() < end) socket.send(bodies[sent++ % bodies.length] ?? '')
        else if (answers === sent) resolve()
      })
    })
    const cpu = await cpuOf(target, async () => {
      while (sent < CONNECTIONS) socket.send(bodies[sent++ % bodies.length] ?? '')
      await ended
      return answers
    })
    const value = answers / ((performance.now() - began) / 1000)
    socket.close()
    return { value, cpu }
  }
  return { name: `the same over one WebSocket, ${CONNECTIONS} at a time`, unit: 'calls/s', better: 'more', run }
}

/** Calls that read 500 slots of a mapping: different ones each time, and always the same ones. */
async function slotReads(target: Target, { size }: Bench): Promise<Row[]> {
  const table = size(TABLE, 2000)
  const slots = await deploySlots(target, table)
  await sleep(SETTLING)
  const step = Math.floor(table / READ)
  const times = size(30, 3)
  let calls = 0
  const row = (name: string, firstOf: (call: number) => number): Row => ({
    name: `${READ} slots of ${table.toLocaleString('en')}, ${name}`,
    unit: 'ms',
    better: 'less',
    async run() {
      const ask = () => {
        const data = callData('Slots', 'readFrom', [BigInt(firstOf(calls++)), BigInt(READ), BigInt(step)])
        return request(target, 'eth_call', [{ to: slots, data }, 'latest'])
      }
      return median(await oneByOne(target, ask, { times }))
    },
  })
  return [row('others each time', (call) => call % step), row('the same each time', () => 0)]
}
