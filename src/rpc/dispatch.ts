// JSON-RPC 2.0 without its transport: parses a request or batch, calls the methods, serializes the answers. Entries of a batch
// run one after the other, because clients rely on their order; consecutive sends share a block, and on a fork consecutive
// reads wait for the forked chain together. Each heavy entry waits for a slot of its own. Requests of a closed connection are
// dropped.
import type { z } from 'zod'
import { isBoundedJson, JSON_BOUNDS } from '../lib/bounded-json.ts'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import { AnswerElsewhere, ChainError } from '../lib/errors.ts'
import { orBeforeFork } from './before-fork.ts'
import { ChunkedJson, fitsOneChunk, type JsonChunk, jsonChunks } from './chunked-json.ts'
import type { Readers, RpcContext, RpcMethod, ThreadAnswer } from './define.ts'
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  internalError,
  isFault,
  LIMIT_EXCEEDED,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  RESPONSE_TOO_LARGE,
  type WireError,
  wireError,
} from './errors.ts'
import { BatchedSends } from './sends/batched-sends.ts'

type Id = string | number | null
type Request = { readonly id: Id | undefined; readonly method: string; readonly params: unknown }
type Outcome = { readonly result: unknown } | { readonly error: WireError }

/**
 * Requests of up to this many characters take nothing from the text budget: the maximum of waiting requests holds 128 MB in
 * all.
 */
const SMALL_REQUEST = 64 * 1024

/** Requests of up to this many characters cannot have too many values. */
const SIMPLE_REQUEST = 4096

type Answer = readonly JsonChunk[]

/**
 * Answers a request or a batch. undefined: no answer is due, because there were only notifications or because `signal` is
 * aborted (the connection is closed).
 */
export function answerInChunks(
  body: string,
  context: RpcContext,
  signal: AbortSignal = NO_CONNECTION,
): Promise<Answer | undefined> {
  return body.length <= SMALL_REQUEST ? answerBody(body, context, signal) : answerLarge(body, context, signal)
}

async function answerLarge(body: string, context: RpcContext, signal: AbortSignal): Promise<Answer | undefined> {
  const { textBudget } = context
  if (!textBudget.take(body.length)) {
    return refuse(context, LIMIT_EXCEEDED, 'limit exceeded: too many large requests in work')
  }
  try {
    return await answerBody(body, context, signal)
  } finally {
    textBudget.give(body.length)
  }
}

function answerBody(body: string, context: RpcContext, signal: AbortSignal): Promise<Answer | undefined> {
  if (body.length > SIMPLE_REQUEST && !isBoundedJson(body)) {
    return Promise.resolve(refuse(context, INVALID_REQUEST, `request too large, want ${JSON_BOUNDS}`))
  }
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return Promise.resolve(refuse(context, PARSE_ERROR, 'parse error: the body is not JSON'))
  }
  return Array.isArray(message)
    ? answerBatch(message, context, signal, body)
    : answerOne(message, context, signal, body)
}

/** Like `answerInChunks`, as one string. */
export async function answer(body: string, context: RpcContext, signal?: AbortSignal): Promise<string | undefined> {
  const chunks = await answerInChunks(body, context, signal)
  return chunks?.map(String).join('')
}

/** The answer to a body that is refused as a whole. */
export const refusal = (code: number, message: string): string => serialize(null, { error: { code, message } })

/** Like `refusal`, and counts it. */
function refuse({ meter }: RpcContext, code: number, message: string): Answer {
  meter?.refused(code)
  return [refusal(code, message)]
}

async function answerBatch(
  entries: readonly unknown[],
  context: RpcContext,
  signal: AbortSignal,
  body: string,
): Promise<Answer | undefined> {
  const { maxBatch, maxBatchAnswer } = context.options
  if (entries.length === 0) return refuse(context, INVALID_REQUEST, 'empty batch')
  if (entries.length > maxBatch) {
    return refuse(context, INVALID_REQUEST, `batch too large, want at most ${maxBatch} requests`)
  }
  if (context.committedOnly) for (const entry of entries) requireCommitted(methodOf(entry, context))
  if (context.readers !== undefined && isForThread(entries, context)) {
    const answered = await askThread(context.readers, body, context, signal).catch(() => failedBatch(entries))
    if (answered !== undefined) return answered.chunks
  }
  const answers = new ChunkedJson()
  const { textBudget } = context
  const sends = new BatchedSends(context)
  const ahead = new ReadsAhead(entries, context, signal)
  /** Characters taken from the budget. */
  let taken = 0
  try {
    for (const [index, entry] of entries.entries()) {
      await answers.pause()
      if (signal.aborted) return undefined
      const hasRoom = answers.length <= maxBatchAnswer && textBudget.take(answers.length - taken)
      if (hasRoom) taken = answers.length
      const isSend = hasRoom && methodOf(entry, context)?.sends === true
      await (isSend ? sends.begin(entries, index) : sends.settle())
      const chunks = await (hasRoom
        ? (ahead.answer(index) ?? answerOne(entry, isSend ? sends.context : context, signal, undefined))
        : tooLarge(entry, context))
      if (chunks === undefined) continue
      answers.add(answers.length === 0 ? '[' : ',')
      for (const chunk of chunks) answers.add(chunk)
    }
    await sends.settle()
  } finally {
    sends.release()
    textBudget.give(taken)
  }
  if (answers.length === 0) return undefined
  answers.add(']')
  return answers.end()
}

