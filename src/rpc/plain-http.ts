// HTTP/1.1 (RFC 9112) as far as a plain request needs it: one POST with a length and nothing that changes how its connection
// or its body is read. In doubt a request is not plain: two readers that disagree where it ends would be a hole.
import type { Access } from '../http/access.ts'

/** Where a request's body lies; its end may not be here yet. */
export type Span = {
  readonly start: number
  readonly end: number
  /** The page that asks, when a page does. */
  readonly origin: string | undefined
}

export type PlainRequests = {
  readonly paths: readonly string[]
  /** Bytes of a body at most. */
  readonly maxBody: number
  /** Judges Origin and Host; what it refuses is not plain. */
  readonly access: Access
}

const END_OF_HEAD = '\r\n\r\n'
const LONGEST_HEAD = 8192

/** Lines of a head, each a token, a colon and printable characters. */
const LINES = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e]*\r\n)+$/
const LENGTH = /(?:^|\n)content-length:[ \t]*(\d{1,9})[ \t]*\r/i
const HOST = /(?:^|\n)host:([^\r]*)\r/i
const ORIGIN = /(?:^|\n)origin:([^\r]*)\r/i
/** One of these for the second time. */
const TWICE = /(?:^|\n)(content-length|host|origin):[\s\S]*\n\1:/i
/**
 * What changes how the body is read, or what becomes of the connection. The offer of another protocol does neither: a server
 * may ignore it (RFC 9110, 7.8), and no other is spoken here for a POST. Hardhat's client is answered otherwise than others
 * (`hardhat.ts`), which is left to the HTTP server too.
 */
const SPECIAL =
  /(?:^|\n)(?:(?:transfer-encoding|content-encoding|expect|trailer|te):|user-agent:[ \t]*hardhat |connection:(?![ \t]*(?:keep-alive|upgrade|http2-settings)(?:[ \t]*,[ \t]*(?:keep-alive|upgrade|http2-settings))*[ \t]*\r))/i

/** A function that finds the body of a plain request in the first bytes of a connection; undefined: it is not plain. */
export function plainReader({ paths, maxBody, access }: PlainRequests): (bytes: Buffer) => Span | undefined {
  const firstLines = paths.map((path) => `POST ${path} HTTP/1.1\r\n`)
  return (bytes) => {
    const endOfHead = bytes.indexOf(END_OF_HEAD)
    if (endOfHead < 0 || endOfHead > LONGEST_HEAD) return undefined
    const head = bytes.toString('latin1', 0, endOfHead + 2)
    const firstLine = firstLines.find((line) => head.startsWith(line))
    if (firstLine === undefined) return undefined
    const lines = head.slice(firstLine.length)
    const length = LENGTH.exec(lines)?.[1]
    const host = HOST.exec(lines)?.[1]?.trim()
    if (length === undefined || host === undefined || !LINES.test(lines)) return undefined
    if (SPECIAL.test(lines) || TWICE.test(lines)) return undefined
    const origin = ORIGIN.exec(lines)?.[1]?.trim()
    if (access(origin, host) !== undefined) return undefined
    const start = endOfHead + END_OF_HEAD.length
    const end = start + Number(length)
    return Number(length) > maxBody ? undefined : { start, end, origin }
  }
}

/** What an answer's head says: the bytes of its JSON (undefined: 204, nothing), for which page, whether it is the last one. */
export type PlainHead = {
  readonly bytes: number | undefined
  readonly origin: string | undefined
  readonly isLast: boolean
}

/** A function that writes the head of an answer. */
export function plainWriter(headers: readonly string[]): (head: PlainHead) => string {
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
