// The definition of a route of the Sourcify API: a path and a function that answers.

import { checksummed } from '../../lib/checksummed.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'
import type { ExplorerContext } from '../context.ts'
import type { Verification } from '../contracts/verification.ts'
import { invalidParameter, SourcifyError } from './errors.ts'

/** A request, with the handler's access to the explorer. */
export type SourcifyRequest = {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: unknown
  readonly client: string
  readonly signal: AbortSignal
  readonly verification: Verification
  readonly chainId: string
  /** Runs `use` with a context and closes it afterwards. */
  withContext<T>(use: (context: ExplorerContext) => T | Promise<T>): Promise<T>
}

export type SourcifyAnswer = {
  readonly status?: number
  /** Sent as JSON; a text is sent unchanged with its type. */
  readonly body?: unknown
  readonly type?: string
  /** Redirects to another address. */
  readonly location?: string
}

export type SourcifyRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Maximum bytes of the body; left out: the server's limit. */
  readonly bodyLimit?: number
  handle(request: SourcifyRequest): Promise<SourcifyAnswer>
}

export const unknownChain = (chain: string): SourcifyError =>
  new SourcifyError(400, 'unsupported_chain', `Chain ${chain} not found`)

/** The address in a path. Throws SourcifyError. */
export function addressIn({ address = '' }: Readonly<Record<string, string>>): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) throw invalidParameter(`Invalid address: ${address}`)
  return hexToAddress(address)
}

/** The explorer's page of a contract. */
export const pageOf = (address: Address): string => `/address/${checksummed(address)}?tab=contract`
