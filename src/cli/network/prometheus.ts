// Scrape targets of a network: every node and its consensus engine. Both have the node's name as `instance`.

export type ScrapedNode = {
  readonly name: string
  /** Addresses of the metrics of the node and of its CometBFT: `127.0.0.1:8545`, `127.0.0.1:26658` */
  readonly node: string
  readonly engine: string
}

/** The configuration of Prometheus, as YAML. */
export function prometheusText(nodes: readonly ScrapedNode[]): string {
  const job = (name: string, targetOf: (node: ScrapedNode) => string) => `  - job_name: ${name}
    static_configs:
${nodes.map((node) => `      - targets: ['${targetOf(node)}']\n        labels: { instance: ${node.name} }`).join('\n')}
`
  return `# Written by \`kestrel testnet\` for Prometheus.
global:
  scrape_interval: 10s
scrape_configs:
${job('kestrel', ({ node }) => node)}${job('cometbft', ({ engine }) => engine)}`
}
