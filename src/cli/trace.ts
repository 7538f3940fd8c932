// `kestrel trace` and `kestrel profile`: what a mined transaction or a call did, as a tree of calls, and where its gas went.
import type { AbiFunction } from 'abitype'
import type { Command } from 'commander'
import { encodeFunctionData, formatUnits, parseAbiItem } from 'viem'
import { z } from 'zod'
import { foldedStacks, functionsOf, type GasProfile, gasProfile, linesOf } from '../contracts/gas-profile.ts'
import { shortAddress } from '../contracts/words.ts'
import { type Hex, hexToAddress, toQuantity } from '../lib/hex.ts'
import { type LineBelow, outputLines } from '../lib/log.ts'
import { visibleLine } from '../lib/visible-text.ts'
import { integer, readFlags, wrongOperand } from './flags.ts'
import { symbolOf } from './native/amount.ts'
import { print } from './native/answers.ts'
import { readArguments } from './native/arguments.ts'
import { contractNamed, functionsNamed, interfacesAt } from './native/contracts.ts'
import { accountFlag, accountOfNode, nodeFlags, withNodeFlags } from './native/sender.ts'
import { readBaseDenom } from './native/transaction.ts'
import { type RpcClient, withNode } from './rpc-client.ts'
import { treeLines } from './terminal/call-tree-lines.ts'

const OPERANDS = `
TARGET is the hash of a mined transaction, or the contract of a call that is tried and not sent: a native contract's name, with
FUNCTION and arguments as of \`kestrel call\`, or an address, with the declaration of the function: \`take(uint256)\`.
Names, lines and internal calls need the sources: \`kestrel start --artifacts\`, or a verified contract.`

/** Registers `trace`. */
export function registerTrace(command: Command): void {
  withOperands(command)
    .addHelpText(
      'after',
      `${OPERANDS}

Examples:
  kestrel trace 0xHASH
  kestrel trace 0xVAULT 'take(uint256 amount)' 5000 --from 1
  kestrel trace staking delegate me 0xVALIDATOR 1.5KEST`,
    )
    .action(traceAction)
}

/** Registers `profile`. */
export function registerProfile(command: Command): void {
  withOperands(command.option('--lines', 'gas by line of the sources, instead of by stack'))
    .addHelpText(
      'after',
      `${OPERANDS}

A line of the output is a stack of functions and the gas that the innermost one used itself. Tools draw a flame graph of it:
  kestrel profile 0xHASH | flamegraph.pl > gas.svg
  kestrel profile 0xHASH > gas.folded     (for speedscope.app)
Of a transaction the sum is its gas before refunds; what its data and base cost is a stack of its own.`,
    )
    .action(profileAction)
}

const withOperands = (command: Command): Command =>
  withNodeFlags(
    command
      .argument('<target>', 'hash of a transaction, or a contract')
      .argument('[function]')
      .argument('[args...]')
      .option('--from <account>', 'caller: address or number of an account of the node (default: 0, if there is one)')
      .option('--block <number>', 'the state after this block (default: the newest)'),
  )

const flags = z.object({
  ...nodeFlags,
  from: accountFlag.optional(),
  block: integer(0n, 2n ** 64n - 1n).optional(),
  lines: z.boolean().default(false),
})

// --- what the node answers

const lineGas = z.object({ file: z.string(), line: z.number(), gas: z.number(), steps: z.number() })
const frame = z.object({
  type: z.string(),
  function: z.string().optional(),
  call: z.string().optional(),
  calledAt: z.string().optional(),
  to: z.string().optional(),
  value: z.string().default('0x0'),
  gasUsed: z.union([z.string(), z.number()]).optional(),
  error: z.string().optional(),
  reason: z.string().optional(),
  event: z.string().optional(),
  console: z.string().optional(),
  lines: z.array(lineGas).optional(),
  get calls() {
    return z.array(frame).optional()
  },
})
const traced = z.object({
  ...frame.shape,
  gas: z.string(),
  isCut: z.boolean().default(false),
  stack: z.array(z.string()).default([]),
  sources: z.array(z.object({ path: z.string(), text: z.string() })).default([]),
})
type Frame = z.output<typeof frame>
type Traced = z.output<typeof traced>

const HASH = /^0x[0-9a-fA-F]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

type Target = Hex | { readonly to: Hex; readonly functions: readonly AbiFunction[]; readonly texts: readonly string[] }

/** The transaction or the call that the operands name. Throws WrongCommandLine. */
async function targetOf(url: string, target: string, functionText = '', texts: readonly string[]): Promise<Target> {
  if (HASH.test(target)) return target as Hex
  if (ADDRESS.test(target)) return { to: target as Hex, functions: [declared(functionText)], texts }
  if (target.startsWith('0x'))
    throw wrongOperand('target', 'expected the hash of a transaction, an address, or a native contract')
  const contract = contractNamed(target, await interfacesAt(url))
  return { to: contract.address, functions: functionsNamed(contract, functionText), texts }
}

/** Runs the target again, or for the first time. Throws WrongCommandLine, and ChainError with the node's message. */
async function traceOf(node: RpcClient, target: Target, { from, block }: z.output<typeof flags>): Promise<Traced> {
  const options = { tracer: 'solidityTracer', tracerConfig: { withSources: true } }
  if (typeof target === 'string') return traced.parse(await node.request('debug_traceTransaction', target, options))
  const me = from === undefined ? (await node.viem.getAddresses())[0] : await accountOfNode(node, from)
  const { abi, args } = readArguments(target.functions, target.texts, { base: (await baseDenom(node)) ?? '', me })
  const data = encodeFunctionData({ abi: [abi], functionName: abi.name, args: [...args] })
  const at = block === undefined ? 'latest' : toQuantity(block)
  const call = { ...(me && { from: me }), to: target.to, data }
  return traced.parse(await node.request('debug_traceCall', call, at, options))
}

