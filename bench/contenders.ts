// The two programs to compare: kestrel as its users start it, from `dist/` with a fresh data directory on disk and its index,
// and anvil, which keeps all data in memory. Chain id, accounts, balances and gas limit are equal.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Cost, runToEnd } from './programs.ts'
import { ACCOUNTS, CHAIN_ID, GAS_LIMIT, MNEMONIC } from './senders.ts'
import { freePort, startTarget, type Target } from './target.ts'

/** The present kestrel, and the program it is compared with: anvil, or kestrel of another commit. */
export type Name = 'kestrel' | 'peer'

export type Contender = {
  readonly name: Name
  readonly program: 'kestrel' | 'anvil'
  /** kestrel's `main.js`. */
  readonly main?: string
  /** Starts a separate node; it runs until `stopAll`. Throws when it does not answer in time. */
  start(options?: StartOptions): Promise<Target>
  stopAll(): Promise<void>
}

export type StartOptions = {
  /** Additional flags for each program. */
  readonly flags?: Partial<Record<'kestrel' | 'anvil', readonly string[]>>
  /** kestrel's data directory, with or without a chain. Default: a temporary one, removed at the end. */
  readonly datadir?: string
  /** Begins a fork of the chain at this URL, with 10 development accounts. */
  readonly forkUrl?: string
  /** Additional variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Home of a network's node, which has its data directory and its chain. */
  readonly home?: string
}

/** The program of the last build, or that in the environment variable KESTREL_PROGRAM. */
const PROGRAM = process.env['KESTREL_PROGRAM'] ?? join(import.meta.dirname, '../dist/main.js')

/** Node.js flags of `npm start`. */
const NODE_FLAGS: readonly string[] = (() => {
  const text = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  const { scripts } = JSON.parse(text) as { readonly scripts: { readonly start: string } }
  return scripts.start.split(' ').filter((word) => word.startsWith('--'))
})()

const CHAIN = ['--chain-id', String(CHAIN_ID), '--mnemonic', MNEMONIC, '--accounts', String(ACCOUNTS)]
const forkOf = (url: string): readonly string[] => ['--fork-url', url, '--mnemonic', MNEMONIC]
const FUNDS = ['--balance', '1000000', '--gas-limit', String(GAS_LIMIT)]
/** A call may use the gas of a block and take as long as it needs. */
const KESTREL = ['--call-gas-cap', String(GAS_LIMIT), '--call-timeout', '600000', '--silent']
/** The newest fork that both programs know by this name; kestrel's later forks change blob parameters only. */
const ANVIL = ['--hardfork', 'osaka', '--silent']

/** Path of anvil: `ANVIL` in the environment, or the package for this machine; undefined if neither exists. */
export function findAnvil(): string | undefined {
  if (process.env['ANVIL'] !== undefined) return process.env['ANVIL']
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const suffix = process.platform === 'win32' ? '.exe' : ''
  try {
    const inside = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/package.json`)
    const program = join(dirname(inside), `bin/anvil${suffix}`)
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** `1.7.1` */
export const anvilVersion = (anvil: string): string =>
  /Version: *(\S+)/.exec(execFileSync(anvil, ['--version'], { encoding: 'utf8' }))?.[1] ?? 'unknown'

/** kestrel of this build, or of another one by the path of its `main.js`. */
export const kestrel = (name: Name = 'kestrel', main = PROGRAM): Contender => ({
  ...kestrelOf(name, main),
  main,
})

const kestrelOf = (name: Name, main: string): Contender =>
  contender(name, 'kestrel', ({ flags, datadir, home, forkUrl }, port) => {
    if (home !== undefined)
      return { program: process.execPath, args: [...NODE_FLAGS, main, 'start', '--home', home, '--port', port] }
    const folder = ['--datadir', datadir ?? temporaryFolder()]
    // An existing chain keeps its genesis, so no genesis flags.
    const isNew = datadir === undefined || !existsSync(datadir)
    const chain = forkUrl !== undefined ? forkOf(forkUrl) : isNew ? [...CHAIN, ...FUNDS] : []
    const start = [main, 'start', '--port', port, ...folder, ...chain, ...KESTREL]
    return { program: process.execPath, args: [...NODE_FLAGS, ...start, ...(flags?.kestrel ?? [])] }
  })

export const anvil = (program: string): Contender =>
  contender('peer', 'anvil', ({ flags, forkUrl }, port) => {
    // It writes states of older blocks there, and leaves them when it is killed.
    const cache = ['--cache-path', temporaryFolder()]
    const chain = forkUrl === undefined ? [...CHAIN, ...FUNDS] : [...forkOf(forkUrl), '--no-rate-limit']
    const args = ['--port', port, ...chain, ...ANVIL, ...cache, ...(flags?.anvil ?? [])]
    return { program, args }
  })

/** Runs a command of kestrel, such as `init`, to its end. Throws when it fails. */
export const runKestrel = ({ main = PROGRAM }: Contender, args: readonly string[]): Promise<Cost> =>
  runToEnd(process.execPath, [...NODE_FLAGS, main, ...args])

type CommandLine = { readonly program: string; readonly args: readonly string[] }

function contender(
  name: Name,
  program: Contender['program'],
  commandLine: (options: StartOptions, port: string) => CommandLine,
): Contender {
  const running = new Set<Target>()
  return {
    name,
    program,
    async start(options = {}) {
      const port = await freePort()
      const { program: executable, args } = commandLine(options, String(port))
      const target = await startTarget(executable, args, `http://127.0.0.1:${port}/`, options.env)
      running.add(target)
      return target
    },
    async stopAll() {
      for (const target of running) await target.stop()
      running.clear()
    },
  }
}

const folders = new Set<string>()
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A fresh folder, which is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-bench-'))
  folders.add(folder)
  return folder
}
