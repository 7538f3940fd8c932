// `kestrel verify`: verifies a contract's sources at a node, over its Etherscan-compatible API. Source files are named as
// the compiler names them: by their given paths, and imports by where those lead.

import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { address as hexAddress, path, readFlags, readOperand, wholeNumber, wrongFlag } from './flags.ts'
import { note, print, row } from './gov/output.ts'
import { nodeFlags, withNodeFlags } from './gov/sender.ts'

/** Milliseconds between requests for the result. */
const POLLING = 250

const word = z.string().regex(/\S/, 'expected a name')
const flags = z.object({
  ...nodeFlags,
  source: z.array(path).optional(),
  standardJson: path.optional(),
  name: word.optional(),
  compiler: word.optional(),
  optimize: z.union([z.literal(true).transform(() => 200), wholeNumber(0, 2 ** 31)]).optional(),
  evmVersion: word.optional(),
  viaIr: z.boolean().default(false),
  licence: word.default('none'),
})
type Flags = z.output<typeof flags>

export function register(program: Command): void {
  withNodeFlags(
    program
      .command('verify')
      .description("verify a contract's source code at a running node")
      .argument('<address>', 'the contract')
      .addOption(new Option('--source <files...>', 'Solidity files; imported files are added'))
      .addOption(
        new Option('--standard-json <file>', "the compiler's complete input with its settings").conflicts([
          ...['source', 'optimize', 'evmVersion', 'viaIr'],
        ]),
      )
      .option('--name <contract>', 'Name or path:Name (default: the contract that matches)')
      .option('--compiler <version>', 'for example 0.8.37 (default: the newest of the node)')
      .option('--optimize [runs]', 'compiled with the optimizer (runs: 200)')
      .option('--evm-version <name>', "compiled for this version of the EVM (default: the compiler's)")
      .option('--via-ir', 'compiled through the intermediate representation')
      .option('--licence <name>', 'mit, apache_2_0, gnu_gpl_v3, … (default: none)'),
  )
    .addHelpText(
      'after',
      `
Give the settings that the contract was compiled with. The match is exact when the metadata is equal too; otherwise the
sources may differ in comments and names. Constructor arguments, immutables and libraries are read from the chain.

Examples:
  kestrel verify 0xADDRESS --source contracts/Token.sol --optimize
  kestrel verify 0xADDRESS --standard-json input.json --name contracts/Token.sol:Token`,
    )
    .action(async (address: string, given) => {
      readOperand('address', hexAddress, address)
      await verify(address, readFlags(flags, given))
    })
}

async function verify(address: string, options: Flags): Promise<void> {
  const explorer = explorerAt(options.rpcUrl)
  const guid = await explorer.action({
    module: 'contract',
    action: 'verifysourcecode',
    codeformat: 'solidity-standard-json-input',
    contractaddress: address,
    sourceCode: await inputOf(options),
    contractname: options.name ?? '',
    compilerversion: options.compiler ?? (await explorer.newestCompiler()),
    licenseType: options.licence,
  })
  for (;;) {
    const { status, result } = await explorer.ask({ module: 'contract', action: 'checkverifystatus', guid })
    if (status === '1') break
    if (result !== 'Pending in queue') throw failure(result.replace(/^Fail - Unable to verify\. /, ''))
    await setTimeout(POLLING)
  }
  const { name, isExact } = await explorer.contract(address)
  const match = isExact ? 'exact' : 'partial: metadata differs, as when a comment has changed'
  print(options.json, { address, name, match: isExact ? 'exact' : 'partial' }, [
    `Verified ${name} at ${address}`,
    ...row('Match', match),
  ])
}

/** The error of a failed verification. A compiler's message of many lines is printed first, because an error shows one line. */
function failure(reason: string): ChainError {
  if (!reason.includes('\n')) return new ChainError('execution-failed', reason)
  note(reason)
  return new ChainError('execution-failed', 'the contract is not verified')
}

async function inputOf({ source, standardJson: file, optimize, evmVersion, viaIr }: Flags): Promise<string> {
  if (file !== undefined) return standardJson(file)
  if (source === undefined)
    throw wrongFlag('source', 'expected source files, or --standard-json with the compiler’s input')
  return JSON.stringify({
    language: 'Solidity',
    sources: await sourcesOf(source),
    settings: {
      optimizer: { enabled: optimize !== undefined, runs: optimize ?? 200 },
      ...(evmVersion !== undefined && { evmVersion }),
      ...(viaIr && { viaIR: true }),
    },
  })
}

const answer = z.object({ status: z.string(), result: z.string() })
const config = z.object({ solidity_compiler_versions: z.array(z.string()).min(1) })
const contract = z.object({ name: z.string(), is_fully_verified: z.boolean() })

/** The explorer of the node whose JSON-RPC is at a URL. Throws ChainError. */
function explorerAt(rpcUrl: string) {
  const at = (path: string) => new URL(path, rpcUrl).href
  const ask = async (fields: Record<string, string>) =>
    answer.parse(await json(at('/api'), { method: 'POST', body: new URLSearchParams(fields) }))
  return {
    ask,
    /** The result of an action; throws what the node refuses it with. */
    async action(fields: Record<string, string>): Promise<string> {
      const { status, result } = await ask(fields)
      if (status !== '1') throw new ChainError('execution-failed', result.replace(/^Error! /, ''))
      return result
    },
    async newestCompiler(): Promise<string> {
      const found = config.safeParse(await json(at('/api/v2/smart-contracts/verification/config')))
      const [newest] = found.data?.solidity_compiler_versions ?? []
      if (newest === undefined) throw new ChainError('not-found', `the node at ${rpcUrl} has no compiler`)
      return newest
    },
    async contract(address: string): Promise<{ readonly name: string; readonly isExact: boolean }> {
      const { name, is_fully_verified: isExact } = contract.parse(await json(at(`/api/v2/smart-contracts/${address}`)))
      return { name, isExact }
    },
  }
}

async function json(url: string, init: RequestInit = {}): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch {
    throw new ChainError('not-found', `no node answers at ${url}; --rpc-url names another`)
  }
  try {
    return await response.json()
  } catch {
    throw new ChainError('not-found', `the server at ${url} is not an explorer`)
  }
}

type Sources = Record<string, { content: string }>

/** `import "./a.sol";`, `import {B} from "../b.sol";`, `import * as C from "c/c.sol";` */
const IMPORT = /^\s*import\s+(?:[^'";]*?\bfrom\s+)?['"]([^'"]+)['"]/gm

/**
 * Files with all that they import: relative paths from the file, others from the current folder or `node_modules`. Files that are
 * not found are left out; the compiler then reports them.
 */
export async function sourcesOf(files: readonly string[]): Promise<Sources> {
  const sources: Sources = {}
  const take = async (path: string, content: string): Promise<void> => {
    if (sources[path] !== undefined) return
    sources[path] = { content }
    for (const [, imported = ''] of content.matchAll(IMPORT)) {
      const target = imported.startsWith('.') ? posix.join(posix.dirname(path), imported) : imported
      const text = (await readIfThere(target)) ?? (await readIfThere(posix.join('node_modules', target)))
      if (text !== undefined) await take(target, text)
    }
  }
  for (const file of files) {
    await take(posix.normalize(file.replaceAll('\\', '/')), await readFile(file, 'utf8'))
  }
  return sources
}

/** The compiler's input from a file; build information that holds one (as Hardhat writes it) counts as well. */
export async function standardJson(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  try {
    const { input } = JSON.parse(text) as { input?: unknown }
    return input === undefined ? text : JSON.stringify(input)
  } catch {
    return text
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}
