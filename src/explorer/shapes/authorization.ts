// Authorizations of EIP-7702: the account, the code it delegates to, and whether the authorization was accepted. A refused one
// changes nothing in the state, so the transaction is executed again to find out.

import { z } from 'zod'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { delegationOf } from '../../primitives/delegation.ts'
import { recoverAuthority } from '../../primitives/transaction.ts'
import type { Authorization as Signed, Transaction } from '../../primitives/types.ts'
import type { AccountChange } from '../../runtime/tracing/execution-recorder.ts'
import { wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { undefinedIfPruned } from '../errors.ts'

const STATUSES = ['ok', 'invalid_chain_id', 'invalid_signature', 'invalid_nonce', 'invalid_code'] as const
type Status = (typeof STATUSES)[number]

export const authorizationSchema = z.strictObject({
  address_hash: wire.address.describe('whose code'),
  authority: wire.address.nullable().describe('the signer; null when the signature is invalid'),
  chain_id: z.number().describe('0 is any chain'),
  nonce: wire.decimal,
  r: wire.decimal,
  s: wire.decimal,
  v: z.number().int(),
  status: z.enum(STATUSES).nullable().describe('null while the transaction waits, and where its state was pruned'),
})
z.globalRegistry.add(authorizationSchema, { id: 'Authorization' })
export type AuthorizationJson = z.infer<typeof authorizationSchema>

/** A transaction's authorizations; for a mined one with their outcome. */
export async function showAuthorizations(context: ExplorerContext, of: Transaction): Promise<AuthorizationJson[]> {
  if (of.authorizationList.length === 0) return []
  const { chain, heavy } = context
  const isMined = chain.transaction(of.hash) !== undefined
  const replay = () => heavy((signal) => chain.traces.replayTransaction(of.hash, { signal }))
  const replayed = isMined ? await undefinedIfPruned(replay()) : undefined
  const statusOf = replayed && verdicts(context, of, replayed.changes)
  return of.authorizationList.map((authorization) => {
    const authority = recoverAuthority(authorization)
    return {
      address_hash: checksummed(authorization.address),
      authority: authority === undefined ? null : checksummed(authority),
      chain_id: Number(authorization.chainId),
      nonce: authorization.nonce.toString(),
      r: authorization.r.toString(),
      s: authorization.s.toString(),
      v: Number(authorization.yParity),
      status: statusOf?.(authorization, authority) ?? null,
    }
  })
}

/**
 * Returns a function that gives the outcome of an authorization; call it for each authorization of the transaction in order. An
 * accepted one increases the authority's nonce, so its account is among the changes.
 */
function verdicts({ spec }: ExplorerContext, { from }: Transaction, changes: readonly AccountChange[]) {
  const changed = new Map(changes.map((change) => [change.address, change]))
  const accepted = new Map<Address, bigint>()
  return ({ chainId, nonce }: Signed, authority: Address | undefined): Status => {
    if (chainId !== 0n && chainId !== spec.chainId) return 'invalid_chain_id'
    if (authority === undefined) return 'invalid_signature'
    const account = changed.get(authority)
    if (account === undefined) return 'invalid_nonce'
    if (account.codeBefore.length > 0 && delegationOf(account.codeBefore) === undefined) return 'invalid_code'
    const before = (account.before?.nonce ?? 0n) + (authority === from ? 1n : 0n)
    const earlier = accepted.get(authority) ?? 0n
    if (nonce !== before + earlier) return 'invalid_nonce'
    accepted.set(authority, earlier + 1n)
    return 'ok'
  }
}
