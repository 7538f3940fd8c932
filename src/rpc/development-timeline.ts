// Records the blocks, edits, snapshots and reverts of a development chain for its page, and keeps the newest. The record is in memory: a
// restart loses it, and the snapshots too. Entries come from the chain's events, in the order in which the state changed; calls that change
// no state, as those of the clock, are noted by the dispatcher.
import type { Chain, RewindTarget } from '../chain/types.ts'
import { type Address, EMPTY_BYTES, type Hash, type Hex, toQuantity } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { Block } from '../primitives/types.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { Account, TransactionDiff } from '../state/types.ts'

/** What changed of an account; members that are left out did not. Quantities; before and after. */
export type AccountChange = {
  readonly address: Address
  readonly balance?: readonly [Hex, Hex]
  readonly nonce?: readonly [Hex, Hex]
  readonly code?: 'set' | 'removed'
  readonly slots?: readonly { readonly slot: Hash; readonly before: Hex; readonly after: Hex }[]
}
export type Changes = {
  readonly accounts: readonly AccountChange[]
  /** Whether more accounts or slots changed than are listed. */
  readonly isCut: boolean
}

/** What a revert takes away. */
export type Lost = { readonly blocks: number; readonly transactions: number; readonly edits: number }

type WireTarget = { readonly snapshot: Hex } | { readonly block: number } | 'beginning'

type Occurrence =
  | { readonly kind: 'blocks'; readonly first: number; readonly last: number; readonly transactions: number }
  | { readonly kind: 'edit' }
  | { readonly kind: 'snapshot'; readonly snapshot: Hex }
  /** `to`: a snapshot, a block, or the beginning of the chain. */
  | { readonly kind: 'revert'; readonly to: WireTarget; readonly lost: Lost }
  | { readonly kind: 'call'; readonly method: string; readonly params: readonly string[] }

/** An entry as JSON. */
export type TimelineEntry = Occurrence & {
  readonly id: number
  /** Milliseconds since 1970, by the machine's clock. */
  readonly at: number
  /** Number of the newest block behind it, and its timestamp in seconds. */
  readonly block: number
  readonly timestamp: number
  readonly changes?: Changes
  /** The revert that has undone it, or a part of its blocks. */
  readonly undoneBy?: number
}

export type Timeline = {
  /** Since when it is kept, in milliseconds. */
  readonly since: number
  /** Newest first. */
  readonly entries: readonly TimelineEntry[]
  /** Older entries that were not kept. */
  readonly dropped: number
  /** Those that can be gone back to, newest first, with what would be lost. */
  readonly snapshots: readonly { readonly id: Hex; readonly block: number; readonly at: number; readonly lost: Lost }[]
}

/** Most entries, and of one entry most accounts and slots. */
const MOST_ENTRIES = 500
const MOST_CHANGES = 50
/** Most snapshots of an answer, which may be many thousands. */
const MOST_SNAPSHOTS = 200
/** Milliseconds between two calls of `onChange`. */
const INTERVAL = 100
/** Characters of a parameter. */
const LONGEST_PARAMETER = 100

type Kept = { entry: TimelineEntry; readonly changes?: ChangeList }
/** Edits and transactions that are in effect. */
type Counts = { readonly edits: number; readonly transactions: number }

export class DevelopmentTimeline {
  readonly #chain: Pick<Chain, 'head' | 'snapshots'>
  readonly #onChange: () => void
  readonly #since = Date.now()
  #entries: Kept[] = []
  #lastId = 0
  #dropped = 0
  #timer: NodeJS.Timeout | undefined
  #counts: Counts = { edits: 0, transactions: 0 }
  readonly #atSnapshot = new Map<bigint, Counts & { readonly at: number; readonly entry: number }>()

