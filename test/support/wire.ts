// Raw requests, for tests of input that no library would send.
import { request as httpRequest } from 'node:http'
import { expect } from 'vitest'
import WebSocket from 'ws'

export type Raw = { readonly status: number; readonly text: string }

/** POSTs a body unchanged; headers may be overridden. */
export const postRaw = (url: string, body: string | Buffer, headers: Record<string, string> = {}, method = 'POST') =>
  new Promise<Raw>((resolve, reject) => {
    const request = httpRequest(
      url,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', reject)
      },
    )
    request.on('error', reject).end(body)
  })

export type WireAnswer = {
  readonly jsonrpc: string
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Parses a response and expects that it is valid by `faultOf`. */
export function readAnswer(text: string): WireAnswer {
  expect(text.slice(0, 10_000), 'no stack trace and no path').not.toMatch(INSIDES)
  const answer = JSON.parse(text) as WireAnswer
  expect(faultOf(answer), text.slice(0, 1000)).toBeUndefined()
  return answer
}

/**
 * The fault of a response under JSON-RPC 2.0 (exactly one of result and error, a standard code, a short message), or undefined.
 */
export function faultOf(answer: WireAnswer): string | undefined {
  const { error, jsonrpc } = answer
  const fields = Object.keys(answer).sort().join()
  if (jsonrpc !== '2.0') return 'jsonrpc is not 2.0'
  if (fields !== (error ? 'error,id,jsonrpc' : 'id,jsonrpc,result')) return `fields ${fields}`
  if (error === undefined) return undefined
  if (typeof error.message !== 'string' || error.message.length > 1000) return 'no message, or a long one'
  return isStandard(error.code) ? undefined : `code ${error.code}`
}

/** Text that no response may contain: a stack trace, a file path. */
export const INSIDES = /\n\s*at |node_modules|\.[jt]s:\d|\/(src|dist|home|root|tmp|usr)\//

/** Ethereum's 3 (reverted) and 4 (EIP-7966), eth_simulateV1's -38xxx, and JSON-RPC's codes. */
const isStandard = (code: number): boolean =>
  [3, 4, -32700, -32600, -32601, -32602, -32603].includes(code) ||
  (code <= -32000 && code >= -32099) ||
  Math.trunc(code / 1000) === -38

/** An open WebSocket that sends text or bytes and returns received messages. */
export async function openSocket(url: string) {
  const socket = new WebSocket(url)
  const messages: string[] = []
  const waiting: ((text: string) => void)[] = []
  socket.on('message', (data) => {
    const text = String(data)
    const next = waiting.shift()
    if (next) next(text)
    else messages.push(text)
  })
  const closed = new Promise<number>((resolve) => socket.on('close', resolve))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  // Errors after opening lead to `close`.
  socket.on('error', () => undefined)
  return {
    send: (data: string | Buffer) => socket.send(data),
    next: () => {
      const text = messages.shift()
      return text === undefined ? new Promise<string>((resolve) => waiting.push(resolve)) : Promise.resolve(text)
    },
    /** Settles with the close code. */
    closed,
    close: () => socket.close(),
    /** Destroys the connection without a close frame. */
    terminate: () => socket.terminate(),
  }
}
