// The compose file of a network on one machine. All nodes share the network of the first, so that they find each other at the
// addresses of the homes' configuration, and only their ports for clients are published, on this machine.

const IMAGE = `build:
      context: \${KESTREL_SOURCE:-..}
      dockerfile: docker/Dockerfile
      target: network
    image: kestrel-network
    restart: unless-stopped
    init: true`

/** Prometheus beside the nodes, because it asks their engines too, and Grafana with the network's dashboard. */
const MONITORING = `  prometheus:
    image: prom/prometheus:\${PROMETHEUS_TAG:-v3.5.0}
    profiles: [monitoring]
    network_mode: 'service:node0'
    volumes:
      - ./prometheus.yml:/etc/prometheus/prometheus.yml:ro
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

const FRONTEND = `ghcr.io/blockscout/frontend:\${FRONTEND_TAG:-v2.0.1}`

/** `port`: of the first node; the others follow. */
export function composeFile(count: number, port: number): string {
  const published = Array.from({ length: count }, (_, index) => `      - '127.0.0.1:${port + index}:${port + index}'`)
  const nodes = Array.from({ length: count }, (_, index) => nodeService(index, published))
  return `# docker compose -f compose.yml up
# The nodes of this folder, and the Blockscout frontend on the first at http://localhost:3000. KESTREL_SOURCE: the checkout
# of kestrel whose docker/Dockerfile builds the image, with the engine in it.
# With --profile monitoring also Prometheus, and Grafana with the network's dashboard at http://localhost:3001.
services:
${nodes.join('\n')}
  frontend:
    image: ${FRONTEND}
    depends_on:
      - node0
    ports:
      - '127.0.0.1:3000:3000'
    env_file: \${KESTREL_SOURCE:-..}/docker/frontend.env
    restart: unless-stopped
${MONITORING}`
}

function nodeService(index: number, published: readonly string[]): string {
  const command = `['start', '--home', '/home/node${index}', '--host', '0.0.0.0', '--hosts', 'node0,localhost', '--metrics']`
  const aliases = "networks: { default: { aliases: ['prometheus'] } }"
  const network = index === 0 ? `ports:\n${published.join('\n')}\n    ${aliases}` : "network_mode: 'service:node0'"
  return `  node${index}:
    ${IMAGE}
    command: ${command}
    volumes:
      - ./node${index}:/home/node${index}
    ${network}
`
}
