// Clients of IBC, and packets over them.
import { z } from 'zod'
import { DIRECTIONS, LIST, MEMBER, PACKET_STATUSES, positionEntry, RANKING } from '../../indexer/tables.ts'
import { label } from '../codec.ts'
import { explorerRoute } from '../define.ts'
import { notFound } from '../errors.ts'
import { clientChangeSchema, clientSchema, ibcOf, showClient, showClientChange } from '../native/client.ts'
import { packetSchema, showPacket, showWholePacket, wholePacketSchema } from '../native/packet.ts'
import { listPage, sequenceListPage } from '../pagination/lists.ts'
import { pageQuery, pageSchema } from '../pagination/page.ts'
import { mergedPage } from '../pagination/rankings.ts'
import { sequencePage } from '../pagination/sequence.ts'
import { logAt } from '../shapes/indexed-transaction.ts'

/** A client of this chain, as its number. */
const clientParam = z
  .string()
  .regex(/^07-tendermint-(0|[1-9]\d{0,14})$/, 'Invalid format. Expected a client id, such as 07-tendermint-0')
  .transform((id) => Number(id.slice('07-tendermint-'.length)))
const sequenceParam = z
  .string()
  .regex(/^\d{1,20}$/, 'Invalid format. Expected a non-negative integer')
  .transform(BigInt)
  .refine((sequence) => sequence < 2n ** 64n, 'Invalid value. Expected an unsigned integer of 64 bits')

export const nativeClients = explorerRoute({
  path: '/native/clients',
  summary: 'Clients of IBC: light clients of other chains, newest first',
  query: pageQuery,
  response: pageSchema(clientSchema),
  handler: ({ query }, context) =>
    sequencePage(ibcOf(context).clients.count, query, (number) => showClient(context, number)),
})

const params = z.object({ client: clientParam })

export const nativeClient = explorerRoute({
  path: '/native/clients/{client}',
  summary: 'A client of IBC',
  params,
  response: clientSchema,
  handler({ params: { client } }, context) {
    if (client >= ibcOf(context).clients.count) throw notFound()
    return showClient(context, client)
  },
})

export const nativeClientHistory = explorerRoute({
  path: '/native/clients/{client}/history',
  summary: 'The creation of a client of IBC, its counterparty, and its updates, newest first',
  params,
  query: pageQuery,
  response: pageSchema(clientChangeSchema),
  handler({ params: { client }, query }, context) {
    if (client >= ibcOf(context).clients.count) throw notFound()
    return listPage(context, [LIST.clientLogs(client)], query, async (entry) =>
      showClientChange(context, await logAt(context, positionEntry.decode(entry))),
    )
  },
})

export const nativePackets = explorerRoute({
  path: '/native/packets',
  summary: 'Packets that were sent or received over clients of IBC, newest first',
  query: pageQuery.extend({
    client: clientParam.optional(),
    direction: label(...DIRECTIONS),
    status: label(...PACKET_STATUSES),
  }),
  response: pageSchema(packetSchema),
  handler({ query: { client: only, direction = DIRECTIONS, status, ...query } }, context) {
    ibcOf(context)
    const client = only ?? 'all'
    if (status === undefined) {
      const lists = direction.map((each) => LIST.packetsOver(client, each))
      return sequenceListPage(context, lists, query, (position) => showPacket(context, position))
    }
    const rankings = direction.flatMap((each) => status.map((is) => RANKING.packets(client, each, is)))
    return mergedPage(context, rankings, query, (member) => showPacket(context, MEMBER.packet(member)))
  },
})

export const nativePacket = explorerRoute({
  path: '/native/packets/{client}/{direction}/{sequence}',
  summary: 'A packet over a client of IBC, with what it carries and its acknowledgement',
  params: z.object({ client: clientParam, direction: z.enum(DIRECTIONS), sequence: sequenceParam }),
  response: wholePacketSchema,
  handler({ params }, context) {
    ibcOf(context)
    return showWholePacket(context, params)
  },
})
