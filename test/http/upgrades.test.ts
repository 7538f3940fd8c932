// Offers of other protocols (RFC 9110, 7.8) are ignored: requests with an Upgrade header are answered like others.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, test } from 'vitest'
import { WebSocket } from 'ws'
import { testChain } from '../support/chain.ts'
import { temporaryFolder } from '../support/process.ts'

const run = promisify(execFile)
const isThere = (program: string, flag: string): Promise<boolean> =>
  run(program, [flag]).then(
    () => true,
    () => false,
  )
const HAS_JAVA = await isThere('java', '-version')
const HAS_CURL = await isThere('curl', '--version')

const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const OFFER = ['Host: localhost', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk']
const answers = (text: string): number => text.split('"result":"0x7d"').length - 1

/** A connection that collects received text. */
async function open(url: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  await once(socket, 'connect')
  return {
    socket,
    async until(done: (text: string) => boolean) {
      while (!done(text)) await once(socket, 'data')
      return text
    },
  }
}

const post = (headers: readonly string[], body: string) =>
  ['POST /rpc HTTP/1.1', ...OFFER, ...headers, '', body].join('\r\n')
const chunked = post(['Transfer-Encoding: chunked'], `${CHAIN_ID.length.toString(16)}\r\n${CHAIN_ID}\r\n0\r\n\r\n`)
const plain = post([`Content-Length: ${CHAIN_ID.length}`], CHAIN_ID)
const get = ['GET /api/v2/stats HTTP/1.1', ...OFFER, '', ''].join('\r\n')

test.each([
  ['a request with a body and an upgrade offer', plain, 1],
  ['a request with a chunked body and an upgrade offer', chunked, 1],
  ['an offer of an unknown protocol', chunked.replace('h2c', 'quic/9'), 1],
  ['a WebSocket handshake that is not a GET', plain.replace('h2c', 'websocket'), 1],
  ['a sequence of requests with upgrade offers', plain + get + chunked, 2],
])('%s is answered', async (_what, bytes, count) => {
  const { url } = await testChain()
  const { socket, until } = await open(url)
  for (const request of bytes.split(/(?=POST |GET )/)) {
    socket.write(request)
    const before = request.startsWith('GET') ? 'total_blocks' : '0x7d'
    await until((text) => text.includes(before))
  }
  expect(answers(await until((text) => answers(text) === count))).toBe(count)
  socket.destroy()
})

it('a request with an ignored upgrade offer may have a body that arrives byte by byte', async () => {
  const { url } = await testChain()
  const { socket, until } = await open(url)
  for (const byte of chunked) {
    socket.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(answers(await until((text) => answers(text) === 1))).toBe(1)
  socket.destroy()
})

it('a WebSocket can be opened, also on a connection with earlier requests', async () => {
  const { url } = await testChain()
  const { socket, until } = await open(url)
  socket.write(get)
  await until((text) => text.includes('total_blocks'))
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  const handshake = ['Host: localhost', 'Connection: Upgrade', 'Upgrade: WebSocket', 'Sec-WebSocket-Version: 13', key]
  socket.write(['GET /rpc HTTP/1.1', ...handshake, '', ''].join('\r\n'))
  // RFC 6455, 1.3: the response to the sample nonce.
  const accept = 'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo='
  expect(await until((text) => text.includes(accept))).toContain('HTTP/1.1 101 ')
  socket.destroy()
  const client = new WebSocket(`${url.replace('http', 'ws')}/rpc`)
  await once(client, 'open')
  expect(client.readyState).toBe(WebSocket.OPEN)
  client.close()
})

it.skipIf(!HAS_CURL)('curl --http2 is answered (skipped without curl)', async () => {
  const { url } = await testChain()
  const { stdout } = await run('curl', ['-s', '--http2', '-d', CHAIN_ID, url, '--next', '--http2', '-d', CHAIN_ID, url])
  expect(answers(stdout)).toBe(2)
})

const JAVA = `
import java.net.URI;
import java.net.http.*;
public class Ask {
  public static void main(String[] args) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < 3; i++) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(args[0]))
        .POST(HttpRequest.BodyPublishers.ofString(args[1])).build();
      System.out.println(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
  }
}
`

it.skipIf(!HAS_JAVA)(
  'Java’s HTTP client is answered (skipped without Java)',
  async () => {
    const { url } = await testChain()
    const { path, remove } = await temporaryFolder()
    await writeFile(join(path, 'Ask.java'), JAVA)
    const { stdout } = await run('java', [join(path, 'Ask.java'), `${url}/rpc`, CHAIN_ID])
    expect(answers(stdout)).toBe(3)
    await remove()
  },
  60_000,
)
