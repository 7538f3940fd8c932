// The files with which operators run nodes, judged by the tools that read them: systemd's unit, the compose files, the Helm
// chart. A tool that is not on this machine skips its tests: systemd-analyze, docker compose or docker-compose, helm (HELM names
// another path), kubeconform (KUBECONFORM, with JSON schemas of Kubernetes in KUBERNETES_SCHEMAS).
import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { composeText } from '../src/cli/network/compose.ts'
import { temporaryFolder } from './support/process.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const works = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

async function folder(): Promise<string> {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  return path
}

const ANALYZE = works('systemd-analyze', '--version')
describe.skipIf(!ANALYZE)(`kestrel.service${ANALYZE ? '' : ' (skipped: no systemd-analyze)'}`, () => {
  const unit = join(root, 'deploy/systemd/kestrel.service')
  /** The unit with a program that exists on this machine. */
  async function installed(change: (text: string) => string = (text) => text): Promise<string> {
    const path = join(await folder(), 'kestrel.service')
    const text = (await readFile(unit, 'utf8')).replace('/usr/bin/kestrel', process.execPath)
    await writeFile(path, change(text))
    return path
  }

  it('is a unit that systemd reads without a word', async () => {
    const { stdout, stderr } = await run('systemd-analyze', ['verify', await installed()])
    expect(stdout + stderr).toBe('')
    // What it says of a unit that is wrong.
    const wrong = await installed((text) => text.replace('Restart=always', 'Restart=allways'))
    const { stderr: words } = await run('systemd-analyze', ['verify', wrong]).catch((error) => error)
    expect(words).toContain('allways')
  })

  it('leaves the service little of the system', async () => {
    // systemd's scale goes from 0 to 10 (`unsafe` from 9 on), and calls what is below 2.5 well protected.
    const args = ['security', '--offline=yes', '--no-pager', '--threshold=20', await installed()]
    expect((await run('systemd-analyze', args)).stdout).toMatch(/Overall exposure level/)
    const bare = await installed((text) =>
      text.replace(/^(?:Private|Protect|Restrict|Capability|SystemCall).*\n/gm, ''),
    )
    await expect(
      run('systemd-analyze', ['security', '--offline=yes', '--no-pager', '--threshold=20', bare]),
    ).rejects.toThrow()
  })
})

const COMPOSE: readonly string[] | undefined = works('docker', 'compose', 'version')
  ? ['docker', 'compose']
  : works('docker-compose', 'version')
    ? ['docker-compose']
    : undefined

describe.skipIf(COMPOSE === undefined)(
  `compose files${COMPOSE === undefined ? ' (skipped: no docker compose)' : ''}`,
  () => {
    const [program = '', ...words] = COMPOSE ?? []
    const config = async (file: string) => parse((await run(program, [...words, '-f', file, 'config'])).stdout)

    it('of a development chain is read by Docker Compose', async () => {
      const { services } = await config(join(root, 'docker/compose.yml'))
      expect(services.kestrel).toMatchObject({ restart: 'unless-stopped', read_only: true, cap_drop: ['ALL'] })
    })

    it('of a network is read by Docker Compose', async () => {
      const node = { name: 'node0', nodeId: 'aa'.repeat(20), port: 8545, peers: [] }
      const path = join(await folder(), 'compose.yml')
      const network = { nodes: [node], chainName: "o'clock", chainId: 125n, symbol: 'KEST', user: '1000:1000' }
      await writeFile(path, composeText(network))
      const { services } = await config(path)
      expect(services.node0).toMatchObject({ restart: 'unless-stopped', read_only: true, cap_drop: ['ALL'] })
      expect(services.frontend.environment.NEXT_PUBLIC_NETWORK_NAME).toBe("o'clock")
      // What it says of a file that is wrong.
      await writeFile(path, composeText(network).replace('read_only: true', 'read_olny: true'))
      await expect(config(path)).rejects.toThrow(/read_olny/)
    })
  },
)

const { HELM = 'helm', KUBECONFORM = 'kubeconform', KUBERNETES_SCHEMAS } = process.env
const NO_HELM = works(HELM, 'version') ? undefined : 'skipped: no helm'
const NO_SCHEMAS =
  NO_HELM ??
  (KUBERNETES_SCHEMAS === undefined || !works(KUBECONFORM, '-v') ? 'skipped: no kubeconform with schemas' : undefined)