/** Entries of a batch that are begun before their turn. */
const MOST_AHEAD = 32

/** On a fork: begins the reads of a batch that follow each other together, because each may wait for the forked chain. */
class ReadsAhead {
  readonly #begin: (index: number) => Promise<Answer | undefined> | undefined
  readonly #begun = new Map<number, Promise<Answer | undefined>>()

  constructor(entries: readonly unknown[], context: RpcContext, signal: AbortSignal) {
    this.#begin = (index) => {
      const isRead = context.chain.forked !== undefined && methodOf(entries[index], context)?.committed === true
      return isRead ? answerOne(entries[index], context, signal, undefined) : undefined
    }
  }

  /** The answer of an entry whose turn it is; undefined if it is no read. */
  answer(index: number): Promise<Answer | undefined> | undefined {
    for (let next = index; next < index + MOST_AHEAD; next++) {
      if (this.#begun.has(next)) continue
      const begun = this.#begin(next)
      if (begun === undefined) break
      // It is awaited in its turn, unless the batch ends before.
      begun.catch(() => undefined)
      this.#begun.set(next, begun)
    }
    const answered = this.#begun.get(index)
    this.#begun.delete(index)
    return answered
  }
}

/** Throws AnswerElsewhere for a method that a read thread cannot answer. */
function requireCommitted(method: RpcMethod | undefined): void {
  if (method?.committed === false) throw new AnswerElsewhere('only the main thread answers this method')
}

/** Whether a read thread may answer a batch and should: all of it is committed, and some of it heavy. */
function isForThread(entries: readonly unknown[], context: RpcContext): boolean {
  const found = entries.map((entry) => methodOf(entry, context))
  return found.every((method) => method?.committed === true) && found.some((method) => method?.heavy)
}

/** Internal errors for a batch whose thread has crashed. It is not sent to another thread, which it might crash too. */
function failedBatch(entries: readonly unknown[]): Pick<ThreadAnswer, 'chunks'> {
  const ids = entries.map((entry) => readRequest(entry).id).filter((id) => id !== undefined)
  const answers = ids.map((id) => serialize(id, { error: internalError }))
  return { chunks: answers.length === 0 ? undefined : [`[${answers.join()}]`] }
}

/** Asks a read thread. undefined: the request has to be answered here. Throws when the thread crashes. */
async function askThread(
  readers: Readers,
  text: string,
  { meter, queue }: RpcContext,
  signal: AbortSignal,
): Promise<ThreadAnswer | undefined> {
  const asked = readers.answer(text, signal, queue.load.running === 0)
  const answered = asked === undefined ? undefined : await asked
  for (const { method, time, code } of answered?.calls ?? []) meter?.ended(method, performance.now() - time, code)
  return answered
}

function methodOf(entry: unknown, { methods }: RpcContext): RpcMethod | undefined {
  const request = readRequest(entry)
  return 'error' in request ? undefined : methods.get(request.method)
}

function tooLarge(entry: unknown, { meter }: RpcContext): Answer | undefined {
  const { id } = readRequest(entry)
  meter?.refused(RESPONSE_TOO_LARGE)
  return id === undefined
    ? undefined
    : [serialize(id, { error: { code: RESPONSE_TOO_LARGE, message: 'response too large' } })]
}

/** `body`: the text of the message, undefined for an entry of a batch. */
async function answerOne(
  message: unknown,
  context: RpcContext,
  signal: AbortSignal,
  body: string | undefined,
): Promise<Answer | undefined> {
  const request = readRequest(message)
  if ('error' in request) {
    context.meter?.refused(request.error.code)
    return [serialize(request.id, request)]
  }
  const began = performance.now()
  const method = enabledMethod(request.method, context)
  if (context.committedOnly) requireCommitted(method)
  else if (method?.committed) context.readers?.noticeRead(signal)
  if (!method?.heavy) return answerRequest(request, method, context, signal, began)
  try {
    if (method.committed && context.readers !== undefined) {
      const answered = await askThread(context.readers, body ?? JSON.stringify(message), context, signal)
      if (answered !== undefined) return answered.chunks
    }
    const turn = context.queue.enter(signal)
    if (turn !== undefined) await turn
  } catch (thrown) {
    const { error } = errorOf(thrown, request, context)
    context.meter?.ended(request.method, began, error.code)
    return request.id === undefined ? undefined : [serialize(request.id, { error })]
  }
  try {
    const answer = () => answerRequest(request, method, context, signal, began)
    // The slot is held until the answer is serialized, because a large result takes memory until then.
    return await (context.chain.missing === undefined ? answer() : context.queue.runInPlace(signal, answer))
  } finally {
    context.queue.leave()
  }
}

