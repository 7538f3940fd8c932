// What a route of the Sourcify API is: a path and a function that answers, with what it may use.
import { type Address, hexToAddress } from '../../lib/hex.ts'
import { checksummed } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import type { Verification } from '../contracts/verification.ts'
import { invalidParameter, SourcifyError } from './errors.ts'

/** What a request asks of, and a handler's view of the chain. */
export type SourcifyRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly client: string
  readonly signal: AbortSignal
  readonly verification: Verification
  readonly chainId: string
  /** Runs `use` with a context, which is closed after it. */
  withContext<T>(use: (context: ExplorerContext) => T | Promise<T>): Promise<T>
}

export type SourcifyAnswer = {
  readonly status?: number
  /** Sent as JSON; a text as it is, of its type. */
  readonly body?: unknown
  readonly type?: string
  /** Another address to look at. */
  readonly location?: string
}

export type SourcifyRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Bytes of the body; left out: the server's limit. */
  readonly bodyLimit?: number
  handle(request: SourcifyRequest): Promise<SourcifyAnswer>
}

export const unknownChain = (chain: string): SourcifyError =>
  new SourcifyError(400, 'unsupported_chain', `Chain ${chain} not found`)

/** The address of a path. Throws SourcifyError. */
export function addressIn({ address = '' }: Readonly<Record<string, string>>): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalidParameter(`Invalid address: ${address}`)
  return hexToAddress(address)
}

/** The explorer's own page of a contract. */
export const pageOf = (address: Address): string => `/address/${checksummed(address)}?tab=contract`