/** Values of a validator with a signer behind sentries, and of readers for everybody. */
const RELEASES = {
  validator: [
    'role=validator',
    'signer=tcp://0.0.0.0:26659',
    'pex=false',
    `peers[0]=${'ab'.repeat(20)}@sentry-0.sentry-p2p:26656`,
  ],
  readers: [
    'replicas=3',
    'p2p.type=LoadBalancer',
    `hides[0]=${'cd'.repeat(20)}`,
    'flags[0]=--prune=1000',
    'storage.className=fast',
  ],
}

describe.skipIf(NO_HELM !== undefined)(`the Helm chart ${NO_HELM ?? ''}`, () => {
  const chart = join(root, 'deploy/helm/kestrel')
  async function values(...set: string[]): Promise<string[]> {
    const genesis = join(await folder(), 'genesis.json')
    await writeFile(genesis, '{"config":{"chainId":125}}\n')
    return [chart, '--set-file', `genesis=${genesis}`, ...set.flatMap((value) => ['--set', value])]
  }
  const template = async (...set: string[]) =>
    (await run(HELM, ['template', 'net', '--namespace', 'chain', ...(await values(...set))])).stdout
  type Manifest = {
    readonly kind: string
    readonly metadata: { readonly name: string }
    readonly [key: string]: unknown
  }
  const manifests = async (...set: string[]) =>
    parseAllDocuments(await template(...set)).map((document) => document.toJS() as Manifest)

  it.each(Object.entries(RELEASES))('is without fault for a %s release', async (_, set) => {
    expect((await run(HELM, ['lint', '--strict', ...(await values(...set))])).stdout).toContain('0 chart(s) failed')
  })

  it.skipIf(NO_SCHEMAS !== undefined).each(Object.entries(RELEASES))(
    `makes resources of Kubernetes for a %s release ${NO_SCHEMAS ?? ''}`,
    async (_, set) => {
      const path = join(await folder(), 'resources.yaml')
      const schemas = join(KUBERNETES_SCHEMAS ?? '', '{{ .ResourceKind }}{{ .KindSuffix }}.json')
      const check = () => run(KUBECONFORM, ['-strict', '-summary', '-schema-location', schemas, path])
      await writeFile(path, await template(...set))
      expect((await check()).stdout).toMatch(/Invalid: 0, Errors: 0, Skipped: 0/)
      await writeFile(path, (await template(...set)).replace('serviceName:', 'srviceName:'))
      await expect(check()).rejects.toThrow()
    },
  )

  it('makes one pod for a validator, which waits for its signer at a port that peers do not reach', async () => {
    const made = await manifests(...RELEASES.validator)
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'ConfigMap net-kestrel-genesis',
      'Service net-kestrel',
      'Service net-kestrel-p2p',
      'Service net-kestrel-signer',
      'StatefulSet net-kestrel',
    ])
    const set = made.find(({ kind }) => kind === 'StatefulSet')
    const text = JSON.stringify(set)
    expect(text).toContain('"--engine-signer=tcp://0.0.0.0:26659"')
    expect(text).toContain('{"name":"CMT_P2P_PEX","value":"false"}')
    expect(text).toContain('"--hosts=net-kestrel,net-kestrel.chain.svc"')
    const p2p = made.find(({ metadata }) => metadata.name === 'net-kestrel-p2p')
    expect(JSON.stringify(p2p)).not.toContain('signer')
    const genesis = made.find(({ kind }) => kind === 'ConfigMap')
    expect(genesis?.data).toEqual({ 'genesis.json': '{"config":{"chainId":125}}\n' })
  })

  it('refuses two pods for a validator, a release without a genesis, and a value that it does not know', async () => {
    await expect(template('role=validator', 'replicas=2')).rejects.toThrow(/a validator has one pod/)
    await expect(run(HELM, ['template', 'net', chart])).rejects.toThrow(/--set-file genesis=FILE/)
    await expect(template('peer=x')).rejects.toThrow(/peer/)
  })
})
