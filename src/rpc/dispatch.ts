// The envelope of JSON-RPC 2.0: text in, method called, text out. Knows no transport and no method.
// Entries of a batch run one after the other, because clients rely on the order of what they send; sends that follow each
// other share a block. Each heavy one waits for a place of its own; what a closed connection has asked for is dropped.
import type { z } from 'zod'
import { NO_CONNECTION } from '../lib/connection-signal.ts'
import { ChainError } from '../lib/errors.ts'
import { BatchedSends } from './batched-sends.ts'
import { UNREAD } from './compile.ts'
import type { RpcContext, RpcMethod } from './define.ts'
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
import { isLight, jsonPieces, type Piece, Pieces } from './pieces.ts'

type Id = string | number | null
type Request = { readonly id: Id | undefined; readonly method: string; readonly params: unknown }
type Outcome = { readonly result: unknown } | { readonly error: WireError }

/** Characters up to which requests are not counted: those that may wait hold 128 MB together. */
const SMALL = 64 * 1024

/** JSON in pieces that follow each other. */
type Answer = readonly Piece[]

/**
 * Answers a request or a batch; undefined when there is nothing to answer: only notifications, or `caller`, the connection,
 * was closed.
 */
export function answerInPieces(
  body: string,
  context: RpcContext,
  caller: AbortSignal = NO_CONNECTION,
): Promise<Answer | undefined> {
  return body.length <= SMALL ? answerBody(body, context, caller) : answerLarge(body, context, caller)
}

async function answerLarge(body: string, context: RpcContext, caller: AbortSignal): Promise<Answer | undefined> {
  const { texts } = context
  if (!texts.take(body.length)) {
    return refuse(context, LIMIT_EXCEEDED, 'limit exceeded: too many large requests in work')
  }
  try {
    return await answerBody(body, context, caller)
  } finally {
    texts.give(body.length)
  }
}

function answerBody(body: string, context: RpcContext, caller: AbortSignal): Promise<Answer | undefined> {
  let message: unknown
  try {
    message = JSON.parse(body)
  } catch {
    return Promise.resolve(refuse(context, PARSE_ERROR, 'parse error: the body is not JSON'))
  }
  return Array.isArray(message) ? answerBatch(message, context, caller) : answerOne(message, context, caller)
}

/** The same as one text. */
export async function answer(body: string, context: RpcContext, caller?: AbortSignal): Promise<string | undefined> {
  const pieces = await answerInPieces(body, context, caller)
  return pieces?.map(String).join('')
}

/** An answer to something that is no request. */
export const refusal = (code: number, message: string): string => write(null, { error: { code, message } })

/** The same, counted. */
function refuse({ meter }: RpcContext, code: number, message: string): Answer {
  meter?.refused(code)
  return [refusal(code, message)]
}

async function answerBatch(
  entries: readonly unknown[],
  context: RpcContext,
  caller: AbortSignal,
): Promise<Answer | undefined> {
  const { maxBatch, maxBatchAnswer } = context.options
  if (entries.length === 0) return refuse(context, INVALID_REQUEST, 'empty batch')
  if (entries.length > maxBatch) {
    return refuse(context, INVALID_REQUEST, `batch too large, want at most ${maxBatch} requests`)
  }
  const answers = new Pieces()
  const { texts } = context
  const sends = new BatchedSends(context)
  let counted = 0
  try {
    for (const entry of entries) {
      await answers.pause()
      if (caller.aborted) return undefined
      const hasRoom = answers.length <= maxBatchAnswer && texts.take(answers.length - counted)
      if (hasRoom) counted = answers.length
      const isSend = hasRoom && methodOf(entry, context)?.sends === true
      await (isSend ? sends.begin() : sends.settle())
      const pieces = await (hasRoom
        ? answerOne(entry, isSend ? sends.context : context, caller)
        : tooLarge(entry, context))
      if (pieces === undefined) continue
      answers.add(answers.length === 0 ? '[' : ',')
      for (const piece of pieces) answers.add(piece)
    }
    await sends.settle()
  } finally {
    sends.release()
    texts.give(counted)
  }
  if (answers.length === 0) return undefined
  answers.add(']')
  return answers.end()
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
    : [write(id, { error: { code: RESPONSE_TOO_LARGE, message: 'response too large' } })]
}

