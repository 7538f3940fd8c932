// Version 2 of the rules: the fees of blocks stay pending in the fee collector until their allocation is read or changed. Each
// block's fees are allocated by themselves, by the shares and commission rates of that block, so that every result is that of
// version 1, to the last decimal. What must stay true:
// - A validator's records are opened by `validatorRewards` and the community pool by `communityPool` (context.ts), which first
//   allocate the pending fees to it. Adding to the pool needs no allocation.
// - The payees hold all that the allocation depends on. A change of the bonded set, of a commission rate or of a commit's votes
//   becomes visible in the next block with fees: `setPayees` allocates all pending fees before it replaces the payees.
// - Within a call, one validator is allocated at most `MOST_TOTALS` blocks, 0.3 ms. Only the beginning and the end of a block
//   allocate to all validators. So reverted calls cannot make a block expensive.
// - The work is the chain's: it is outside of the gas meter, and gas does not depend on how much is pending.
// - A read-only call writes no state: this object keeps the results in memory, for as long as the modules are open.
import { LRUCache } from 'lru-cache'
import { type Dec, fromInt, mul, mulInt, mulTruncate, ONE } from '../../lib/dec.ts'
import type { Address } from '../../lib/hex.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { SlotAccess, StateView } from '../../state/types.ts'
import { distributionLayout, feeCollectorLayout, type Payee, type ValidatorRewards } from './layout.ts'
import { LARGEST_TOTAL, MOST_TOTALS } from './totals.ts'

/** A validator to allocate fees to. */
export type FeeShare = Pick<Payee, 'share' | 'commissionRate'> & { readonly operator: Address }

/**
 * Allocates fees of blocks to a validator, each block's by themselves because every product is rounded. `fees`: after the
 * community tax. The operator's commission is taken first; the rest is for the delegators. Returns the validator's rewards.
 */
export function allocateFees(
  to: ValidatorRewards,
  of: Pick<Payee, 'share' | 'commissionRate'>,
  fees: readonly Dec[],
): Dec {
  let rewards = 0n
  let commission = 0n
  for (const fee of fees) {
    const reward = mulTruncate(fee, of.share)
    rewards += reward
    commission += mul(reward, of.commissionRate)
  }
  if (rewards === 0n) return 0n
  to.accumulatedCommission.set(to.accumulatedCommission.get() + commission)
  to.currentRewards.update({ rewards: to.currentRewards.member('rewards') + rewards - commission })
  to.outstandingRewards.set(to.outstandingRewards.get() + rewards)
  return rewards
}

/** What the community tax leaves of whole base units. */
export const afterTax = (fees: bigint, communityTax: Dec): Dec => mulInt(ONE - communityTax, fees)

/** Words that read-only views have allocated to one validator, by `StateView.storageId` and operator. */
const allocated = new LRUCache<string, Map<bigint, bigint>>({ max: 100 })

export class PendingFees {
  readonly #view: StateView
  readonly #isReadOnly: boolean
  /** Words of the distribution's storage that this object has written, if its view is read-only. */
  readonly #changes = new Map<bigint, bigint>()
  readonly #state: ReturnType<typeof distributionLayout.open>
  readonly #collector: ReturnType<typeof feeCollectorLayout.open>
  /** The words that are written now, for `allocated`. */
  #allocating: Map<bigint, bigint> | undefined
  /** Whether `settle` has run on a read-only view. */
  #isSettled = false

  /** `view` has no gas meter. */
  constructor(view: StateView, access: 'read' | 'write') {
    this.#view = view
    this.#isReadOnly = access === 'read'
    const slots = this.over(view.slots(NATIVE_CONTRACT.distribution, access))
    const keep = (slot: bigint, word: bigint) => {
      this.#changes.set(slot, word)
      this.#allocating?.set(slot, word)
    }
    this.#state = distributionLayout.open({ load: slots.load, store: this.#isReadOnly ? keep : slots.store })
    this.#collector = feeCollectorLayout.open(view.slots(MODULE_ACCOUNT.feeCollector, access))
  }

