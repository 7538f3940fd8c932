// The genesis section `kestrel.modules.transfer`: channels, and vouchers that exist from the beginning. Everything is optional;
// by default there is one pair of loopback channels, `channel-0` and `channel-1`.
import { z } from 'zod'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { readSection, rulesVersion } from '../genesis-section.ts'
import { PEERS, type Peer } from './layout.ts'

export type GenesisSink = {
  readonly channel: string
  readonly counterparty: string
  readonly behaviour: Exclude<Peer, 'loopback'>
}

/** Vouchers in the genesis must have a trace through a simulated channel: this chain's own escrow cannot back them. */
export type GenesisVoucher = {
  /** Full path: `transfer/channel-2/uatom`. */
  readonly trace: string
  readonly balances: readonly (readonly [Address, bigint])[]
}

export type TransferGenesis = {
  readonly sendEnabled: boolean
  readonly receiveEnabled: boolean
  /** Pairs of channels that are each other's counterparty. */
  readonly loopback: readonly (readonly [string, string])[]
  readonly sinks: readonly GenesisSink[]
  readonly vouchers: readonly GenesisVoucher[]
}

export const PORT = 'transfer'

const channel = z.string().regex(/^channel-(0|[1-9]\d{0,18})$/, { error: 'expected a channel such as "channel-2"' })
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, { error: 'expected an address of 20 bytes of hex' })
const amount = z
  .string()
  .regex(/^[1-9]\d{0,76}$/, { error: 'expected a positive decimal string' })
  .transform(BigInt)

const section = z
  .strictObject({
    /** Read by `transferVersion`. */
    version: rulesVersion,
    sendEnabled: z.boolean().default(true),
    receiveEnabled: z.boolean().default(true),
    loopback: z.array(z.tuple([channel, channel])).default([['channel-0', 'channel-1']]),
    sinks: z
      .array(
        z.strictObject({
          channel,
          counterparty: channel.default('channel-0'),
          behaviour: z.enum(PEERS).exclude(['loopback']),
        }),
      )
      .default([]),
    vouchers: z
      .array(
        z.strictObject({
          trace: z.string().regex(/^(transfer\/channel-\d{1,19}\/)+\S+$/, {
            error: 'expected a path such as "transfer/channel-2/uatom"',
          }),
          balances: z
            .record(address, amount)
            .transform((of) => Object.entries(of).map(([holder, coins]) => [hexToAddress(holder), coins] as const)),
        }),
      )
      .default([]),
  })
  .prefault({})
  .superRefine(({ loopback, sinks, vouchers }, context) => {
    const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message })
    const looped = loopback.flatMap(([one, other]) => (one === other ? [one] : [one, other]))
    const channels = [...looped, ...sinks.map((sink) => sink.channel)]
    const twice = channels.find((id, place) => channels.indexOf(id) !== place)
    if (twice !== undefined) refuse(['loopback'], `${twice} stands here twice`)
    for (const [place, { trace }] of vouchers.entries()) {
      const isThroughSink = sinks.some((sink) => trace.startsWith(`${PORT}/${sink.channel}/`))
      const isLast = vouchers.findIndex((other) => other.trace === trace) === place
      if (!isThroughSink || !isLast) refuse(['vouchers', place, 'trace'], 'expected a path through a sink, each once')
    }
  })

/** Throws ChainError `invalid-genesis` that names the field. */
export const readTransferGenesis = (json: unknown): TransferGenesis => readSection('transfer', section, json)