/** The base denomination; undefined on chains without native modules. */
async function baseDenom(node: RpcClient): Promise<string | undefined> {
  const { address } = contractNamed('gov')
  return (await node.viem.getCode({ address })) === undefined ? undefined : readBaseDenom(node)
}

/** The function of `take(uint256 amount)`. */
function declared(text: string) {
  try {
    const abi = parseAbiItem(`function ${text}`)
    if (abi.type === 'function') return abi
  } catch {
    // viem's message is of several lines.
  }
  throw wrongOperand('function', 'expected a declaration, as take(uint256 amount)')
}

// --- trace

async function traceAction(target: string, functionText: string | undefined, texts: string[], given: unknown) {
  const read = readFlags(flags, given)
  const named = await targetOf(read.rpcUrl, target, functionText, texts)
  await withNode(read.rpcUrl, async (node) => {
    const trace = await traceOf(node, named, read)
    const symbol = symbolOf((await baseDenom(node)) ?? 'ETH')
    const lines = treeLines<Frame>(
      trace,
      Number.POSITIVE_INFINITY,
      ({ calls = [], console }) => (console === undefined ? calls : []),
      (of, start) => lineOf(of, start, symbol),
    )
    const stack = trace.stack.map(
      (text, i): LineBelow => ({ text: i === 0 ? `failed: ${text}` : `  ${text}`, colour: 'red' }),
    )
    const cut = trace.isCut
      ? [{ text: 'The first steps were not kept: internal calls of the beginning are missing.' }]
      : []
    print(
      read.json,
      trace,
      outputLines([...lines, ...stack, ...cut].map(({ text, ...of }) => ({ ...of, text: inShort(text) }))),
    )
  })
}

const SUFFIX: Readonly<Record<string, string>> = {
  STATICCALL: ' [staticcall]',
  DELEGATECALL: ' [delegatecall]',
  CALLCODE: ' [callcode]',
  CREATE: ' [create]',
  CREATE2: ' [create2]',
  SELFDESTRUCT: ' [selfdestruct]',
}

function lineOf(of: Frame, start: string, symbol: string): LineBelow {
  const { type, event, console, to, value, gasUsed = 0, error, reason = error, calledAt } = of
  if (event !== undefined) return { text: `${start}event ${event}` }
  if (console !== undefined) return { text: `${start}console.log: ${console}`, colour: 'blue' }
  if (type === 'TRANSFER') return { text: `${start}${formatUnits(BigInt(value), 18)} ${symbol} to ${to}` }
  const paid = BigInt(value) > 0n ? ` with ${formatUnits(BigInt(value), 18)} ${symbol}` : ''
  const place = calledAt === undefined ? '' : `  at ${calledAt}`
  const gas = `  ${Number(gasUsed).toLocaleString('en-US')} gas`
  const text = `${start}${of.call ?? of.function ?? type}${paid}${SUFFIX[type] ?? ''}${place}${gas}`
  if (error !== undefined) return { text: `${text}  failed: ${reason}`, colour: 'red' }
  return type === 'INTERNAL' ? { text, colour: 'grey' } : { text }
}

const inShort = (text: string): string => text.replace(/\b0x[0-9a-fA-F]{40}\b/g, (of) => shortAddress(hexToAddress(of)))

// --- profile

async function profileAction(target: string, functionText: string | undefined, texts: string[], given: unknown) {
  const read = readFlags(flags, given)
  const named = await targetOf(read.rpcUrl, target, functionText, texts)
  await withNode(read.rpcUrl, async (node) => {
    const trace = await traceOf(node, named, read)
    const profile = gasProfile(trace, typeof named === 'string' ? await limitsOf(node, named) : undefined)
    const json = {
      total: profile.total,
      refund: profile.refund,
      functions: functionsOf(profile),
      lines: linesOf(trace),
    }
    print(read.json, json, read.lines ? sourceLines(trace, profile) : foldedStacks(profile).map(visibleLine))
  })
}

async function limitsOf({ viem }: RpcClient, hash: Hex) {
  const [{ gas }, { gasUsed }] = await Promise.all([
    viem.getTransaction({ hash }),
    viem.getTransactionReceipt({ hash }),
  ])
  return { gasLimit: Number(gas), gasUsed: Number(gasUsed) }
}

/** The lines that ran, with their gas. */
function sourceLines(trace: Traced, { total }: GasProfile): readonly string[] {
  const texts = new Map(trace.sources.map(({ path, text }) => [path, text.split('\n')]))
  const all = linesOf(trace)
  const number = (of: number, width: number) => of.toLocaleString('en-US').padStart(width)
  const files = [...new Set(all.map(({ file }) => file))]
  const lines = files.flatMap((file) => [
    { text: file },
    ...all
      .filter((of) => of.file === file)
      .map(({ line, gas }) => {
        const share = total === 0 ? '' : `${((100 * gas) / total).toFixed(1)} %`
        const source = texts.get(file)?.[line - 1] ?? ''
        return { text: `${number(gas, 12)} gas ${share.padStart(7)} ${number(line, 6)}  ${source.trimEnd()}` }
      }),
  ])
  return outputLines(lines)
}
