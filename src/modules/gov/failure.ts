// The stored reason why a proposal that passed could not be executed: one of a closed list of fixed texts. An error's own
// message is never stored: it can differ between nodes, and then the state roots would differ.

/** Codes with their words; what is stored begins with the message: `message 0: token pair not found`. */
const FAILURES = {
  'message-unreadable': 'the message can no longer be read',
  'list-refused': 'the list of improvement proposals cannot be activated',
  'token-refused': 'the token cannot be registered',
  'pair-exists': 'token pair already exists',
  'pair-not-found': 'token pair not found',
  'pool-insufficient': 'community pool does not have sufficient coins to distribute',
  'recipient-refused': 'the recipient is not allowed to receive funds',
  'params-refused': 'the parameters cannot be set',
  'clawback-refused': 'the account has no vesting that governance may claw back',
  'internal-error': 'internal error',
} as const

export type ProposalFailureCode = keyof typeof FAILURES

/** What `texts.failure` holds; empty while nothing has failed. */
export type StoredFailure = '' | `message ${number}: ${(typeof FAILURES)[ProposalFailureCode]}`

/** `index` is the place of the message in its proposal, from 0. */
export const storedFailure = (index: number, code: ProposalFailureCode): StoredFailure =>
  `message ${index}: ${FAILURES[code]}`
