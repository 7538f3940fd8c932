// The part of HTTP/1.1 (RFC 9112) that a plain request needs: one POST with a content length, and no header that changes how
// its body or its connection is read. A doubtful request is not plain, and node's parser reads it: two parsers that disagree
// about the end of a request would allow request smuggling.
import type { Access } from '../../http/access.ts'

/** The position of a request's body among the received bytes; the end may not have arrived yet. */
export type BodySpan = {
  readonly start: number
  readonly end: number
  /** The Origin header, which browsers send. */
  readonly origin: string | undefined
}

export type ParserOptions = {
  readonly paths: readonly string[]
  /** Maximum bytes of a body. */
  readonly maxBody: number
  /** Checks Origin and Host. A request that it refuses is not plain: the guard of the HTTP server answers it. */
  readonly access: Access
}

const END_OF_HEAD = '\r\n\r\n'
const MAX_HEAD = 8192

/** Header lines, each a token, a colon and printable characters. */
const HEADER_LINES = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e]*\r\n)+$/
const LENGTH = /(?:^|\n)content-length:[ \t]*(\d{1,9})[ \t]*\r/i
const HOST = /(?:^|\n)host:([^\r]*)\r/i
const ORIGIN = /(?:^|\n)origin:([^\r]*)\r/i
const REPEATED = /(?:^|\n)(content-length|host|origin):[\s\S]*\n\1:/i
/**
 * Headers that change how the body is read, or whether the connection stays open. The offer of another protocol
 * (`Connection: Upgrade`) does neither: a server may ignore it (RFC 9110, 7.8), and this one does for a POST. Requests of
 * Hardhat's client go to node's server too, because their sends are answered differently (`sends/hardhat-client.ts`).
 */
const SPECIAL =
  /(?:^|\n)(?:(?:transfer-encoding|content-encoding|expect|trailer|te):|user-agent:[ \t]*hardhat |connection:(?![ \t]*(?:keep-alive|upgrade|http2-settings)(?:[ \t]*,[ \t]*(?:keep-alive|upgrade|http2-settings))*[ \t]*\r))/i

/** Returns a function that finds the body of a plain request at the start of the given bytes; undefined: it is not plain. */
export function requestParser({ paths, maxBody, access }: ParserOptions): (bytes: Buffer) => BodySpan | undefined {
  const requestLines = paths.map((path) => `POST ${path} HTTP/1.1\r\n`)
  return (bytes) => {
    const endOfHead = bytes.indexOf(END_OF_HEAD)
    if (endOfHead < 0 || endOfHead > MAX_HEAD) return undefined
    const head = bytes.toString('latin1', 0, endOfHead + 2)
    const requestLine = requestLines.find((line) => head.startsWith(line))
    if (requestLine === undefined) return undefined
    const headers = head.slice(requestLine.length)
    const length = LENGTH.exec(headers)?.[1]
    const host = HOST.exec(headers)?.[1]?.trim()
    if (length === undefined || host === undefined || !HEADER_LINES.test(headers)) return undefined
    if (SPECIAL.test(headers) || REPEATED.test(headers)) return undefined
    const origin = ORIGIN.exec(headers)?.[1]?.trim()
    if (access(origin, host) !== undefined) return undefined
    const start = endOfHead + END_OF_HEAD.length
    const end = start + Number(length)
    return Number(length) > maxBody ? undefined : { start, end, origin }
  }
}

export type ResponseHead = {
  /** Bytes of the JSON body; undefined: the response is 204, without a body. */
  readonly bytes: number | undefined
  /** The origin to allow (CORS), when the request named one. */
  readonly origin: string | undefined
  /** Whether the connection is closed after this response. */
  readonly isLast: boolean
}

/** Returns a function that writes the head of a response. It updates the date line once a second. */
export function responseHeadWriter(headers: readonly string[]): (head: ResponseHead) => string {
  const fixed = headers.map((line) => `${line}\r\n`).join('')
  let date = ''
  let until = 0
  return ({ bytes, origin, isLast }) => {
    const now = Date.now()
    if (now >= until) {
      date = `date: ${new Date(now).toUTCString()}\r\n`
      until = now - (now % 1000) + 1000
    }
    const connection = isLast ? 'connection: close\r\n' : 'connection: keep-alive\r\n'
    const cors = origin === undefined ? '' : `access-control-allow-origin: ${origin}\r\n`
    const rest = `${fixed}${cors}${date}${connection}`
    if (bytes === undefined) return `HTTP/1.1 204 No Content\r\n${rest}\r\n`
    return `HTTP/1.1 200 OK\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${bytes}\r\n${rest}\r\n`
  }
}
