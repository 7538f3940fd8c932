// What a relayer shows of itself: `/metrics` for Prometheus and `/health`. Labels are the names of the two ends and of messages, so nobody
// else chooses them.
import { createServer, type Server } from 'node:http'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Relayer } from './relayer.ts'
import type { Side } from './side.ts'

/** Milliseconds without a complete round after which the relayer counts as not ready. */
const LONGEST_ROUND = 120_000

const inCoins = (amount: bigint, { decimals }: Pick<Side['end'], 'decimals'>): number => Number(amount) / 10 ** decimals

const now = (): number => Date.now() / 1000

/** Seconds until the client on this chain expires; undefined before the first look. */
export const secondsLeft = ({ expiresAt }: Pick<Side, 'expiresAt'>): number | undefined =>
  expiresAt === undefined ? undefined : Number(expiresAt / 1_000_000n) / 1000 - now()

export function healthOf({ sides, lastRound }: Pick<Relayer, 'sides' | 'lastRound'>) {
  const areActive = sides.every(({ client }) => client?.status === 'Active')
  const isWorking = Date.now() - lastRound < LONGEST_ROUND
  return {
    ready: areActive && isWorking,
    lastRound: lastRound / 1000,
    ends: sides.map(({ end, clientId, client, flights, head, ...side }) => ({
      name: end.name,
      client: clientId,
      status: client?.status ?? null,
      expiresIn: secondsLeft(side) ?? null,
      height: head === undefined ? null : Number(head.height),
      pending: flights.size,
    })),
  }
}

function registryOf(relayer: Relayer): Registry {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const gauge = (name: string, help: string, read: (side: Side) => number | undefined | Promise<number | undefined>) =>
    new Gauge({
      name: `kestrel_relay_${name}`,
      help,
      labelNames: ['chain'],
      registers,
      async collect() {
        for (const side of relayer.sides) {
          const value = await read(side)
          if (value !== undefined) this.set({ chain: side.end.name }, value)
        }
      },
    })
  gauge('client_expires_seconds', 'Seconds until the client on the chain expires if it is not updated', secondsLeft)
  gauge('client_active', '1 while the client on the chain is active, else 0', ({ client }) =>
    client === undefined ? undefined : Number(client.status === 'Active'),
  )
  gauge('packets_pending', 'Packets that the chain has sent and that have not ended', ({ flights }) => flights.size)
  gauge('height', 'Newest height of the chain', ({ head }) => (head === undefined ? undefined : Number(head.height)))
  gauge('balance', "Coins of the relayer's account on the chain", ({ end }) =>
    end.account().then(
      ({ balance }) => inCoins(balance, end),
      () => undefined,
    ),
  )
  const counter = (name: string, help: string, labelNames: string[], read: (of: Side, add: Add) => void) =>
    new Counter({
      name: `kestrel_relay_${name}_total`,
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const side of relayer.sides)
          read(side, (labels, value) => this.inc({ chain: side.end.name, ...labels }, value))
      },
    })
  counter('messages_sent', 'Messages that the chain has taken, by type', ['chain', 'type'], ({ counts }, add) => {
    for (const [type, value] of counts.done) add({ type }, value)
  })
  counter('messages_failed', 'Messages that the chain has refused, by type', ['chain', 'type'], ({ counts }, add) => {
    for (const [type, value] of counts.refused) add({ type }, value)
  })
  counter('spent_coins', 'Coins that the account has paid on the chain', ['chain'], ({ counts, end }, add) =>
    add({}, inCoins(counts.cost, end)),
  )
  new Gauge({
    name: 'kestrel_relay_last_round_timestamp_seconds',
    help: 'Unix time of the last round without a failure; 0 before it',
    registers,
    collect() {
      this.set(relayer.lastRound / 1000)
    },
  })
  return registry
}

type Add = (labels: Readonly<Record<string, string>>, value: number) => void

/** Serves `/metrics` and `/health`. Rejects with Node's error if it cannot listen. */
export async function serveMonitoring(relayer: Relayer, host: string, port: number): Promise<Server> {
  const registry = registryOf(relayer)
  const server = createServer(async ({ method, url }, response) => {
    response.setHeader('cache-control', 'no-store')
    if (method === 'GET' && url === '/metrics')
      response.setHeader('content-type', registry.contentType).end(await registry.metrics())
    else if (method === 'GET' && url === '/health') {
      const health = healthOf(relayer)
      response.writeHead(health.ready ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(health))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return server
}