  /** Listens to the chain as long as that lives. `onChange` is called after new entries, ten times a second at most. */
  constructor(chain: Pick<Chain, 'head' | 'snapshots' | 'events'>, onChange: () => void) {
    this.#chain = chain
    this.#onChange = onChange
    chain.events.on('block', (executed) => this.#block(executed))
    chain.events.on('edited', (diff) => this.#edited(diff))
    chain.events.on('snapshot', (id) => this.#snapshot(id))
    chain.events.on('removed', (blocks, _, to) => this.#removed(blocks, to))
  }

  /** A call that changed something beside the state. */
  note(method: string, params: unknown): void {
    const list: readonly unknown[] = Array.isArray(params) ? params : []
    const texts = list.slice(0, 4).map((of) => {
      const text = typeof of === 'string' ? of : JSON.stringify(of)
      return text.length > LONGEST_PARAMETER ? `${text.slice(0, LONGEST_PARAMETER)}…` : text
    })
    this.#add({ kind: 'call', method, params: texts })
  }

  get(): Timeline {
    const { head } = this.#chain
    const live = [...this.#chain.snapshots()].reverse().slice(0, MOST_SNAPSHOTS)
    return {
      since: this.#since,
      entries: this.#entries.toReversed().map(({ entry, changes }) => ({
        ...entry,
        ...(changes && { changes: changes.shown() }),
      })),
      dropped: this.#dropped,
      snapshots: live.map(([id, { number }]) => {
        // All are known: none was taken before this listened.
        const { edits, transactions, at } = this.#atSnapshot.get(id) ?? { ...this.#counts, at: this.#since }
        const lost = {
          blocks: Number(head.number - number),
          transactions: this.#counts.transactions - transactions,
          edits: this.#counts.edits - edits,
        }
        return { id: toQuantity(id), block: Number(number), at, lost }
      }),
    }
  }

  #block({ block, diffs }: ExecutedBlock): void {
    const number = Number(block.header.number)
    const count = block.transactions.length
    this.#count({ transactions: count })
    const last = this.#entries.at(-1)
    const goesOn = last?.entry.kind === 'blocks' && last.entry.last === number - 1 && last.entry.undoneBy === undefined
    if (!goesOn) this.#add({ kind: 'blocks', first: number, last: number, transactions: count }, diffs)
    else if (last.entry.kind === 'blocks') {
      const { transactions } = last.entry
      last.entry = { ...last.entry, ...this.#now(), last: number, transactions: transactions + count }
      for (const diff of diffs) last.changes?.add(diff)
      this.#changed()
    }
  }

  #edited(diff: TransactionDiff): void {
    this.#count({ edits: 1 })
    this.#add({ kind: 'edit' }, [diff])
  }

  #snapshot(id: bigint): void {
    this.#add({ kind: 'snapshot', snapshot: toQuantity(id) })
    this.#atSnapshot.set(id, { ...this.#counts, at: Date.now(), entry: this.#lastId })
  }

