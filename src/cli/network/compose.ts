// The file for Docker Compose that `kestrel testnet` writes: a container for each node, and Blockscout's frontend on the first.

export type ComposeNode = { readonly name: string; readonly nodeId: string; readonly port: number }

export type ComposeNetwork = {
  readonly nodes: readonly ComposeNode[]
  readonly chainName: string
  readonly chainId: bigint
  readonly symbol: string
  /** Owner of the homes, as whom the nodes run. */
  readonly user: string
}

/** Port for peers in a container, where nobody else has it. */
const P2P_PORT = 26656

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

function service({ nodes, user }: ComposeNetwork, { name, port }: ComposeNode): string {
  const others = nodes.filter((other) => other.name !== name)
  const peers = others.map((other) => `${other.nodeId}@${other.name}:${P2P_PORT}`)
  const words = ['start', '--home', '/node', '--host', '0.0.0.0', '--port', '8545', '--hosts', name]
  if (peers.length > 0) words.push('--peers', peers.join(','))
  return `  ${name}:
    <<: *node
    command: [${words.map(quoted).join(', ')}]
    environment:
      # The home is made for one machine, where each engine has a port of its own.
      CMT_P2P_LADDR: 'tcp://0.0.0.0:${P2P_PORT}'
      CMT_INSTRUMENTATION_PROMETHEUS_LISTEN_ADDR: ':26660'
    user: ${quoted(user)}
    volumes:
      - './${name}:/node'
    ports:
      - '127.0.0.1:${port}:8545'
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

/** The text of compose.yml, which stands beside the homes. */
export function composeText(network: ComposeNetwork): string {
  const [first] = network.nodes
  const services = network.nodes.map((node) => service(network, node))
  if (first !== undefined) services.push(frontend(network, first))
  return `# Written by \`kestrel testnet\`: the nodes of this folder, and Blockscout's frontend at http://localhost:3000.
# KESTREL_SOURCE: the checkout of kestrel whose docker/Dockerfile builds the image, with the engine in it.
x-node: &node
  build:
    context: \${KESTREL_SOURCE:-..}
    dockerfile: docker/Dockerfile
    target: network
  image: kestrel-network
  init: true
  stop_grace_period: 30s
  restart: unless-stopped

services:
${services.join('\n')}`
}
