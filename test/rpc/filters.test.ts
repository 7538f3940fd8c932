// Polling filters and subscriptions on a running node; expiry and limits with the test's own clock and events.
import { once } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import WebSocket from 'ws'
import type { ChainEvents } from '../../src/chain/types.ts'
import { type Hash, hexToHash } from '../../src/lib/hex.ts'
import {
  FILTER_LIFETIME,
  MAX_EVENTS,
  MAX_FILTERS,
  PollingFilters,
} from '../../src/rpc/notifications/polling-filters.ts'
import { account, testChain } from '../support/chain.ts'

const from = account(0).address.toLowerCase()
const to = account(1).address.toLowerCase()
const EMITTER = '0x00000000000000000000000000000000000000ee'
/** CALLDATALOAD(0) as the only topic, no data: PUSH1 0, CALLDATALOAD, PUSH1 0, PUSH1 0, LOG1, STOP. */
const EMITTER_CODE = '0x60003560006000a100'
const topic = (number: number) => `0x${number.toString(16).padStart(64, '0')}`

type Log = { topics: string[]; removed: boolean; blockNumber: string; blockHash: string }

async function chainWithEmitter() {
  const test = await testChain()
  await test.rpc('anvil_setCode', EMITTER, EMITTER_CODE)
  const emit = (number: number) => test.rpc('eth_sendTransaction', { from, to: EMITTER, data: topic(number) })
  return { ...test, emit, changes: async (id: unknown) => (await test.rpc('eth_getFilterChanges', id)) as Log[] }
}

const brief = (logs: Log[]) => logs.map(({ topics, removed }) => [topics[0], removed])

describe('a log filter', () => {
  it('reports each log after its creation once', async () => {
    const { rpc, emit, changes } = await chainWithEmitter()
    await emit(1)
    const id = await rpc('eth_newFilter', { address: EMITTER })
    expect(await changes(id)).toEqual([])
    await emit(2)
    await emit(3)
    expect(brief(await changes(id))).toEqual([
      [topic(2), false],
      [topic(3), false],
    ])
    expect(await changes(id)).toEqual([])
  })

  it('reports logs in the shape of eth_getLogs', async () => {
    const { rpc, emit, changes } = await chainWithEmitter()
    const id = await rpc('eth_newFilter', {})
    await emit(1)
    expect(await changes(id)).toEqual(await rpc('eth_getLogs', { fromBlock: '0x1' }))
  })

  it('matches by topics and address', async () => {
    const { rpc, emit, changes } = await chainWithEmitter()
    const one = await rpc('eth_newFilter', { topics: [topic(1)] })
    const either = await rpc('eth_newFilter', { topics: [[topic(1), topic(2)]] })
    const two = await rpc('eth_newFilter', { topics: [null, topic(1)] })
    const elsewhere = await rpc('eth_newFilter', { address: [to] })
    for (const number of [1, 2, 3]) await emit(number)
    expect(brief(await changes(one))).toEqual([[topic(1), false]])
    expect(brief(await changes(either))).toEqual([
      [topic(1), false],
      [topic(2), false],
    ])
    expect(await changes(two)).toEqual([])
    expect(await changes(elsewhere)).toEqual([])
  })

  it('reports only logs of its range', async () => {
    const { rpc, raw, emit, changes } = await chainWithEmitter()
    const second = await rpc('eth_newFilter', { fromBlock: '0x2', toBlock: '0x2' })
    const past = await rpc('eth_newFilter', { fromBlock: 'earliest', toBlock: 'earliest' })
    const all = await rpc('eth_newFilter', { fromBlock: 'earliest', toBlock: 'latest' })
    for (const number of [1, 2, 3]) await emit(number)
    expect(brief(await changes(second))).toEqual([[topic(2), false]])
    expect(await changes(past)).toEqual([])
    expect(await changes(all)).toHaveLength(3)
    expect((await raw('eth_newFilter', { fromBlock: '0x3', toBlock: '0x2' })).error?.code).toBe(-32602)
    expect((await raw('eth_newFilter', { address: '0x12' })).error?.code).toBe(-32602)
  })

  it('reports logs of rolled back blocks as removed, and then those of the new blocks', async () => {
    const { rpc, emit, changes } = await chainWithEmitter()
    const id = await rpc('eth_newFilter', { address: EMITTER })
    const snapshot = await rpc('evm_snapshot')
    await emit(1)
    const [before] = await changes(id)
    await rpc('evm_revert', snapshot)
    await emit(2)
    const [removed, added] = await changes(id)
    expect(removed).toEqual({ ...before, removed: true })
    expect(added).toMatchObject({ topics: [topic(2)], removed: false, blockNumber: before?.blockNumber })
  })

  it('returns all logs of its range to eth_getFilterLogs', async () => {
    const { rpc, raw, emit } = await chainWithEmitter()
    await emit(1)
    const id = await rpc('eth_newFilter', { fromBlock: '0x0' })
    await emit(2)
    expect(brief((await rpc('eth_getFilterLogs', id)) as Log[])).toEqual([
      [topic(1), false],
      [topic(2), false],
    ])
    const blocks = await rpc('eth_newBlockFilter')
    expect((await raw('eth_getFilterLogs', blocks)).error).toEqual({ code: -32000, message: 'filter not found' })
  })
})

