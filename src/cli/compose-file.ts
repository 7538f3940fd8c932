// The compose file of a network on one machine. All nodes share the network of the first, so that they find each other at the
// addresses of the homes' configuration, and only their ports for clients are published, on this machine.

const IMAGE = `build:
      context: \${KESTREL_SOURCE:-..}
      dockerfile: docker/Dockerfile
      target: network
    image: kestrel-network
    restart: unless-stopped
    init: true`

const FRONTEND = `ghcr.io/blockscout/frontend:\${FRONTEND_TAG:-v2.0.1}`

/** `port`: of the first node; the others follow. */
export function composeFile(count: number, port: number): string {
  const published = Array.from({ length: count }, (_, index) => `      - '127.0.0.1:${port + index}:${port + index}'`)
  const nodes = Array.from({ length: count }, (_, index) => nodeService(index, published))
  return `# docker compose -f compose.yml up
# The nodes of this folder, and the Blockscout frontend on the first at http://localhost:3000. KESTREL_SOURCE: the checkout
# of kestrel whose docker/Dockerfile builds the image, with the engine in it.
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
`
}

function nodeService(index: number, published: readonly string[]): string {
  const command = `['start', '--home', '/home/node${index}', '--host', '0.0.0.0', '--hosts', 'node0,localhost']`
  const network = index === 0 ? `ports:\n${published.join('\n')}` : "network_mode: 'service:node0'"
  return `  node${index}:
    ${IMAGE}
    command: ${command}
    volumes:
      - ./node${index}:/home/node${index}
    ${network}
`
}