async function answerRequest(
  request: Request,
  method: RpcMethod | undefined,
  context: RpcContext,
  signal: AbortSignal,
  began: number,
): Promise<Answer | undefined> {
  const outcome = await call(request, method, context, signal)
  // False: there was nothing to change.
  const hasChanged = method?.noted === true && 'result' in outcome && outcome.result !== false
  if (hasChanged) context.development.timeline?.note(request.method, request.params)
  context.meter?.ended(method && request.method, began, 'error' in outcome ? outcome.error.code : undefined)
  const { id } = request
  if (id === undefined || signal.aborted) return undefined
  try {
    if ('error' in outcome || fitsOneChunk(outcome.result)) return [serialize(id, outcome)]
    return await jsonChunks(outcome.result, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, '}', signal)
  } catch (error) {
    if (error instanceof ChainError && error.code === 'cancelled') return undefined
    context.log.error({ err: error, method: request.method }, 'answer cannot be written')
    context.meter?.refused(RESPONSE_TOO_LARGE)
    return [serialize(id, { error: { code: RESPONSE_TOO_LARGE, message: 'response too large' } })]
  }
}

const serialize = (id: Id, outcome: Outcome): string =>
  JSON.stringify(
    'error' in outcome
      ? { jsonrpc: '2.0', id, error: outcome.error }
      : { jsonrpc: '2.0', id, result: outcome.result ?? null },
  )

function readRequest(message: unknown): Request | { readonly id: Id; readonly error: WireError } {
  const invalid = (id: Id, reason: string) => ({
    id,
    error: { code: INVALID_REQUEST, message: `invalid request: ${reason}` },
  })
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return invalid(null, 'not an object')
  const { jsonrpc, id, method, params } = message as Record<string, unknown>
  if (id !== undefined && !isId(id)) return invalid(null, 'id is neither a string, a number nor null')
  if (jsonrpc !== '2.0') return invalid(id ?? null, 'jsonrpc is not "2.0"')
  if (typeof method !== 'string') return invalid(id ?? null, 'method is not a string')
  return { id, method, params }
}

/** Integers beyond 2^53 are refused: JSON.parse has rounded them, and the answer would have another id. */
const isId = (id: unknown): id is Id =>
  id === null || typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER)

/** The method with this name; undefined when there is none, or when its gate is closed. */
function enabledMethod(name: string, { methods, options }: RpcContext): RpcMethod | undefined {
  const method = methods.get(name)
  return method?.gate === undefined || options[method.gate] ? method : undefined
}

async function call(
  request: Request,
  method: RpcMethod | undefined,
  context: RpcContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const { method: name, params } = request
  const failed = (error: WireError): Outcome => {
    context.reports.failed({ method: name, params, error })
    return { error }
  }
  if (method === undefined) {
    const shown = name.slice(0, 100)
    return failed({ code: METHOD_NOT_FOUND, message: `the method ${shown} does not exist/is not available` })
  }
  try {
    const args = readArguments(params, method)
    if (!Array.isArray(args)) return failed(args.error)
    const { forked, missing } = context.chain
    const invoke = () => method.invoke(args, context, signal)
    if (forked === undefined || missing === undefined) return { result: await invoke() }
    const changes = method.gate !== undefined || method.sends
    const asked = { method: name, params, committed: method.committed, changes }
    return {
      result: await orBeforeFork({ forked, pool: context.chain.pool }, asked, () => missing.complete(invoke, signal)),
    }
  } catch (thrown) {
    return errorOf(thrown, request, context)
  }
}

/** The error on the wire. It is logged too, except when the client is gone. */
function errorOf(thrown: unknown, { method, params }: Request, context: RpcContext): { readonly error: WireError } {
  if (thrown instanceof AnswerElsewhere) throw thrown
  const error = wireError(thrown)
  if (error === undefined || isFault(thrown)) context.log.error({ err: thrown, method }, 'method failed')
  else if (!(thrown instanceof ChainError && thrown.code === 'cancelled'))
    context.reports.failed({ method, params, error })
  return { error: error ?? internalError }
}

/** Decodes each argument with the schema at its position. */
function readArguments(params: unknown, method: RpcMethod): unknown[] | { readonly error: WireError } {
  const invalid = (message: string) => ({ error: { code: INVALID_PARAMS, message } })
  const given = params ?? []
  const { params: schemas, required } = method
  if (!Array.isArray(given)) {
    const empty = schemas.length === 0 && typeof given === 'object' && Object.keys(given).length === 0
    return empty ? [] : invalid('params is not an array')
  }
  if (given.length > schemas.length) return invalid(`too many arguments, want at most ${schemas.length}`)
  if (given.length < required) return invalid(`missing value for required argument ${given.length}`)
  const args: unknown[] = []
  for (const [position, schema] of schemas.entries()) {
    const value: unknown = given[position] === null && position >= required ? undefined : given[position]
    const parsed = schema.safeParse(value)
    if (!parsed.success) return invalid(`invalid argument ${position}: ${textOf(parsed.error.issues[0])}`)
    args.push(parsed.data)
  }
  return args
}

/** The text of an issue, after the path to its value. */
function textOf(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  return `${path}${issue?.message}`
}
