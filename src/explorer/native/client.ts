// Clients of IBC: light clients of other chains, from the state, and what was done to them, from the logs of IBC's contract.
import { z } from 'zod'
import { type Direction, LIST, type PacketStatus, RANKING } from '../../indexer/tables.ts'
import { visibleText } from '../../lib/visible-text.ts'
import type { Ibc } from '../../modules/ibc/ibc.ts'
import { clientIdOf } from '../../modules/ibc/layout.ts'
import { PORT } from '../../modules/transfer/genesis.ts'
import { escrowAddress } from '../../modules/transfer/packets.ts'
import { clientInfo } from '../../precompiles/ibc.ts'
import { ibcLog } from '../../precompiles/ibc-logs.ts'
import { listLength } from '../../tables/list.ts'
import { memberCount } from '../../tables/ranking-tree.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { ExplorerError } from '../errors.ts'
import { addressSchema, showAddress } from '../shapes/address.ts'
import type { LocatedLog } from '../shapes/indexed-transaction.ts'
import { nativeOf, secondsLeft, showTime } from './modules.ts'
import { placeSchema, showPlace } from './packet.ts'

/** The module of IBC. Throws 404 on a chain without it. */
export function ibcOf(context: ExplorerContext): Ibc {
  const { ibc } = nativeOf(context, 'head').modules
  if (ibc === undefined) throw new ExplorerError(404, { message: 'This chain has no IBC' })
  return ibc
}

const STATUSES = { Active: 'active', Expired: 'expired', Frozen: 'frozen' } as const
const count = z.number().int()
const heightSchema = z.strictObject({ revision: wire.decimal, height: wire.decimal })

export const clientSchema = z.strictObject({
  client_id: z.string(),
  chain_id: z
    .string()
    .describe(
      'as the creator has written it, without invisible characters; a client of another chain may have the same',
    ),
  status: z.enum(['active', 'expired', 'frozen']),
  latest_height: heightSchema.describe('highest known height of the other chain'),
  latest_time: wire.time.describe('of that height'),
  expires_at: wire.time.describe('unless it is updated before'),
  seconds_left: count.describe('until then'),
  creator: addressSchema,
  counterparty_client_id: z.string().nullable().describe('this chain’s client there; null until it is registered'),
  counterparty_prefix: z.array(wire.hex).describe('keys of the other chain’s stores above its packets'),
  escrow: addressSchema.describe('the account that holds the coins that have left over the client'),
  changes_count: count.describe('length of its history'),
  packets: z.strictObject({
    sent: z.strictObject({ pending: count, success: count, error: count, timeout: count }),
    received: z.strictObject({ success: count, error: count }),
  }),
})

z.globalRegistry.add(clientSchema, { id: 'IbcClient' })

export function showClient(context: ExplorerContext, number: number): z.input<typeof clientSchema> {
  const { clientId, ...of } = clientInfo(ibcOf(context), clientIdOf(number))
  const packets = (direction: Direction, status: PacketStatus) =>
    memberCount(context.rows, RANKING.packets(number, direction, status))
  return {
    client_id: clientId,
    chain_id: visibleText(of.chainId) ?? '',
    status: STATUSES[of.status],
    latest_height: showHeight(of.latestHeight),
    latest_time: showTime(of.latestTime),
    expires_at: showTime(of.expiresAt),
    seconds_left: secondsLeft(of.expiresAt, context.head.timestamp),
    creator: showAddress(context, of.creator),
    counterparty_client_id: of.counterpartyClientId || null,
    counterparty_prefix: of.counterpartyPrefix,
    escrow: showAddress(context, escrowAddress({ port: PORT, channel: clientId })),
    changes_count: listLength(context.rows, LIST.clientLogs(number)),
    packets: {
      sent: {
        pending: packets('sent', 'pending'),
        success: packets('sent', 'success'),
        error: packets('sent', 'error'),
        timeout: packets('sent', 'timeout'),
      },
      received: { success: packets('received', 'success'), error: packets('received', 'error') },
    },
  }
}

type Height = { readonly revisionNumber: bigint; readonly revisionHeight: bigint }
const showHeight = ({ revisionNumber, revisionHeight }: Height): z.input<typeof heightSchema> => ({
  revision: revisionNumber.toString(),
  height: revisionHeight.toString(),
})

export const clientChangeSchema = placeSchema.extend({
  type: z.enum(['created', 'registered', 'updated', 'frozen']),
  height: heightSchema.nullable().describe('of the header that an update has brought'),
  sender: addressSchema.describe('of the transaction'),
})

/** What a log of a client's history says. */
export function showClientChange(context: ExplorerContext, located: LocatedLog): z.input<typeof clientChangeSchema> {
  const log = ibcLog(located.log)
  const common = { ...showPlace(located), sender: showAddress(context, located.transaction.from) }
  if (log?.event === 'CreateClient') return { ...common, type: 'created', height: null }
  if (log?.event === 'RegisterCounterparty') return { ...common, type: 'registered', height: null }
  if (log?.event !== 'UpdateClient') throw new Error('the log is not of a client')
  const height = log.height.revisionHeight === 0n ? null : showHeight(log.height)
  return { ...common, type: log.result === 0n ? 'updated' : 'frozen', height }
}
