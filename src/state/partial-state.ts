// A state of which a part is on another chain: that of a fork. A row that is not on disk is missing, not empty: reading it throws
// MissingState. `completely` runs work on a view of such a state. It fetches what was missing and runs the work again, so the work
// knows nothing of it and waits for nothing. What was fetched is stored as of version 0 and stays.
import { ChainError, ReadFailure } from '../lib/errors.ts'
import { type Address, fromHex, type Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { cancelled } from '../lib/scheduler.ts'
import { waitElsewhere } from '../lib/work-queue.ts'
import { EMPTY_CODE_HASH, encodeAccount, type StoredAccount } from './accounts.ts'
import { blockOfFormerHash, isAccount, isSlot, KEY, ownerOfRow, slotOfRow } from './keyspace.ts'
import type { StateRows } from './state-rows.ts'
import { EMPTY_ROOT_BYTES } from './trie.ts'
import type { ForeseenCall, MissingParts, StateView, Wanted } from './types.ts'

/** What the forked chain has. An account that does not exist there is undefined. */
export type Found =
  | { readonly account: Address; readonly slot?: undefined; readonly state: FoundAccount | undefined }
  | { readonly account: Address; readonly slot: Hash; readonly word: Uint8Array }
  | { readonly block: bigint; readonly hash: Hash }
export type FoundAccount = { readonly nonce: bigint; readonly balance: bigint; readonly code: Uint8Array }

/** The forked chain at the block of the fork. */
export type StateSource = {
  /** Throws ChainError if it cannot be asked, or its answer cannot be believed. */
  fetch(wanted: readonly Wanted[]): Promise<readonly Found[]>
  foresee: MissingParts['foresee']
  isFar: MissingParts['isFar']
}

/** For work that must not wait, because it holds a lock: what is missing is thrown, with all that a trial run found. */
export const NOT_NOW: StateSource = {
  fetch: async (wanted) => {
    throw new MissingState(wanted)
  },
  foresee: async () => [],
  isFar: () => false,
}

/** For a fork of which only what is on disk is read. */
export const ONLY_STORED: StateSource = {
  fetch: async (wanted) => {
    throw new ChainError('state-not-available', wanted.slice(0, 1).map(notFetched).join())
  },
  foresee: async () => [],
  isFar: () => false,
}

/** A name for each part. */
export const nameOfWanted = (wanted: Wanted): string =>
  'block' in wanted ? String(wanted.block) : `${wanted.account}${wanted.slot ?? ''}`

const notFetched = (wanted: Wanted): string => `${wordsOf(wanted)} was not fetched from the forked chain`

/** A part in words, for a message. */
export const wordsOf = (wanted: Wanted): string => {
  if ('block' in wanted) return `the hash of block ${wanted.block}`
  const { account, slot } = wanted
  return slot === undefined ? `account ${account}` : `slot ${slot} of ${account}`
}

/** Parts of the state have to be fetched first. */
export class MissingState extends ReadFailure {
  readonly wanted: readonly Wanted[]

  constructor(wanted: readonly Wanted[]) {
    // Thrown for each missing part and always caught. The stack would take ten times as long as the rest.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(wanted.slice(0, 1).map(notFetched).join())
    Error.stackTraceLimit = stackTraceLimit
    this.wanted = wanted
  }
}

/** What is read; if it is missing, what `otherwise` makes of it. */
export function unlessMissing<T, U>(read: () => T, otherwise: (wanted: readonly Wanted[]) => U): T | U {
  try {
    return read()
  } catch (error) {
    if (error instanceof MissingState) return otherwise(error.wanted)
    throw error
  }
}

/** A part of the state could not be fetched; `cause` is the ChainError. */
export class NotFetched extends ReadFailure {}

/** A row as of version 0; undefined: it does not exist. */
export type FirstRow = { readonly key: Uint8Array; readonly value: Uint8Array | undefined }
/** A row without versions. */
export type PlainRow = { readonly key: Uint8Array; readonly value: Uint8Array }

/** The rows on disk. */
export type AdoptingRows = Pick<StateRows, 'account' | 'row'> & {
  /** The version since which a row has its value as of a version; undefined: this value is not on disk. */
  since(key: Uint8Array, version: number): number | undefined
  /** Whether the value of an account or slot as of version 0 was not fetched. */
  lacksFirst(key: Uint8Array): boolean
  /** Whether the hash of a block before the fork was fetched. */
  hasFormerHash(block: bigint): boolean
  /** Stores rows that were missing. */
  adopt(rows: readonly FirstRow[], others: readonly PlainRow[]): Promise<void>
}

/** Decides what is missing, and has it fetched and stored. */
export class PartialState implements MissingParts {
  readonly #rows: AdoptingRows
  readonly #source: StateSource

  constructor(rows: AdoptingRows, source: StateSource) {
    this.#rows = rows
    this.#source = source
  }

  /** For a row of which no value as of the version is on disk. Throws MissingState if the forked chain may have one. */
  absent(key: Uint8Array, version: number): undefined {
    if (isAccount(key)) throw new MissingState([{ account: ownerOfRow(key) }])
    if (isSlot(key) && this.mayHaveStorage(ownerOfRow(key), version))
      throw new MissingState([{ account: ownerOfRow(key), slot: slotOfRow(key) }])
  }

  isKnown(key: Uint8Array, version: number): boolean {
    const read = () => {
      this.#rows.row(key, version)
      return true
    }
    return unlessMissing(read, () => false)
  }

  isChanged(key: Uint8Array, version: number): boolean {
    return (this.#rows.since(key, version) ?? 0) > 0
  }

  firstCode(of: Address): Hash | undefined {
    const account = this.#rows.since(KEY.account(of), 0) === 0 ? this.#rows.account(of, 0) : undefined
    return account?.codeHash === EMPTY_CODE_HASH ? undefined : account?.codeHash
  }

  /** An account without nonce and code has no storage: a contract has a nonce (EIP-161), a delegation raises it (EIP-7702). */
  mayHaveStorage(of: Address, version: number): boolean {
    const first = this.#firstAccount(of, version)
    if (first === undefined || (first.nonce === 0n && first.codeHash === EMPTY_CODE_HASH)) return false
    return this.#rows.row(KEY.cleared(of), version) === undefined
  }

  /** The account as of version 0; if that was pruned, as of the version that is read. */
  #firstAccount(of: Address, version: number): StoredAccount | undefined {
    return this.#rows.account(of, this.#rows.since(KEY.account(of), 0) === 0 ? 0 : version)
  }

  /** Whether a row is a slot whose value on the forked chain was cleared here up to a version. */
  isCleared(key: Uint8Array, version: number): boolean {
    return isSlot(key) && this.#rows.row(KEY.cleared(ownerOfRow(key)), version) !== undefined
  }

  async fetch(wanted: readonly Wanted[]): Promise<void> {
    const unique = new Map(wanted.map((part) => [nameOfWanted(part), part]))
    for (const [name, part] of unique) if (this.#isHere(part)) unique.delete(name)
    if (unique.size === 0) return
    const rows: FirstRow[] = []
    const others: PlainRow[] = []
    const fetched = await this.#source.fetch([...unique.values()]).catch((error: unknown) => {
      throw error instanceof ChainError ? new NotFetched(error.message, { cause: error }) : error
    })
    for (const found of fetched) {
      if ('block' in found) others.push({ key: KEY.formerHash(found.block), value: fromHex(found.hash) })
      else if (found.slot !== undefined) rows.push(slotRow(found.account, found.slot, found.word))
      else {
        rows.push(accountRow(found.account, found.state))
        const { code = NO_CODE } = found.state ?? {}
        if (code.length > 0) others.push({ key: KEY.code(keccakHash(code)), value: code })
      }
    }
    await this.#rows.adopt(rows, others)
  }

  complete<T>(work: () => MaybePromise<T>, signal?: AbortSignal): Promise<T> {
    return repeated(work, (wanted) => waitElsewhere(() => this.fetch(wanted)), signal)
  }

  async ensure(key: Uint8Array): Promise<void> {
    const block = blockOfFormerHash(key)
    if (block !== undefined && !this.#isHere({ block })) await this.fetch([{ block }])
    await this.complete(() => (this.#rows.lacksFirst(key) ? this.absent(key, 0) : undefined))
  }

  foresee(call: ForeseenCall): Promise<readonly Wanted[]> {
    return this.#source.foresee(call)
  }

  isFar(wanted: readonly Wanted[]): boolean {
    return this.#source.isFar(wanted)
  }

  #isHere(part: Wanted): boolean {
    if ('block' in part) return this.#rows.hasFormerHash(part.block)
    const { account, slot } = part
    return !this.#rows.lacksFirst(slot === undefined ? KEY.account(account) : KEY.slot(account, slot))
  }
}

const NO_CODE = new Uint8Array(0)

const slotRow = (account: Address, slot: Hash, word: Uint8Array): FirstRow => ({
  key: KEY.slot(account, slot),
  value: word.length === 0 ? undefined : word,
})

function accountRow(account: Address, state: FoundAccount | undefined): FirstRow {
  const key = KEY.account(account)
  if (state === undefined) return { key, value: undefined }
  const { nonce, balance, code } = state
  const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)
  // The tries have only what was changed here.
  return { key, value: Uint8Array.from(encodeAccount({ nonce, balance, codeHash }, EMPTY_ROOT_BYTES)) }
}

/** Times that work is run again: what it asks for may depend on what it got, so that a trial run does not find it. */
const MOST_ROUNDS = 2_000

export type CompletionOptions = {
  /** The call that the work runs, if it is one. */
  readonly call?: ForeseenCall | undefined
  /** The client's connection. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs work on a view that has not been written to. If the work misses something, a trial run finds out what else it will miss; that
 * is fetched, and the work runs again on a new copy of the view. Throws ChainError if something cannot be fetched.
 */
export async function completely<T>(
  view: StateView,
  work: (view: StateView) => MaybePromise<T>,
  options?: CompletionOptions,
): Promise<T> {
  if (view.missing === undefined) return work(view)
  return completelyHere(view, () => work(view.fork()), work, options?.call, options?.signal)
}

/** As `completely`, for work that undoes its writes to the view when it fails. `tryOut`: what it does, on another view. */
export function completelyHere<T>(
  view: StateView,
  work: () => MaybePromise<T>,
  tryOut: (view: StateView) => MaybePromise<unknown>,
  call?: ForeseenCall,
  signal?: AbortSignal,
): Promise<T> {
  const { missing } = view
  if (missing === undefined) throw new Error('nothing is missing from this view')
  let unforeseen = call?.data === undefined || call.data.length === 0 ? undefined : call
  const get = async (first: readonly Wanted[]): Promise<void> => {
    const wanted = [...first, ...(await missedBy(view, tryOut))]
    const called = missing.isFar(wanted) ? unforeseen : undefined
    if (called !== undefined) unforeseen = undefined
    await waitElsewhere(() => {
      // Both are asked in one exchange.
      const foreseen = called && missing.foresee(called).then((parts) => missing.fetch(parts))
      // It is only a guess: what the call needs of it is fetched in any case, and that failure is told.
      return Promise.all([missing.fetch(wanted), foreseen?.catch(() => undefined)])
    })
  }
  return repeated(work, get, signal)
}

/** What a trial run misses. */
async function missedBy(
  view: StateView,
  tryOut: (view: StateView) => MaybePromise<unknown>,
): Promise<readonly Wanted[]> {
  const trial = view.trial()
  try {
    await tryOut(trial.view)
  } catch (error) {
    if (error instanceof MissingState) return [...trial.noted, ...error.wanted]
    // With nothing in place of what is missing, it may fail in any way.
  }
  return trial.noted
}

/** `work` of any chain: on a fork, until nothing is missing (`MissingParts.complete`). */
export const untilComplete = async <T>(
  missing: MissingParts | undefined,
  work: () => MaybePromise<T>,
  signal?: AbortSignal,
): Promise<T> => (missing === undefined ? work() : missing.complete(work, signal))

/** Runs work again and again; in between `get` gets what it missed. */
async function repeated<T>(
  work: () => MaybePromise<T>,
  get: (wanted: readonly Wanted[]) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let round = 0; ; round++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MissingState)) throw error
      if (signal?.aborted) throw cancelled()
      if (round >= MOST_ROUNDS) throw tooMany()
      await get(error.wanted)
    }
  }
}

const tooMany = (): ChainError =>
  new ChainError('limit-exceeded', `the forked chain was asked ${MOST_ROUNDS} times, and more is missing`)
