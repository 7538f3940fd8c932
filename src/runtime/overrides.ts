// A state that is otherwise than it is, for one call or one simulated block.
import type { Machine } from '../evm/machine.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, fromHex } from '../lib/hex.ts'
import { Rejection } from '../primitives/rejection.ts'
import type { AccountOverride, StateOverrides } from './types.ts'

/**
 * Changes accounts on the machine's view, and moves precompiles out of the way of their addresses. A precompile whose
 * address is overridden is gone: the account is an ordinary one then, with the code it is given, or none. A native
 * contract goes with its code only, since its other fields are the state it works on.
 * Throws ChainError `invalid-params` when an account has both `state` and `stateDiff`, `transaction-rejected` for a move
 * that cannot be made.
 */
export function applyOverrides(machine: Machine, overrides: StateOverrides): void {
  const { view } = machine
  for (const [address, account] of overrides) {
    if (account.state !== undefined && account.stateDiff !== undefined) {
      throw new ChainError('invalid-params', `account ${address} has both 'state' and 'stateDiff'`)
    }
    overridePrecompile(machine, address, account, overrides)
    if (account.nonce !== undefined) view.setNonce(address, account.nonce)
    if (account.code !== undefined) view.setCode(address, account.code)
    if (account.balance !== undefined) view.setBalance(address, account.balance)
    if (account.state !== undefined) view.clearStorage(address)
    for (const [key, word] of account.state ?? account.stateDiff ?? []) view.setWord(address, key, fromHex(word))
  }
}

function overridePrecompile(
  machine: Machine,
  address: Address,
  { movePrecompileTo: to, code }: AccountOverride,
  overrides: StateOverrides,
): void {
  if (to === undefined) {
    if (code !== undefined || machine.isPrecompile(address)) machine.removePrecompile(address)
    return
  }
  if (!machine.hasPrecompile(address)) {
    throw new ChainError('transaction-rejected', `account ${address} is not a precompile`)
  }
  if (to === address) throw new Rejection(`precompile ${address} is moved onto itself`, 'precompile-onto-itself')
  if (overrides.has(to)) throw new ChainError('transaction-rejected', `account ${to} is already overridden`)
  machine.movePrecompile(address, to)
}
