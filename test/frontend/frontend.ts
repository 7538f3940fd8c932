// Blockscout's frontend, built in a folder, as a process over a node. The build is not a part of this repository: CONTRIBUTING.md
// says how a folder is made.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const ENVIRONMENT = join(import.meta.dirname, '../../docker/frontend.env')

/** The folder, or undefined if it has no built frontend. */
export const FRONTEND = [process.env.FRONTEND].find(
  (folder) => folder !== undefined && existsSync(join(folder, '.next/BUILD_ID')),
)

/** Starts it for the node at `url`; `stop` ends it. */
export async function startFrontend(folder: string, url: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort()
  const env = { ...process.env, ...variablesFor(folder, new URL(url).port, String(port)) }
  // The frontend reads its variables from a script that is written at its start.
  execFileSync('bash', ['deploy/scripts/make_envs_script.sh'], { cwd: folder, env, stdio: 'ignore' })
  const next = spawn(join(folder, 'node_modules/.bin/next'), ['start', '-p', String(port)], {
    cwd: folder,
    env,
    stdio: 'ignore',
  })
  const exited = once(next, 'exit')
  const at = `http://localhost:${port}`
  const stop = async () => {
    next.kill()
    await exited
  }
  for (let tries = 0; ; tries++) {
    const response = await fetch(`${at}/api/healthz`).catch(() => undefined)
    if (response?.ok === true) return { url: at, stop }
    if (tries === 300) {
      await stop()
      throw new Error('the frontend does not answer')
    }
    await setTimeout(100)
  }
}

/** The variables of the image's file, for these ports. */
function variablesFor(folder: string, node: string, port: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const line of readFileSync(ENVIRONMENT, 'utf8').split('\n')) {
    const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? []
    if (name !== undefined && value !== undefined)
      variables[name] = value.replaceAll('localhost:8545', `localhost:${node}`)
  }
  const sprite = readdirSync(join(folder, 'public/icons')).find((name) => name.startsWith('sprite.'))
  return {
    ...variables,
    ...{ PORT: port, HOSTNAME: 'localhost', NEXT_PUBLIC_APP_PORT: port, NEXT_PUBLIC_API_PORT: node },
    NEXT_PUBLIC_ICON_SPRITE_HASH: sprite?.split('.')[1] ?? '',
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
