// Stack traces of the code of seven compilers against Hardhat's on the same calls, and against stacks that were written by hand.
//
// Where Hardhat differs: it has none when gas runs out, and no function for an unknown selector. Of optimized code from 0.8 on it
// names the function whose ending the optimizer has shared, and leaves out levels of a recursion; it does not read 0.4's code.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Abi, encodeAbiParameters, encodeFunctionData, type Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { testChain } from '../support/chain.ts'
import { temporaryFolder } from '../support/process.ts'

const FOLDER = join(import.meta.dirname, 'stack-traces')
const FILE = 'contracts/Scenario.sol'
const SOURCE = readFileSync(join(FOLDER, 'scenario.sol'), 'utf8')

// --- compilers

const order = (version: string): number => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)

/** The source for a version. */
const sourceFor = (version: string): string =>
  SOURCE.split('\n')
    .map((line) => {
      const [, kind, limit] = /\/\/ (since|until) ([\d.]+)$/.exec(line) ?? []
      return limit === undefined || order(version) >= order(limit) === (kind === 'since') ? line : ''
    })
    .join('\n')

type Code = { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
type Build = {
  readonly version: string
  readonly input: object
  readonly output: { readonly contracts: Readonly<Record<string, Readonly<Record<string, Code>>>> }
}

async function compiled(packageName: string, version: string, optimizer: boolean): Promise<Build> {
  const outputSelection = {
    '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode', 'evm.methodIdentifiers'], '': ['ast'] },
  }
  const settings = { optimizer: { enabled: optimizer, runs: 200 }, outputSelection }
  const input = { language: 'Solidity', sources: { [FILE]: { content: sourceFor(version) } }, settings }
  const folder = join(import.meta.dirname, 'solc/node_modules', packageName)
  const child = execFile(process.execPath, [join(FOLDER, 'compile.cjs'), folder], { maxBuffer: 1 << 26 })
  const chunks: string[] = []
  child.stdout?.on('data', (chunk: string) => chunks.push(chunk))
  child.stdin?.end(JSON.stringify(input))
  await once(child, 'close')
  return { version, input, output: JSON.parse(chunks.join('')) }
}

// --- the two nodes

type Answer = {
  readonly result?: unknown
  readonly error?: { readonly data?: unknown; readonly stack?: readonly string[] }
}
type Node = { readonly ask: (method: string, ...params: unknown[]) => Promise<Answer> }

