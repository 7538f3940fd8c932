// The package as a library: `import { startNode } from 'kestrel-evm'` starts a node in the caller's process, for tests.
// It listens for no signals, prints nothing and never ends the process. The types here are the package's declarations, so
// they name no other file. Options are the flags of `kestrel start` in camel case and are read by the same rules.
import { Command, CommanderError, type Option } from 'commander'
import { getAddress } from 'viem'
import { type Launched, launch } from './cli/launch.ts'
import { optionsWithHome } from './cli/network/node-home.ts'
import { readStartFlags, type StartFlags, withStartFlags } from './cli/start-flags.ts'
import { ChainError } from './lib/errors.ts'
import { toHex } from './lib/hex.ts'
import { createLogger } from './lib/log.ts'

/** A whole number: decimal or 0x hex where it is a text. */
export type Integer = number | bigint | string

/** Every option is the flag of `kestrel start` of that name; `kestrel start --help` has the defaults. */
export type StartOptions = {
  /** Folder of the chain and its keys. Left out: the chain is in memory and gone with the node. */
  readonly datadir?: string
  /** Keep nothing on disk; the default without `datadir`. */
  readonly inMemory?: boolean
  /** Keep the states of this many blocks only. */
  readonly prune?: number
  /** Genesis file, kestrel's or geth's. */
  readonly genesis?: string
  readonly preset?: 'kestrel' | 'evmos'
  readonly chainId?: Integer
  /** How many accounts of the mnemonic have coins and are unlocked (10). */
  readonly accounts?: number
  readonly mnemonic?: string
  /** Whole coins of each account, with up to 18 decimals (10000). */
  readonly balance?: Integer
  readonly gasLimit?: Integer
  /** Date of block 0 in Unix seconds, from which the clock goes on. Left out: now. */
  readonly timestamp?: Integer
  /** False leaves out the deployment factories and Multicall3. */
  readonly preinstalls?: boolean
  /** Opcode proposals that are active from block 0. */
  readonly activate?: readonly string[]
  /** Files with opcode proposals of your own. */
  readonly proposal?: readonly string[]
  /** Seconds between blocks. Left out: a block at once for each transaction. */
  readonly blockTime?: number
  /** False makes no blocks until asked to (`evm_mine`). */
  readonly mining?: boolean
  /** Home of a network's node, as `kestrel testnet` writes it. */
  readonly home?: string
  /** The engine that decides blocks with other nodes; implies `production`. */
  readonly consensus?: 'cometbft'
  /** The engine's program. */
  readonly cometbft?: string
  /** The engine's home (engine/ in `datadir`). */
  readonly engineHome?: string
  /** Somebody else starts the engine. */
  readonly externalEngine?: boolean
  /** `ID@HOST:PORT` of other nodes. */
  readonly peers?: readonly string[]
  /** Number of blocks that the engine keeps for its peers. */
  readonly retainBlocks?: number
  /** Number of blocks from one snapshot of the state to the next, for nodes that join; 0 for none. */
  readonly snapshotInterval?: number
  /** Smallest priority fee per gas, in wei (0; 1 in a network). */
  readonly minTip?: Integer
  /** Take transactions without a chain id. */
  readonly allowUnprotected?: boolean
  /** Address to listen on (127.0.0.1). */
  readonly host?: string
  /** Port to listen on; 0, the default here, is any free one. */
  readonly port?: number
  /** Neither development methods nor keys. */
  readonly production?: boolean
  readonly testingApi?: boolean
  /** Origins of web pages that may call. */
  readonly corsOrigins?: readonly string[]
  /** Names under which the node may be called, besides localhost and IP addresses. */
  readonly hosts?: readonly string[]
  /** Figures for Prometheus at `/metrics` (on, unless in production). */
  readonly metrics?: boolean
  /** Run tracers that clients write in JavaScript (on, unless in production). */
  readonly jsTracers?: boolean
  readonly maxConnections?: number
  /** Connections of one address; those of this machine are not bounded (a quarter of `maxConnections`). */
  readonly maxConnectionsPerClient?: number
  /** Addresses or networks of proxies, whose X-Forwarded-For names the client. */
  readonly trustedProxies?: readonly string[]
  /** Bytes. */
  readonly maxRequestSize?: number
  readonly maxBatch?: number
  readonly callGasCap?: Integer
  /** Milliseconds. */
  readonly callTimeout?: number
  readonly maxHeavyCalls?: number
  readonly maxQueuedCalls?: number
  /** Most threads that answer heavy reads beside the main one; a chain in memory has none. */
  readonly readThreads?: number
  /** What runs contracts. */
  readonly engine?: 'compiled' | 'wasm' | 'library'
  /** Another engine that runs every block again; `stop` throws when they differed. */
  readonly shadow?: 'compiled' | 'wasm' | 'library'
  /** Folder with more compilers, beside those that Foundry and Hardhat have downloaded (`auto`); `none`: neither. */
  readonly compilers?: string
  /** A Vyper compiler. */
  readonly vyper?: string
  /** Milliseconds of processor time. */
  readonly compileTimeout?: number
  /** File with prices. */
  readonly prices?: string
  /** Metadata of token items: what is on the chain (the default), or documents of public addresses too. */
  readonly nftMetadata?: 'chain' | 'fetch'
  /** URL of the gateway for `ipfs://` (https://ipfs.io), or `none`. */
  readonly ipfsGateway?: string
  /** Folder of key files. */
  readonly keystore?: string
  readonly unlock?: readonly string[]
  readonly passwordFile?: string
  readonly unsafeExpose?: boolean
  /** What is logged on standard error (silent). */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info' | 'debug' | 'trace'
  readonly jsonLogs?: boolean
}

