// Estimates how many rounds of the current height have failed, and how much a proposal may contain after them. CometBFT's
// requests do not contain the round, and its RPC does not answer while it waits for a proposal. So the number is that of the
// proposals seen, or of the timeouts that fit into the elapsed time, whichever is larger.

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
  /** When the previous block was committed. */
  #since: number
  /** Proposals of this height, of this node and of others. */
  #proposals = 0

  constructor(times: RoundTimes, now: () => number = () => performance.now()) {
    this.#times = times
    this.#now = now
    this.#since = now()
  }

  /** Estimated number of failed rounds of this height. */
  get failed(): number {
    const { proposeTimeout, commitTimeout } = this.#times
    // A round without a proposal takes longer than this.
    const byTime = Math.floor((this.#now() - this.#since - commitTimeout) / proposeTimeout)
    return Math.max(this.#proposals, byTime, 0)
  }

  /** A proposal was built here or received: the rounds before it have failed. */
  proposed(): void {
    this.#proposals++
  }

  /** A block was committed: the next height begins with round 0. */
  committed(): void {
    this.#since = this.#now()
    this.#proposals = 0
  }
}

/** Bounds of a proposal: gas and time as fractions of those of round 0, and a number of transactions. */
export type ProposalShare = { readonly gas: number; readonly time: number; readonly transactions: number }

/** After the third failed round a proposal is empty, so that a block is decided whatever the transactions cost. */
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
