// Answers of the HTTP server to what is no request: bytes that it cannot parse, headers that are too large or arrive too late.
import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** Status and words by the code of Node's error; others are 400. */
const ANSWERS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Client Timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Exceeded maximum allowed HTTP header size'],
}

/** Answers with a status, as Fastify does, and closes the connection. */
export function answerClientErrors(server: Server, connections: Connections): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Bytes after a request with `Connection: close` are ignored, as RFC 9112 (9.6) requires: the request is answered.
    if (error.code === 'HPE_CLOSED_CONNECTION' && connections.stateOf(socket).requests.size > 0) return
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [status, message] = ANSWERS[error.code ?? ''] ?? [400, 'Client Error']
    const text = STATUS_CODES[status]
    const body = JSON.stringify({ error: text, message, statusCode: status })
    const head = `HTTP/1.1 ${status} ${text}\r\nContent-Length: ${body.length}\r\nContent-Type: application/json\r\n\r\n`
    if (socket.writable) socket.write(head + body)
    socket.destroy(error)
  })
}