export type NodeAccount = { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }

export type RunningNode = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`: the explorer. */
  readonly url: string
  /** JSON-RPC over HTTP. */
  readonly rpcUrl: string
  /** JSON-RPC over WebSocket. */
  readonly wsUrl: string
  readonly chainId: number
  /** The development accounts, with checksummed addresses; none in production. */
  readonly accounts: readonly NodeAccount[]
  /** The result of a JSON-RPC method. Throws RpcError with the node's code, words and data. */
  request<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>
  /** Closes the node; settles when the port is free. Throws Error when the node had failed (its disk, or its shadow). */
  stop(): Promise<void>
}

/** A JSON-RPC error response. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  /** The error's `data`, for example revert data. */
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * Starts a node in this process: in memory and on a free port unless options say otherwise. Throws Error in the words of
 * the command when options are wrong, or when the chain or the port cannot be opened.
 */
export async function startNode(options: StartOptions = {}): Promise<RunningNode> {
  const flags = flagsOf(options)
  const log = createLogger({ level: flags.logLevel ?? 'silent', json: flags.jsonLogs })
  const launched = await launch(flags, log)
  const { url, chain } = launched.node
  const rpcUrl = `${url}/rpc`
  let failure: string | undefined
  void launched.node.failed.then((line) => {
    failure = line
  })
  let stopped: Promise<void> | undefined
  const close = async () => {
    await launched.node.close()
    const reason = failure ?? launched.node.shadow?.failure
    if (reason !== undefined) throw new Error(String(reason))
  }
  const stop = () => {
    stopped ??= close()
    return stopped
  }
  return {
    ...{ url, rpcUrl, wsUrl: rpcUrl.replace(/^http/, 'ws') },
    chainId: Number(chain.spec.chainId),
    accounts: accountsOf(launched),
    request: <Result>(method: string, params: readonly unknown[] = []) => ask<Result>(rpcUrl, method, params),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const accountsOf = ({ development }: Launched): NodeAccount[] =>
  development
    .addresses()
    .map((account) => ({ address: getAddress(account), privateKey: toHex(development.privateKey(account)) }))

async function ask<Result>(url: string, method: string, params: readonly unknown[]): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const answer = (await response.json()) as {
    result: Result
    error?: { code: number; message: string; data?: unknown }
  }
  if (answer.error !== undefined) throw new RpcError(answer.error)
  return answer.result
}

/** Options as the command line would have them. Throws ChainError `invalid-params`. */
function flagsOf(options: StartOptions): StartFlags {
  const { datadir, home, inMemory = datadir === undefined && home === undefined } = options
  const command = withStartFlags(new Command('startNode'))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  const given = Object.entries({ port: 0, ...options, inMemory }).filter(([, value]) => value !== undefined)
  try {
    command.parse(
      given.flatMap(([name, value]) => words(command.options, name, value)),
      { from: 'user' },
    )
    return readStartFlags(optionsWithHome(command))
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    throw new ChainError('invalid-params', error.message.replace(/^error: /, ''))
  }
}

/** An option as words of the command line. */
function words(flags: readonly Option[], name: string, value: unknown): string[] {
  const named = flags.filter((flag) => flag.attributeName() === name)
  const isSwitch = typeof value === 'boolean'
  const flag = named.find(({ negate }) => negate === (value === false)) ?? named[0]
  const takesValue = flag !== undefined && (flag.required || flag.optional)
  if (flag?.long === undefined || isSwitch === takesValue) {
    const expected =
      flag === undefined ? 'there is no such option' : isSwitch ? 'expected a value' : 'expected a boolean'
    throw new ChainError('invalid-params', `${name}: ${expected}`)
  }
  // A default such as `mining: true` has no flag.
  if (isSwitch) return flag.negate === !value ? [flag.long] : []
  const texts = Array.isArray(value) ? value.map(String) : [String(value)]
  // A flag that may be repeated gathers its values; others take a list.
  if (flag.parseArg !== undefined) return texts.map((text) => `${flag.long}=${text}`)
  return [`${flag.long}=${texts.length === 0 ? 'none' : texts.join(',')}`]
}
