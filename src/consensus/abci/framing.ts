// Framing of CometBFT's socket, in both directions: the length as a uvarint, then the protobuf message.
import { BinaryWriter } from '@bufbuild/protobuf/wire'

/** Most bytes of an encoded length. */
const LONGEST_LENGTH = 4
/** Longest accepted message in bytes, 256 MB: InitChain holds the whole genesis, 160 bytes per account. */
export const LONGEST_MESSAGE = 2 ** (7 * LONGEST_LENGTH) - 1

/**
 * The messages of a stream whose chunks may split them anywhere. Each message is a copy: a reference to a part of it (a
 * transaction) does not keep the packet alive. Throws Error when a length exceeds `LONGEST_MESSAGE`, before its message is
 * read, and when the stream ends within a frame.
 */
export async function* messagesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  let held = 0
  // Bytes needed for the next step: a large message is concatenated once, not with every packet.
  let wanted = 1
  for await (const chunk of stream) {
    parts.push(chunk)
    held += chunk.length
    if (held < wanted) continue
    let rest: Uint8Array = parts.length === 1 ? chunk : Buffer.concat(parts, held)
    for (;;) {
      const head = readLength(rest)
      wanted = head === undefined ? rest.length + 1 : head.size + head.length
      if (head === undefined || rest.length < wanted) break
      yield new Uint8Array(rest.subarray(head.size, wanted))
      rest = rest.subarray(wanted)
    }
    parts = rest.length === 0 ? [] : [rest]
    held = rest.length
  }
  if (held > 0) throw new Error('the connection ended within a message')
}

/** Length of the first message (`size`), and the number of bytes that encode it; undefined when they are incomplete. */
function readLength(bytes: Uint8Array): { readonly size: number; readonly length: number } | undefined {
  let length = 0
  for (const [index, byte] of bytes.subarray(0, LONGEST_LENGTH).entries()) {
    length += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) return { size: index + 1, length }
  }
  if (bytes.length < LONGEST_LENGTH) return undefined
  throw new Error(`a message is longer than ${LONGEST_MESSAGE} bytes`)
}

/** The frame of an encoded message. */
export function frame(message: Uint8Array): Uint8Array {
  return new BinaryWriter().bytes(message).finish()
}
