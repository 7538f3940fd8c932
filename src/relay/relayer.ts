// Carries packets between two chains, and keeps their clients of each other from expiring. A round looks at both chains, finds what can be
// done, and sends it: an update of the client and the packets that it proves. Everything is decided by what the chains have now, so a
// round can be cut off anywhere, and the next one goes on.
import { setTimeout as sleep } from 'node:timers/promises'
import { headerHash } from '../ibc/comet/hashes.ts'
import type { ConsensusState } from '../ibc/comet/light-client.ts'
import { ChainError, describeError } from '../lib/errors.ts'
import { equalBytes } from '../lib/hex.ts'
import type { Logger } from '../lib/log.ts'
import { visibleText } from '../lib/visible-text.ts'
import { type ChainEnd, type Client, EndUnavailable, type LightBlock, type Message } from './end.ts'
import { type Flight, postpone } from './flights.ts'
import { consensusStateOf, nowNs, packedHeader, updatesTo } from './headers.ts'
import { messageOf, type Step, stepOf, type Work } from './packet-work.ts'
import type { Side } from './side.ts'
import type { Watch } from './watch.ts'

/** Packets that a round looks at in each direction. */
const MOST_PACKETS = 50
/** A client that is behind by this many headers is updated even if it knows one that proves the packets: nodes forget old states. */
const MOST_BEHIND = 50n
/** A client is updated when this part of its trusting period is over. */
const REFRESH = 3n
/** Milliseconds after which a chain that has fewer blocks than before counts as another history. */
const REGRESS_PATIENCE = 60_000
const LONGEST_PAUSE = 30_000

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

export class Relayer {
  readonly sides: readonly [Side, Side]
  /** Unix milliseconds of the last round without a failure. */
  lastRound = 0
  readonly #log: Logger
  readonly #afterRound: () => void
  readonly #watch: Watch | undefined
  #lastFailure = ''

  /** `afterRound`: runs after each round without a failure. `watch`: compares the headers that the clients have taken. */
  constructor(sides: readonly [Side, Side], log: Logger, afterRound: () => void, watch?: Watch) {
    this.sides = sides
    this.#log = log
    this.#afterRound = afterRound
    this.#watch = watch
  }

