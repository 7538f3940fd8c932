// State overrides of eth_call and eth_simulateV1: changes accounts and moves precompiles for one call or simulated block.
import type { Machine } from '../evm/machine.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, fromHex } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import { Rejection } from '../primitives/rejection.ts'
import type { AccountOverride, StateOverrides } from './types.ts'

/** Changed accounts and slots between two checks of the clock: about 0.2 ms. */
const CHANGES_PER_LOOK = 100

/**
 * Changes accounts on the machine's view and moves precompiles to other addresses. Overriding a precompile's address removes
 * the precompile: the address is then an ordinary account with the given code, or none. A native contract is removed only by an
 * override of its code, because its other fields are the state that it works on. Requests may override tens of thousands of
 * accounts or slots, so `pause` lets other work run in between. Throws ChainError `invalid-params` if an account has both
 * `state` and `stateDiff`, `transaction-rejected` for an invalid move.
 */
export async function applyOverrides(machine: Machine, overrides: StateOverrides, pause: Pause): Promise<void> {
  const { view } = machine
  let changes = 0
  const turn = () => (++changes % CHANGES_PER_LOOK === 0 ? pause() : undefined)
  for (const [address, account] of overrides) {
    const wait = turn()
    if (wait !== undefined) await wait
    if (account.state !== undefined && account.stateDiff !== undefined) {
      throw new ChainError('invalid-params', `account ${address} has both 'state' and 'stateDiff'`)
    }
    overridePrecompile(machine, address, account, overrides)
    if (account.nonce !== undefined) view.setNonce(address, account.nonce)
    if (account.code !== undefined) view.setCode(address, account.code)
    if (account.balance !== undefined) view.setBalance(address, account.balance)
    if (account.state !== undefined) view.clearStorage(address)
    for (const [key, word] of account.state ?? account.stateDiff ?? []) {
      const wait = turn()
      if (wait !== undefined) await wait
      view.setWord(address, key, fromHex(word))
    }
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
