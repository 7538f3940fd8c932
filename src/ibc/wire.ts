// Messages of IBC as bytes. What a stranger sends is decoded strictly: it must be the encoding that every protobuf library
// writes for its content, so one content has one form and unknown fields are refused.
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import { ChainError } from '../lib/errors.ts'
import { equalBytes } from '../lib/hex.ts'

/** A refusal of IBC. The reason may become revert data, so it is made of this program's text and of the request. */
export const refused = (reason: string): ChainError => new ChainError('execution-reverted', reason)

/**
 * Decodes a message of at most `limit` bytes. Throws ChainError that names it for other bytes than the encoding of a message:
 * fields in ascending order, none unknown, none twice, numbers in their shortest form.
 */
export function decode<D extends DescMessage>(schema: D, bytes: Uint8Array, limit: number): MessageShape<D> {
  if (bytes.length > limit) throw refused(`${schema.name} of ${bytes.length} bytes, at most ${limit} are allowed`)
  const message = parsed(schema, bytes)
  if (message === undefined || !equalBytes(toBinary(schema, message), bytes)) throw refused(`malformed ${schema.name}`)
  return message
}

function parsed<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> | undefined {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false })
  } catch {
    // The library's words must not get into revert data.
    return undefined
  }
}
