// What a client sends after a request with `Connection: close` (RFC 9112, 9.6): a server ignores it. Node takes it for an error of
// the connection, and Fastify closes that with status 400 before the request is answered.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** Passes errors of connections to the server's `clientError` listeners, which must be registered, unless the last request is in work. */
export function answerLastRequest(server: Server, connections: Connections): void {
  const listeners = server.listeners('clientError')
  server.removeAllListeners('clientError')
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'HPE_CLOSED_CONNECTION' && connections.stateOf(socket).requests.size > 0) return
    for (const listener of listeners) listener.call(server, error, socket)
  })
}
