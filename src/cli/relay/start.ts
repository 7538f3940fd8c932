// `kestrel relay start`: relays until a signal stops it.
import type { Command } from 'commander'
import { z } from 'zod'
import { createLogger } from '../../lib/log.ts'
import { serveMonitoring } from '../../relay/monitoring.ts'
import { Relayer } from '../../relay/relayer.ts'
import { newSide } from '../../relay/side.ts'
import { Watch } from '../../relay/watch.ts'
import { host, readFlags, seconds, wholeNumber } from '../flags.ts'
import { stopSignal } from '../stop-signal.ts'
import { readConfig, readCursor, writeCursor } from './config.ts'
import { openEnds, relayFlags, withConfig, withSpending } from './ends.ts'

const flags = z.object({
  ...relayFlags,
  poll: seconds,
  host,
  port: wholeNumber(1, 65_535),
  watch: z.boolean().default(false),
  json: z.boolean().default(false),
})

/** Milliseconds between writes of the cursor. */
const CURSOR_EVERY = 10_000

export function registerStart(relay: Command): void {
  withSpending(
    withConfig(relay.command('start').description('relay packets, acknowledgements and timeouts both ways'))
      .option('--poll <seconds>', 'time between looks at the chains', '1')
      .option(
        '--watch',
        'compare the headers that the clients take with those of the chains, and freeze a client that was deceived',
      )
      .option('--host <host>', 'address of /metrics and /health', '127.0.0.1')
      .option('--port <port>', 'port of /metrics and /health; a second relayer cannot use it', '9464')
      .option('--json', 'log lines of JSON, for machines'),
  )
    .addHelpText(
      'after',
      `
Examples:
  kestrel relay start
  kestrel relay start --keystore key.json --password-file password.txt --per-day 2.5 --watch`,
    )
    .action(start)
}

async function start(given: unknown): Promise<void> {
  const { config: file, poll, host, port, json, watch, ...spending } = readFlags(flags, given)
  const config = readConfig(file)
  const log = createLogger({ level: 'info', json })
  const clients = [config.a.client, config.b.client] as const
  const ends = await openEnds(config, spending)
  const from = readCursor(file, clients)
  const sides = [newSide(ends.a, clients[0], from.a), newSide(ends.b, clients[1], from.b)] as const
  let written = 0
  const keepCursor = () => {
    if (Date.now() - written < CURSOR_EVERY) return
    written = Date.now()
    try {
      writeCursor(file, clients, { a: sides[0].flights.cursor, b: sides[1].flights.cursor })
    } catch (error) {
      // Without it a start looks through more blocks.
      log.warn({ err: error }, 'the cursor cannot be written')
    }
  }
  const relayer = new Relayer(sides, log, keepCursor, watch ? new Watch(log) : undefined)
  const server = await serveMonitoring(relayer, host, port)
  log.info({ a: clients[0], b: clients[1] }, `relaying; metrics and health at http://${host}:${port}`)
  const stopping = new AbortController()
  const running = relayer.run(poll * 1000, stopping.signal)
  void stopSignal().then(() => stopping.abort())
  await running
  ends.close()
  server.close()
  server.closeAllConnections()
}
