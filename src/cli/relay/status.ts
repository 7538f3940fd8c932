// `kestrel relay status`: the clients of a relay, when they expire, and the packets in flight, as the chains have them.
import type { Command } from 'commander'
import { z } from 'zod'
import { visibleText } from '../../lib/visible-text.ts'
import { Flights } from '../../relay/flights.ts'
import { readFlags } from '../flags.ts'
import { print, utc } from '../native/answers.ts'
import { duration } from '../network/validator-status.ts'
import { readConfig, readCursor } from './config.ts'
import { configFlag, openEnd, withConfig } from './ends.ts'

const flags = z.object({ ...configFlag, json: z.boolean().default(false) })
const BILLION = 1_000_000_000n

export function registerStatus(relay: Command): void {
  withConfig(relay.command('status').description('clients, when they expire, and packets in flight'))
    .option('--json', 'one JSON object on standard output, for machines')
    .addHelpText(
      'after',
      `
Examples:
  kestrel relay status
  kestrel relay status --config other.json --json`,
    )
    .action(async (given) => {
      const { config: file, json } = readFlags(flags, given)
      const { a, b } = readConfig(file)
      const from = readCursor(file, [a.client, b.client])
      const shown = await Promise.all([statusOf('a', a, from.a), statusOf('b', b, from.b)])
      print(json, { ends: shown }, shown.flatMap(lines))
    })
}

type EndStatus = Awaited<ReturnType<typeof statusOf>>

async function statusOf(name: string, { urls, client: clientId }: ReturnType<typeof readConfig>['a'], from: bigint) {
  const end = openEnd(name, urls)
  try {
    const [{ chainId }, head, client] = await Promise.all([end.traits(), end.head(), end.client(clientId)])
    const trusted = client && (await end.consensusState(clientId, client.state.latest))
    const flights = new Flights(from <= head.height ? from : 0n)
    while (flights.next <= head.height && !flights.isFull)
      flights.take(await end.events(clientId, flights.next, head.height))
    const expiresAt = client && trusted && Number((trusted.time + client.state.trustingPeriod) / BILLION)
    return {
      name,
      chainId,
      height: Number(head.height),
      client: clientId,
      counterparty: client?.counterparty ?? null,
      of: client?.state.chainId ?? null,
      status: client?.status ?? 'missing',
      knownHeight: client === undefined ? null : Number(client.state.latest.revisionHeight),
      expiresAt: expiresAt ?? null,
      expiresIn: expiresAt === undefined ? null : expiresAt - Math.floor(Date.now() / 1000),
      inFlight: flights.size,
    }
  } finally {
    end.close()
  }
}

function lines(of: EndStatus): readonly string[] {
  const row = (name: string, value: string) => `   ${name.padEnd(11)}${value}`
  const { expiresAt, expiresIn } = of
  return [
    `${of.name}  ${visibleText(of.chainId) ?? ''}, height ${of.height}`,
    row(
      'Client',
      `${of.client} of ${visibleText(of.of ?? '') ?? 'no chain'}, ${of.status}, knows height ${of.knownHeight ?? '-'}`,
    ),
    row('There', of.counterparty ?? '-'),
    ...(expiresAt === null || expiresIn === null
      ? []
      : [
          row(
            'Expires',
            expiresIn > 0 ? `${utc(expiresAt)} (in ${duration(expiresIn)})` : `${utc(expiresAt)} (it has)`,
          ),
        ]),
    row('In flight', `${of.inFlight} packets sent and not ended`),
  ]
}