  /** Works until the signal is aborted. `poll`: milliseconds between rounds. */
  async run(poll: number, signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.round()
        this.#afterRound()
        if (failures > 0) this.#log.info({}, 'both chains answer again')
        failures = 0
        this.#lastFailure = ''
      } catch (error) {
        failures++
        this.#failed(error)
      }
      const pause = failures === 0 ? poll : Math.min(poll * 2 ** Math.min(failures, 10), LONGEST_PAUSE)
      await sleep(pause, undefined, { signal }).catch(() => undefined)
    }
  }

  /** Says a failure once, until another one comes. */
  #failed(error: unknown): void {
    const text = error instanceof Error ? describeError(error) : String(error)
    if (text === this.#lastFailure) return
    this.#lastFailure = text
    if (error instanceof ChainError) this.#log.warn({}, text)
    else this.#log.error({ err: error }, 'a round has failed')
  }

  /** Looks at both chains and does what can be done. Throws EndUnavailable, and ChainError if a chain's headers do not verify. */
  async round(): Promise<void> {
    const [a, b] = this.sides
    await Promise.all(this.sides.map((side) => this.#look(side)))
    // A deceived client is frozen before anything is proven to it.
    await this.#watch?.look(a, b)
    await this.#watch?.look(b, a)
    const [fromA, fromB] = await Promise.all([this.#steps(a, b), this.#steps(b, a)])
    const forDestination = ({ step }: Work) => step === 'receive'
    const forSource = (work: Work) => !forDestination(work)
    const results = await Promise.allSettled([
      this.#deliver(a, b, [...fromB.filter(forDestination), ...fromA.filter(forSource)]),
      this.#deliver(b, a, [...fromA.filter(forDestination), ...fromB.filter(forSource)]),
    ])
    for (const result of results) if (result.status === 'rejected') throw result.reason
    this.lastRound = Date.now()
  }

  /** Reads the head, the client, and new events of a chain. */
  async #look(side: Side): Promise<void> {
    const { end, clientId, flights } = side
    const head = await end.head()
    const isNew = head.height !== side.head?.height
    side.head = head
    if (!isNew && side.client !== undefined && flights.next > head.height) return
    const client = await end.client(clientId)
    if (client === undefined) throw new EndUnavailable(end.name, `it has no client ${clientId}`)
    if (client.status !== 'Active' && client.status !== side.client?.status)
      this.#log.error({ chain: end.name }, `client ${clientId} is ${client.status}: nothing is relayed to ${end.name}`)
    side.client = client
    if (!(await this.#isSameHistory(side, head.height))) return
    while (flights.next <= head.height && !flights.isFull)
      flights.take(await end.events(clientId, flights.next, head.height))
    if (flights.next > head.height) side.seen = { height: head.height, hash: await this.#hashAt(end, head.height) }
  }

  async #hashAt(end: ChainEnd, height: bigint): Promise<Uint8Array> {
    return headerHash((await end.lightBlock(height)).header)
  }

  /** Whether events can be read on; after a change of history all are read again. */
  async #isSameHistory(side: Side, head: bigint): Promise<boolean> {
    const { end, seen, flights } = side
    if (head + 1n < flights.next) {
      side.regressedAt ??= Date.now()
      if (Date.now() - side.regressedAt < REGRESS_PATIENCE) return false
    } else {
      side.regressedAt = undefined
      if (seen === undefined || equalBytes(await this.#hashAt(end, seen.height), seen.hash)) return true
    }
    this.#log.warn({ chain: end.name }, 'the chain has another history now: all events are read again')
    flights.restart(0n)
    side.seen = undefined
    side.regressedAt = undefined
    return true
  }

  /** What can be done for the packets that `from` sends. */
  async #steps(from: Side, to: Side): Promise<readonly Work[]> {
    const { time = 0n } = to.head ?? {}
    const due = from.flights.due(Date.now(), MOST_PACKETS)
    const steps = await Promise.all(
      due.map(async (flight) => {
        const work = await stepOf(flight, from.end, to.end, time)
        if (work === 'ended') from.flights.ended(flight)
        return work === 'ended' ? undefined : work
      }),
    )
    return steps.filter((work) => work !== undefined)
  }

  /** Updates the client on `to` if needed, and sends it the messages that the other chain proves. */
  async #deliver(to: Side, other: Side, all: readonly Work[]): Promise<void> {
    const { client, clientId } = to
    if (client === undefined || other.head === undefined || client.status !== 'Active') return
    const latest = client.state.latest.revisionHeight
    const trusted = await to.end.consensusState(clientId, client.state.latest)
    if (trusted === undefined) throw new EndUnavailable(to.end.name, `client ${clientId} has no newest header`)
    to.expiresAt = trusted.time + client.state.trustingPeriod
    const { height: head } = other.head
    const isOld = head > latest && nowNs() - trusted.time > client.state.trustingPeriod / REFRESH
    if (all.length === 0 && !isOld) return
    // What was sent in the newest block can be proven from the next one on.
    const work = all.filter(({ flight, step }) => step !== 'receive' || flight.block < head)
    const isKnown = work.every(({ flight, step }) => step === 'receive' && flight.block < latest)
    const isCovered = !isOld && ((isKnown && head - latest <= MOST_BEHIND) || head <= latest)
    if (isCovered && work.length === 0) return
    const { updates, consensus } = isCovered
      ? { updates: [], consensus: trusted }
      : await this.#updates(other.end, head, client, trusted)
    const height = updates.length === 0 ? latest : head
    const messages = await this.#messages(work, other.end, { state: client.state, height, consensus })
    if (messages.length > 0 || isOld) await this.#submit(to, updates, messages)
  }

  async #updates(other: ChainEnd, head: bigint, { clientId, state }: Client, trusted: ConsensusState) {
    const blocks = new Map<bigint, Promise<LightBlock>>()
    const lightBlock = (height: bigint) => {
      const block = blocks.get(height) ?? other.lightBlock(height)
      blocks.set(height, block)
      return block
    }
    const from = state.latest.revisionHeight
    const { headers } = await updatesTo(head, { rules: state, from, trusted, now: nowNs(), lightBlock })
    const updates = headers.map((header): Message => ({ type: 'updateClient', clientId, update: packedHeader(header) }))
    return { updates, consensus: consensusStateOf(await lightBlock(head)) }
  }

  async #messages(work: readonly Work[], prover: ChainEnd, base: Parameters<typeof messageOf>[2]) {
    const made = await Promise.all(
      work.map(async ({ ...of }) => {
        try {
          const message = await messageOf(of, prover, base)
          return message && { message, work: of }
        } catch (error) {
          if (!(error instanceof ChainError) || error instanceof EndUnavailable) throw error
          this.#refused(of.flight, of.step, prover.name, error.message, false)
          return undefined
        }
      }),
    )
    return made.filter((of) => of !== undefined)
  }

  async #submit(
    to: Side,
    updates: readonly Message[],
    packets: readonly { readonly message: Message; readonly work: Work }[],
  ): Promise<void> {
    const messages = [...updates, ...packets.map(({ message }) => message)]
    const outcomes = await to.end.submit(messages)
    for (const [place, outcome] of outcomes.entries()) {
      const message = messages[place]
      if (message === undefined) continue
      const { done, refused } = to.counts
      count(outcome.status === 'done' ? done : refused, message.type)
      to.counts.cost += outcome.cost
      const work = packets[place - updates.length]?.work
      if (work === undefined) {
        if (outcome.status === 'refused')
          this.#log.warn({ chain: to.end.name }, `an update of client ${to.clientId} was refused: ${outcome.reason}`)
        continue
      }
      if (outcome.status === 'done') this.#done(to, work)
      else this.#refused(work.flight, work.step, to.end.name, outcome.reason, outcome.cost > 0n)
    }
  }

  #done(to: Side, { flight, step }: Work): void {
    if (step === 'receive') flight.isReceived = true
    else to.flights.ended(flight)
    flight.refusals = 0
    flight.paidRefusals = 0
    this.#log.info({}, `${nameOf(flight, step)}: done on ${to.end.name}`)
  }

  #refused(flight: Flight, step: Step, chain: string, reason: string, isPaid: boolean): void {
    postpone(flight, Date.now(), isPaid)
    this.#log.warn(
      {},
      `${nameOf(flight, step)}: refused on ${chain}: ${visibleText(reason.slice(0, LONGEST_REASON)) ?? ''}`,
    )
  }
}

/** Characters of a chain's reason in the log. */
const LONGEST_REASON = 300

/** A step of a packet in the log: `receive packet 3 of 07-tendermint-0 to 07-tendermint-1`. */
const nameOf = ({ packet: { sequence, sourceClient, destClient } }: Flight, step: Step): string =>
  `${step} packet ${sequence} of ${visibleText(sourceClient.slice(0, 64))} to ${visibleText(destClient.slice(0, 64))}`
