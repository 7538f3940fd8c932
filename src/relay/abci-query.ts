// Questions to the application of a Cosmos chain, by `abci_query` of its CometBFT. Of most of its messages little is needed, so fields are
// read and written by number.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { z } from 'zod'
import type { Remote } from '../fork/remote.ts'
import { base64 } from './comet-json.ts'

/** Bytes of an answer or of a transaction. */
export const longBytes = base64(2 ** 20)
const answer = z.object({
  response: z.object({
    code: z.number(),
    log: z.string(),
    value: longBytes.nullish(),
    proofOps: z.object({ ops: z.array(z.object({ data: longBytes })) }).nullish(),
  }),
})

export type QueryAnswer = z.output<typeof answer>['response']

/** Asks at a height; 0: the newest one. A `code` other than 0 is a refusal, with words in `log`. Throws RemoteError and RemoteFailure. */
export async function abciQuery(
  remote: Remote,
  path: string,
  data: Uint8Array,
  { height = 0n, prove = false } = {},
): Promise<QueryAnswer> {
  const params = [path, Buffer.from(data).toString('hex'), String(height), prove]
  return (await remote.ask(answer, 'abci_query', params)).response
}

/** A message of byte fields, by number. */
export function messageOf(fields: Readonly<Record<number, Uint8Array | string>>): Uint8Array {
  const writer = new BinaryWriter()
  for (const [field, value] of Object.entries(fields))
    writer.tag(Number(field), WireType.LengthDelimited).bytes(Buffer.from(value))
  return writer.finish()
}

type Field = Uint8Array | bigint | undefined

/** The fields of a message by number: numbers and bytes. What is no message has none. */
export function fieldsOf(bytes: Field): ReadonlyMap<number, Field> {
  const fields = new Map<number, Field>()
  if (!(bytes instanceof Uint8Array)) return fields
  const reader = new BinaryReader(bytes)
  try {
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag()
      if (type === WireType.Varint) fields.set(field, BigInt(reader.uint64()))
      else if (type === WireType.LengthDelimited) fields.set(field, reader.bytes())
      else reader.skip(type)
    }
  } catch {
    return new Map()
  }
  return fields
}

export const textOf = (field: Field): string => (field instanceof Uint8Array ? Buffer.from(field).toString('utf8') : '')
export const numberOf = (field: Field): bigint => (typeof field === 'bigint' ? field : 0n)
