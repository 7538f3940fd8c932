// `/metrics` and `/health` of a running node: what is counted, what never becomes a label, what says that a node is not ready.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { WebSocket } from 'ws'
import { healthOf } from '../../src/monitoring/health.ts'
import { testChain } from '../support/chain.ts'

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text()

/** The value of a series, named as Prometheus writes it; undefined where it is not there. */
function value(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const CALLS = 'kestrel_rpc_request_duration_seconds'

describe('/metrics', () => {
  it('counts blocks, transactions and gas', async () => {
    const { url, walletOf, bob, viem } = await testChain({ metrics: true })
    for (const nonce of [0, 1]) {
      const hash = await walletOf(0).sendTransaction({ to: bob.address, value: 1n, nonce })
      await viem.waitForTransactionReceipt({ hash })
    }
    const text = await metricsOf(url)
    expect(value(text, 'kestrel_transactions_total')).toBe(2)
    // A plain transfer costs 21,000 gas.
    expect(value(text, 'kestrel_gas_used_total')).toBe(42_000)
    const blocks = value(text, 'kestrel_head_block')
    expect(value(text, 'kestrel_blocks_total')).toBe(blocks)
    expect(value(text, 'kestrel_block_build_seconds_count')).toBe(blocks)
    expect(value(text, 'kestrel_block_commit_seconds_count')).toBe(blocks)
    expect(value(text, 'kestrel_disk_writable')).toBe(1)
  })

  it('counts calls on the short path, on the long one, over WebSocket and in batches', async () => {
    const { url } = await testChain({ metrics: true })
    const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    await fetch(`${url}/rpc`, { method: 'POST', body: chainId })
    // A query is nothing that the short path reads.
    await fetch(`${url}/rpc?x=1`, { method: 'POST', body: chainId })
    await fetch(url, { method: 'POST', body: `[${chainId},${chainId}]` })
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`)
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    const answered = new Promise((resolve) => socket.addEventListener('message', resolve))
    socket.send(chainId)
    await answered
    const text = await metricsOf(url)
    expect(value(text, `${CALLS}_count{method="eth_chainId"}`)).toBe(5)
    expect(value(text, `${CALLS}_bucket{method="eth_chainId",le="+Inf"}`)).toBe(5)
    expect(value(text, 'kestrel_websocket_connections')).toBe(1)
    socket.close()
  })

  it('has one label for all methods that do not exist or are closed', async () => {
    const { url, raw } = await testChain({ metrics: true, rpc: { development: false } })
    for (const method of ['eth_nothing', '__proto__', 'x'.repeat(1000), 'anvil_mine']) await raw(method)
    const text = await metricsOf(url)
    expect(value(text, `${CALLS}_count{method="unknown"}`)).toBe(4)
    expect(text.match(new RegExp(`^${CALLS}_count`, 'gm'))).toHaveLength(1)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32601"}')).toBe(4)
  })

  it('counts entries of a batch that have no room left', async () => {
    const { url } = await testChain({ metrics: true, rpc: { maxBatchAnswer: 10 } })
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
    await fetch(`${url}/rpc`, { method: 'POST', body: JSON.stringify([call, call, call]) })
    expect(value(await metricsOf(url), 'kestrel_rpc_errors_total{code="-32003"}')).toBe(2)
  })

  it('counts refusals of what is no request', async () => {
    const { url } = await testChain({ metrics: true })
    for (const body of ['{', '[]', '{}']) await fetch(`${url}/rpc`, { method: 'POST', body })
    const text = await metricsOf(url)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32700"}')).toBe(1)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32600"}')).toBe(2)
  })

  it('keeps nodes of one process apart, and names the routes of the explorer by their pattern', async () => {
    const [one, other] = [await testChain({ metrics: true }), await testChain({ metrics: true })]
    await one.rpc('eth_chainId')
    await fetch(`${one.url}/api/v2/addresses/${one.alice.address}`)
    const [ones, others] = [await metricsOf(one.url), await metricsOf(other.url)]
    expect(value(ones, `${CALLS}_count{method="eth_chainId"}`)).toBe(1)
    expect(others).not.toContain('eth_chainId')
    const route = '/api/v2/addresses/:address_hash_param'
    expect(value(ones, `kestrel_http_request_duration_seconds_count{route="${route}",status="200"}`)).toBe(1)
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(value(others, name)).toBeDefined()
    }
  })

  it('does not exist unless it is switched on', async () => {
    const { url } = await testChain()
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  test('every metric of the dashboard is exported', async () => {
    const { url, raw } = await testChain({ metrics: true })
    // A label appears with its first value.
    await raw('eth_nothing')
    await fetch(`${url}/api/v2/stats`)
    const exported = new Set([...(await metricsOf(url)).matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name))
    const dashboard = readFileSync(join(import.meta.dirname, '../../docker/monitoring/dashboard.json'), 'utf8')
    const named = dashboard.match(/\b(?:kestrel|nodejs|process)_\w+/g) ?? []
    const used = new Set(named.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
    expect(used.size).toBeGreaterThan(20)
    expect([...used].filter((name) => !exported.has(name))).toEqual([])
  })
})

describe('/health', () => {
  it('answers 200 with the head while the node is ready', async () => {
    const { url, mine, rpc } = await testChain()
    await mine(3)
    const response = await fetch(`${url}/health`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    const { hash } = (await rpc('eth_getBlockByNumber', 'latest', false)) as { hash: string }
    expect(await response.json()).toMatchObject({
      ready: true,
      status: 'ready',
      chainId: 125,
      head: { number: 3, hash },
    })
  })

  it('is answered for an address, and for a permitted host name', async () => {
    const { url } = await testChain()
    const { port } = new URL(url)
    const status = async (host: string) => {
      const { request } = await import('node:http')
      return new Promise<number | undefined>((resolve) => {
        request({ host: '127.0.0.1', port, path: '/health', headers: { host } }, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).end()
      })
    }
    expect(await status('10.0.0.7:8545')).toBe(200)
    expect(await status('evil.example')).toBe(403)
  })

  it('says why a node is not ready', async () => {
    const { node } = await testChain()
    const { chain } = node
    expect(healthOf(chain, 'starting', '1')).toMatchObject({ ready: false, status: 'starting' })
    expect(healthOf(chain, 'stopping', '1')).toMatchObject({ ready: false, status: 'stopping' })
    const store = {
      ...chain.store,
      requireWritable: () => {
        throw new Error('disk full')
      },
    }
    const { head, pool, spec } = chain
    expect(healthOf({ head, pool, spec, store }, 'running', '1')).toMatchObject({
      ready: false,
      status: 'disk-failure',
    })
  })
})
