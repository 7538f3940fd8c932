// Ignores bytes after a request with `Connection: close`, as RFC 9112 (9.6) requires. Node treats them as a connection error,
// and Fastify would respond with status 400 and close the connection before the request is answered.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** Filters such errors from the server's `clientError` listeners, which must be registered before. */
export function answerLastRequest(server: Server, connections: Connections): void {
  const listeners = server.listeners('clientError')
  server.removeAllListeners('clientError')
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'HPE_CLOSED_CONNECTION' && connections.stateOf(socket).requests.size > 0) return
    for (const listener of listeners) listener.call(server, error, socket)
  })
}
