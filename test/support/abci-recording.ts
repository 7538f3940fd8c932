// Recordings of the messages between a consensus engine and the application, as scripts/record-abci.ts writes them: a line
// for a message without its length, `> HEX` for a request, `< HEX` for an answer; lines that begin with `#` are comments.
import { fromBinary } from '@bufbuild/protobuf'
import {
  type Request,
  RequestSchema,
  type Response,
  ResponseSchema,
} from '../../src/consensus/abci/generated/tendermint/abci/types_pb.ts'

export type RecordedMessage = { readonly from: 'engine' | 'application'; readonly bytes: Uint8Array }

/** The messages of a recording in their order. Throws Error for a line that is no message. */
export function readRecording(text: string): RecordedMessage[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [, mark, hex = ''] = /^([<>]) ((?:[0-9a-f]{2})+)$/.exec(line) ?? []
    if (mark === undefined) throw new Error(`not a line of a recording: ${line.slice(0, 80)}`)
    return { from: mark === '>' ? 'engine' : 'application', bytes: Buffer.from(hex, 'hex') }
  })
}

export type RequestKind = NonNullable<Request['value']['case']>

/** A request and its answer, decoded and as they were on the wire. */
export type Exchange = {
  readonly kind: RequestKind
  readonly request: Request['value']
  readonly response: Response['value']
  readonly requestBytes: Uint8Array
  readonly responseBytes: Uint8Array
}

/**
 * Requests with their answers, in the order of the requests. The n-th answer of a kind belongs to the n-th request of that
 * kind, because all requests of a kind come on one connection. Requests that have no answer are left out.
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
