// Detects tokens and their types. Contracts without a record are detected by their answers to view functions, so that a
// token is known before its first transfer, and by their logs. A recorded type only rises: ERC-20, ERC-721, ERC-1155.
import type { Address, Hash } from '../lib/hex.ts'
import { delegationOf } from '../primitives/delegation.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import type { Account, ChangedAccount, StateView } from '../state/types.ts'
import type { Overlay } from '../tables/overlay.ts'
import { RECORD, type TokenRecord } from './records.ts'
import { TOKEN_TYPES, type TokenType } from './tables.ts'
import type { LogForm, LoggedTransfer } from './token-logs.ts'
import type { TokenReads } from './token-reads.ts'

/** `before` is the token's previous record, or undefined for a new token. */
export type FoundToken = { readonly type: TokenType; readonly before: TokenRecord | undefined }

export type EmittedTransfer = LoggedTransfer & { readonly token: Address }

/** Accounts that got their own code in this block. */
export function newContracts(changed: readonly ChangedAccount[], view: StateView): ReadonlySet<Address> {
  const hasNewCode = ({ before, after }: ChangedAccount): boolean => {
    const codeHash = codeHashOf(after)
    return codeHash !== EMPTY_CODE_HASH && codeHash !== codeHashOf(before) && hasOwnCode(view.codeWith(codeHash))
  }
  return new Set(changed.filter(hasNewCode).map(({ address }) => address))
}

const codeHashOf = (account: Account | undefined): Hash => account?.codeHash ?? EMPTY_CODE_HASH

/** Whether code is the account's own and not a delegation (EIP-7702). */
const hasOwnCode = (code: Uint8Array): boolean => code.length > 0 && delegationOf(code) === undefined

/** The tokens among the emitters of transfers, in order of appearance, and among the new contracts of a block. */
export async function findTokens(
  overlay: Overlay,
  reads: TokenReads,
  transfers: Iterable<EmittedTransfer>,
  created: ReadonlySet<Address>,
): Promise<Map<Address, FoundToken>> {
  // For each emitter, one transfer of the form that comes last in `FORMS`.
  const emitters = new Map<Address, LoggedTransfer | undefined>()
  for (const transfer of transfers) {
    const known = emitters.get(transfer.token)
    if (known === undefined || rank(transfer) > rank(known)) emitters.set(transfer.token, transfer)
  }
  for (const contract of created) if (!emitters.has(contract)) emitters.set(contract, undefined)
  const found = new Map<Address, FoundToken>()
  for (const [contract, logged] of emitters) {
    const before = RECORD.token.get(overlay, contract)
    const type = before === undefined ? await detect(reads, contract, logged) : higher(before.type, logged)
    if (type !== undefined) found.set(contract, { type, before })
  }
  return found
}

const FORMS: readonly LogForm[] = ['wrapping', 'unindexed', ...TOKEN_TYPES]
const rank = ({ form }: LoggedTransfer): number => FORMS.indexOf(form)

/** The recorded type, or the type that a log implies if that is higher. */
function higher(type: TokenType, logged: LoggedTransfer | undefined): TokenType {
  const said = TOKEN_TYPES.find((other) => other === logged?.form)
  return said !== undefined && TOKEN_TYPES.indexOf(said) > TOKEN_TYPES.indexOf(type) ? said : type
}

async function detect(
  reads: TokenReads,
  contract: Address,
  logged: LoggedTransfer | undefined,
): Promise<TokenType | undefined> {
  const shown = await shownType(reads, contract)
  if (shown !== undefined) return higher(shown, logged)
  if (logged === undefined || logged.form === 'wrapping') return undefined
  const isToken = await hasBalances(reads, contract, logged)
  // When the gas for reads is used up, trust the log: a transfer that is not listed now is never listed.
  return isToken || reads.isSpent ? higher('ERC-20', logged) : undefined
}

/** The token type that a contract's answers imply. */
async function shownType(reads: TokenReads, contract: Address): Promise<TokenType | undefined> {
  if (await reads.supports(contract, '0xd9b67a26')) return 'ERC-1155'
  if (await reads.supports(contract, '0x80ac58cd')) return 'ERC-721'
  if ((await reads.totalSupply(contract)) === undefined) return undefined
  if ((await reads.balanceOf(contract, contract)) === undefined) return undefined
  return (await reads.decimals(contract)) === undefined ? undefined : 'ERC-20'
}

/** Whether a contract that emits transfers answers at least one view function of that token type. */
async function hasBalances(reads: TokenReads, contract: Address, logged: LoggedTransfer): Promise<boolean> {
  const { form, to, id } = logged
  if (form === 'ERC-1155' && id !== undefined) return (await reads.balanceOfId(contract, to, id)) !== undefined
  if ((await reads.balanceOf(contract, contract)) !== undefined) return true
  return (await reads.totalSupply(contract)) !== undefined
}
