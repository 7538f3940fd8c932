// Read threads that accept connections on the node's port: a client cannot tell which thread has its connection, and the limits
// of connections hold for all threads together.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { HttpOptions } from '../../src/faces.ts'
import { startNode } from '../../src/node.ts'
import { canSharePort } from '../../src/readers/read-threads.ts'
import { revertingWith } from '../support/assembler.ts'
import { nodeOptions, testChain, withClients } from '../support/chain.ts'

const reason = canSharePort() ? '' : ' (skipped: needs Node.js 22.12 on Linux)'
/** Creates a contract that increments slot 0 when called with data, and returns it when called without. */
const COUNTER = '0x60168060095f395ff33615600d575f546001015f55005b5f545f5260205ff3'

const CHAIN_ID = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'

/** Milliseconds within which a thread has started and been counted. */
const SOON = { timeout: 30_000, interval: 5 }

/** A JSON-RPC client on one connection that it has opened itself. */
class Client {
  readonly socket: Socket
  #received = ''
  #found: ((response: string) => void) | undefined
  #isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#isClosed = true
      this.#found?.('')
    })
    socket.on('data', (bytes) => {
      this.#received += bytes.toString('latin1')
      const end = this.#received.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? 0)
      if (end < 4 || this.#received.length < end + length) return
      const response = this.#received.slice(0, end + length)
      this.#received = this.#received.slice(end + length)
      this.#found?.(response)
    })
  }

  static async open(port: number, host = '127.0.0.1'): Promise<Client> {
    const client = new Client(connect({ port, host, noDelay: true }))
    onTestFinished(() => void client.socket.destroy())
    await once(client.socket, 'connect')
    return client
  }

  /** The response to a body, with its head; empty when the connection is closed. */
  post(body: string, headers: readonly string[] = []): Promise<string> {
    if (this.#isClosed) return Promise.resolve('')
    const found = new Promise<string>((resolve) => {
      this.#found = resolve
    })
    const head = ['POST / HTTP/1.1', 'Host: localhost', ...headers, `Content-Length: ${Buffer.byteLength(body)}`]
    this.socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    return found
  }

  async ask(body: unknown): Promise<unknown> {
    const response = await this.post(JSON.stringify(body))
    return response === '' ? {} : JSON.parse(response.slice(response.indexOf('\r\n\r\n')))
  }

  async rpc(method: string, ...params: unknown[]): Promise<unknown> {
    const { result, error } = (await this.ask({ jsonrpc: '2.0', id: 1, method, params })) as Record<string, unknown>
    return error ?? result
  }
}

async function temporaryFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kestrel-accepting-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

/** A chain on disk with running threads that accept connections. */
async function acceptingChain(threads = 1, http: Partial<HttpOptions> = {}, host = '127.0.0.1') {
  const datadir = await temporaryFolder()
  return accepting(await testChain({ datadir, readThreads: threads, metrics: true, http, host }), threads)
}

/** The chain when all of its threads are running. */
async function accepting(chain: ReturnType<typeof withClients>, threads: number) {
  const port = Number(new URL(chain.url).port)
  const readers = chain.node.readers
  if (readers === undefined) throw new Error('the node has no read threads')
  const answers = () => readers.load.answers
  /** A connection that a thread has accepted, or the main thread. */
  const connectionOf = async (isThreads: boolean, from?: string): Promise<Client> => {
    for (;;) {
      const client = await Client.open(port, from)
      const before = answers()
      const response = await client.post(CHAIN_ID)
      // New threads make the others close connections that were open.
      const isKept = response.includes('connection: keep-alive')
      if (isKept && answers() > before === isThreads) return client
      client.socket.destroy()
    }
  }
  /** Reads on several connections until the threads have started. */
  const untilStarted = async () => {
    let isWaiting = true
    const read = async () => {
      while (isWaiting) {
        const client = await Client.open(port)
        while (isWaiting && (await client.post(CHAIN_ID)) !== '') {}
        client.socket.destroy()
      }
    }
    const reading = Array.from({ length: 5 }, read)
    const started = () => readers.load.threads === threads && readers.isReady
    await vi.waitUntil(started, SOON).finally(() => {
      isWaiting = false
    })
    await Promise.all(reading)
  }
  await untilStarted()
  return { ...chain, readers, port, connectionOf, untilStarted, answers }
}

