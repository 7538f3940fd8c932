// The package as a library: `import { startNode } from 'kestrel-evm'` starts a node in the caller's process, for tests. It
// listens for no signals, prints nothing and never ends the process. The types here are the package's declarations, so they
// import no other file but that of the options, which `scripts/declarations.ts` replaces. Options are those of `kestrel start`,
// in camel case, with the same checks.
import { getAddress } from 'viem'
import { type Launched, launch } from './cli/launch.ts'
import type { StartOptions } from './cli/start-flags.ts'
import { readOptions } from './cli/start-options.ts'
import { toHex } from './lib/hex.ts'
import { createLogger } from './lib/log.ts'

export type { Integer } from './cli/flags.ts'
export type { StartOptions } from './cli/start-flags.ts'

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
  /** The result of a JSON-RPC method. Throws RpcError with the node's code, message and data. */
  request<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>
  /** Closes the node; settles when the port is free. Throws Error if the node's disk has failed. */
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
 * Starts a node in this process: by default in memory and on a free port. Throws Error with the command's message if options
 * are invalid, or if the chain or the port cannot be opened.
 */
export async function startNode(options: StartOptions = {}): Promise<RunningNode> {
  const { datadir, home, inMemory = datadir === undefined && home === undefined } = options
  const flags = readOptions({ port: 0, ...options, inMemory })
  const log = createLogger({ level: flags.logLevel ?? 'silent', json: flags.json || flags.jsonLogs })
  const launched = await launch(flags, log)
  const { url, chain } = launched.node
  const rpcUrl = `${url}/rpc`
  let failure: string | undefined
  void launched.node.failed.then((why) => {
    failure = typeof why === 'string' ? why : why.message
  })
  let stopped: Promise<void> | undefined
  const close = async () => {
    await launched.node.close()
    if (failure !== undefined) throw new Error(failure)
  }
  const stop = () => {
    stopped ??= close()
    return stopped
  }
  return {
    url,
    rpcUrl,
    wsUrl: rpcUrl.replace(/^http/, 'ws'),
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
