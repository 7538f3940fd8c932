// The Docker Compose file that `kestrel testnet` writes: a container for each node, and Blockscout's frontend on the first.

import { prometheusText } from './prometheus.ts'

type Peer = { readonly name: string; readonly nodeId: string }
export type ComposeNode = Peer & { readonly port: number; readonly peers: readonly Peer[] }

export type ComposeNetwork = {
  readonly nodes: readonly ComposeNode[]
  readonly chainName: string
  readonly chainId: bigint
  readonly symbol: string
  /** Owner of the homes; the nodes run as this user. */
  readonly user: string
}

/** Ports in a container. */
const P2P_PORT = 26656
const METRICS_PORT = 26660
const NODE_PORT = 8545
/** In the folder of compose.yml. */
export const COMPOSE_PROMETHEUS = 'compose-prometheus.yml'

/** Prometheus and Grafana with the dashboards of node and network, in an optional profile. */
const MONITORING = `  prometheus:
    image: prom/prometheus:\${PROMETHEUS_TAG:-v3.5.0}
    profiles: [monitoring]
    ports:
      - '127.0.0.1:9090:9090'
    volumes:
      - ./${COMPOSE_PROMETHEUS}:/etc/prometheus/prometheus.yml:ro
    restart: unless-stopped

  grafana:
    image: grafana/grafana:\${GRAFANA_TAG:-12.1.0}
    profiles: [monitoring]
    depends_on:
      - prometheus
    environment:
      # Only this machine reaches the port: no login to look.
      GF_AUTH_ANONYMOUS_ENABLED: 'true'
      GF_ANALYTICS_REPORTING_ENABLED: 'false'
    ports:
      - '127.0.0.1:3001:3000'
    volumes:
      - \${KESTREL_SOURCE:-..}/docker/monitoring/grafana.yml:/etc/grafana/provisioning/datasources/kestrel.yml:ro
      - \${KESTREL_SOURCE:-..}/docker/monitoring/dashboards.yml:/etc/grafana/provisioning/dashboards/kestrel.yml:ro
      - \${KESTREL_SOURCE:-..}/docker/monitoring/network.json:/var/lib/grafana/dashboards/network.json:ro
      - \${KESTREL_SOURCE:-..}/docker/monitoring/dashboard.json:/var/lib/grafana/dashboards/dashboard.json:ro
    restart: unless-stopped
`

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

function service({ user }: ComposeNetwork, { name, port, ...node }: ComposeNode): string {
  const peers = node.peers.map((other) => `${other.nodeId}@${other.name}:${P2P_PORT}`)
  const words = ['start', '--home', '/node', '--host', '0.0.0.0', '--port', String(NODE_PORT), '--hosts', name]
  if (peers.length > 0) words.push('--peers', peers.join(','))
  return `  ${name}:
    <<: *node
    command: [${words.map(quoted).join(', ')}]
    environment:
      # The home is made for one machine, where each engine has a port of its own.
      CMT_P2P_LADDR: 'tcp://0.0.0.0:${P2P_PORT}'
      CMT_INSTRUMENTATION_PROMETHEUS_LISTEN_ADDR: ':${METRICS_PORT}'
    user: ${quoted(user)}
    volumes:
      - './${name}:/node'
    ports:
      - '127.0.0.1:${port}:${NODE_PORT}'
`
}

function frontend({ chainName, chainId, symbol }: ComposeNetwork, { name, port }: ComposeNode): string {
  const api = { PROTOCOL: 'http', HOST: 'localhost', PORT: String(port), WEBSOCKET_PROTOCOL: 'ws' }
  const environment: readonly (readonly [string, string])[] = [
    ['NEXT_PUBLIC_APP_PROTOCOL', 'http'],
    ['NEXT_PUBLIC_APP_HOST', 'localhost'],
    ['NEXT_PUBLIC_APP_PORT', '3000'],
    ['NEXT_PUBLIC_APP_ENV', 'production'],
    ['PORT', '3000'],
    ['HOSTNAME', '0.0.0.0'],
    ...Object.entries(api).map(([key, value]) => [`NEXT_PUBLIC_API_${key}`, value] as const),
    ['NEXT_PUBLIC_NETWORK_NAME', chainName],
    ['NEXT_PUBLIC_NETWORK_SHORT_NAME', chainName],
    ['NEXT_PUBLIC_NETWORK_ID', String(chainId)],
    ['NEXT_PUBLIC_NETWORK_CURRENCY_NAME', symbol],
    ['NEXT_PUBLIC_NETWORK_CURRENCY_SYMBOL', symbol],
    ['NEXT_PUBLIC_NETWORK_CURRENCY_WEI_NAME', 'wei'],
    ['NEXT_PUBLIC_NETWORK_CURRENCY_DECIMALS', '18'],
    ['NEXT_PUBLIC_NETWORK_RPC_URL', `http://localhost:${port}/rpc`],
    ['NEXT_PUBLIC_NETWORK_VERIFICATION_TYPE', 'validation'],
    ['NEXT_PUBLIC_STATS_API_HOST', `http://localhost:${port}`],
    ['NEXT_PUBLIC_API_SPEC_URL', `http://localhost:${port}/api/v2/openapi.json`],
    ['NEXT_PUBLIC_VALIDATORS_CHAIN_TYPE', 'blackfort'],
    ['NEXT_PUBLIC_IS_TESTNET', 'true'],
    ['NEXT_PUBLIC_AD_BANNER_PROVIDER', 'none'],
    ['NEXT_PUBLIC_AD_TEXT_PROVIDER', 'none'],
    ['NEXT_PUBLIC_WEB3_WALLETS', 'none'],
    ['NEXT_TELEMETRY_DISABLED', '1'],
    ['DISABLE_TRACKING', 'true'],
  ]
  return `  frontend:
    image: ghcr.io/blockscout/frontend:\${FRONTEND_TAG:-v2.0.1}
    depends_on:
      ${name}:
        condition: service_healthy
    ports:
      - '127.0.0.1:3000:3000'
    environment:
${environment.map(([key, value]) => `      ${key}: ${quoted(value)}`).join('\n')}
    restart: unless-stopped
`
}

/** The configuration of the Prometheus of compose.yml. */
export const composePrometheusText = ({ nodes }: Pick<ComposeNetwork, 'nodes'>): string =>
  prometheusText(nodes.map(({ name }) => ({ name, node: `${name}:${NODE_PORT}`, engine: `${name}:${METRICS_PORT}` })))

/** The text of compose.yml, which is in the folder of the homes. */
export function composeText(network: ComposeNetwork): string {
  const [first] = network.nodes
  const services = network.nodes.map((node) => service(network, node))
  if (first !== undefined) services.push(frontend(network, first))
  services.push(MONITORING)
  return `# Written by \`kestrel testnet\`: the nodes of this folder, and Blockscout's frontend at http://localhost:3000.
# With --profile monitoring also Prometheus (http://localhost:9090) and Grafana (http://localhost:3001).
# KESTREL_SOURCE: the checkout of kestrel whose docker/Dockerfile builds the image, with CometBFT in it.
x-node: &node
  build:
    context: \${KESTREL_SOURCE:-..}
    dockerfile: docker/Dockerfile
    target: network
  image: kestrel-network
  init: true
  cap_drop: [ALL]
  security_opt: ['no-new-privileges:true']
  read_only: true
  tmpfs: [/tmp]
  stop_grace_period: 30s
  restart: unless-stopped

services:
${services.join('\n')}`
}
