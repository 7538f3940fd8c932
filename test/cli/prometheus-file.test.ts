// What `kestrel testnet` tells Prometheus to scrape.
import { expect, it } from 'vitest'
import { composeFile } from '../../src/cli/compose-file.ts'
import { prometheusFile } from '../../src/cli/prometheus-file.ts'

it('Prometheus asks each node and each engine, under the name of the node', () => {
  const text = prometheusFile([
    { name: 'node0', port: 8545, engine: '127.0.0.1:26658' },
    { name: 'node1', port: 8546, engine: '127.0.0.1:26668' },
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

it('the compose file starts it where the engines answer, and nodes serve their figures', () => {
  const text = composeFile(2, 8545)
  const prometheus = /^ {2}prometheus:\n((?: {4}.*\n)+)/m.exec(text)?.[1]
  expect(prometheus).toContain("network_mode: 'service:node0'")
  expect(prometheus).toContain('./prometheus.yml:/etc/prometheus/prometheus.yml:ro')
  expect(text.match(/'--metrics'\]/g)).toHaveLength(2)
})
