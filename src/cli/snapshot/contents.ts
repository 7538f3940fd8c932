// What is in a snapshot file: a description of its block, the genesis, the state of the consensus engine in a network, and the
// chunks of the state snapshot (chain/state-sync/format.ts).
import { z } from 'zod'
import { type EngineRow, type EngineState, engineStateOf } from '../../consensus/cometbft/offline-state.ts'
import { ChainError } from '../../lib/errors.ts'
import { hexToHash } from '../../lib/hex.ts'

const head = z.object({
  chain: z.string().max(256),
  chainId: z.string().regex(/^\d{1,20}$/),
  block: z
    .string()
    .regex(/^[1-9]\d{0,18}$/)
    .transform(BigInt),
  hash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .transform(hexToHash),
})

/** The block of a snapshot, after which the chain goes on. */
export type SnapshotHead = z.output<typeof head>

const rows = z.array(
  z.object({
    database: z.enum(['state', 'blockstore']),
    key: z.string().min(1).max(128),
    value: z.base64().transform((text) => Uint8Array.from(Buffer.from(text, 'base64'))),
  }),
)

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

export const encodeHead = ({ block, ...fields }: SnapshotHead): Uint8Array =>
  encode({ ...fields, block: String(block) })

export const encodeEngine = (given: readonly EngineRow[]): Uint8Array =>
  encode(given.map(({ value, ...row }) => ({ ...row, value: Buffer.from(value).toString('base64') })))

/** Throws ChainError `storage`. */
export const decodeHead = (bytes: Uint8Array): SnapshotHead => decode(head, bytes)

/** Throws ChainError `storage`. */
export const decodeEngine = (bytes: Uint8Array): EngineState => engineStateOf(decode(rows, bytes))

function decode<S extends z.ZodType>(schema: S, bytes: Uint8Array): z.output<S> {
  try {
    return schema.parse(JSON.parse(Buffer.from(bytes).toString()))
  } catch {
    throw new ChainError('storage', 'a part of the snapshot has an unknown form')
  }
}
