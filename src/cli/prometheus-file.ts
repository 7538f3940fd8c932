// What Prometheus asks of a network on one machine: every node, and its engine. Both have the node's name as `instance`.

export type ScrapedNode = {
  readonly name: string
  /** Port of the node. */
  readonly port: number
  /** Where the engine's metrics are: `127.0.0.1:26658` */
  readonly engine: string
}

/** The configuration of Prometheus, as YAML. */
export function prometheusFile(nodes: readonly ScrapedNode[]): string {
  const job = (name: string, targetOf: (node: ScrapedNode) => string) => `  - job_name: ${name}
    static_configs:
${nodes.map((node) => `      - targets: ['${targetOf(node)}']\n        labels: { instance: ${node.name} }`).join('\n')}
`
  return `# Prometheus for the nodes of this folder, started with --metrics: on this machine, or by compose.yml (--profile monitoring).
global:
  scrape_interval: 10s
scrape_configs:
${job('kestrel', ({ port }) => `127.0.0.1:${port}`)}${job('cometbft', ({ engine }) => engine)}`
}
