// Mutations of encodings: records doubled, left out, exchanged, unknown, with numbers in more bytes than needed; and of plain bytes.
import type { DescMessage } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import type { Random } from '../../evm/wasm/random-programs.ts'

type WireRecord = {
  readonly field: number
  readonly type: WireType
  readonly content: Uint8Array | WireRecord[]
  /** Bytes that lengthen the number which begins the record, or that which follows it. */
  readonly longer?: 'tag' | 'length' | undefined
}

/** How a message is nested in bytes that the schema does not describe: the field of an Any's value. */
export type Nested = { readonly schema: DescMessage; readonly packed?: DescMessage | undefined }

function recordsOf({ schema, packed }: Nested, bytes: Uint8Array): WireRecord[] {
  const reader = new BinaryReader(bytes)
  const records: WireRecord[] = []
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    const start = reader.pos
    reader.skip(type, field)
    const raw = bytes.subarray(start, reader.pos)
    const inner = schema.fields.find(({ number }) => number === field)?.message ?? (field === 2 ? packed : undefined)
    const content = type === WireType.LengthDelimited ? new BinaryReader(raw).bytes() : raw
    const isMessage = type === WireType.LengthDelimited && inner !== undefined
    records.push({ field, type, content: isMessage ? recordsOf({ schema: inner }, content) : content })
  }
  return records
}

const longer = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([bytes.subarray(0, -1), Uint8Array.of((bytes.at(-1) ?? 0) | 0x80, 0)])
const number = (value: number): Uint8Array => new BinaryWriter().uint32(value).finish()

function encoded(records: readonly WireRecord[]): Uint8Array {
  return Buffer.concat(
    records.flatMap(({ field, type, content, longer: place }) => {
      const tag = number((field << 3) | type)
      const body = Array.isArray(content) ? encoded(content) : content
      const written = place === 'tag' ? longer(tag) : tag
      if (type === WireType.Varint) return [written, place === 'length' ? longer(body) : body]
      if (type !== WireType.LengthDelimited) return [written, body]
      return [written, place === 'length' ? longer(number(body.length)) : number(body.length), body]
    }),
  )
}

/** All lists of records, outer ones too. */
const listsOf = (records: WireRecord[]): WireRecord[][] => [
  records,
  ...records.flatMap(({ content }) => (Array.isArray(content) ? listsOf(content) : [])),
]

const UNKNOWN: WireRecord[] = [
  { field: 15, type: WireType.Varint, content: Uint8Array.of(1) },
  { field: 100, type: WireType.LengthDelimited, content: Uint8Array.of(1, 2) },
  { field: 7, type: WireType.Bit64, content: new Uint8Array(8) },
]

/** Another encoding of the message or of one like it. */
export function mutateWire(nested: Nested, bytes: Uint8Array, random: Random): Uint8Array {
  const records = recordsOf(nested, bytes)
  const list = random.pick(listsOf(records))
  const at = random.below(list.length)
  const other = random.below(list.length + 1)
  const record = list[at]
  const change = random.below(record === undefined ? 1 : 7)
  if (change === 0 || record === undefined) list.splice(other, 0, random.pick(UNKNOWN))
  else if (change === 1) list.splice(at, 1)
  else if (change === 2) list.splice(other, 0, record)
  else if (change === 3) list.push(...list.splice(at, 1))
  else if (change === 4) list[at] = { ...record, longer: 'tag' }
  else if (change === 5) list[at] = { ...record, longer: 'length' }
  // An empty record of a field that was left out or was there.
  else
    list.splice(other, 0, {
      ...record,
      content: record.type === WireType.Varint ? Uint8Array.of(0) : new Uint8Array(0),
    })
  return encoded(records)
}

/** The bytes with some changed, left out, doubled or put in. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random.below(bytes.length)
  const end = at + random.below(Math.min(64, bytes.length - at)) + 1
  return random.pick([
    () => Uint8Array.from(bytes, (byte, place) => (place === at ? byte ^ (1 << random.below(8)) : byte)),
    () => Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)]),
    () => Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(0, at), Uint8Array.of(random.below(256)), bytes.subarray(at)]),
    () => bytes.subarray(0, at),
  ])()
}
