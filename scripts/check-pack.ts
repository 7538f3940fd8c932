// `npm run check:pack`: builds and packs the npm package, or takes the packed one that is named; goes from an empty npm cache to
// the first transaction; installs it, runs its command, imports its library and compiles its Solidity files, with this Node.js
// and with Node.js 24. Nothing is uploaded.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createPublicClient, createWalletClient, http, publicActions } from 'viem'
import { EXTERNAL_PACKAGES } from './external-packages.ts'

const root = join(import.meta.dirname, '..')
/** Version of the npm package `node`, which contains the Node.js binary. */
const OTHER_NODE = 'node@24.21.0'
/** Most bytes of files that `npx` leaves on a fresh machine: what it downloads, and the same installed. */
const MOST_BYTES = 60_000_000
/** Time limit of a command in milliseconds. */
const TIMEOUT = 120_000

const run = async (file: string, args: readonly string[], cwd: string): Promise<string> =>
  (await promisify(execFile)(file, args, { cwd, timeout: TIMEOUT, maxBuffer: 64 << 20 })).stdout
const say = (line: string) => process.stdout.write(`check:pack: ${line}\n`)

const folder = await mkdtemp(join(tmpdir(), 'kestrel-pack-'))
try {
  const [given] = process.argv.slice(2)
  const tarball = given === undefined ? await pack() : resolve(given)
  say(`${basename(tarball)}: ${megabytes((await stat(tarball)).size)}`)
  await tryWayIn(tarball)
  const project = join(folder, 'project')
  await cp(join(root, 'scripts/check-pack-project'), project, { recursive: true })
  await run('npm', ['install', '--no-audit', '--no-fund', tarball], project)
  await checkContents(join(project, 'node_modules/kestrel-evm'))
  const other = await run('npx', ['--yes', '--package', OTHER_NODE, '--', 'node', '-p', 'process.execPath'], folder)
  for (const node of [process.execPath, other.trim()]) await tryWith(node, project)
  await checkTypes(project)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Builds and packs the package; its path. */
async function pack(): Promise<string> {
  await run('npm', ['run', '-s', 'package'], root)
  await run('npm', ['pack', '--silent', '--pack-destination', folder, join(root, 'build/package')], folder)
  const [name = ''] = (await readdir(folder)).filter((entry) => entry.endsWith('.tgz'))
  return join(folder, name)
}

/**
 * From an empty folder and an empty npm cache to the first transaction, as `npx kestrel-evm` does it once the package is in a
 * registry. The time is printed only: it is mostly the network's.
 */
async function tryWayIn(tarball: string): Promise<void> {
  const [empty, cache] = [join(folder, 'empty'), join(folder, 'cache')]
  await mkdir(empty)
  const start = performance.now()
  await withCommand(['--yes', `file:${tarball}`, '--port', '0'], empty, { npm_config_cache: cache }, async (url) => {
    const client = createWalletClient({ transport: http(url), pollingInterval: 50 }).extend(publicActions)
    const [account, to = null] = await client.getAddresses()
    if (account === undefined) throw new Error('the node has no accounts')
    const hash = await client.sendTransaction({ account, to, value: 1n, chain: null })
    const { status } = await client.waitForTransactionReceipt({ hash })
    if (status !== 'success') throw new Error(`the first transaction: ${status}`)
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  if (!existsSync(join(empty, 'kestrel-data'))) throw new Error('the chain is not in kestrel-data')
  const [downloaded, installed] = [await sizeOf(join(cache, '_cacache')), await sizeOf(join(cache, '_npx'))]
  say(
    `npx: ${seconds} s to the first transaction; ${megabytes(downloaded)} downloaded, ${megabytes(installed)} installed`,
  )
  if (downloaded + installed > MOST_BYTES) throw new Error(`that is more than ${megabytes(MOST_BYTES)}`)
}

/** Checks that the manifest depends on exactly the packages outside the bundle; prints the size of the bill of materials. */
async function checkContents(installed: string): Promise<void> {
  const { dependencies, devDependencies, scripts } = await jsonOf(join(installed, 'package.json'))
  const names = Object.keys(dependencies ?? {})
  if (names.toSorted().join() !== [...EXTERNAL_PACKAGES].toSorted().join()) throw new Error(`dependencies: ${names}`)
  if (devDependencies !== undefined || scripts !== undefined) throw new Error('the manifest is that of the repository')
  const { components } = await jsonOf(join(installed, 'dist/sbom.cdx.json'))
  say(`${names.length} dependencies; ${components.length} packages in the bill of materials`)
}

async function jsonOf(file: string) {
  return JSON.parse(await readFile(file, 'utf8'))
}

/** Runs every check with one Node.js. */
async function tryWith(node: string, project: string): Promise<void> {
  const version = (await run(node, ['--version'], project)).trim()
  await tryCommand(node, project)
  say(`${version}: kestrel start answers viem and ends with a signal`)
  await run(node, ['--test', 'node.test.mjs'], project)
  say(`${version}: startNode serves a test file`)
  await run(node, ['compile.cjs'], project)
  say(`${version}: solc compiles an import of kestrel-evm/solidity/Staking.sol`)
}

/** Starts the installed command through npx, with this Node.js first in the path, and requests its pages. */
async function tryCommand(node: string, project: string): Promise<void> {
  const env = { PATH: `${dirname(node)}:${process.env.PATH}` }
  const args = ['--no-install', 'kestrel', 'start', '--in-memory', '--port', '0']
  await withCommand(args, project, env, async (url) => {
    const id = await createPublicClient({ transport: http(url) }).getChainId()
    if (id !== 125) throw new Error(`eth_chainId: ${id}`)
    for (const page of ['/', '/web/main.js', '/api/v2/docs/swagger-ui.css']) {
      const { status } = await fetch(new URL(page, url), { headers: { accept: 'text/html' } })
      if (status !== 200) throw new Error(`${page}: ${status}`)
    }
  })
}

/** Runs npx with these arguments, which start a node, calls `use` with its URL, and ends it. */
async function withCommand(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const child = spawn('npx', args, {
    cwd,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  try {
    const url = await Promise.race([urlOf(child), once(child, 'exit').then(() => undefined)])
    if (url === undefined) throw new Error(`npx ${args.join(' ')} has ended before it listened`)
    await use(url)
  } finally {
    if (child.exitCode === null && child.pid !== undefined) {
      const ended = once(child, 'exit')
      // npx starts the program as a child process.
      process.kill(-child.pid, 'SIGTERM')
      await ended
    }
  }
}

/** The URL in the banner. */
async function urlOf(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /JSON-RPC\s+(\S+)/.exec(line) ?? []
    if (url !== undefined) return url
  }
  return undefined
}

/** Compiles a strict TypeScript project against the declarations: without the types of Node.js and an old target, then with them. */
async function checkTypes(project: string): Promise<void> {
  const strict = { strict: true, skipLibCheck: false, noEmit: true, module: 'NodeNext', resolveJsonModule: true }
  const compile = async (options: object) => {
    const compilerOptions = { ...strict, ...options }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.mts'] }))
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], project)
  }
  await compile({ target: 'ES2022', types: [] })
  await symlink(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'))
  await compile({ target: 'ES2023', types: ['node'] })
  say('the declarations compile in a strict project, with and without @types/node')
}

async function sizeOf(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    files.filter((file) => file.isFile()).map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
