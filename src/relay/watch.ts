// Compares the headers that a client has taken with those of the chain that it follows. If they contradict each other, the chain's
// validators have signed both, and a message with the two freezes the client: whoever was deceived loses nothing after that.
import { readClientMessage } from '../ibc/comet/client-state.ts'
import { headerHash } from '../ibc/comet/hashes.ts'
import { nanosecondsOf } from '../ibc/comet/light-block.ts'
import { ChainError } from '../lib/errors.ts'
import { equalBytes } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import type { Header } from '../protobuf/generated/ibc/lightclients/tendermint/v1/tendermint_pb.ts'
import { type ChainEnd, EndUnavailable } from './end.ts'
import { headerOf, packedMisbehaviour } from './headers.ts'
import type { Side } from './side.ts'

/**
 * The message that freezes a client which has taken `taken`, if the chain's own headers contradict it; undefined: they do not. `head`: the
 * newest height of the chain.
 */
export async function contradiction(
  taken: Header,
  chain: Pick<ChainEnd, 'lightBlock'>,
  head: bigint,
): Promise<Uint8Array | undefined> {
  const { header } = taken.signedHeader ?? {}
  const trusted = taken.trustedHeight?.revisionHeight
  if (header === undefined || trusted === undefined || taken.trustedValidators === undefined) return undefined
  // A height that the chain has not reached is contradicted by a header whose time is not before.
  const own = await chain.lightBlock(header.height < head ? header.height : head)
  const isAhead = header.height > head && head > trusted && nanosecondsOf(own.header.time) >= nanosecondsOf(header.time)
  const isOther = header.height <= head && !equalBytes(headerHash(own.header), headerHash(header))
  if (!isAhead && !isOther) return undefined
  // ibc-go wants the higher one first.
  return packedMisbehaviour(taken, headerOf(own, trusted, taken.trustedValidators))
}

export class Watch {
  readonly #log: Logger
  /** The first block of each chain whose updates were not compared; from the block of the first look on. */
  readonly #next = new Map<Side, bigint>()
  /** Headers above the chain's newest one, which are compared later. */
  readonly #early = new Map<Side, Header[]>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Compares the updates since the last look of the client on `on`, which follows `other`. Throws EndUnavailable. */
  async look(on: Side, other: Side): Promise<void> {
    if (on.head === undefined || other.head === undefined || on.client?.status !== 'Active') return
    const early = this.#early.get(on) ?? []
    this.#early.set(on, [])
    for (const header of early) await this.#compare(header, on, other)
    let next = this.#next.get(on) ?? firstOf(on.head.height)
    while (next <= on.head.height) {
      const { events, to } = await on.end.updates(on.clientId, next, on.head.height)
      for (const { update } of events) {
        const header = headerIn(update)
        if (header !== undefined) await this.#compare(header, on, other)
      }
      next = to + 1n
      this.#next.set(on, next)
    }
  }

  async #compare(header: Header, on: Side, other: Side): Promise<void> {
    const head = other.head?.height ?? 0n
    const update = await contradiction(header, other.end, head)
    const { height = 0n } = header.signedHeader?.header ?? {}
    if (update === undefined) {
      const early = this.#early.get(on) ?? []
      if (height > head && early.length < MOST_EARLY) this.#early.set(on, [...early, header])
      return
    }
    // After a recovery a client no longer has what it was deceived by, and the chain takes no proof of it.
    const revisionNumber = header.trustedHeight?.revisionNumber ?? 0n
    if ((await on.end.consensusState(on.clientId, { revisionNumber, revisionHeight: height })) === undefined) return
    this.#log.error(
      {},
      `${on.clientId} on ${on.end.name} has taken a header of height ${height} that ${other.end.name} does not have`,
    )
    const [outcome] = await on.end.submit([{ type: 'updateClient', clientId: on.clientId, update }])
    if (outcome?.status === 'done') this.#log.warn({}, `${on.clientId} on ${on.end.name} is frozen`)
    else throw new EndUnavailable(on.end.name, `the proof against ${on.clientId} was refused`)
  }
}

/** Headers of a client that wait until its chain has their heights. */
const MOST_EARLY = 100
/** Blocks that a start looks back: an hour of blocks of a second. */
const LOOK_BACK = 3_600n
const firstOf = (head: bigint): bigint => (head > LOOK_BACK ? head - LOOK_BACK : 0n)

/** The header of an update; undefined if it is something else. */
function headerIn(update: Uint8Array): Header | undefined {
  try {
    const message = readClientMessage(update)
    return message.type === 'header' ? message.header : undefined
  } catch (error) {
    if (error instanceof ChainError) return undefined
    throw error
  }
}
