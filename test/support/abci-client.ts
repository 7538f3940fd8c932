// CometBFT's side of a connection, for tests of the server and of the application: sends requests, whole or in pieces, and
// reads the responses.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { frame, messagesOf } from '../../src/consensus/abci/framing.ts'
import { RequestSchema, type Response, ResponseSchema } from '../../src/protobuf/generated/tendermint/abci/types_pb.ts'

export type RequestValue = NonNullable<MessageInitShape<typeof RequestSchema>['value']>

/** The frame of a request. */
export const requestFrame = (value: RequestValue): Uint8Array =>
  frame(toBinary(RequestSchema, create(RequestSchema, { value })))

export class AbciClient {
  readonly socket: Socket
  readonly #answers: AsyncGenerator<Uint8Array>

  private constructor(socket: Socket) {
    this.socket = socket
    this.#answers = messagesOf(socket)
  }

  /** Rejects when no server listens at the path. */
  static async connect(path: string): Promise<AbciClient> {
    const socket = connect({ path, allowHalfOpen: true })
    await once(socket, 'connect')
    // The server may close a connection that sent garbage: no more responses follow.
    socket.on('error', () => {})
    return new AbciClient(socket)
  }

  send(...values: readonly RequestValue[]): void {
    this.socket.write(Buffer.concat(values.map(requestFrame)))
  }

  /** The next response without its length prefix; undefined when the connection has ended or was reset. */
  async answerBytes(): Promise<Uint8Array | undefined> {
    const next = await this.#answers.next().catch(() => ({ done: true, value: undefined }))
    return next.done === true ? undefined : next.value
  }

  /** The next response, or undefined when the connection has ended. */
  async answer(): Promise<Response['value'] | undefined> {
    const bytes = await this.answerBytes()
    return bytes === undefined ? undefined : fromBinary(ResponseSchema, bytes).value
  }

  /** Sends a request and waits for its response. No other request may be pending. */
  async ask(value: RequestValue): Promise<Response['value'] | undefined> {
    this.send(value)
    return this.answer()
  }

  close(): void {
    this.socket.destroy()
  }
}
