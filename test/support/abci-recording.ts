// Recordings of the messages between a consensus engine and the application, written by scripts/record-abci.ts: one line for
// each message without its length prefix, `> HEX` for a request, `< HEX` for a response; lines with `#` are comments.
import { fromBinary } from '@bufbuild/protobuf'
import {
  type Request,
  RequestSchema,
  type Response,
  ResponseSchema,
} from '../../src/protobuf/generated/tendermint/abci/types_pb.ts'

export type RecordedMessage = { readonly from: 'engine' | 'application'; readonly bytes: Uint8Array }

/** The messages of a recording in order. Throws Error for a malformed line. */
export function readRecording(text: string): RecordedMessage[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [, mark, hex = ''] = /^([<>]) ((?:[0-9a-f]{2})+)$/.exec(line) ?? []
    if (mark === undefined) throw new Error(`not a line of a recording: ${line.slice(0, 80)}`)
    return { from: mark === '>' ? 'engine' : 'application', bytes: Buffer.from(hex, 'hex') }
  })
}

export type RequestKind = NonNullable<Request['value']['case']>

/** A request and its response, decoded and in their wire form. */
export type Exchange = {
  readonly kind: RequestKind
  readonly request: Request['value']
  readonly response: Response['value']
  readonly requestBytes: Uint8Array
  readonly responseBytes: Uint8Array
}

/**
 * Requests with their responses, in the order of the requests. The n-th response of a kind belongs to the n-th request of this
 * kind, because all requests of a kind use one connection. Requests without a response are left out.
 */
export function exchangesOf(messages: readonly RecordedMessage[]): Exchange[] {
  const answers = messages
    .filter(({ from }) => from === 'application')
    .map(({ bytes }) => ({ bytes, response: fromBinary(ResponseSchema, bytes).value }))
  const exchanges: Exchange[] = []
  for (const { from, bytes } of messages) {
    if (from !== 'engine') continue
    const request = fromBinary(RequestSchema, bytes).value
    if (request.case === undefined) throw new Error('a request of an unknown kind')
    const place = answers.findIndex(({ response }) => response.case === request.case)
    const [answer] = place === -1 ? [] : answers.splice(place, 1)
    if (answer === undefined) continue
    exchanges.push({
      kind: request.case,
      request,
      response: answer.response,
      requestBytes: bytes,
      responseBytes: answer.bytes,
    })
  }
  return exchanges
}
