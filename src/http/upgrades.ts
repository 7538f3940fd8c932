// The Upgrade header of HTTP/1.1 (RFC 9110, 7.8). The node supports upgrades to WebSocket only. Java's HTTP client and curl
// offer HTTP/2 with their requests; the node ignores the offer and responds over HTTP/1.1.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'

/** Whether a request with an Upgrade header is a WebSocket handshake (RFC 6455, 4.1). */
export const isHandshake = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

/**
 * Passes WebSocket handshakes to `accept`. Node's server detaches the connection of any upgrade request (24.9 has
 * `shouldUpgradeCallback`), so the head of other requests is put back without the Upgrade header, and the server gets the
 * connection again.
 */
export function passUpgrades(
  server: Server,
  connections: Connections,
  accept: (request: IncomingMessage, socket: Socket, rest: Buffer) => void,
): void {
  server.on('upgrade', (request, socket: Socket, rest) => {
    if (isHandshake(request)) return accept(request, socket, rest)
    // With unanswered earlier requests (pipelining) this response would come first.
    if (connections.stateOf(socket).requests.size > 0) return socket.destroy()
    socket.unshift(Buffer.concat([Buffer.from(headWithoutOffer(request), 'latin1'), rest]))
    server.emit('connection', socket)
  })
}

/** The request's head without the headers that offer another protocol. */
function headWithoutOffer({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    const remaining = withoutOffer(name.toLowerCase(), value)
    if (remaining !== undefined) lines.push(`${name}: ${remaining}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

function withoutOffer(name: string, value: string): string | undefined {
  if (name === 'upgrade' || name === 'http2-settings') return undefined
  if (name !== 'connection') return value
  const words = value.split(',').map((word) => word.trim())
  return words.filter((word) => !['upgrade', 'http2-settings'].includes(word.toLowerCase())).join(', ') || undefined
}
