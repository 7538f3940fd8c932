// Queries over whole states: pages of slots and accounts, accounts that blocks changed, dumps, the modules' invariants. Pages
// are ordered by the hash of address or slot, as in the trie, so the end of a page is the start of the next. Of a fork they have
// what is on disk.
import type { AppHashLeaves } from '../ibc/ics23/prove.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, bytesToBig, fromHex, type Hash } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { type Pause, yieldToEventLoop } from '../lib/scheduler.ts'
import { sortYielding } from '../lib/sort.ts'
import type { Block, SealedHeader } from '../primitives/types.ts'
import { appHashLeaves, commitsToIbc, ibcProof } from '../runtime/app-hash.ts'
import type { ExecutionWitness } from '../runtime/execution-witness.ts'
import {
  brokenInvariants,
  consensusParamsAfter,
  type NamedAccount,
  nativeAccounts,
  nextSigners,
  type Signer,
  upgradesAfter,
} from '../runtime/module-queries.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import { type ValidatorRecord, validatorRecord } from '../runtime/validator-record.ts'
import { decodeChanges } from '../state/history.ts'
import { accountOfRow, KEY, ownerOfRow, RANGE, slotOfRow } from '../state/keyspace.ts'
import { completely, unlessMissing } from '../state/partial-state.ts'
import type { KeyRange, StateView } from '../state/types.ts'
import type { View } from '../state/view.ts'
import type { CanonicalChain } from './canonical-chain.ts'
import { executionWitness } from './execution-witness.ts'
import { readStateVersion } from './open.ts'
import type {
  BlockRef,
  InspectedAccount,
  InspectedSlot,
  KnownProposal,
  StatePage,
  StateQueries,
  TracePoint,
} from './types.ts'

type Reader = {
  readonly traces: { at(point: TracePoint, signal?: AbortSignal): Promise<StateView> }
  at(ref: BlockRef): Promise<{ header: SealedHeader; view: View }>
  block(ref: BlockRef): Promise<Block | undefined>
}

export class ChainStateQueries implements StateQueries {
  readonly #runtime: Runtime
  readonly #canonical: CanonicalChain
  readonly #reader: Reader

  constructor(runtime: Runtime, canonical: CanonicalChain, reader: Reader) {
    this.#runtime = runtime
    this.#canonical = canonical
    this.#reader = reader
  }

  async slots(
    of: Address,
    at: TracePoint,
    start: Hash,
    count: number,
    signal?: AbortSignal,
  ): Promise<StatePage<InspectedSlot>> {
    const pause = yieldToEventLoop('heavy', signal)
    const view = await this.#reader.traces.at(at, signal)
    const keys = await this.#ordered(RANGE.slots(of), slotOfRow, pause)
    return page(keys, start, count, pause, (hash, key) => {
      const value = unlessMissing(
        () => view.storage(of, BigInt(key)),
        () => 0n,
      )
      return value === 0n ? undefined : { hash, key, value }
    })
  }

