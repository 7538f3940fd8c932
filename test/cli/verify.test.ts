// `kestrel verify` against a running explorer, as its command line runs it.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Command } from 'commander'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { register, sourcesOf } from '../../src/cli/verify.ts'
import { compile, compilerVersion, standardInput, verifyingExplorer } from '../explorer/contracts/support.ts'
import { temporaryFolder } from '../support/process.ts'

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
beforeAll(async () => {
  explorer = await verifyingExplorer()
}, 60_000)
afterAll(() => explorer.close())

const HEAD = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n'
const KITE = `${HEAD}import {Wing} from './parts/Wing.sol';
import "@wind/Wind.sol";
contract Kite is Wing, Wind { uint256 public immutable length; constructor(uint256 length_) { length = length_; } }`
const WING = `${HEAD}contract Wing { uint256 public span = 3; }`
const WIND = `${HEAD}contract Wind { uint256 public force = 9; }`

/** As the compiler is to know them. */
const input = standardInput({ 'src/Kite.sol': KITE, 'src/parts/Wing.sol': WING, '@wind/Wind.sol': WIND })
const deploy = () => explorer.deploy(compile(input)('src/Kite.sol:Kite'), [2n])

/** Goes on in a folder with the files. */
async function project(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const { path, remove } = await temporaryFolder()
  const files = { 'src/Kite.sol': KITE, 'src/parts/Wing.sol': WING, 'node_modules/@wind/Wind.sol': WIND, ...more }
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(path, dirname(file)), { recursive: true })
    await writeFile(join(path, file), content)
  }
  const before = process.cwd()
  process.chdir(path)
  onTestFinished(async () => {
    process.chdir(before)
    await remove()
  })
}

/** Runs the command; what it prints on standard output. */
async function run(...args: string[]): Promise<string> {
  let stdout = ''
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      stdout += String(chunk)
      return true
    }),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ]
  const program = new Command().exitOverride()
  register(program)
  try {
    await program.parseAsync(['node', 'kestrel', 'verify', '--rpc-url', `${explorer.explorerUrl}/rpc`, ...args])
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return stdout
}

it('verify takes files with their imports', async () => {
  await project()
  expect(await sourcesOf(['./src/Kite.sol'])).toEqual(input.sources)
  const { address } = await deploy()
  const stdout = await run(address, '--source', 'src/Kite.sol', '--optimize', '--licence', 'mit')
  expect(stdout).toBe(`Verified Kite at ${address}\n  Match      exact\n`)
  expect(await explorer.contract(address)).toMatchObject({ is_fully_verified: true, license_type: 'mit' })
})

it('verify takes the compiler’s standard input, alone or in a build file', async () => {
  await project({ 'input.json': JSON.stringify(input), 'build.json': JSON.stringify({ id: 'x', input, output: {} }) })
  for (const file of ['input.json', 'build.json']) {
    const { address } = await deploy()
    const name = ['--name', 'src/Kite.sol:Kite', '--compiler', compilerVersion()]
    const answer = JSON.parse(await run(address, '--standard-json', file, ...name, '--json'))
    expect(answer, file).toEqual({ address, name: 'Kite', match: 'exact' })
  }
})

it('verify prints one line for an error', async () => {
  await project({ 'src/Broken.sol': 'contract {', 'src/Lone.sol': `${HEAD}import "./nowhere.sol"; contract Lone {}` })
  const { address } = await deploy()
  const refusals: [string[], string | RegExp][] = [
    [['0x99', '--source', 'src/Kite.sol'], /expected an address/],
    [[address], /--source: expected source files/],
    [[address, '--source', 'src/Kite.sol', '--optimize', 'much'], /--optimize: /],
    [[address, '--source', 'src/Kite.sol', '--compiler', '0.4.11'], /^compiler 0.4.11 is not installed here/],
    [[`0x${'99'.repeat(20)}`, '--source', 'src/Kite.sol'], /^Unable to locate ContractCode/],
    [[address, '--source', 'src/Kite.sol'], /^the compiled code is not the code at/],
    [
      [address, '--source', 'src/Kite.sol', '--optimize', '--name', 'Boat'],
      /^there is no contract Boat in the sources/,
    ],
    [[address, '--source', 'src/Broken.sol'], 'the contract is not verified'],
    [[address, '--source', 'src/Lone.sol'], 'the contract is not verified'],
    [[address, '--source', 'src/Nothing.sol'], /ENOENT/],
    [[address, '--standard-json', 'src/Kite.sol'], /is no JSON/],
    [[address, '--source', 'src/Kite.sol', '--rpc-url', 'http://127.0.0.1:1/rpc'], /^no node answers/],
  ]
  for (const [args, words] of refusals) await expect(run(...args), args.join(' ')).rejects.toThrow(words)
})
