// ICS-20 transfers and denominations of coins.

import { z } from 'zod'
import { LIST, sequenceEntry } from '../../indexer/tables.ts'
import { listLength } from '../../tables/list.ts'
import { explorerRoute } from '../define.ts'
import { denominationSchema, denominationsOf, showDenomination } from '../native/denomination.ts'
import { accountNamed, accountParam, nativeOf } from '../native/modules.ts'
import { packetSchema, showPacket } from '../native/packet.ts'
import { listPage } from '../pagination/lists.ts'
import { arrayPage, pageQuery, pageSchema } from '../pagination/page.ts'
import { sequencePage } from '../pagination/sequence.ts'

export const nativeTransfers = explorerRoute({
  path: '/native/transfers',
  summary:
    'Packets, newest first: ICS-20 transfers over channels of this chain, and packets over clients of IBC both ways',
  query: pageQuery,
  response: pageSchema(packetSchema),
  handler({ query }, context) {
    nativeOf(context, 'head')
    return sequencePage(listLength(context.rows, LIST.packets), query, (position) => showPacket(context, position))
  },
})

export const nativeAddressTransfers = explorerRoute({
  path: '/native/addresses/{address}/transfers',
  summary:
    'ICS-20 transfers from an account, or to it over a client of IBC or between two channels of this chain, newest first',
  params: z.object({ address: accountParam }),
  query: pageQuery,
  response: pageSchema(packetSchema),
  handler: ({ params: { address }, query }, context) =>
    listPage(context, [LIST.packetsOf(accountNamed(context, 'address', address))], query, (entry) =>
      showPacket(context, sequenceEntry.decode(entry).sequence),
    ),
})

export const nativeDenominations = explorerRoute({
  path: '/native/denominations',
  summary: 'Denominations of coins: the base coin, then vouchers and coins of token pairs by name',
  query: pageQuery,
  response: pageSchema(denominationSchema),
  handler: ({ query }, context) =>
    arrayPage(denominationsOf(context), query, (denom) => showDenomination(context, denom)),
})
