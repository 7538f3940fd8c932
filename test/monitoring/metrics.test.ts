// `/metrics` and `/health` of a running node: the counters, labels that clients cannot add, and the reasons of a 503.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { WebSocket } from 'ws'
import { timed } from '../../src/consensus/network/measurements.ts'
import { healthOf } from '../../src/monitoring/health.ts'
import { testChain } from '../support/chain.ts'
import { commitInfo, decide, networkChain, networkFaces } from '../support/network-faces.ts'

const metricsOf = async (url: string) => (await fetch(`${url}/metrics`)).text()

/** The value of a series with Prometheus' notation; undefined if it does not exist. */
function value(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** Names of the metrics that a dashboard of docker/monitoring shows. */
function namesIn(dashboard: string): Set<string> {
  const text = readFileSync(join(import.meta.dirname, '../../docker/monitoring', dashboard), 'utf8')
  const named = text.match(/\b(?:kestrel|nodejs|process|cometbft)_\w+/g) ?? []
  return new Set(named.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))
}

const exportedIn = (text: string) => new Set([...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name ?? ''))

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

  it('counts JSON-RPC calls on the fast path, through Fastify, over WebSocket and in batches', async () => {
    const { url } = await testChain({ metrics: true })
    const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    await fetch(`${url}/rpc`, { method: 'POST', body: chainId })
    // The fast path refuses requests with a query.
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

  it('has one label for all methods that do not exist or are not enabled', async () => {
    const { url, raw } = await testChain({ metrics: true, rpc: { development: false } })
    for (const method of ['eth_nothing', '__proto__', 'x'.repeat(1000), 'anvil_mine']) await raw(method)
    const text = await metricsOf(url)
    expect(value(text, `${CALLS}_count{method="unknown"}`)).toBe(4)
    expect(text.match(new RegExp(`^${CALLS}_count`, 'gm'))).toHaveLength(1)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32601"}')).toBe(4)
  })

  it('counts batch entries whose responses are too large', async () => {
    const { url } = await testChain({ metrics: true, rpc: { maxBatchAnswer: 10 } })
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }
    await fetch(`${url}/rpc`, { method: 'POST', body: JSON.stringify([call, call, call]) })
    expect(value(await metricsOf(url), 'kestrel_rpc_errors_total{code="-32003"}')).toBe(2)
  })

  it('counts refusals of invalid requests', async () => {
    const { url } = await testChain({ metrics: true })
    for (const body of ['{', '[]', '{}']) await fetch(`${url}/rpc`, { method: 'POST', body })
    const text = await metricsOf(url)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32700"}')).toBe(1)
    expect(value(text, 'kestrel_rpc_errors_total{code="-32600"}')).toBe(2)
  })

  it('separates the nodes of one process, and labels explorer routes by their pattern', async () => {
    const one = await testChain({ metrics: true })
    const other = await testChain({ metrics: true })
    await one.rpc('eth_chainId')
    await fetch(`${one.url}/api/v2/addresses/${one.alice.address}`)
    const ones = await metricsOf(one.url)
    const others = await metricsOf(other.url)
    expect(value(ones, `${CALLS}_count{method="eth_chainId"}`)).toBe(1)
    expect(others).not.toContain('eth_chainId')
    const route = '/api/v2/addresses/:address_hash_param'
    expect(value(ones, `kestrel_http_request_duration_seconds_count{route="${route}",status="200"}`)).toBe(1)
    for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds']) {
      expect(value(others, name)).toBeDefined()
    }
  })

  it('is not served unless it is enabled', async () => {
    const { url } = await testChain()
    expect((await fetch(`${url}/metrics`)).status).toBe(404)
  })

  test('every metric of the dashboard is exported', async () => {
    const { url, raw } = await testChain({ metrics: true })
    // A label appears with its first value.
    await raw('eth_nothing')
    await fetch(`${url}/api/v2/stats`)
    const exported = exportedIn(await metricsOf(url))
    const used = namesIn('dashboard.json')
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

  it('says when blocks are synced, and of a chain in memory nothing', async () => {
    const { node } = await testChain()
    const disk = { durable: 100, unsyncedAge: () => 40 }
    expect(await healthOf(node.chain, 'running', '1')).not.toHaveProperty('disk')
    const answer = await healthOf(node.chain, 'running', '1', 0, undefined, disk)
    expect(answer.disk).toEqual({ durable: 100, unsynced: 0.04 })
  })

  it('is served under an IP address and refused under an unlisted host name', async () => {
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

  it('answers 503 with the reason when the node is not ready', async () => {
    const { node } = await testChain()
    const { chain } = node
    expect(await healthOf(chain, 'starting', '1')).toMatchObject({ ready: false, status: 'starting' })
    expect(await healthOf(chain, 'stopping', '1')).toMatchObject({ ready: false, status: 'stopping' })
    const store = {
      ...chain.store,
      requireWritable: () => {
        throw new Error('disk full')
      },
    }
    const { head, pool, spec } = chain
    expect(await healthOf({ head, pool, spec, store }, 'running', '1')).toMatchObject({
      ready: false,
      status: 'disk-failure',
    })
  })
})

describe('monitoring of a network’s node', () => {
  const open = async () => networkFaces({ chain: await networkChain() })
  const CONSENSUS = 'kestrel_consensus'

  it('exports the counters of its ABCI application', async () => {
    const { url, measurements } = await open()
    Object.assign(measurements, { proposalsBuilt: 1, proposalsAccepted: 4, proposalsRefused: 2 })
    Object.assign(measurements, { blocksExecutedAgain: 3, transactionsAnnounced: 70 })
    const text = await metricsOf(url)
    expect(value(text, `${CONSENSUS}_proposals_built_total`)).toBe(1)
    expect(value(text, `${CONSENSUS}_proposals_accepted_total`)).toBe(4)
    expect(value(text, `${CONSENSUS}_proposals_refused_total`)).toBe(2)
    expect(value(text, `${CONSENSUS}_blocks_executed_again_total`)).toBe(3)
    expect(value(text, `${CONSENSUS}_transactions_announced_total`)).toBe(70)
    measurements.proposalsRefused++
    expect(value(await metricsOf(url), `${CONSENSUS}_proposals_refused_total`)).toBe(3)
  })

  it('exports the durations of ABCI requests as a histogram', async () => {
    const { url, measurements } = await open()
    const { process } = measurements.durations
    for (const seconds of [0.001, 0.002, 2.5, 60]) process.add(seconds)
    await expect(timed(measurements, 'commit', () => Promise.reject(new Error('disk full')))).rejects.toThrow()
    const text = await metricsOf(url)
    const series = (end: string, labels: string) => value(text, `${CONSENSUS}_request_seconds_${end}{${labels}}`)
    expect(series('bucket', 'request="process",le="0.001"')).toBe(1)
    expect(series('bucket', 'request="process",le="0.0025"')).toBe(2)
    expect(series('bucket', 'request="process",le="2"')).toBe(2)
    expect(series('bucket', 'request="process",le="3"')).toBe(3)
    expect(series('bucket', 'request="process",le="+Inf"')).toBe(4)
    expect(series('count', 'request="process"')).toBe(4)
    expect(series('sum', 'request="process"')).toBeCloseTo(62.503)
    expect(series('count', 'request="prepare"')).toBe(0)
    // A failed request is counted too.
    expect(series('count', 'request="commit"')).toBe(1)
  })

  test('every metric of the network dashboard is exported, by the node or by CometBFT', async () => {
    const { url } = await open()
    // Names that CometBFT v0.38.26 and v0.40.0 both export, recorded from validators of a network.
    const engine = readFileSync(join(import.meta.dirname, 'cometbft-metrics.txt'), 'utf8')
      .trim()
      .split('\n')
    const exported = new Set([...exportedIn(await metricsOf(url)), ...engine])
    const used = namesIn('network.json')
    expect([...used].filter((name) => name.startsWith('cometbft_')).length).toBeGreaterThan(5)
    expect([...used].filter((name) => name.startsWith('kestrel_')).length).toBeGreaterThan(10)
    expect([...used].filter((name) => !exported.has(name))).toEqual([])
  })

  it('exports peers and progress, and whether CometBFT answers', async () => {
    const { url, status, chain } = await open()
    await decide(chain, commitInfo())
    const figures = async () => {
      const text = await metricsOf(url)
      const names = ['kestrel_peers', ...['engine_up', 'syncing', 'highest_block'].map((end) => `${CONSENSUS}_${end}`)]
      return names.map((name) => value(text, name))
    }
    expect(await figures()).toEqual([3, 1, 0, 1])
    status.progress = { startingBlock: 0n, currentBlock: 1n, highestBlock: 652n }
    expect(await figures()).toEqual([3, 1, 1, 652])
    status.isReachable = false
    expect(await figures()).toEqual([0, 0, 0, 1])
  })

  it('reports the number of peers and the sync status in /health', async () => {
    const { url, status } = await open()
    const health = async (query = '') => {
      const response = await fetch(`${url}/health${query}`)
      const { ready, peers, syncing } = (await response.json()) as Record<string, unknown>
      return [response.status, ready, peers, syncing]
    }
    expect(await health()).toEqual([200, true, 3, false])
    expect(await health('?synced')).toEqual([200, true, 3, false])
    status.progress = { startingBlock: 0n, currentBlock: 0n, highestBlock: 652n }
    expect(await health()).toEqual([200, true, 3, true])
    expect(await health('?synced')).toEqual([503, true, 3, true])
    status.isReachable = false
    expect(await health()).toEqual([200, true, 0, null])
    expect(await health('?synced=true')).toEqual([503, true, 0, null])
  })

  it('differs in /health and /metrics from a chain of one node', async () => {
    const { url } = await testChain({ metrics: true })
    const response = await fetch(`${url}/health?synced`)
    expect(response.status).toBe(200)
    const health = (await response.json()) as object
    expect(health).toMatchObject({ ready: true, peers: 0 })
    expect(health).not.toHaveProperty('syncing')
    const text = await metricsOf(url)
    expect(value(text, 'kestrel_peers')).toBe(0)
    expect(text).not.toContain(CONSENSUS)
  })
})