  /** The distribution's slots with what this object has written on a read-only view. */
  over(slots: SlotAccess): SlotAccess {
    if (!this.#isReadOnly) return slots
    return {
      load: (slot) => {
        const stored = slots.load(slot)
        return this.#changes.get(slot) ?? stored
      },
      store: slots.store,
    }
  }

  /** Coins of pending fees that are with the fee collector still. A developer may have taken them (impersonation, overrides). */
  get coins(): bigint {
    const left = this.#collector.pending.last - this.#collector.moved.get()
    const balance = this.#view.balance(MODULE_ACCOUNT.feeCollector)
    return left < 0n ? 0n : left < balance ? left : balance
  }

  /** Allocates the pending fees to one validator. */
  settleValidator(operator: Address): void {
    const { length } = this.#collector.pending
    if (length === 0) return
    const payee = this.#state.payees.get(operator)
    if (payee === undefined || payee.settled === BigInt(length)) return
    this.#once(operator, () => {
      const fees = this.#blocks().slice(Number(payee.settled))
      allocateFees(this.#state.validatorRewards.at(operator), payee, this.#afterTax(fees))
      this.#state.payees.set(operator, { ...payee, settled: BigInt(length) })
    })
    this.#moveCoins()
  }

  /** Calls of one contract may ask thousands of times: a read-only view takes what was allocated before on the same storage. */
  #once(operator: Address, allocate: () => void): void {
    if (!this.#isReadOnly) {
      allocate()
      return
    }
    const name = `${this.#view.storageId} ${operator}`
    let changes = allocated.get(name)
    if (changes === undefined) {
      changes = new Map()
      this.#allocating = changes
      allocate()
      this.#allocating = undefined
      allocated.set(name, changes)
    }
    for (const [slot, word] of changes) this.#changes.set(slot, word)
  }

  /** Allocates the pending fees, and those of the newest block, to all validators and the community pool. */
  settle(newest = 0n): void {
    if (this.#isSettled) return
    const blocks = newest === 0n ? this.#blocks() : [...this.#blocks(), newest]
    if (blocks.length === 0) return
    const { payees, validatorRewards, communityPool } = this.#state
    const fees = this.#afterTax(blocks)
    let remaining = fromInt(blocks.reduce((sum, fees) => sum + fees, 0n))
    for (const [operator, payee] of payees.entries()) {
      const settled = Number(payee.settled)
      remaining -= fees.slice(0, settled).reduce((sum, fee) => sum + mulTruncate(fee, payee.share), 0n)
      remaining -= allocateFees(validatorRewards.at(operator), payee, fees.slice(settled))
      payees.set(operator, { ...payee, settled: this.#isReadOnly ? BigInt(blocks.length) : 0n })
    }
    communityPool.set(communityPool.get() + remaining)
    this.#isSettled = this.#isReadOnly
    if (this.#isReadOnly) return
    this.#moveCoins(newest)
    this.#collector.pending.clear()
    this.#collector.moved.set(0n)
  }

  /** What of the pending fees goes to the community pool, without allocating them. */
  poolPart(): Dec {
    if (this.#isSettled) return 0n
    const blocks = this.#blocks()
    const fees = this.#afterTax(blocks)
    let part = fromInt(blocks.reduce((sum, fees) => sum + fees, 0n))
    for (const [, { share }] of this.#state.payees.entries()) for (const fee of fees) part -= mulTruncate(fee, share)
    return part
  }

  /** Adds the fees of a block. They are settled at once if no more can be pending. */
  add(fees: bigint): void {
    const { pending } = this.#collector
    const total = pending.last + fees
    if (pending.length < MOST_TOTALS && total <= LARGEST_TOTAL) pending.push(total)
    else this.settle(fees)
  }

  /** Sets the validators that the next fees are allocated to, if their source is another one now or has changed. */
  setPayees(source: bigint, read: () => readonly FeeShare[]): void {
    const { payees, payeesSource } = this.#state
    if (payeesSource.get() === source) return
    this.settle()
    const shares = read()
    const stays = new Set(shares.map(({ operator }) => operator))
    for (const operator of [...payees.keys()]) if (!stays.has(operator)) payees.delete(operator)
    for (const { operator, share, commissionRate } of shares)
      payees.set(operator, { share, commissionRate, settled: 0n })
    payeesSource.set(source)
  }

  /** Lets the next block with fees read its payees again. */
  payeesChanged(): void {
    if (this.#state.payeesSource.get() !== 0n) this.#state.payeesSource.set(0n)
  }

  /** Base units of each pending block, the oldest first. */
  #blocks(): readonly bigint[] {
    return this.#collector.pending.all().map((total, index, totals) => total - (totals[index - 1] ?? 0n))
  }

  #afterTax(blocks: readonly bigint[]): readonly Dec[] {
    const tax = this.#state.params.member('communityTax')
    return blocks.map((fees) => afterTax(fees, tax))
  }

  #moveCoins(newest = 0n): void {
    const coins = this.coins + newest
    if (this.#isReadOnly || coins === 0n) return
    this.#view.transfer(MODULE_ACCOUNT.feeCollector, MODULE_ACCOUNT.distribution, coins)
    this.#collector.moved.set(this.#collector.pending.last)
  }
}
