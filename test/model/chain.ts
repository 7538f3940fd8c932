// Blocks and transactions of the model: what begins and ends a block, who pays for gas, which frames are undone.

import { pruneGrants } from './authz.ts'
import { credit, debit, MODULE } from './bank.ts'
import { ONE } from './dec.ts'
import { allocate } from './distribution.ts'
import { endProposals } from './gov.ts'
import { apply, type Operation } from './operations.ts'
import { addValidator, completeEntries, delegate } from './staking.ts'
import { type Address, attempt, type Params, refuseIf, type State } from './state.ts'
import { completeValidators, updateSet } from './validators.ts'

/** A step of a contract. `must`: the transaction fails with it; `try`: it may fail; `undo`: it is reverted afterwards. */
export type Step = { readonly mode: 'must' | 'try' | 'undo'; readonly operation: Operation }
/** A transaction: one operation by the signer, or steps of a contract that the signer calls. */
export type Transaction = {
  readonly from: Address
  readonly via?: Address | undefined
  readonly steps: readonly Step[]
}
/** What the receipt says about gas: the limit, what was used, and the price of each. */
export type Gas = { readonly limit: bigint; readonly used: bigint; readonly price: bigint }
/** Whether a transaction has succeeded, and which of its steps. */
export type Outcome = { readonly succeeded: boolean; readonly steps: readonly boolean[] }

export type GenesisValidator = { operator: Address; consensus: Address; selfDelegation: bigint }
export const COMMISSION = { rate: ONE / 10n, maxRate: ONE / 5n, maxChangeRate: ONE / 100n }

/** Block 0: validators delegate to themselves and are bonded. */
export function genesis(
  time: bigint,
  params: Params,
  balances: ReadonlyMap<Address, bigint>,
  validators: readonly GenesisValidator[],
): State {
  const state: State = {
    height: 0n,
    time,
    params: { ...params },
    balances: new Map(balances),
    supply: [...balances.values()].reduce((sum, balance) => sum + balance, 0n),
    validators: new Map(),
    delegations: new Map(),
    unbondings: new Map(),
    redelegations: new Map(),
    rewards: new Map(),
    starting: new Map(),
    withdrawAddresses: new Map(),
    communityPool: 0n,
    signing: new Map(),
    proposals: new Map(),
    nextProposal: 1n,
    vesting: new Map(),
    grants: new Map(),
    powers: new Map(),
  }
  for (const { operator, consensus, selfDelegation } of validators) {
    addValidator(state, operator, { ...COMMISSION, updated: time, minSelfDelegation: 1n, consensus })
    delegate(state, operator, operator, selfDelegation)
  }
  updateSet(state)
  recordPowers(state)
  return state
}

/** The powers with which the validators of now sign the block of this height. */
function recordPowers(state: State): void {
  const bonded = [...state.validators].filter(([, { status }]) => status === 3)
  const powers = new Map(bonded.map(([operator, { tokens }]) => [operator, tokens - (tokens % ONE)]))
  state.powers.set(state.height, powers)
  state.powers.delete(state.height - 5n)
}

export function beginBlock(state: State, height: bigint, time: bigint): void {
  state.height = height
  state.time = time
  recordPowers(state)
  allocate(state)
  pruneGrants(state)
}

export function endBlock(state: State): void {
  endProposals(state)
  updateSet(state)
  completeValidators(state)
  completeEntries(state)
}

/** Runs a transaction; its gas goes to the fee collector. */
export function transact(state: State, { from, via, steps }: Transaction, { limit, used, price }: Gas): Outcome {
  debit(state, from, limit * price)
  const done: boolean[] = []
  const succeeded = attempt(state, () => {
    for (const { mode, operation } of steps) {
      let worked = false
      attempt(state, () => {
        apply(state, { caller: via ?? from, origin: from }, operation)
        worked = true
        return mode !== 'undo'
      })
      refuseIf(!worked && mode === 'must', 'a step has failed')
      done.push(worked)
    }
  })
  credit(state, from, (limit - used) * price)
  credit(state, MODULE.feeCollector, used * price)
  return { succeeded, steps: succeeded ? done : [] }
}
