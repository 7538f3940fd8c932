// The reads and writes of storage of a message, step by step, with the writes that failures have undone, and the data that it has
// hashed, which name the slots of mappings. Made by one pass through the recorded steps. Native contracts have no steps: their storage is
// not here.
import { type Address, type Hash, padLeft, toHash } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import type { StateView } from '../../state/types.ts'
import type { CallTree } from '../types.ts'
import type { FrameValues } from './frame-values.ts'
import type { FrameSteps } from './steps.ts'

/** What is read of a recording. */
type Recorded = {
  readonly root: CallTree
  readonly frames: ReadonlyMap<CallTree, FrameSteps>
  readonly view: Pick<StateView, 'originalWord'>
}
/** A write, in effect behind its step up to `until`, where a failure has undone it. */
type Write = { readonly step: number; readonly until: number; readonly value: Hash }
/** `first`: the step of the first access. */
type Slot = { readonly first: number; readonly initial: Hash; readonly writes: Write[] }

const SLOAD = 0x54
const SSTORE = 0x55
/** Most bytes of what was hashed that are kept, of one hash and of all. */
const LONGEST_PREIMAGE = 256
const MOST_PREIMAGES = 1 << 22
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 1 << 15

export class StorageHistory {
  readonly #accounts = new Map<Address, Map<Hash, Slot>>()
  readonly #preimages = new Map<Hash, Uint8Array>()
  #preimageBytes = 0
  readonly #selves = new Map<CallTree, Address | null>()
  readonly #undone = new Map<CallTree, number>()

  private constructor() {}

  static async of(
    recording: Recorded,
    valuesOf: (frame: CallTree) => FrameValues,
    pause: Pause,
  ): Promise<StorageHistory> {
    const history = new StorageHistory()
    const undone = history.#undone
    let steps = 0
    const enter = (frame: CallTree, self: Address | null, until: number): void => {
      const isFailed = frame.error !== undefined
      undone.set(frame, isFailed ? Math.min(until, recording.frames.get(frame)?.end ?? until) : until)
      history.#selves.set(frame, self)
      for (const inner of frame.calls) {
        const isOwn = inner.type === 'DELEGATECALL' || inner.type === 'CALLCODE'
        enter(inner, isOwn ? self : inner.to, undone.get(frame) ?? until)
      }
    }
    enter(recording.root, recording.root.to, Number.POSITIVE_INFINITY)
    for (const frame of recording.frames.keys()) {
      const values = valuesOf(frame)
      const until = history.undoneAt(frame)
      while (values.step < values.end) {
        if (++steps % STEPS_PER_LOOK === 0) await pause()
        history.#add(recording, values, history.#selves.get(frame) ?? null, until)
      }
    }
    history.#sort()
    return history
  }

  /** The account that a frame executes as, `address(this)`; null: no code of it has run. */
  selfOf(frame: CallTree): Address | null {
    return this.#selves.get(frame) ?? null
  }

  /** The step from which on the effects of a frame are undone; Infinity: they stay. */
  undoneAt(frame: CallTree): number {
    return this.#undone.get(frame) ?? Number.POSITIVE_INFINITY
  }

  /** The slots of an account that were read or written before a step, with their values there. */
  *slotsAt(of: Address, step: number): Generator<readonly [slot: Hash, value: Hash]> {
    for (const [slot, history] of this.#accounts.get(of) ?? []) {
      if (history.first < step) yield [slot, valueAt(history, step)]
    }
  }

  /** The value of a slot at a step; undefined: the message has neither read nor written it. */
  valueAt(of: Address, slot: Hash, step: number): Hash | undefined {
    const history = this.#accounts.get(of)?.get(slot)
    return history && valueAt(history, step)
  }

  /** The steps that write a slot, in order. */
  writesOf(of: Address, slot: Hash): readonly number[] {
    return (
      this.#accounts
        .get(of)
        ?.get(slot)
        ?.writes.map(({ step }) => step) ?? []
    )
  }

  /** What was hashed, up to 256 bytes each; each once. */
  get preimages(): Iterable<Uint8Array> {
    return this.#preimages.values()
  }

  /** Bytes that it takes, roughly. */
  get size(): number {
    let size = this.#preimages.size * 300
    for (const slots of this.#accounts.values())
      for (const { writes } of slots.values()) size += 500 + 300 * writes.length
    return size
  }

  /** Runs a step of a frame, and notes what it reads, writes or hashes. */
  #add(recording: Recorded, values: FrameValues, self: Address | null, until: number): void {
    const { op, step } = values
    if (op !== SLOAD && op !== SSTORE && op !== 0x20) {
      values.advance()
      return
    }
    const key = values.item(0)
    const written = op === SSTORE ? values.item(1) : undefined
    const hashed = values.hashed(LONGEST_PREIMAGE)
    if (!values.advance()) return
    const result = values.item(0)
    if (hashed !== undefined) this.#keep(hashed, result)
    else if (key !== undefined && self !== null) {
      const slot = toHash(key)
      if (written !== undefined)
        this.#slot(recording, self, slot, step).writes.push({ step, until, value: toHash(written) })
      else if (op === SLOAD) this.#slot(recording, self, slot, step)
    }
  }

  #slot({ view }: Recorded, of: Address, key: Hash, step: number): Slot {
    const slots = this.#accounts.get(of) ?? new Map<Hash, Slot>()
    this.#accounts.set(of, slots)
    const known = slots.get(key)
    if (known !== undefined) return known
    const slot = { first: step, initial: toHash(padLeft(view.originalWord(of, key), 32)), writes: [] }
    slots.set(key, slot)
    return slot
  }

  #keep(bytes: Uint8Array, hash: Uint8Array | undefined): void {
    if (hash === undefined || this.#preimageBytes + bytes.length > MOST_PREIMAGES) return
    this.#preimages.set(toHash(hash), bytes)
    this.#preimageBytes += bytes.length
  }

  /** Frames come one after the other, and an outer one goes on after an inner one. */
  #sort(): void {
    for (const slots of this.#accounts.values()) {
      for (const { writes } of slots.values()) writes.sort((a, b) => a.step - b.step)
    }
  }
}

const valueAt = ({ initial, writes }: Slot, step: number): Hash =>
  writes.findLast((write) => write.step < step && step < write.until)?.value ?? initial