async function answerOne(message: unknown, context: RpcContext, caller: AbortSignal): Promise<Answer | undefined> {
  const request = readRequest(message)
  if ('error' in request) {
    context.meter?.refused(request.error.code)
    return [write(request.id, request)]
  }
  const began = performance.now()
  const method = openMethod(request.method, context)
  if (!method?.heavy) return answerRequest(request, method, context, caller, began)
  try {
    const place = context.queue.enter(caller)
    if (place !== undefined) await place
  } catch (thrown) {
    const { error } = refused(thrown, request, context)
    context.meter?.ended(request.method, began, error.code)
    return request.id === undefined ? undefined : [write(request.id, { error })]
  }
  try {
    // With its place, because a large result lies in memory until it is written.
    return await answerRequest(request, method, context, caller, began)
  } finally {
    context.queue.leave()
  }
}

async function answerRequest(
  request: Request,
  method: RpcMethod | undefined,
  context: RpcContext,
  caller: AbortSignal,
  began: number,
): Promise<Answer | undefined> {
  const outcome = await call(request, method, context, caller)
  context.meter?.ended(method && request.method, began, 'error' in outcome ? outcome.error.code : undefined)
  const { id } = request
  if (id === undefined || caller.aborted) return undefined
  try {
    if ('error' in outcome || isLight(outcome.result)) return [write(id, outcome)]
    return await jsonPieces(outcome.result, `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, '}', caller)
  } catch (error) {
    if (error instanceof ChainError && error.code === 'cancelled') return undefined
    context.log.error({ err: error, method: request.method }, 'answer cannot be written')
    context.meter?.refused(RESPONSE_TOO_LARGE)
    return [write(id, { error: { code: RESPONSE_TOO_LARGE, message: 'response too large' } })]
  }
}

const write = (id: Id, outcome: Outcome): string =>
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

/** Numbers that JSON would not give back as they came are no ids. */
const isId = (id: unknown): id is Id =>
  id === null || typeof id === 'string' || (typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER)

/** The method of a name; undefined where there is none, or where it is closed. */
function openMethod(name: string, { methods, options }: RpcContext): RpcMethod | undefined {
  const method = methods.get(name)
  return method?.gate === undefined || options[method.gate] ? method : undefined
}

async function call(
  request: Request,
  method: RpcMethod | undefined,
  context: RpcContext,
  caller: AbortSignal,
): Promise<Outcome> {
  const { method: name, params } = request
  if (method === undefined) {
    return {
      error: { code: METHOD_NOT_FOUND, message: `the method ${name.slice(0, 100)} does not exist/is not available` },
    }
  }
  try {
    const args = readArguments(params, method)
    if (!Array.isArray(args)) return args
    return { result: await method.invoke(args, context, caller) }
  } catch (thrown) {
    return refused(thrown, request, context)
  }
}

/** What the client is told of an error; the log learns it too, unless nobody is there to be told. */
function refused(thrown: unknown, { method, params }: Request, context: RpcContext): { readonly error: WireError } {
  const error = wireError(thrown)
  if (error === undefined || isFault(thrown)) context.log.error({ err: thrown, method }, 'method failed')
  else if (!(thrown instanceof ChainError && thrown.code === 'cancelled')) report(context, method, params, error)
  return { error: error ?? internalError }
}

/** Who develops wants to see what was refused and why; elsewhere it would only fill the log. Never with a password. */
function report({ log, options }: RpcContext, method: string, params: unknown, error: WireError): void {
  const secret = method.startsWith('personal_')
  log[options.development ? 'info' : 'debug']({ method, ...(!secret && { params }), error }, 'method refused')
}

/** Decodes each argument with the schema at its position. */
function readArguments(params: unknown, method: RpcMethod): unknown[] | { readonly error: WireError } {
  const invalid = (message: string) => ({ error: { code: INVALID_PARAMS, message } })
  const given = params ?? []
  const { params: schemas, readers, required } = method
  if (!Array.isArray(given)) {
    const empty = schemas.length === 0 && typeof given === 'object' && Object.keys(given).length === 0
    return empty ? [] : invalid('params is not an array')
  }
  if (given.length > schemas.length) return invalid(`too many arguments, want at most ${schemas.length}`)
  if (given.length < required) return invalid(`missing value for required argument ${given.length}`)
  const args: unknown[] = []
  for (let position = 0; position < readers.length; position++) {
    const value: unknown = given[position] === null && position >= required ? undefined : given[position]
    const read = readers[position]?.(value)
    if (read === UNREAD) return invalid(`invalid argument ${position}: ${complaint(schemas[position], value)}`)
    args.push(read)
  }
  return args
}

/** What is wrong with a value, and where in it. */
function complaint(schema: z.ZodType | undefined, value: unknown): string {
  const issue = schema?.safeParse(value).error?.issues[0]
  const path = issue?.path.length ? `${issue.path.join('.')}: ` : ''
  return `${path}${issue?.message}`
}