  async consensusParams(ref: BlockRef) {
    return consensusParamsAfter(this.#runtime, (await this.#reader.at(ref)).view)
  }

  appHashLeaves(after: ExecutedBlock | bigint): AppHashLeaves | undefined {
    const { spec } = this.#runtime
    if (typeof after === 'object') return appHashLeaves(spec, after.block.header.hash, () => after.view)
    const hash = this.#canonical.canonicalHash(after)
    try {
      return hash && appHashLeaves(spec, hash, () => this.#canonical.viewAt(after))
    } catch (error) {
      if (!(error instanceof ChainError) || !['header-not-found', 'state-not-available'].includes(error.code))
        throw error
      return undefined
    }
  }

  async ibcProof(ref: BlockRef, key: Uint8Array) {
    if (!commitsToIbc(this.#runtime.spec)) throw new ChainError('not-allowed', 'this chain has no IBC')
    const { header, view } = await this.#reader.at(ref)
    return { block: header.number, ...ibcProof(header.hash, view, key) }
  }

  async upgrades(ref: BlockRef) {
    return upgradesAfter(this.#runtime, (await this.#reader.at(ref)).view)
  }

  async witness(ref: BlockRef, signal: AbortSignal): Promise<ExecutionWitness> {
    const block = await this.#reader.block(ref)
    if (block === undefined || ref === 'pending') throw new ChainError('header-not-found', 'block not found')
    return executionWitness(this.#canonical, this.#runtime, block, signal)
  }

  async accounts(
    ref: BlockRef,
    start: Hash,
    count: number,
    include: { readonly code: boolean; readonly storage: boolean },
    signal?: AbortSignal,
  ) {
    const pause = yieldToEventLoop('heavy', signal)
    const { view } = await this.#reader.at(ref)
    const addresses = await this.#ordered(RANGE.accounts(), ownerOfRow, pause)
    const found = await page(addresses, start, count, pause, (hash, address): InspectedAccount | undefined => {
      const account = unlessMissing(
        () => view.account(address),
        () => undefined,
      )
      if (account === undefined) return undefined
      const storageRoot = view.storageRoot(address)
      return { hash, address, account, storageRoot, code: include.code ? view.code(address) : undefined, storage: [] }
    })
    if (!include.storage) return { ...found, root: view.root() }
    const items: InspectedAccount[] = []
    for (const item of found.items) items.push(await this.#withStorage(view, item, pause))
    return { ...found, items, root: view.root() }
  }

  async modified(from: bigint, to: bigint, signal?: AbortSignal): Promise<Address[]> {
    const pause = yieldToEventLoop('heavy', signal)
    if (from >= to) {
      throw new ChainError('not-found', `start block height (${from}) must be less than end block height (${to})`)
    }
    const before = this.#canonical.viewAt(from)
    const after = this.#canonical.viewAt(to)
    const touched = new Set<Address>()
    for (let version = this.#version(from) + 1; version <= this.#version(to); version++) {
      await pause()
      const changes = this.#canonical.store.get(KEY.changes(version))
      for (const { key: row } of changes === undefined ? [] : decodeChanges(changes)) {
        const address = accountOfRow(row)
        if (address !== undefined) touched.add(address)
      }
    }
    const modified: Address[] = []
    for (const address of touched) {
      await pause()
      const now = after.storedRow(KEY.account(address))
      const then = before.storedRow(KEY.account(address))
      if (now !== undefined && (then === undefined || Buffer.compare(now, then) !== 0)) modified.push(address)
    }
    return modified
  }

  async invariants(ref: BlockRef, signal?: AbortSignal): Promise<string[]> {
    const pause = yieldToEventLoop('heavy', signal)
    const { header, view } = await this.#reader.at(ref)
    return brokenInvariants(this.#runtime, header, view, await this.#held(view, pause))
  }

  /** Base coins of all accounts; on a fork those that were created there, undefined if its first state was pruned. */
  async #held(view: View, pause: Pause): Promise<bigint | undefined> {
    const first = this.#canonical.forkedView()
    let held = 0n
    for await (const [row] of this.#canonical.store.scan(RANGE.accounts())) {
      await pause()
      const account = ownerOfRow(row)
      const before = unlessMissing(
        () => first?.balance(account) ?? 0n,
        () => undefined,
      )
      if (before === undefined) return undefined
      held += view.balance(account) - before
    }
    return held
  }

  async signers(block: bigint): Promise<readonly Signer[]> {
    // The validator set was made at the end of the previous block. A chain that began with a state snapshot has its header and
    // state.
    const before = block === 0n ? 0n : block - 1n
    const view = this.#canonical.viewAt(before)
    const header = this.#canonical.blocks.header(before)
    if (header === undefined) throw new ChainError('header-not-found', 'header not found')
    return nextSigners(this.#runtime, header, view)
  }

  async validator(ref: BlockRef, of: Address): Promise<ValidatorRecord | undefined> {
    const { header, view } = await this.#reader.at(ref)
    return completely(view, (state) => validatorRecord(this.#runtime, header, state, of))
  }

  async stakingParams(ref: BlockRef) {
    const { header, view } = await this.#reader.at(ref)
    const runtime = this.#runtime
    return completely(view, (state) => runtime.modules(state, runtime.env(header), 'read')?.staking.params())
  }

  async minBaseFee(ref: BlockRef): Promise<bigint | undefined> {
    if (this.#runtime.spec.native?.feeMarket.minBaseFee === undefined) return undefined
    const { view } = await this.#reader.at(ref)
    return this.#runtime.minBaseFee(view)
  }

  async activeProposals(ref: BlockRef): Promise<readonly string[]> {
    const { header, view } = await this.#reader.at(ref)
    return this.#runtime.modules(view, this.#runtime.env(header), 'read')?.params.activeProposals() ?? []
  }

  async nativeAccounts(ref: BlockRef, signal: AbortSignal): Promise<readonly NamedAccount[]> {
    const { header, view } = await this.#reader.at(ref)
    return completely(view, (state) => nativeAccounts(this.#runtime, header, state), { signal })
  }

  async proposals(ref: BlockRef): Promise<KnownProposal[]> {
    const { header, view } = await this.#reader.at(ref)
    const env = this.#runtime.env(header)
    const active = this.#runtime.modules(view, env, 'read')?.params.activeProposals() ?? []
    const { proposals } = this.#runtime
    return proposals.names().map((name) => ({
      name,
      title: proposals.get(name)?.title ?? '',
      isActive: active.includes(name),
      changes: this.#runtime.changesOf(name, env),
    }))
  }

  async #withStorage(view: View, account: InspectedAccount, pause: Pause): Promise<InspectedAccount> {
    const storage: InspectedSlot[] = []
    for await (const [row] of this.#canonical.store.scan(RANGE.slots(account.address))) {
      await pause()
      const key = slotOfRow(row)
      const value = unlessMissing(
        () => bytesToBig(view.word(account.address, key)),
        () => 0n,
      )
      if (value !== 0n) storage.push({ hash: keccakHash(fromHex(key)), key, value })
    }
    return { ...account, storage }
  }

  /** All keys of the range that ever existed, each with its hash, in order of hashes. */
  async #ordered<K extends Address | Hash>(
    range: KeyRange,
    keyOf: (row: Uint8Array) => K,
    pause: Pause,
  ): Promise<[Hash, K][]> {
    const keys: [Hash, K][] = []
    for await (const [row] of this.#canonical.store.scan(range)) {
      await pause()
      const key = keyOf(row)
      keys.push([keccakHash(fromHex(key)), key])
    }
    return sortYielding(keys, ([hash]) => hash, pause)
  }

  #version(number: bigint): number {
    const version = readStateVersion(this.#canonical.store, number)
    if (version === undefined) throw new ChainError('header-not-found', 'header not found')
    return version
  }
}

/** Up to `count` existing items from hash `start` on, and the hash of the next item. */
async function page<K, T>(
  keys: readonly (readonly [Hash, K])[],
  start: Hash,
  count: number,
  pause: Pause,
  read: (hash: Hash, key: K) => T | undefined,
): Promise<StatePage<T>> {
  const items: T[] = []
  for (const [hash, key] of keys) {
    if (hash < start) continue
    await pause()
    const item = read(hash, key)
    if (item === undefined) continue
    if (items.length === count) return { items, next: hash }
    items.push(item)
  }
  return { items, next: undefined }
}
