// More heavy calls than a node can run, on a real chain: light requests are still answered, connections take turns, and calls
// of closed connections are dropped.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { numberToHex } from 'viem'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { account, testChain } from '../support/chain.ts'

const EMPTY_ACCOUNT = numberToHex(0xc0de, { size: 20 })
const LIMIT_EXCEEDED = -32005
/** Long enough that a call which is not stopped outlives its test. */
const limits = { gasCap: 2n ** 39n, time: 60_000 }

/** JUMPDEST PUSH1 0 JUMP: a call that runs longer than any test. */
const endless = (id = 1) =>
  request('eth_call', [{ to: EMPTY_ACCOUNT }, 'latest', { [EMPTY_ACCOUNT]: { code: '0x5b600056' } }], id)
const request = (method: string, params: readonly unknown[] = [], id = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

/** A long timeout: the machine may be busy with other work. */
const eventually = (check: () => void) => vi.waitFor(check, 20_000)

const post = (body: string) => `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** A connection to the node, and everything it received. */
async function open(url: string): Promise<{ socket: Socket; received: () => string }> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  socket.on('error', () => undefined)
  return { socket, received: () => text }
}

async function openSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws'))
  onTestFinished(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

describe('while endless calls run', () => {
  it('light requests are answered and blocks are made', async () => {
    const { node, rpc, mine } = await testChain({ limits })
    const callers = await Promise.all(Array.from({ length: 40 }, () => open(node.url)))
    for (const { socket } of callers) socket.write(post(endless()))
    await eventually(() => expect(node.queue.load).toEqual({ running: 4, waiting: 36 }))
    for (let count = 0; count < 20; count++) expect(await rpc('eth_blockNumber')).toBe('0x0')
    await mine()
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await rpc('eth_getBalance', account(0).address, 'latest')).not.toBe('0x0')
    expect(node.queue.load).toEqual({ running: 4, waiting: 36 })
  })

  it('a call of another connection waits and is answered', async () => {
    const { node, rpc } = await testChain({ limits, work: { running: 2 } })
    const long = await open(node.url)
    const many = await openSocket(node.url)
    long.socket.write(post(endless()))
    await eventually(() => expect(node.queue.load.running).toBe(1))
    for (let id = 0; id < 60; id++) many.send(endless(id))
    await eventually(() => expect(node.queue.load).toEqual({ running: 2, waiting: 59 }))
    const answered = rpc('eth_call', { to: EMPTY_ACCOUNT }, 'latest')
    await eventually(() => expect(node.queue.load.waiting).toBe(60))
    long.socket.resetAndDestroy()
    // The freed place goes to one of the many or to this call, which is next at the latest after that.
    await eventually(() => expect(node.queue.load.waiting).toBe(59))
    many.terminate()
    expect(await answered).toBe('0x')
  })

  it('a call beyond the queue is refused with a message', async () => {
    const { node, raw } = await testChain({ limits, work: { running: 1, waiting: 2 } })
    for (let count = 0; count < 3; count++) (await open(node.url)).socket.write(post(endless()))
    await eventually(() => expect(node.queue.load).toEqual({ running: 1, waiting: 2 }))
    const { error } = await raw('debug_dumpBlock', 'latest')
    expect(error).toEqual({ code: LIMIT_EXCEEDED, message: 'limit exceeded: at most 2 calls wait on this node' })
    const estimate = await raw('eth_sendTransaction', { from: account(0).address, to: EMPTY_ACCOUNT })
    expect(estimate.error?.code).toBe(LIMIT_EXCEEDED)
  })
})

describe('when a connection is closed', () => {
  it('running and waiting requests over HTTP are dropped', async () => {
    const { node, rpc } = await testChain({ limits })
    const { socket } = await open(node.url)
    socket.write(post(endless()).repeat(50))
    await eventually(() => expect(node.queue.load).toEqual({ running: 4, waiting: 46 }))
    socket.resetAndDestroy()
    await eventually(() => expect(node.queue.load).toEqual({ running: 0, waiting: 0 }))
    expect(await rpc('eth_call', { to: EMPTY_ACCOUNT }, 'latest')).toBe('0x')
  })

  it('requests over a WebSocket are dropped', async () => {
    const { node } = await testChain({ limits })
    const socket = await openSocket(node.url)
    for (let id = 0; id < 100; id++) socket.send(endless(id))
    await eventually(() => expect(node.queue.load).toEqual({ running: 4, waiting: 60 }))
    // Reading is paused, so that only a ping detects that the client is gone.
    socket.terminate()
    await eventually(() => expect(node.queue.load).toEqual({ running: 0, waiting: 0 }))
  })

  it('the rest of a batch does not run, and its earlier sends stay', async () => {
    const { node, rpc } = await testChain({ limits, automine: false })
    const send = (value: string) =>
      JSON.parse(
        request('eth_sendTransaction', [{ from: account(0).address, to: EMPTY_ACCOUNT, value, gas: '0x5208' }]),
      )
    const { socket } = await open(node.url)
    socket.write(post(JSON.stringify([send('0x1'), JSON.parse(endless()), send('0x2')])))
    await eventually(() => expect(node.queue.load.running).toBe(1))
    socket.resetAndDestroy()
    await eventually(() => expect(node.queue.load.running).toBe(0))
    expect(await rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
  })

  it('running traces and simulations end', async () => {
    const { node } = await testChain({ limits })
    const { socket } = await open(node.url)
    const stateOverrides = { [EMPTY_ACCOUNT]: { code: '0x5b600056' } }
    // A simulated call ends with the block's gas; 256 such blocks take seconds.
    const blockStateCalls = Array.from({ length: 256 }, () => ({ stateOverrides, calls: [{ to: EMPTY_ACCOUNT }] }))
    const options = { tracer: 'callTracer', timeout: '60s', stateOverrides }
    socket.write(
      post(request('debug_traceCall', [{ to: EMPTY_ACCOUNT }, 'latest', options])) +
        post(request('eth_simulateV1', [{ blockStateCalls }])),
    )
    await eventually(() => expect(node.queue.load.running).toBe(2))
    socket.resetAndDestroy()
    await eventually(() => expect(node.queue.load.running).toBe(0))
  })
})

describe('a client that ends its side of the connection', () => {
  it('gets its response if it still reads', async () => {
    const { node } = await testChain({ limits: { gasCap: 2n ** 39n, time: 1_200 } })
    const { socket, received } = await open(node.url)
    socket.end(post(endless()))
    await eventually(() => expect(received()).toContain('execution aborted'))
    // Interim responses come before it, one each 500 ms.
    expect(received()).toMatch(/^(HTTP\/1\.1 102 Processing\r\n\r\n)+HTTP\/1\.1 200 OK\r\n/)
  })

  it('loses its requests when it disconnects', async () => {
    const { node } = await testChain({ limits })
    const { socket } = await open(node.url)
    socket.write(post(endless()))
    await eventually(() => expect(node.queue.load.running).toBe(1))
    // Everything was read, so that the connection ends without a reset.
    socket.destroy()
    await eventually(() => expect(node.queue.load.running).toBe(0))
  })
})

it('a WebSocket runs 64 requests at a time, even if one chunk has more', async () => {
  const { node } = await testChain({ limits })
  const socket = await openSocket(node.url)
  let answered = 0
  socket.on('message', () => answered++)
  for (let id = 0; id < 5000; id++) socket.send(request('eth_blockNumber', [], id))
  await eventually(() => expect(answered).toBe(5000))
  for (let id = 0; id < 200; id++) socket.send(endless(id))
  await eventually(() => expect(node.queue.load).toEqual({ running: 4, waiting: 60 }))
})
