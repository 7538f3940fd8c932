// Watches the progress of CometBFT's rounds through its RPC. After a consensus failure CometBFT keeps running and answering,
// but takes no further step. Only votes that CometBFT has verified end the node; unverified claims of peers restart CometBFT,
// at growing intervals.
import type { Chain, StateQueries } from '../../chain/types.ts'
import { appHashOf } from '../../ibc/ics23/prove.ts'
import { type NetworkOptions, type RoundState, STEP } from './options.ts'

/** Milliseconds between checks. */
const LOOK = 5_000
/** Milliseconds without a step after which CometBFT is restarted: the first time, and at most. */
const FIRST = 30_000
const LONGEST = 600_000
/** The same if only a peer's claim says that there is a later block: a restart drops the votes collected so far. */
const FIRST_FOR_CLAIM = 300_000
/** Milliseconds by which CometBFT's own timeouts grow with each round. */
const PER_ROUND = 1_000

type Watched = Pick<NetworkOptions, 'cometBft'> & {
  readonly chain: Pick<Chain, 'head'> & { readonly stateQueries: Pick<StateQueries, 'appHashLeaves'> }
  readonly client: Pick<NetworkOptions['client'], 'rounds' | 'status' | 'highestHeight'>
  readonly log: (line: string) => void
  /** Ends the node with this message. */
  readonly fail: (line: string) => void
}

/** Watches until the returned function is called. */
export function watchRounds({ chain, client, cometBft, log, fail }: Watched): () => void {
  let head = chain.head.number
  let place = ''
  let since = Date.now()
  let patience = FIRST

  async function look(): Promise<void> {
    const isNew = chain.head.number !== head
    head = chain.head.number
    if (isNew) {
      // CometBFT is not queried while blocks arrive: its answer contains the whole proposal.
      patience = FIRST
      return
    }
    const rounds = await client.rounds()
    const difference = differenceOf(chain, rounds)
    if (difference !== undefined) return fail(difference)
    const now = `${rounds.height}/${rounds.round}/${rounds.step}`
    if (now !== place) {
      place = now
      since = Date.now()
    }
    const waited = Date.now() - since
    if (waited < patience + rounds.round * PER_ROUND || (await client.status()).catchingUp) return
    const reason = await whyStuck(rounds, waited)
    if (reason === undefined) return
    const what = `CometBFT has not left round ${rounds.round} of block ${rounds.height} for ${Math.round(waited / 1000)} s, ${reason}`
    log(`${what}: ${cometBft === undefined ? 'start it again' : 'it is started again'}`)
    patience = Math.min(2 * patience, LONGEST)
    since = Date.now()
    await cometBft?.restart()
  }

  /** Why CometBFT counts as stuck; undefined if it may be waiting for the votes of others. */
  async function whyStuck(rounds: RoundState, waited: number): Promise<string | undefined> {
    if (!waitsForOthers(rounds)) return 'although it has all that this step needs'
    if (waited < FIRST_FOR_CLAIM) return undefined
    const highest = await client.highestHeight()
    return highest !== undefined && highest > chain.head.number ? 'although a peer claims a later block' : undefined
  }

  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking) return
    isLooking = true
    // A CometBFT that does not answer is starting, or waits for this node to execute a block.
    const onError = () => {
      since = Date.now()
    }
    look()
      .catch(onError)
      .finally(() => {
        isLooking = false
      })
  }, LOOK)
  timer.unref()
  return () => clearInterval(timer)
}

/** The message if the network has agreed on a block whose parent differs from this node's; else undefined. */
function differenceOf(chain: Watched['chain'], { agreed }: RoundState): string | undefined {
  if (agreed === undefined) return undefined
  const number = agreed.height - 1n
  const leaves = chain.stateQueries.appHashLeaves(number)
  const own = leaves && appHashOf(leaves)
  if (own === undefined || own === agreed.appHash) return undefined
  return `block ${number} is ${own} here, and more than two thirds of the stake have voted for ${agreed.appHash}: the state of this node differs from the network's; \`kestrel resync\` fetches it again`
}

/** Whether the step ends with a message of another node, or with a configured delay. */
function waitsForOthers({ step, validators, hasBlock }: RoundState): boolean {
  if (step === STEP.newHeight || step === STEP.newRound) return true
  if (step === STEP.commit) return !hasBlock
  return validators > 1 && (step === STEP.prevote || step === STEP.precommit)
}
