// Ignores what a client sends after a request with `Connection: close`, as RFC 9112 (9.6) demands. Node treats such bytes as an error
// of the connection, and Fastify then answers with status 400 and closes it before the request is answered.
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
