// Two servers that answer every request with the same bytes: `node:http`, and a socket that does not parse requests.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '0x10' })
const HEAD = `content-type: application/json\r\ncontent-length: ${BODY.length}`

const http = createHttpServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length }).end(BODY)
}).listen(0, '127.0.0.1')
const socket = createServer({ noDelay: true }, (connection) => {
  connection.on('data', () => connection.write(`HTTP/1.1 200 OK\r\n${HEAD}\r\n\r\n${BODY}`))
  connection.on('error', () => undefined)
}).listen(0, '127.0.0.1')
await Promise.all([once(http, 'listening'), once(socket, 'listening')])

const urlOf = (server: { address(): AddressInfo | string | null }) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
process.send?.({ http: urlOf(http), socket: urlOf(socket) })
process.on('disconnect', () => process.exit(0))
