// HTTP/1.1 client on one persistent connection, one request at a time. It does as little as possible per request, so that a
// benchmark measures the server: requests are prepared as bytes, and an answer's body is extracted without parsing.
import { connect, type Socket } from 'node:net'

export type Connection = {
  /** Settles with the body of the answer. Throws when the connection ends or the status is not 200. */
  ask(request: Buffer): Promise<Buffer>
  isOpen(): boolean
  close(): void
}

/** Time limit for an answer, in milliseconds. */
const LONGEST = 300_000

/** A request whose body is JSON, as bytes. */
export function post(url: string, body: string): Buffer {
  const { host, pathname } = new URL(url)
  const length = Buffer.byteLength(body)
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  return Buffer.from(head + body)
}

export function get(url: string): Buffer {
  const { host, pathname, search } = new URL(url)
  return Buffer.from(`GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\naccept: application/json\r\n\r\n`)
}

export async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return onSocket(socket)
}

function onSocket(socket: Socket): Connection {
  let waiting: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined
  let chunks: Buffer[] = []
  let received = 0
  let needed = 0

  const settle = (answer: Buffer | Error) => {
    const { resolve, reject } = waiting ?? {}
    waiting = undefined
    chunks = []
    received = 0
    needed = 0
    if (answer instanceof Error) reject?.(answer)
    else resolve?.(answer)
  }
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    received += chunk.length
    if (received < needed) return
    const all = chunks.length === 1 ? chunk : Buffer.concat(chunks)
    chunks = [all]
    const answer = readAnswer(all)
    if (answer === undefined) return
    if (typeof answer === 'number') needed = answer
    else settle(answer)
  })
  socket.on('error', settle)
  socket.setTimeout(LONGEST, () => waiting && socket.destroy(new Error(`no answer in ${LONGEST / 1000} s`)))
  socket.on('close', () => settle(new Error('the connection was closed')))

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (waiting !== undefined) throw new Error('one request at a time')
        if (socket.destroyed) throw new Error('the connection is closed')
        waiting = { resolve, reject }
        socket.write(request)
      }),
    isOpen: () => !socket.destroyed,
    close: () => socket.destroy(),
  }
}

/** Bytes; a longer answer is assumed to be a result and is not searched for an error. */
const LONGEST_ERROR = 2000

/** The answer as text if it is an error. */
export const errorIn = (answer: Buffer): string | undefined =>
  answer.length <= LONGEST_ERROR && answer.includes('"error":') ? answer.toString() : undefined

const END_OF_HEAD = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')

/**
 * The body if it is complete; otherwise the expected length of the answer in bytes, or undefined while the head is incomplete.
 */
export function readAnswer(bytes: Buffer): Buffer | Error | number | undefined {
  const end = bytes.indexOf(END_OF_HEAD)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const start = end + END_OF_HEAD.length
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  let body: Buffer
  if (length !== undefined) {
    const total = start + Number(length)
    if (bytes.length < total) return total
    body = bytes.subarray(start, total)
  } else {
    if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return new Error(`an answer without a length: ${head}`)
    // JSON strings contain no raw line ends, so these bytes can only be the separator.
    if (!bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return undefined
    body = joinChunks(bytes.subarray(start))
  }
  return head.startsWith('HTTP/1.1 200')
    ? body
    : new Error(`${head.split('\r\n')[0]}: ${body.toString().slice(0, 300)}`)
}

function joinChunks(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}