describe('block and transaction filters', () => {
  it('report every new block', async () => {
    const { rpc, mine } = await testChain()
    const id = await rpc('eth_newBlockFilter')
    expect(await rpc('eth_getFilterChanges', id)).toEqual([])
    await mine(3)
    const hashes = (await rpc('eth_getFilterChanges', id)) as string[]
    const blocks = await Promise.all(['0x1', '0x2', '0x3'].map((number) => rpc('eth_getBlockByNumber', number, false)))
    expect(hashes).toEqual(blocks.map((block) => (block as { hash: string }).hash))
  })

  it('report transactions that become executable, as hashes and in full', async () => {
    const { rpc } = await testChain({ automine: false })
    const hashes = await rpc('eth_newPendingTransactionFilter')
    const full = await rpc('eth_newPendingTransactionFilter', true)
    const fields = { from, to, gas: '0x5208', maxFeePerGas: '0x77359400' }
    const second = await rpc('eth_sendTransaction', { ...fields, nonce: '0x1' })
    expect(await rpc('eth_getFilterChanges', hashes)).toEqual([])
    const first = await rpc('eth_sendTransaction', { ...fields, nonce: '0x0' })
    expect(await rpc('eth_getFilterChanges', hashes)).toEqual([first, second])
    const waiting = await Promise.all([first, second].map((hash) => rpc('eth_getTransactionByHash', hash)))
    expect(await rpc('eth_getFilterChanges', full)).toEqual(waiting)
  })

  it('do not exist after eth_uninstallFilter', async () => {
    const { rpc, raw } = await testChain()
    const id = await rpc('eth_newBlockFilter')
    expect(await rpc('eth_uninstallFilter', id)).toBe(true)
    expect(await rpc('eth_uninstallFilter', id)).toBe(false)
    const gone = { code: -32000, message: 'filter not found' }
    expect((await raw('eth_getFilterChanges', id)).error).toEqual(gone)
    expect((await raw('eth_getFilterLogs', '0xdead')).error).toEqual(gone)
  })
})

describe('the filters of all clients', () => {
  const hashOf = (number: number): Hash => hexToHash(topic(number))

  /** Filters with events and a clock that the test controls. */
  function quiet() {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const listeners = new Map<string, (value: never) => void>()
    const on = (event: string, listener: (value: never) => void) => {
      listeners.set(event, listener)
      return () => listeners.delete(event)
    }
    const chain = { events: { on } as unknown as ChainEvents } as ConstructorParameters<typeof PollingFilters>[0]
    const pend = (number: number) => listeners.get('pending')?.({ hash: hashOf(number) } as never)
    return { filters: new PollingFilters(chain), pend, listeners }
  }

  it('expire after five minutes without use', () => {
    const { filters, pend } = quiet()
    const used = filters.open({ kind: 'transactions' })
    const unused = filters.open({ kind: 'transactions' })
    vi.advanceTimersByTime(FILTER_LIFETIME - 1)
    filters.changes(used)
    pend(1)
    vi.advanceTimersByTime(2)
    expect(filters.changes(used)).toEqual([hashOf(1)])
    expect(() => filters.changes(unused)).toThrow('filter not found')
    expect(FILTER_LIFETIME).toBe(300_000)
  })

  it('are limited in number; expired ones make room', () => {
    const { filters } = quiet()
    for (let i = 0; i < MAX_FILTERS; i++) filters.open({ kind: 'blocks' })
    expect(() => filters.open({ kind: 'blocks' })).toThrow('too many filters')
    vi.advanceTimersByTime(FILTER_LIFETIME + 1)
    expect(filters.open({ kind: 'blocks' })).toMatch(/^0x[0-9a-f]{32}$/)
  })

  it('are closed when they lag too far behind, and others continue', () => {
    const { filters, pend } = quiet()
    const slow = filters.open({ kind: 'transactions' })
    for (let i = 0; i < MAX_EVENTS; i++) pend(1)
    const fresh = filters.open({ kind: 'transactions' })
    pend(2)
    expect(() => filters.changes(slow)).toThrow('filter not found')
    expect(filters.changes(fresh)).toEqual([hashOf(2)])
  })

  it('remove their listeners when they stop', () => {
    const { filters, listeners } = quiet()
    expect(listeners.size).toBe(3)
    filters.stop()
    expect(listeners.size).toBe(0)
  })
})

