// Costs of many live listeners: limits of sockets and topics, silent sockets, and work that depends only on a block's changes.
import { EventEmitter } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import type WebSocket from 'ws'
import { openContext } from '../../src/explorer/context.ts'
import { Explorer } from '../../src/explorer/explorer.ts'
import { defaultExplorerOptions } from '../../src/explorer/options.ts'
import { announceBlock } from '../../src/explorer/socket/announce.ts'
import { Hub, LONGEST_SILENCE, MOST_SOCKETS, MOST_TOPICS } from '../../src/explorer/socket/hub.ts'
import { createLogger } from '../../src/lib/log.ts'
import { WorkQueue } from '../../src/lib/work-queue.ts'
import type { ExecutedBlock } from '../../src/runtime/types.ts'
import { account, testChain } from '../support/chain.ts'

/** The part of a WebSocket that the hub uses; `sent` has parsed frames. */
class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readonly bufferedAmount = 0
  readyState = 1
  readonly sent: unknown[][] = []
  closed: number | undefined

  send(text: string): void {
    this.sent.push(JSON.parse(text))
  }
  close(code: number): void {
    this.closed = code
  }
  terminate(): void {
    this.readyState = 3
    this.emit('close')
  }
  join(topic: string): void {
    this.emit('message', JSON.stringify(['1', '1', topic, 'phx_join', {}]))
  }
}

function served(hub: Hub): FakeSocket {
  const socket = new FakeSocket()
  hub.serve(socket as unknown as WebSocket)
  return socket
}

afterEach(() => {
  vi.useRealTimers()
})

it('the hub bounds the number of sockets, and of topics per socket', () => {
  const hub = new Hub()
  const first = served(hub)
  for (let i = 0; i < MOST_TOPICS; i++) first.join(`topic:${i}`)
  expect(first.sent.every(([, , , , answer]) => JSON.stringify(answer) === '{"status":"ok","response":{}}')).toBe(true)
  first.join('topic:more')
  const refused = { status: 'error', response: { reason: 'too many topics' } }
  expect(first.sent.at(-1)).toEqual(['1', '1', 'topic:more', 'phx_reply', refused])
  expect(hub.hasListeners('topic:more')).toBe(false)
  first.join('topic:0')
  expect(first.sent.at(-1)).toEqual(first.sent[0])

  for (let i = 1; i < MOST_SOCKETS; i++) expect(served(hub).closed).toBeUndefined()
  expect(served(hub).closed).toBe(1013)
  first.terminate()
  expect(served(hub).closed).toBeUndefined()
})

it('the hub terminates sockets without a heartbeat or ping for 90 seconds', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const hub = new Hub()
  const silent = served(hub)
  const beating = served(hub)
  const pinging = served(hub)
  silent.join('topic:silent')
  vi.advanceTimersByTime(LONGEST_SILENCE - 1)
  beating.emit('message', JSON.stringify([null, '1', 'phoenix', 'heartbeat', {}]))
  pinging.emit('ping')
  hub.dropSilent()
  vi.advanceTimersByTime(2)
  expect(hub.hasListeners('topic:silent')).toBe(true)
  hub.dropSilent()
  expect([silent, beating, pinging].map(({ readyState }) => readyState)).toEqual([3, 1, 1])
  expect(hub.hasListeners('topic:silent')).toBe(false)
})

it('the hub renders only the changes of a block, with any number of topics', async () => {
  const { node, walletOf, viem } = await testChain()
  const { chain } = node
  const log = createLogger({ level: 'error', json: false })
  const executed = new Promise<ExecutedBlock>((resolve) => chain.events.on('block', resolve))
  const to = account(1).address
  await viem.waitForTransactionReceipt({ hash: await walletOf(0).sendTransaction({ to, value: 7n }) })

  /** The number of row reads for announcing the block, and the sent events. */
  const announced = async (topics: number) => {
    const hub = new Hub()
    const listener = served(hub)
    listener.join(`addresses:${to.toLowerCase()}`)
    let socket = served(hub)
    for (let i = 0; i < topics; i++) {
      if (i % MOST_TOPICS === 0) socket = served(hub)
      socket.join(`addresses:0xff${i.toString(16).padStart(38, '0')}`)
      socket.join(`tokens:0xff${i.toString(16).padStart(38, '0')}`)
    }
    const explorer = new Explorer({ chain, hub, queue: new WorkQueue(), options: defaultExplorerOptions, log })
    const { context, close } = await openContext(explorer)
    let reads = 0
    const rows = new Proxy(context.rows, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...given: unknown[]) => {
          reads++
          return value.apply(target, given)
        }
      },
    })
    const sentBefore = listener.sent.length
    await announceBlock({ ...context, rows }, hub, await executed)
    await close()
    return { reads, sentEvents: listener.sent.slice(sentBefore).map(([, , , event]) => event) }
  }
  const few = await announced(0)
  expect(few.sentEvents).toEqual(['balance', 'current_coin_balance', 'coin_balance', 'transaction'])
  expect(few.reads).toBeGreaterThan(0)
  expect(await announced(10_000)).toEqual(few)
})
