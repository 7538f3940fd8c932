// One connection of CometBFT: reads requests, calls the application, writes the responses in the order of the requests. A slow
// reader or a slow application applies backpressure to reading, so a connection holds a bounded number of messages.
import type { Socket } from 'node:net'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { ChainError, describeError } from '../../lib/errors.ts'
import {
  type Request,
  RequestSchema,
  ResponseSchema,
  ResponseVerifyVoteExtension_VerifyStatus,
} from '../../protobuf/generated/tendermint/abci/types_pb.ts'
import type { AbciApplication } from './application.ts'
import { boundBlockProposal } from './bounded-block-proposal.ts'
import { frame, messagesOf } from './framing.ts'

type Answer = NonNullable<MessageInitShape<typeof ResponseSchema>['value']>

/** Requests that run concurrently: each concerns one transaction. CometBFT sends many at once. */
const INDEPENDENT = ['checkTx', 'insertTx']
/** Independent requests that run at a time: the length of CometBFT's queue. */
const MOST_UNDER_WAY = 256
/** Milliseconds that closing waits for CometBFT to read its responses: a stopped CometBFT never does. */
const UNREAD_ANSWERS_MS = 1000

export class Connection {
  readonly #socket: Socket
  readonly #application: AbciApplication
  readonly #onError: (error: unknown) => void
  /** Settles when the newest response is written, and so all earlier ones; never rejects. */
  #lastAnswer: Promise<void> = Promise.resolve()
  /** Settles when the application has handled every request so far. */
  #handled: Promise<unknown> = Promise.resolve()
  #underWay = 0
  #isClosing = false

  constructor(socket: Socket, application: AbciApplication, onError: (error: unknown) => void) {
    this.#socket = socket
    this.#application = application
    this.#onError = onError
    // `run` catches read errors; other errors end the connection. Without a listener they would end the process.
    socket.on('error', () => {})
  }

  /** Answers requests until the connection ends; never rejects. */
  async run(): Promise<void> {
    try {
      // The socket's default iterator would destroy it when reading ends, and lose the responses in its buffer.
      const chunks = this.#socket.iterator({ destroyOnReturn: false })
      for await (const message of messagesOf(chunks)) {
        if (!(await this.#take(message))) break
      }
    } catch (error) {
      if (!this.#isClosing) this.#onError(error)
    }
    await this.#lastAnswer
    this.#socket.destroy()
  }

  /** Accepts no further request, writes the responses of running ones, ends the connection. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#handled
    const timer = setTimeout(() => this.#socket.destroy(), UNREAD_ANSWERS_MS)
    await this.#lastAnswer
    clearTimeout(timer)
    this.#socket.destroy()
  }

  /** Starts one request. False: it is the last one of this connection. */
  async #take(message: Uint8Array): Promise<boolean> {
    const request = decodeRequest(message, this.#application.mostTransactions)
    const mayOverlap = request instanceof Error ? false : INDEPENDENT.includes(request.value.case ?? '')
    if (!mayOverlap || this.#underWay >= MOST_UNDER_WAY) await this.#lastAnswer
    if (this.#isClosing) return false
    this.#underWay++
    const answer = this.#answerTo(request)
    this.#handled = Promise.all([answer, this.#handled])
    this.#lastAnswer = Promise.all([answer, this.#lastAnswer]).then(async ([bytes]) => {
      await this.#write(bytes)
      this.#underWay--
    })
    return !(request instanceof Error)
  }

  /** The encoded response. An error of the application becomes an `exception`, on which CometBFT exits. */
  async #answerTo(request: Request | Error): Promise<Uint8Array> {
    try {
      if (request instanceof Error) throw request
      return encodeAnswer(await answerOf(this.#application, request.value))
    } catch (error) {
      this.#onError(error)
      return encodeAnswer({ case: 'exception', value: { error: publicText(error) } })
    }
  }

  /** Settles when the operating system has the bytes, or the connection is closed. */
  #write(message: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(frame(message), () => resolve())
    })
  }
}

/** The request, or, if it does not decode, an error that says so in our words instead of the library's. */
function decodeRequest(message: Uint8Array, mostTransactions = Number.POSITIVE_INFINITY): Request | Error {
  try {
    // Unknown fields of later CometBFT versions are dropped: no request is encoded again.
    return fromBinary(RequestSchema, boundBlockProposal(message, mostTransactions), { readUnknownFields: false })
  } catch (error) {
    return new ChainError('invalid-params', 'the request cannot be decoded', undefined, describeError(error))
  }
}

/** A block of 5,000 transactions takes 0.3 ms to decode, and the response with their results 6 ms to encode. */
const encodeAnswer = (value: Answer): Uint8Array => toBinary(ResponseSchema, create(ResponseSchema, { value }))

/** CometBFT prints this text before it exits. Details of a bug go only to the log of this node. */
const publicText = (error: unknown): string =>
  error instanceof ChainError ? error.message : 'internal error of the application'

/** Throws the application's errors, and ChainError `invalid-params` for a kind of request that ABCI 2.0 does not have. */
async function answerOf(application: AbciApplication, { case: kind, value }: Request['value']): Promise<Answer> {
  switch (kind) {
    case 'echo':
      return { case: kind, value: { message: value.message } }
    case 'flush':
      return { case: kind, value: {} }
    case 'info':
      return { case: kind, value: await application.info(value) }
    case 'initChain':
      return { case: kind, value: await application.initChain(value) }
    case 'query':
      return { case: kind, value: await application.query(value) }
    case 'checkTx':
      return { case: kind, value: await application.checkTx(value) }
    case 'insertTx':
      return { case: kind, value: await application.insertTx(value) }
    case 'reapTxs':
      return { case: kind, value: await application.reapTxs(value) }
    case 'prepareProposal':
      return { case: kind, value: await application.prepareProposal(value) }
    case 'processProposal':
      return { case: kind, value: await application.processProposal(value) }
    case 'finalizeBlock':
      return { case: kind, value: await application.finalizeBlock(value) }
    case 'commit':
      return { case: kind, value: await application.commit(value) }
    case 'listSnapshots':
      return { case: kind, value: await application.listSnapshots(value) }
    case 'offerSnapshot':
      return { case: kind, value: await application.offerSnapshot(value) }
    case 'loadSnapshotChunk':
      return { case: kind, value: await application.loadSnapshotChunk(value) }
    case 'applySnapshotChunk':
      return { case: kind, value: await application.applySnapshotChunk(value) }
    // Vote extensions are not used.
    case 'extendVote':
      return { case: kind, value: {} }
    case 'verifyVoteExtension':
      return { case: kind, value: { status: ResponseVerifyVoteExtension_VerifyStatus.ACCEPT } }
    default:
      throw new ChainError('invalid-params', 'the request is of an unknown kind')
  }
}