describe('subscriptions', () => {
  type Message = { id?: number; result?: unknown; error?: unknown; method?: string; params?: Notice }
  type Notice = { subscription: string; result: Record<string, unknown> & string }

  /** A WebSocket to the node; `notices` waits for a number of notifications of a subscription. */
  async function connect(url: string) {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`)
    onTestFinished(() => socket.terminate())
    const messages: Message[] = []
    socket.on('message', (text) => messages.push(JSON.parse(String(text))))
    await once(socket, 'open')
    let lastId = 0
    const arrived = async <T>(find: () => T | undefined): Promise<T> => {
      for (;;) {
        const found = find()
        if (found !== undefined) return found
        await once(socket, 'message')
      }
    }
    const ask = (method: string, ...params: unknown[]) => {
      const id = ++lastId
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return arrived(() => messages.find((message) => message.id === id))
    }
    const subscribe = async (...params: unknown[]) => (await ask('eth_subscribe', ...params)).result as string
    const noticesOf = (id: string) =>
      messages.flatMap(({ params }) => (params?.subscription === id ? [params.result] : []))
    const notices = (id: string, count: number) =>
      arrived(() => (noticesOf(id).length >= count ? noticesOf(id) : undefined))
    return { ask, subscribe, notices, noticesOf, messages }
  }

  it('newHeads sends every block, also in a burst, and the head after a rollback', async () => {
    const { url, rpc, mine } = await testChain()
    const client = await connect(url)
    const id = await client.subscribe('newHeads')
    await mine(1)
    const snapshot = await rpc('evm_snapshot')
    await mine(20)
    await rpc('evm_revert', snapshot)
    const heads = await client.notices(id, 22)
    expect(heads.map(({ number }) => Number(number))).toEqual([...Array.from({ length: 21 }, (_, i) => i + 1), 1])
    const { size, transactions, uncles, withdrawals, ...header } = (await rpc(
      'eth_getBlockByNumber',
      '0x1',
      false,
    )) as Record<string, unknown>
    expect(heads[0]).toEqual(header)
    expect(heads.at(-1)).toEqual(header)
    const [{ params, ...envelope } = {}] = client.messages.filter(({ method }) => method !== undefined)
    expect(envelope).toEqual({ jsonrpc: '2.0', method: 'eth_subscription' })
    expect(params).toEqual({ subscription: id, result: header })
  })

  it('logs sends matching logs, and again as removed', async () => {
    const { url, rpc, emit } = await chainWithEmitter()
    const client = await connect(url)
    const id = await client.subscribe('logs', { address: EMITTER, topics: [[topic(1), topic(3)]] })
    const snapshot = await rpc('evm_snapshot')
    for (const number of [1, 2, 3]) await emit(number)
    const logs = await rpc('eth_getLogs', { fromBlock: '0x1', topics: [[topic(1), topic(3)]] })
    await rpc('evm_revert', snapshot)
    const received = (await client.notices(id, 4)) as unknown as Log[]
    expect(received.slice(0, 2)).toEqual(logs)
    expect(brief(received.slice(2)).sort()).toEqual([
      [topic(1), true],
      [topic(3), true],
    ])
  })

  it('newPendingTransactions sends pending transactions, as hashes or in full', async () => {
    const { url, rpc } = await testChain({ automine: false })
    const client = await connect(url)
    const hashes = await client.subscribe('newPendingTransactions')
    const full = await client.subscribe('newPendingTransactions', true)
    const hash = await rpc('eth_sendTransaction', { from, to })
    expect(await client.notices(hashes, 1)).toEqual([hash])
    expect(await client.notices(full, 1)).toEqual([await rpc('eth_getTransactionByHash', hash)])
  })

  it('end by eth_unsubscribe, and only once', async () => {
    const { url, rpc, mine } = await testChain()
    const client = await connect(url)
    const ended = await client.subscribe('newHeads')
    const other = await client.subscribe('newHeads')
    expect((await client.ask('eth_unsubscribe', ended)).result).toBe(true)
    expect((await client.ask('eth_unsubscribe', ended)).error).toMatchObject({ code: -32000 })
    await mine(1)
    await client.notices(other, 1)
    expect(client.noticesOf(ended)).toEqual([])
    expect(await client.subscribe('syncing')).toMatch(/^0x[0-9a-f]+$/)
    expect(await rpc('eth_syncing')).toBe(false)
  })

  it('are refused over HTTP, and for unknown names', async () => {
    const { url, raw } = await testChain()
    expect((await raw('eth_subscribe', 'newHeads')).error).toEqual({
      code: -32601,
      message: 'notifications not supported',
    })
    const client = await connect(url)
    expect((await client.ask('eth_subscribe', 'nothing')).error).toMatchObject({ code: -32601 })
    expect((await client.ask('eth_subscribe', 'logs', { topics: 5 })).error).toMatchObject({ code: -32602 })
  })
})
