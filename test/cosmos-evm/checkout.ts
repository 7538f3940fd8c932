// A copy of what the suites of cosmos/evm need of a checkout, with packages and compilers: build/cosmos-evm/checkout, made anew by
// each run. The checkout itself is only read. Packages are kept, because installing them takes minutes.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { installPackages } from '../clients/install.ts'

const ROOT = join(import.meta.dirname, '../..')
const KEPT = join(ROOT, 'build/cosmos-evm')
const HOME = join(KEPT, 'home')
/** The copy of the checkout. */
export const COPY = join(KEPT, 'checkout')
/** Programs of Go that a run has built. */
export const GO_PROGRAMS = join(KEPT, 'go')
const SOLIDITY = join(import.meta.dirname, 'packages/solidity')
const TOOLS = join(import.meta.dirname, 'packages/tools')
/** Packages of Hardhat 2, which the project names; its lockfile has the versions for Hardhat 3, and does not start with them. */
const HARDHAT_2 = [
  'hardhat-deploy@1.0.4',
  '@nomicfoundation/hardhat-ignition@0.15.15',
  '@nomicfoundation/hardhat-ignition-ethers@0.15.15',
]
/** Projects with a lockfile that installs, and packages that they need in place of those of the lockfile. */
const PROJECTS = { hardhat: HARDHAT_2, viem: [], 'web3.js': [] }

/** Contracts that cosmos/evm's own command leaves out, because they need another compiler. */
const LEFT_OUT = ['ERC20Minter_OpenZeppelinV5.sol', 'WEVMOS.sol', 'ERC20NoMetadata.sol']

/** The checkout that the command names, or undefined. Throws when the folder is none. */
export function findCheckout(): string | undefined {
  const folder = process.env.COSMOS_EVM
  if (folder === undefined || folder === '') return undefined
  if (!existsSync(join(folder, 'tests/solidity/suites'))) throw new Error(`${folder} is no checkout of cosmos/evm`)
  return folder
}

/** Copies the suites and installs what they run with. Takes minutes the first time. */
export async function prepare(checkout: string): Promise<void> {
  rmSync(COPY, { recursive: true, force: true })
  const copy = (from: string, to = from, wanted: (path: string) => boolean = () => true) =>
    cpSync(join(checkout, from), join(COPY, to), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules' && wanted(path),
    })
  for (const part of ['solidity', 'evm-tools-compatibility', 'jsonrpc/simulator']) copy(`tests/${part}`)
  const isContract = (path: string) =>
    !/\.\w+$/.test(path) || (path.endsWith('.sol') && !LEFT_OUT.includes(basename(path)))
  for (const suite of ['precompiles', 'revert_cases'])
    copy('precompiles', `tests/solidity/suites/${suite}/contracts/cosmos`, isContract)

  await installPackages(SOLIDITY)
  await installPackages(TOOLS)
  symlinkSync(join(SOLIDITY, 'node_modules'), join(COPY, 'tests/solidity/node_modules'))
  for (const [name, instead] of Object.entries(PROJECTS)) {
    const project = join(COPY, 'tests/evm-tools-compatibility', name)
    const packages = join(KEPT, 'packages', name)
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(project, file), join(packages, file))
    await installPackages(packages, instead)
    symlinkSync(join(packages, 'node_modules'), join(project, 'node_modules'))
  }
  placeCompilers()
}

/** The environment of the suites' programs for a node at a port: nothing of this test runner, and a home of their own. */
export const environment = (port: string) => ({
  PATH: [join(TOOLS, 'node_modules/.bin'), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(':'),
  HOME,
  NO_COLOR: '1',
  CI: 'true',
  HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
  NODE_OPTIONS: `--require ${join(import.meta.dirname, 'redirect.cjs')}`,
  NODE_PORT: port,
  FOUNDRY_SOLC: join(import.meta.dirname, '../clients/foundry-sample/solc.mjs'),
  FOUNDRY_LINT_ON_BUILD: 'false',
})

/** Runs a program to its end; `output` has both of its streams. */
export async function runProgram(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  // Truffle writes colours whatever it is told.
  return { code, output: stripVTControlCharacters(output) }
}

/** The compiler's package of a version, as a path. */
export const compiler = (version: string) => join(TOOLS, `node_modules/solc-${version}`)

/**
 * Puts the compilers where Hardhat and Truffle keep those that they have downloaded. Hardhat takes the JavaScript build of a version
 * when it has noted that the native one does not work.
 */
function placeCompilers(): void {
  const code = `const at = require('env-paths'); console.log(at('hardhat').cache + '\\n' + at('truffle').config)`
  const options = { cwd: SOLIDITY, env: { HOME }, encoding: 'utf8' } as const
  const [hardhat = '', truffle = ''] = execFileSync(process.execPath, ['-e', code], options).trim().split('\n')
  const versions = readdirSync(join(TOOLS, 'node_modules')).flatMap((name) => /^solc-(.*)/.exec(name)?.slice(1) ?? [])
  const place = (folder: string, put: (path: string, version: string) => void) => {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const builds = versions.map((version) => ({
      version,
      longVersion: `${version}+npm`,
      path: `soljson-v${version}+npm.js`,
    }))
    for (const { path, version } of builds) put(join(folder, path), version)
    return builds
  }
  const script = (path: string, version: string) => symlinkSync(join(compiler(version), 'soljson.js'), path)
  const broken = (path: string) => ['', '.does.not.work'].map((ending) => writeFileSync(path + ending, ''))
  for (const platform of ['linux-amd64', 'macosx-amd64', 'windows-amd64', 'wasm']) {
    const folder = join(hardhat, 'compilers-v2', platform)
    const builds = place(folder, platform === 'wasm' ? script : broken)
    writeFileSync(join(folder, 'list.json'), JSON.stringify({ builds }))
  }
  place(join(truffle, 'compilers/node_modules'), script)
}
