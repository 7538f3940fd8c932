// Estimates how many rounds of the current height have failed, and says how much a proposal may contain after so many. CometBFT
// names no round, and cannot be asked while it waits for a proposal; so rounds are those whose proposal came here, or as many as
// the time would have held.

/** Milliseconds of CometBFT's config.toml. */
export type RoundTimes = {
  /** `timeout_propose`: how long validators wait for a proposal in round 0. */
  readonly proposeTimeout: number
  /** `timeout_commit`: from a decided block to round 0 of the next. */
  readonly commitTimeout: number
}

export class Rounds {
  readonly #times: RoundTimes
  readonly #now: () => number
  /** When the block before was committed. */
  #since: number
  /** Proposals of this height, of this node and of others. */
  #proposals = 0

  constructor(times: RoundTimes, now: () => number = () => performance.now()) {
    this.#times = times
    this.#now = now
    this.#since = now()
  }

  /** How many rounds of this height have failed, at least about. */
  get failed(): number {
    const { proposeTimeout, commitTimeout } = this.#times
    // A round in which no proposal comes takes longer than this.
    const byTime = Math.floor((this.#now() - this.#since - commitTimeout) / proposeTimeout)
    return Math.max(this.#proposals, byTime, 0)
  }

  /** A proposal is made here or has come: the rounds before it have failed. */
  proposed(): void {
    this.#proposals++
  }

  /** A block was committed: the next height begins with round 0. */
  committed(): void {
    this.#since = this.#now()
    this.#proposals = 0
  }
}

/** What a proposal may have, as parts of what the first of a height may have. */
export type ProposalShare = { readonly gas: number; readonly time: number; readonly transactions: number }

/** After the third failed round a proposal is empty: a block is decided then, whatever the transactions cost. */
const SHARES: readonly ProposalShare[] = [
  { gas: 1, time: 1, transactions: Number.POSITIVE_INFINITY },
  { gas: 1 / 2, time: 1 / 2, transactions: Number.POSITIVE_INFINITY },
  { gas: 1 / 8, time: 1 / 4, transactions: 1 },
]
const EMPTY: ProposalShare = { gas: 0, time: 0, transactions: 0 }

export function describeShare({ gas, transactions }: ProposalShare): string {
  if (transactions === 0) return 'no transactions'
  return transactions === 1 ? 'one transaction' : `at most ${gas * 100} % of its gas`
}

export const shareAfter = (failedRounds: number): ProposalShare => SHARES[failedRounds] ?? EMPTY