async function hardhat(): Promise<Node> {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  await cp(FOLDER, folder.path, { recursive: true })
  await symlink(join(import.meta.dirname, 'hardhat-2.29/node_modules'), join(folder.path, 'node_modules'))
  const env = { ...process.env, CI: 'true', HARDHAT_CONFIG: 'hardhat.config.cjs' }
  const child = spawn(process.execPath, ['hardhat.cjs'], { cwd: folder.path, env, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(method, ...params) {
      child.stdin.write(`${JSON.stringify({ method, params })}\n`)
      return JSON.parse((await lines.next()).value ?? '{}')
    },
  }
}

type Call = { readonly to?: Hex; readonly from?: Hex; readonly data: Hex; readonly value?: Hex; readonly gas?: Hex }

/** Deploys the contracts; the calls that fail. */
async function scenario({ ask }: Node, { version, input, output }: Build): Promise<Readonly<Record<string, Call>>> {
  const request = async (method: string, ...params: unknown[]) => {
    const { result, error } = await ask(method, ...params)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  await request('hardhat_addCompilationResult', version, input, output)
  const [from, other] = (await request('eth_accounts')) as [Hex, Hex]
  const code = (name: string): Code => {
    const found = output.contracts[FILE]?.[name]
    if (found === undefined) throw new Error(JSON.stringify(output))
    return found
  }
  const deploy = async (data: Hex): Promise<Hex> => {
    const hash = await request('eth_sendTransaction', { from, data, gas: '0x400000' })
    return ((await request('eth_getTransactionReceipt', hash)) as { contractAddress: Hex }).contractAddress
  }
  const library = await deploy(`0x${code('Checks').evm.bytecode.object}`)
  const creation = (name: string, type?: string, value?: unknown): Hex => {
    const args = type === undefined ? '' : encodeAbiParameters([{ type }], [value]).slice(2)
    return `0x${code(name).evm.bytecode.object.replace(/__.{38}/g, library.slice(2))}${args}`
  }
  const vault = await deploy(creation('Vault', 'uint256', 5n))
  const caller = await deploy(creation('Caller'))
  const proxy = await deploy(creation('Proxy', 'address', vault))
  const of =
    (name: string, to: Hex) =>
    (functionName: string, ...args: unknown[]) => ({
      to,
      data: encodeFunctionData({ abi: code(name).abi, functionName, args }),
    })
  const [v, c] = [of('Vault', vault), of('Caller', caller)]
  const take = v('take', 5000n)
  return {
    ...{
      take,
      takeFor: c('takeFor', vault, 5000n),
      custom: v('custom', 5n),
      guarded: { ...v('guarded'), from: other },
    },
    ...{ shared: v('shared', 0n), index: v('index', 3n), divide: v('divide', 0n), inherited: v('inherited', 0n) },
    ...{ burn: { ...v('burn'), gas: '0x20000' }, lowLevel: v('lowLevel'), deep: v('deep', 3n) },
    ...{ creation: { data: creation('Vault', 'uint256', 50n) }, create: c('create', 50n) },
    ...{ nobody: c('nobody', other), pay: c('pay', other), proxy: { to: proxy, data: take.data } },
    ...{
      value: { ...v('take', 0n), value: '0x1' },
      unknown: { to: caller, data: '0x3d0a387c' },
      empty: { to: caller, data: '0x' },
    },
    ...(order(version) >= order('0.5.0') && { short: { to: vault, data: take.data.slice(0, 20) as Hex } }),
    ...(order(version) >= order('0.6.0') && { caught: c('caught', vault), ignored: c('ignored', vault) }),
  }
}

// --- what is expected

/** Functions and lines, innermost first. */
const STACKS: Readonly<Record<string, readonly string[]>> = {
  take: ['check:42', 'take:37'],
  takeFor: ['check:42', 'take:37', 'takeFor:89'],
  custom: ['custom:46'],
  guarded: ['onlyOwner:18', 'guarded:50'],
  shared: ['shared:10', 'shared:55'],
  index: ['index:59'],
  divide: ['divide:63'],
  inherited: ['inherited:22'],
  burn: ['burn:67'],
  lowLevel: ['lowLevel:72'],
  deep: ['reverted:83', 'deep:77', 'deep:78', 'deep:78', 'deep:78'],
  creation: ['atMost:7', 'constructor:33'],
  create: ['atMost:7', 'constructor:33', 'create:93'],
  nobody: ['nobody:97'],
  pay: ['pay:102'],
  proxy: ['check:42', 'take:37', 'fallback:128'],
  // Checks of the compiler have the line of the function, or of the contract.
  value: ['take:36'],
  short: ['take:36'],
  unknown: ['0x3d0a387c:87'],
  empty: ['receive:87'],
  caught: ['caught:106'],
  ignored: ['onlyOwner:18', 'guarded:50', 'ignored:111'],
}

/** Other places, where a version has the statement in another line, or the compiler gives another. */
function othersOf(version: string, optimizer: boolean): Readonly<Record<string, readonly string[]>> {
  const is = (limit: string) => order(version) < order(limit)
  return {
    ...(is('0.8.4') && { custom: ['custom:47'] }),
    ...(is('0.8.0') && { pay: ['pay:101'] }),
    // The optimizer shares a jump among calls, and the assembly's revert among checks: that has the place of the function.
    ...(optimizer && !is('0.8.0') && { deep: ['reverted:83', 'deep:77', 'deep:76', 'deep:76', 'deep:76'] }),
    ...(optimizer && is('0.8.30') && { lowLevel: ['lowLevel:70'] }),
  }
}

const NO_STACK = ['burn']
const NO_FUNCTION = ['unknown', 'empty']

test.each([
  ['solc-0.4', '0.4.26'],
  ['solc-0.5', '0.5.17'],
  ['solc-0.6', '0.6.12'],
  ['solc-0.7', '0.7.6'],
  ['solc-0.8.9', '0.8.9'],
  ['solc-0.8.20', '0.8.20'],
  ['solc-0.8.30', '0.8.30'],
])(
  'stack traces of code by %s name functions and lines as Hardhat does',
  async (packageName, version) => {
    for (const optimizer of [false, true]) {
      const build = await compiled(packageName, version, optimizer)
      const { raw, rpc, alice } = await testChain()
      const calls = await scenario({ ask: raw }, build)
      const own: Record<string, readonly string[]> = {}
      for (const [name, call] of Object.entries(calls)) {
        const sent = await raw('eth_sendTransaction', { from: alice.address, gas: '0x400000', ...call })
        const hash = sent.result ?? (sent.error?.data as { txHash?: Hex } | undefined)?.txHash
        const stack = ((await rpc('kestrel_getStackTrace', hash)) ?? []) as string[]
        own[name] = stack.map((line) => line.replace(/^.*?at (?:\S+\.)?(\S+) \(.*:(\d+):\d+\)$/, '$1:$2'))
      }
      const expected = { ...STACKS, ...othersOf(version, optimizer) }
      expect(own, `optimizer ${optimizer}`).toEqual(
        Object.fromEntries(Object.entries(expected).filter(([name]) => name in calls)),
      )

      if (optimizer || packageName === 'solc-0.4') continue
      const node = await hardhat()
      const theirCalls = await scenario(node, build)
      for (const [name, call] of Object.entries(theirCalls)) {
        const { error } = await node.ask('eth_sendTransaction', { from: alice.address, gas: '0x400000', ...call })
        const stack = error?.stack?.map((line) => line.replace(/[<>]/g, ''))
        const ours = NO_FUNCTION.includes(name) ? own[name]?.map((line) => line.replace(/^.*:/, ':')) : own[name]
        expect(stack, name).toEqual(NO_STACK.includes(name) ? [] : ours)
      }
    }
  },
  300_000,
)