  #removed(blocks: readonly Block[], to: RewindTarget): void {
    const { number } = this.#chain.head
    const used = typeof to === 'object' && to.snapshot !== undefined ? this.#atSnapshot.get(to.snapshot) : undefined
    const isUndone = ({ id, kind, block, undoneBy }: TimelineEntry): boolean => {
      if (undoneBy !== undefined || (kind !== 'blocks' && kind !== 'edit')) return false
      if (used !== undefined) return id > used.entry
      return to === 'beginning' || block > number || (number === 0n && kind === 'edit')
    }
    const before = this.#counts
    const undone = this.#entries.filter(({ entry }) => isUndone(entry))
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0)
    const edits = undone.filter(({ entry }) => entry.kind === 'edit').length
    if (to === 'beginning') this.#counts = { edits: 0, transactions: 0 }
    else if (used !== undefined) this.#counts = used
    else this.#count({ edits: -edits, transactions: -transactions })
    const lost = { blocks: blocks.length, transactions, edits: before.edits - this.#counts.edits }
    for (const kept of undone) kept.entry = { ...kept.entry, undoneBy: this.#lastId + 1 }
    this.#add({ kind: 'revert', to: wireTarget(to), lost })
    const live = this.#chain.snapshots()
    for (const id of [...this.#atSnapshot.keys()]) if (!live.has(id)) this.#atSnapshot.delete(id)
  }

  #changed(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#onChange()
    }, INTERVAL).unref()
  }

  #count({ edits = 0, transactions = 0 }: Partial<Counts>): void {
    const before = this.#counts
    this.#counts = { edits: before.edits + edits, transactions: before.transactions + transactions }
  }

  #now() {
    const { number, timestamp } = this.#chain.head
    return { at: Date.now(), block: Number(number), timestamp: Number(timestamp) }
  }

  #add(occurrence: Occurrence, diffs?: readonly TransactionDiff[]): void {
    const changes = diffs && new ChangeList()
    for (const diff of diffs ?? []) changes?.add(diff)
    this.#entries.push({ entry: { id: ++this.#lastId, ...this.#now(), ...occurrence }, ...(changes && { changes }) })
    if (this.#entries.length > MOST_ENTRIES) {
      this.#entries.shift()
      this.#dropped++
    }
    this.#changed()
  }
}

const wireTarget = (to: RewindTarget): WireTarget => {
  if (to === 'beginning') return to
  return to.snapshot === undefined ? { block: Number(to.block) } : { snapshot: toQuantity(to.snapshot) }
}

const NO_CODE = keccakHash(EMPTY_BYTES)

const hasCode = (account: Account | undefined): boolean => account !== undefined && account.codeHash !== NO_CODE

type Changed = {
  readonly before: Account | undefined
  after: Account | undefined
  readonly slots: Map<Hash, { readonly before: bigint; after: bigint }>
}

/** The changes of one entry: of several transactions what was first, and what is last. */
class ChangeList {
  readonly #accounts = new Map<Address, Changed>()
  #listed = 0
  #isCut = false

  add(diff: TransactionDiff): void {
    for (const { address, before, after, slots } of diff) {
      let known = this.#accounts.get(address)
      if (known === undefined) {
        if (!this.#hasRoom()) continue
        known = { before, after, slots: new Map() }
        this.#accounts.set(address, known)
      }
      known.after = after
      for (const { key, before, after } of slots) {
        const slot = known.slots.get(key)
        if (slot !== undefined) slot.after = after
        else if (this.#hasRoom()) known.slots.set(key, { before, after })
      }
    }
  }

  shown(): Changes {
    const all = [...this.#accounts].map(([address, changed]) => changeOf(address, changed))
    return { accounts: all.filter((change) => Object.keys(change).length > 1), isCut: this.#isCut }
  }

  #hasRoom(): boolean {
    if (this.#listed === MOST_CHANGES) this.#isCut = true
    else this.#listed++
    return !this.#isCut
  }
}

function changeOf(address: Address, { before, after, slots }: Changed): AccountChange {
  const [balance, nonce] = [
    [before?.balance ?? 0n, after?.balance ?? 0n] as const,
    [before?.nonce ?? 0n, after?.nonce ?? 0n] as const,
  ]
  const hasOtherCode = before?.codeHash !== after?.codeHash && (hasCode(before) || hasCode(after))
  const changed = [...slots].filter(([, { before, after }]) => before !== after)
  return {
    address,
    ...(balance[0] !== balance[1] && { balance: [toQuantity(balance[0]), toQuantity(balance[1])] as const }),
    ...(nonce[0] !== nonce[1] && { nonce: [toQuantity(nonce[0]), toQuantity(nonce[1])] as const }),
    ...(hasOtherCode && { code: hasCode(after) ? 'set' : 'removed' }),
    ...(changed.length > 0 && {
      slots: changed.map(([slot, of]) => ({ slot, before: toQuantity(of.before), after: toQuantity(of.after) })),
    }),
  }
}
