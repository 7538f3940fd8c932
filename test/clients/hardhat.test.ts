// Hardhat 2 with its plugins, as a project uses them on its network `localhost`: `npx hardhat test --network localhost`.
// `hardhat-sample` is the project; `hardhat-VERSION` has the packages that it runs with.
import { execFile } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { toFunctionSelector } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { request } from '../support/chain.ts'
import { type RunningProcess, startProcess, temporaryFolder } from '../support/process.ts'

const require = createRequire(import.meta.url)
const { version } = require('solc/package.json') as { version: string }

/** Copies the project to a folder of its own, with the packages of a version. */
async function project(packages: string): Promise<string> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  await cp(join(import.meta.dirname, 'hardhat-sample'), folder.path, { recursive: true })
  await cp(join(import.meta.dirname, packages, 'package.json'), join(folder.path, 'package.json'))
  await symlink(join(import.meta.dirname, packages, 'node_modules'), join(folder.path, 'node_modules'))
  return folder.path
}

async function nodeWith(...flags: string[]): Promise<RunningProcess> {
  const node = await startProcess(['--in-memory', ...flags])
  onTestFinished(async () => void (await node.stop()))
  return node
}

/** A node, and a function that runs Hardhat on it and returns what it prints. */
async function started(packages: string, more: Record<string, string> = {}, flags: readonly string[] = []) {
  const node = await nodeWith(...flags)
  const cwd = await project(packages)
  const program = join(cwd, 'node_modules/hardhat/internal/cli/bootstrap.js')
  const env = {
    ...process.env,
    CI: 'true',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    NODE_URL: node.url,
    SOLJSON: require.resolve('solc/soljson.js'),
    SOLC_VERSION: version,
    ...more,
  }
  const hardhat = async (...given: string[]): Promise<string> => {
    // The exit code is the number of failed tests; the output names them.
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...given], { cwd, env }).catch((error) => {
      throw new Error(`${error.stdout}\n${error.stderr}`)
    })
    return stdout
  }
  return { node, hardhat }
}

const forking = ({ url }: RunningProcess) => ['--fork-url', url, '--no-storage-caching']

/** Deploys the lock; its address and the time at which it opens. */
async function deployed(hardhat: (...given: string[]) => Promise<string>): Promise<string[]> {
  const printed = await hardhat('run', '--network', 'localhost', 'deploy.cjs')
  return (printed.trim().split('\n').at(-1) ?? '').split(' ')
}

test.each([
  // Sends 30,000,000 gas with every transaction.
  ['hardhat-2.22', 'hardhat-ethers 3.0.9'],
  // Sends 2^24.
  ['hardhat-2.29', 'hardhat-ethers 3.1.3'],
])('the suite of a project passes with %s and %s', async (packages) => {
  const { hardhat } = await started(packages)
  const suite = (network: string, file: string) => hardhat('test', '--network', network, join('test', file))
  expect(await suite('localhost', 'lock.cjs')).toMatch(/\b10 passing\b/)
  // In this case Hardhat sends without an estimate and reads the revert from the response to the send.
  expect(await suite('localhost', 'errors.cjs')).toMatch(/\b2 passing\b/)
  expect(await suite('estimating', 'errors.cjs')).toMatch(/\b2 passing\b/)
})

test.each(['hardhat-2.22', 'hardhat-2.29'])(
  'the suite of a project and the network helpers pass on a fork with %s',
  async (packages) => {
    const origin = await nodeWith()
    const { hardhat } = await started(packages, { ORIGIN_URL: origin.url }, forking(origin))
    const suite = (file: string) => hardhat('test', '--network', 'localhost', join('test', file))
    expect(await suite('lock.cjs')).toMatch(/\b10 passing\b/)
    expect(await suite('fork.cjs')).toMatch(/\b7 passing\b/)
  },
)

test('Hardhat’s own network forks a fork', async () => {
  const origin = await started('hardhat-2.29')
  const [LOCK = '', unlockTime = ''] = await deployed(origin.hardhat)
  const { node, hardhat } = await started('hardhat-2.29', { LOCK }, forking(origin.node))
  const ask = <T>(method: string, ...params: unknown[]) => request(node.url, method, params) as Promise<T>
  const [from] = await ask<string[]>('eth_accounts')
  await ask('evm_setNextBlockTimestamp', Number(unlockTime))
  await ask('eth_sendTransaction', { from, to: LOCK, data: toFunctionSelector('withdraw()') })
  expect(await hardhat('test', '--network', 'hardhat', 'test/forking.cjs')).toMatch(/\b1 passing\b/)
})

test('hardhat-verify verifies with Sourcify, and reports the contract as verified', async () => {
  const { node, hardhat } = await started('hardhat-2.29', { VERIFIES: 'true' })
  const [address = '', unlockTime = ''] = await deployed(hardhat)
  const verify = () => hardhat('verify', '--network', 'localhost', address, unlockTime)
  expect(await verify()).toMatch(/Successfully verified contract Lock on Sourcify/)
  expect(await verify()).toMatch(/has already been verified on Sourcify/)
  const answer = await fetch(`${node.url}/api/v2/smart-contracts/${address}`)
  expect(await answer.json()).toMatchObject({ is_fully_verified: true, is_verified_via_sourcify: true, name: 'Lock' })
})