describe.skipIf(!canSharePort())(`read threads that accept connections${reason}`, { timeout: 60_000 }, () => {
  it('answer as the main thread does', async () => {
    const { rpc, alice, bob, connectionOf, answers } = await acceptingChain()
    const created = (await rpc('eth_sendTransaction', { from: alice.address, data: COUNTER })) as string
    const receipt = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: string; blockHash: string }
    const call = { to: receipt.contractAddress }
    const here: [string, ...unknown[]][] = [
      ['eth_chainId'],
      ['eth_blockNumber'],
      ['net_version'],
      ['web3_clientVersion'],
      ['eth_getBalance', alice.address, 'latest'],
      ['eth_getBalance', alice.address, '0x0'],
      ['eth_getBalance', 'no address', '0x0'],
      ['eth_getCode', receipt.contractAddress, 'latest'],
      ['eth_getStorageAt', receipt.contractAddress, '0x0', 'latest'],
      ['eth_getTransactionCount', alice.address, 'latest'],
      ['eth_getTransactionByHash', created],
      ['eth_getTransactionByBlockNumberAndIndex', '0x1', '0x0'],
      ['eth_getRawTransactionByHash', created],
      ['eth_getTransactionReceipt', created],
      ['eth_getTransactionReceipt', receipt.blockHash],
      ['eth_getBlockByNumber', 'latest', true],
      ['eth_getBlockByHash', receipt.blockHash, false],
      ['eth_getHeaderByNumber', '0x1'],
      ['eth_getBlockTransactionCountByNumber', '0x1'],
      ['eth_getBlockReceipts', '0x1'],
      ['eth_getLogs', { fromBlock: 'earliest' }],
      ['eth_call', call, 'latest'],
      ['eth_call', { to: bob.address, gas: '0x1' }, 'latest'],
      // The main thread has words for the error, which is OpenZeppelin's `EnforcedPause()`.
      ['eth_call', { data: revertingWith('0xd93c0665') }, 'latest'],
      ['eth_getProof', alice.address, [], 'latest'],
      ['debug_traceTransaction', created, { tracer: 'callTracer' }],
      ['no_such_method'],
    ]
    const elsewhere: [string, ...unknown[]][] = [
      ['eth_getTransactionByHash', receipt.blockHash],
      ['eth_getTransactionCount', alice.address, 'pending'],
      ['eth_getBlockByNumber', 'pending', false],
      ['eth_call', call, 'pending'],
      ['eth_estimateGas', call],
      ['eth_accounts'],
      ['eth_gasPrice'],
      ['eth_pendingTransactions'],
      ['debug_traceTransaction', created, { tracer: '{ fault() {}, result() { return 7 } }' }],
    ]
    const thread = await connectionOf(true)
    const main = await connectionOf(false)
    for (const request of [...here, ...elsewhere]) {
      const [method, ...params] = request
      const before = answers()
      const byThread = await thread.ask({ jsonrpc: '2.0', id: 'a', method, params })
      expect([method, answers() - before]).toEqual([method, here.includes(request) ? 1 : 0])
      expect([method, byThread]).toEqual([method, await main.ask({ jsonrpc: '2.0', id: 'a', method, params })])
    }
    // Heads too, without the date.
    const headOf = async (client: Client) => (await client.post('nothing')).replace(/date: .*\r\n/, '')
    expect(await headOf(thread)).toBe(await headOf(main))
    const withOrigin = (client: Client) =>
      client.post('{}', ['Origin: https://page.example']).then((text) => text.split('\r\n')[0])
    expect(await withOrigin(await connectionOf(true))).toBe('HTTP/1.1 403 Forbidden')
  })

  it('are counted by method and error', async () => {
    const { url, connectionOf } = await acceptingChain()
    const thread = await connectionOf(true)
    const counted = async () => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const metricOf = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
      return {
        calls: metricOf('kestrel_rpc_request_duration_seconds_count\\{method="eth_getUncleCountByBlockNumber"\\}'),
        errors: metricOf('kestrel_rpc_errors_total\\{code="-32602"\\}'),
      }
    }
    for (let count = 0; count < 3; count++) await thread.rpc('eth_getUncleCountByBlockNumber', '0x0')
    await thread.rpc('eth_getUncleCountByBlockNumber', 'no block')
    expect(await counted()).toEqual({ calls: 4, errors: 1 })
    expect(await counted()).toEqual({ calls: 4, errors: 1 })
  })

  it('find each send of their clients in a block, and mix batches', async () => {
    const { alice, bob, connectionOf } = await acceptingChain(2)
    const client = await connectionOf(true)
    for (let nonce = 0; nonce < 20; nonce++) {
      const hash = await client.rpc('eth_sendTransaction', { from: alice.address, to: bob.address, value: '0x1' })
      expect(await client.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
      expect(Number(await client.rpc('eth_getTransactionCount', alice.address, 'latest'))).toBe(nonce + 1)
    }
    const one = (id: number, method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id, method, params })
    const send = { from: alice.address, to: bob.address, value: '0x1' }
    const batch = [one(1, 'eth_blockNumber'), one(2, 'eth_sendTransaction', send), one(3, 'eth_blockNumber')]
    const answered = [{ id: 1, result: '0x14' }, { id: 2 }, { id: 3, result: '0x15' }]
    expect(await client.ask(batch)).toMatchObject(answered)
  })

  it('show nothing of rewound blocks', async () => {
    const { rpc, alice, connectionOf } = await acceptingChain(2)
    const created = await rpc('eth_sendTransaction', { from: alice.address, data: COUNTER })
    const { contractAddress } = (await rpc('eth_getTransactionReceipt', created)) as { contractAddress: string }
    const bump = { from: alice.address, to: contractAddress, data: '0x01' }
    const clients = [await connectionOf(true), await connectionOf(true), await connectionOf(false)]
    const seen = new Set<unknown>()
    let isRunning = true
    const beside = clients.slice(1).map(async (client) => {
      while (isRunning) seen.add(await client.rpc('eth_getStorageAt', contractAddress, '0x0', 'latest'))
    })
    const [client] = clients
    for (let round = 0; round < 10; round++) {
      const snapshot = await client?.rpc('evm_snapshot')
      await client?.rpc('eth_sendTransaction', bump)
      expect(Number(await client?.rpc('eth_call', { to: contractAddress }, 'latest'))).toBe(1)
      await client?.rpc('evm_revert', snapshot)
      expect(Number(await client?.rpc('eth_call', { to: contractAddress }, 'latest'))).toBe(0)
    }
    isRunning = false
    await Promise.all(beside)
    expect([...seen].map(Number).sort()).toEqual([0, 1])
  })

  it('end the work of a closed connection, also what the main thread does', async () => {
    const { node, readers, connectionOf, rpc } = await acceptingChain()
    const client = await connectionOf(true)
    const endless = { data: '0x5b5f56', gas: '0x2faf080' }
    void client.rpc('debug_traceCall', endless, 'pending')
    await vi.waitUntil(() => node.queue.load.running === 1, SOON)
    client.socket.destroy()
    await vi.waitUntil(() => node.queue.load.running === 0, SOON)
    expect(readers.load.requests).toBe(0)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  it('pass WebSockets, pages and chunked bodies to the main thread', async () => {
    const { port, connectionOf, rpc, alice, bob } = await acceptingChain()
    const client = await connectionOf(true)
    const webSocket = new WebSocket(`ws://127.0.0.1:${port}/`, { createConnection: () => client.socket })
    client.socket.removeAllListeners('data')
    await once(webSocket, 'open')
    const received: string[] = []
    webSocket.on('message', (message) => received.push(String(message)))
    webSocket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await vi.waitUntil(() => received.length === 1, SOON)
    await rpc('eth_sendTransaction', { from: alice.address, to: bob.address, value: '0x1' })
    await vi.waitUntil(() => received.length === 2, SOON)
    expect(JSON.parse(received[1] ?? '')).toMatchObject({ params: { result: { number: '0x1' } } })
    webSocket.close()

    const over = async (socket: Socket, path: string, method: string, body: readonly string[]) => {
      socket.removeAllListeners('data')
      const agent = Object.assign(new Agent({ keepAlive: true }), { createConnection: () => socket })
      const sent = httpRequest({ path, method, agent, host: 'localhost' })
      for (const part of body) sent.write(part)
      sent.end()
      const [response] = await once(sent, 'response')
      let text = ''
      for await (const part of response) text += part
      return { status: response.statusCode, body: JSON.parse(text) }
    }
    const { socket } = await connectionOf(true)
    expect(await over(socket, '/api/v2/blocks/1', 'GET', [])).toMatchObject({ status: 200, body: { height: 1 } })
    const chunks = ['{"jsonrpc":"2.0","id":1,', '"method":"eth_chainId"}']
    const { socket: other } = await connectionOf(true)
    expect(await over(other, '/', 'POST', chunks)).toMatchObject({ status: 200, body: { result: '0x7d' } })
    const large = `{"jsonrpc":"2.0","id":1,"method":"eth_chainId"${' '.repeat(1 << 20)}}`
    expect(JSON.parse((await (await connectionOf(true)).post(large)).split('\r\n\r\n')[1] ?? '')).toMatchObject({
      result: '0x7d',
    })
  })

  it('admit connections up to the limit of the node together', async () => {
    const { port, node, connectionOf } = await acceptingChain(2, { maxConnections: 6 })
    // None of them is idle, so none is closed for another.
    const endless = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ data: '0x5b5f56' }, 'latest'] }
    const thread = await connectionOf(true)
    const busy = [thread, await connectionOf(true), await connectionOf(false)]
    await vi.waitUntil(() => node.readers?.counters.counter('connections').sum() === 3, SOON)
    for (const client of busy) void client.ask(endless)
    const more = await Promise.all(Array.from({ length: 24 }, () => Client.open(port).catch(() => undefined)))
    let refused = 0
    for (const client of more) {
      client?.socket.once('close', () => {
        refused++
      })
    }
    await vi.waitUntil(() => refused >= 20, SOON)
    expect(node.readers?.counters.counter('connections').sum()).toBeLessThanOrEqual(6)
    for (const client of busy) expect(client.socket.destroyed).toBe(false)
  })

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((found) => found?.family === 'IPv4' && !found.internal)?.address

  it.skipIf(outside === undefined)('hold the share of a client on all threads and for passed connections', async () => {
    const limits = { maxConnectionsPerClient: 4 }
    const { port, readers, connectionOf } = await acceptingChain(2, limits, '0.0.0.0')
    const isOpen = async (socket: WebSocket) =>
      new Promise<boolean>((resolve) => {
        socket.once('open', () => resolve(true)).once('error', () => resolve(false))
      })
    // Over each thread, and passed to the main one.
    const passed = await connectionOf(true, outside)
    const webSocket = new WebSocket(`ws://${outside}:${port}/`, { createConnection: () => passed.socket })
    passed.socket.removeAllListeners('data')
    expect(await isOpen(webSocket)).toBe(true)
    const kept = [
      await connectionOf(true, outside),
      await connectionOf(true, outside),
      await connectionOf(false, outside),
    ]
    for (let count = 0; count < 8; count++) {
      const further = await Client.open(port, outside)
      const answer = await Promise.race([further.post('{}'), once(further.socket, 'close').then(() => 'closed')])
      expect(answer).toMatch(/^HTTP\/1.1 503|^closed/)
    }
    expect(readers.counters.counter('connections').sum()).toBe(4)
    // Others have places: programs of this machine have no share.
    expect(await (await connectionOf(true)).rpc('eth_chainId')).toBe('0x7d')
    for (const client of kept) expect(await client.rpc('eth_chainId')).toBe('0x7d')
  })

  it('close the connections with the most unread bytes', async () => {
    const { connectionOf, readers } = await acceptingChain(1, { maxBuffered: 4 << 20 })
    const connections = readers.counters.counter('connections')
    const code = `0x${'5b'.repeat(20_000)}`
    const other = await connectionOf(false)
    await other.rpc('anvil_setCode', '0x00000000000000000000000000000000000000aa', code)
    const get = { jsonrpc: '2.0', id: 1, method: 'eth_getCode', params: [`0x${'0'.repeat(38)}aa`, 'latest'] }
    const slow = await connectionOf(true)
    const closed = once(slow.socket, 'close')
    slow.socket.pause()
    // 40 MB of answers, more than the buffers of both sockets hold.
    void slow.ask(Array.from({ length: 1000 }, () => get))
    // Before it reads on, or it would read so much that nothing had to be closed.
    await vi.waitUntil(() => connections.sum() === 1, SOON)
    slow.socket.resume()
    await closed
    expect(await other.rpc('eth_chainId')).toBe('0x7d')
  })

  it('that die lose their own connections only, and give their places back', async () => {
    const { readers, connectionOf, untilStarted, rpc } = await acceptingChain(1)
    const thread = await connectionOf(true)
    const main = await connectionOf(false)
    const lost = once(thread.socket, 'close')
    await readers.kill()
    await lost
    expect(await main.rpc('eth_chainId')).toBe('0x7d')
    expect(readers.counters.counter('connections').sum()).toBe(1)
    await untilStarted()
    expect(await (await connectionOf(true)).rpc('eth_blockNumber')).toBe(await rpc('eth_blockNumber'))
  })

  it('keep their connections while the database is closed', async () => {
    const { readers, alice, connectionOf } = await acceptingChain(1)
    const thread = await connectionOf(true)
    await readers.suspend()
    const asked = () => thread.rpc('eth_getBalance', alice.address, 'latest')
    expect(await asked()).toBe('0x21e19e0c9bab2400000')
    readers.resume()
    expect(await asked()).toBe('0x21e19e0c9bab2400000')
  })

  it('do not hide that a port is in use', async () => {
    const { port } = await acceptingChain()
    const datadir = await temporaryFolder()
    await expect(startNode(nodeOptions({ datadir, readThreads: 1, port }))).rejects.toThrow('EADDRINUSE')
    await expect(startNode(nodeOptions({ port }))).rejects.toThrow('EADDRINUSE')
  })

  it('end with the node', async () => {
    const datadir = await temporaryFolder()
    const node = await startNode(nodeOptions({ datadir, readThreads: 1 }))
    const { connectionOf } = await accepting(withClients(node), 1)
    const client = await connectionOf(true)
    const passed = await connectionOf(true)
    expect(await passed.post('{}', ['Expect: nothing'])).toMatch(/^HTTP/)
    const stubborn = await connectionOf(true)
    expect(await stubborn.post('{}', ['Expect: nothing'])).toMatch(/^HTTP/)
    // It never closes its end.
    stubborn.socket.allowHalfOpen = true
    const closed = [client, passed].map(({ socket }) => once(socket, 'close'))
    await node.close()
    await Promise.all(closed)
  })
})
