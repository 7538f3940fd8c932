// `kestrel relay status`: the clients of a relay, when they expire, and the packets in flight, as the chains have them.
import type { Command } from 'commander'
import { formatUnits } from 'viem'
import { z } from 'zod'
import { visibleText } from '../../lib/visible-text.ts'
import type { ChainEnd } from '../../relay/end.ts'
import { Flights } from '../../relay/flights.ts'
import { readFlags } from '../flags.ts'
import { print, utc } from '../native/answers.ts'
import { keyFlags } from '../native/sender.ts'
import { duration } from '../network/validator-status.ts'
import { readConfig, readCursor } from './config.ts'
import { configFlag, openEnds, withConfig, withPayer } from './ends.ts'

const flags = z.object({ ...configFlag, ...keyFlags, json: z.boolean().default(false) })
const BILLION = 1_000_000_000n

export function registerStatus(relay: Command): void {
  withPayer(
    withConfig(
      relay.command('status').description('clients, when they expire, packets in flight, and the account'),
    ).option('--json', 'one JSON object on standard output, for machines'),
  )
    .addHelpText(
      'after',
      `
Examples:
  kestrel relay status
  kestrel relay status --config other.json --json`,
    )
    .action(async (given) => {
      const { config: file, json, ...keys } = readFlags(flags, given)
      const { a, b } = readConfig(file)
      const from = readCursor(file, [a.client, b.client])
      // It spends nothing.
      const ends = await openEnds({ a, b }, { ...keys, perDay: 0n, maxGasPrice: 0n })
      const shown = await Promise.all([statusOf(ends.a, a.client, from.a), statusOf(ends.b, b.client, from.b)]).finally(
        ends.close,
      )
      print(json, { ends: shown }, shown.flatMap(lines))
    })
}

type EndStatus = Awaited<ReturnType<typeof statusOf>>

async function statusOf(end: ChainEnd, clientId: string, from: bigint) {
  const [{ chainId }, head, client] = await Promise.all([end.traits(), end.head(), end.client(clientId)])
  const [trusted, { address, balance }] = await Promise.all([
    client && end.consensusState(clientId, client.state.latest),
    end.account(),
  ])
  const flights = new Flights(from <= head.height ? from : 0n)
  while (flights.next <= head.height && !flights.isFull)
    flights.take(await end.events(clientId, flights.next, head.height))
  const expiresAt = client && trusted && Number((trusted.time + client.state.trustingPeriod) / BILLION)
  return {
    name: end.name,
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
    account: address,
    balance: formatUnits(balance, end.decimals),
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
    row('Account', `${of.account} has ${of.balance} coins`),
  ]
}
