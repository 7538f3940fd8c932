// The Prometheus configuration that `kestrel testnet` writes.
import { expect, it } from 'vitest'
import { composePrometheusText, composeText } from '../../src/cli/network/compose.ts'
import { prometheusText } from '../../src/cli/network/prometheus.ts'

it('prometheus.yml has each node and its CometBFT as targets, with the node’s name as instance', () => {
  const text = prometheusText([
    { name: 'node0', node: '127.0.0.1:8545', engine: '127.0.0.1:26658' },
    { name: 'node1', node: '127.0.0.1:8546', engine: '127.0.0.1:26668' },
  ])
  const [, nodes, engines] = text.split('- job_name: ')
  const targets = (job: string | undefined) =>
    [...(job ?? '').matchAll(/targets: \['([^']+)'\]\n\s+labels: \{ instance: (\w+) \}/g)].map(([, target, name]) => [
      target,
      name,
    ])
  expect(nodes).toMatch(/^kestrel\n/)
  expect(targets(nodes)).toEqual([
    ['127.0.0.1:8545', 'node0'],
    ['127.0.0.1:8546', 'node1'],
  ])
  expect(engines).toMatch(/^cometbft\n/)
  expect(targets(engines)).toEqual([
    ['127.0.0.1:26658', 'node0'],
    ['127.0.0.1:26668', 'node1'],
  ])
})

it('compose.yml starts Prometheus, whose targets are the containers', () => {
  const node = (name: string, port: number) => ({ name, nodeId: 'aa'.repeat(20), port, peers: [] })
  const network = {
    nodes: [node('node0', 8545), node('node1', 8546)],
    chainName: 'kestrel_125-1',
    chainId: 125n,
    symbol: 'KEST',
    user: '1000:1000',
  }
  const prometheus = /^ {2}prometheus:\n((?: {4}.*\n)+)/m.exec(composeText(network))?.[1]
  expect(prometheus).toContain('./compose-prometheus.yml:/etc/prometheus/prometheus.yml:ro')
  expect(composePrometheusText(network)).toContain("['node1:8545']")
  expect(composePrometheusText(network)).toContain("['node1:26660']")
})
