// Compares the headers that a client has taken with those of the chain that it follows. If they contradict each other, the chain's
// validators have signed both, and the chain's own header freezes the client: whoever was deceived loses nothing after that.
import { type ConsensusState, type Height, heightText, isSameState } from '../ibc/comet/light-client.ts'
import type { Logger } from '../lib/log.ts'
import { type ChainEnd, EndUnavailable, type TakenHeader } from './end.ts'
import { consensusStateOf, nowNs, packedHeader, updatesTo } from './headers.ts'
import type { Side } from './side.ts'

/** What a client keeps of a height; undefined: nothing. */
type Kept = (height: Height) => Promise<ConsensusState | undefined>

/**
 * The height of the chain's own header that contradicts what a client has taken; undefined: none does, or the client does not keep it any
 * more. `head`: the newest height of the chain.
 */
export async function contradiction(
  { trustedHeight, height }: TakenHeader,
  kept: Kept,
  chain: Pick<ChainEnd, 'lightBlock'>,
  head: bigint,
): Promise<bigint | undefined> {
  const taken = await kept(height)
  const own = height.revisionHeight < head ? height.revisionHeight : head
  if (taken === undefined || own <= trustedHeight.revisionHeight) return undefined
  const state = consensusStateOf(await chain.lightBlock(own))
  // A height that the chain has not reached is contradicted by a header whose time is not before.
  const isFalse = height.revisionHeight > head ? state.time >= taken.time : !isSameState(state, taken)
  return isFalse ? own : undefined
}

export class Watch {
  readonly #log: Logger
  /** The first block of each chain whose updates were not compared; from the block of the first look on. */
  readonly #next = new Map<Side, bigint>()
  /** Headers above the chain's newest one, which are compared later. */
  readonly #early = new Map<Side, TakenHeader[]>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Compares the updates since the last look of the client on `on`, which follows `other`. Throws EndUnavailable. */
  async look(on: Side, other: Side): Promise<void> {
    if (on.head === undefined || other.head === undefined || on.client?.status !== 'Active') return
    const { height: head } = other.head
    const isEarly = ({ height }: TakenHeader) => height.revisionHeight > head
    const early = this.#early.get(on) ?? []
    for (const taken of early) if (await this.#freezes(taken, head, on, other.end)) return
    const waiting = early.filter(isEarly)
    this.#early.set(on, waiting)
    let next = this.#next.get(on) ?? firstOf(on.head.height)
    while (next <= on.head.height) {
      const { events, to } = await on.end.updates(on.clientId, next, on.head.height)
      for (const { block, taken } of events) {
        if (taken === undefined)
          this.#log.warn(
            {},
            `${on.end.name} does not show how ${on.clientId} was updated in block ${block}: not compared`,
          )
        else if (await this.#freezes(taken, head, on, other.end)) return
        else if (isEarly(taken) && waiting.length < MOST_EARLY) waiting.push(taken)
      }
      next = to + 1n
      this.#next.set(on, next)
    }
  }

  /** Freezes the client if the header contradicts the chain's own ones. Throws EndUnavailable, and ChainError if these do not verify. */
  async #freezes(taken: TakenHeader, head: bigint, { end, clientId, client }: Side, chain: ChainEnd): Promise<boolean> {
    const kept = (height: Height) => end.consensusState(clientId, height)
    const own = await contradiction(taken, kept, chain, head)
    if (own === undefined || client === undefined) return false
    const what = `a header of height ${heightText(taken.height)} that ${chain.name} does not have`
    this.#log.error({}, `${clientId} on ${end.name} has taken ${what}`)
    const trusted = await kept(taken.trustedHeight)
    if (trusted === undefined) throw new EndUnavailable(end.name, `${clientId} no longer trusts what it took it from`)
    const from = taken.trustedHeight.revisionHeight
    const lightBlock = (height: bigint) => chain.lightBlock(height)
    const { headers } = await updatesTo(own, { rules: client.state, from, trusted, now: nowNs(), lightBlock })
    await end.submit(headers.map((header) => ({ type: 'updateClient', clientId, update: packedHeader(header) })))
    if ((await end.client(clientId))?.status !== 'Frozen')
      throw new EndUnavailable(end.name, `the proof against ${clientId} was refused`)
    this.#log.warn({}, `${clientId} on ${end.name} is frozen`)
    return true
  }
}

/** Headers of a client that wait until its chain has their heights. */
const MOST_EARLY = 100
/** Blocks that a start looks back: an hour of blocks of a second. */
const LOOK_BACK = 3_600n
const firstOf = (head: bigint): bigint => (head > LOOK_BACK ? head - LOOK_BACK : 0n)
