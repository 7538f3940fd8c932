// Stores the genesis accounts in separate rows and writes block 0 from them. Every step reads the rows in order of address, a
// part at a time, so memory does not grow with the genesis file.
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToBytes, bytesToBig, type Hash, toHash } from '../lib/hex.ts'
import { asBytes, asList, decodeRlp, encodeRlp } from '../primitives/rlp.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { beginModules, executeGenesis, NO_TRANSACTIONS } from '../runtime/genesis.ts'
import { contractReader } from '../runtime/read-contract.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ExecutedBlock } from '../runtime/types.ts'
import type { GenesisAccount, GenesisAllocation, GenesisEntry } from '../spec/chain-spec.ts'
import { repeatedAddress } from '../spec/genesis-file.ts'
import { decodeAccount } from '../state/accounts.ts'
import { AllocationRows } from '../state/allocation-rows.ts'
import { amendFirstState, BatchedWrites, FirstState } from '../state/first-state.ts'
import { decodeRow } from '../state/history.ts'
import { KEY, ownerOfRow, RANGE } from '../state/keyspace.ts'
import { sameAccount } from '../state/state-diff.ts'
import { StateStore } from '../state/state-store.ts'
import type { Account, ChangedAccount, KvReader, KvStore, WriteOp } from '../state/types.ts'
import { View } from '../state/view.ts'
import type { Indexer } from './types.ts'

/**
 * Accounts that are indexed at a time. Part of the index format: the counts of a large ranking depend on it, and `check`
 * compares rows.
 */
const INDEXED_ACCOUNTS = 10_000
/** Addresses per balance query to the tokens. Part of the index format, too. */
const ASKED_ADDRESSES = 4_000

// --- the rows of the allocation

/** nonce, balance, code, and the storage as pairs of slot and word */
function encodeGenesisAccount({ nonce, balance, code, storage }: GenesisAccount): Uint8Array {
  const slots = [...storage].map(([slot, word]) => [slot, word])
  return encodeRlp([bigToBytes(nonce), bigToBytes(balance), code, slots])
}

function decodeGenesisAccount(row: Uint8Array): GenesisAccount {
  const [nonce, balance, code, slots] = asList(decodeRlp(row), 'genesis account')
  const storage = new Map<Hash, Hash>()
  for (const pair of asList(slots, 'storage')) {
    const [slot, word] = asList(pair, 'slot')
    storage.set(toHash(asBytes(slot, 'slot', 32)), toHash(asBytes(word, 'word', 32)))
  }
  return {
    nonce: bytesToBig(asBytes(nonce, 'nonce')),
    balance: bytesToBig(asBytes(balance, 'balance')),
    code: Uint8Array.from(asBytes(code, 'code')),
    storage,
  }
}

/** The genesis accounts as stored in a database, in order of address. */
export class StoredAllocation implements AsyncIterable<GenesisEntry> {
  readonly #store: KvReader

  constructor(store: KvReader) {
    this.#store = store
  }

  get(of: Address): GenesisAccount | undefined {
    const row = this.#store.get(KEY.genesisAccount(of))
    return row && decodeGenesisAccount(row)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<GenesisEntry> {
    for await (const [key, row] of this.#store.scan(RANGE.genesisAccounts())) {
      yield [ownerOfRow(key), decodeGenesisAccount(row)]
    }
  }
}

/** The rows of an allocation that fits in memory. */
export const allocationRows = (alloc: Iterable<GenesisEntry>): WriteOp[] =>
  Array.from(alloc, ([of, account]) => ({
    type: 'put',
    key: KEY.genesisAccount(of),
    value: encodeGenesisAccount(account),
  }))

/** Returns the number of entries. If an address occurs twice, only one entry stays. */
export async function writeAllocation(store: KvStore, alloc: GenesisAllocation): Promise<number> {
  const out = new BatchedWrites(store)
  let count = 0
  for await (const [address, account] of alloc) {
    count++
    out.put(KEY.genesisAccount(address), encodeGenesisAccount(account))
    if (out.isFull) await out.flush()
  }
  await out.end()
  return count
}

/** The error for an allocation with a duplicate address. */
async function repetition(alloc: GenesisAllocation): Promise<ChainError> {
  const seen = new Set<Address>()
  for await (const [address] of alloc) {
    if (seen.has(address)) return repeatedAddress(address)
    seen.add(address)
  }
  return new ChainError('invalid-genesis', 'the genesis has changed while it was read')
}

// --- block 0

/** A block of another program with what its execution produced. */
export type FirstBlock = Pick<ExecutedBlock, 'block' | 'receipts' | 'callTrees'>

/**
 * Writes allocation, state and index of block 0 into an empty database. The caller writes the rows of block and head. Throws
 * ChainError `invalid-genesis` for an allocation with a bad entry.
 */
export async function writeGenesis(
  store: KvStore,
  alloc: GenesisAllocation,
  runtime: Runtime,
  indexer: Indexer,
  first?: FirstBlock,
): Promise<ExecutedBlock> {
  let count = await writeAllocation(store, alloc)
  const state = new FirstState(store)
  let supply = 0n
  for await (const [address, account] of new StoredAllocation(store)) {
    count--
    supply += account.balance
    await state.add(address, account)
  }
  if (count !== 0) throw await repetition(alloc)
  await state.finish()
  const view = new StateStore(store, 0).at(0)
  const executed = { ...executeGenesis(runtime, view, supply), ...first }
  const { rows, codes } = await view.changes()
  await amendFirstState(store, rows, codes)
  await indexGenesis(store, runtime, indexer, executed)
  return executed
}

/**
 * Executes block 0 of a stored chain again on its stored allocation. Throws ChainError `storage` if the first state version has
 * other accounts.
 */
export async function executeStoredGenesis(
  store: KvStore,
  runtime: Runtime,
  state: StateStore,
  block: ExecutedBlock['block'],
): Promise<ExecutedBlock> {
  const alloc = new StoredAllocation(store)
  const begun = new View(new AllocationRows(alloc, (hash) => state.code(hash)), 0, undefined)
  let supply = 0n
  if (runtime.spec.native !== undefined) for await (const [, { balance }] of alloc) supply += balance
  beginModules(runtime, begun, supply)
  const changed = new Map(begun.changedAccounts().map(({ address, after }) => [address, after]))
  const expected = (of: Address): Account | undefined => (changed.has(of) ? changed.get(of) : begun.rows.account(of, 0))
  let count = changed.size
  for await (const [address] of alloc) if (!changed.has(address)) count++
  for await (const part of firstAccounts(store, state)) {
    count -= part.length
    const wrong = part.find(({ address, after }) => !sameAccount(expected(address), after))
    if (wrong !== undefined) throw differs(`account ${wrong.address} is another`)
  }
  if (count !== 0) throw differs(`${Math.abs(count)} accounts ${count > 0 ? 'are missing' : 'are not of its genesis'}`)
  const view = state.at(0)
  for (const note of begun.balanceNotes) view.balanceNotes.add(note)
  return { block, ...NO_TRANSACTIONS, view }
}

const differs = (how: string): ChainError =>
  new ChainError('storage', `block 0 does not come out as it did: in its state ${how}`)

/** Writes the index of block 0. */
export async function indexGenesis(
  store: KvStore,
  runtime: Runtime,
  indexer: Indexer,
  executed: ExecutedBlock,
  state: StateStore = new StateStore(store, 0),
): Promise<void> {
  const read = contractReader(runtime, executed.view, executed.block.header, () => undefined)
  let last: readonly ChangedAccount[] = []
  for await (const part of firstAccounts(store, state)) {
    if (last.length > 0) await store.write(await indexer.genesisAccounts(executed, last, store, read))
    last = part
  }
  await store.write(await indexer.block(executed, 0, store, read, last))
}

/**
 * Indexes the state of a state snapshot as if the chain's first block had created every account. `block` is that first block,
 * `parent` the header before it; state version 0 is the state after `parent`.
 */
export async function indexFirstState(
  store: KvStore,
  runtime: Runtime,
  indexer: Indexer,
  { block, parent }: { readonly block: ExecutedBlock['block']; readonly parent: SealedHeader },
  state: StateStore,
): Promise<void> {
  const view = state.at(0)
  const executed = { block: { ...block, transactions: [], withdrawals: [] }, ...NO_TRANSACTIONS, view }
  const read = contractReader(runtime, view, parent, () => undefined)
  let count = 0
  for await (const part of firstAccounts(store, state)) {
    count += part.length
    await store.write(await indexer.genesisAccounts(executed, part, store, read))
  }
  for await (const _ of store.scan(RANGE.knownAddresses())) count++
  let part: Address[] = []
  for await (const address of firstAddresses(store, state)) {
    part.push(address)
    if (part.length < ASKED_ADDRESSES) continue
    await store.write(await indexer.firstHolders(executed, part, count, store, read))
    part = []
  }
  await store.write(await indexer.firstHolders(executed, part, count, store, read))
}

/** The addresses of the first state version, and all addresses that occurred before it. */
async function* firstAddresses(store: KvReader, state: StateStore): AsyncGenerator<Address> {
  for await (const part of firstAccounts(store, state)) for (const { address } of part) yield address
  for await (const [key] of store.scan(RANGE.knownAddresses())) yield ownerOfRow(key)
}

/** The accounts of the first state version in order of address, in parts of `INDEXED_ACCOUNTS`. */
async function* firstAccounts(store: KvReader, state: StateStore): AsyncGenerator<readonly ChangedAccount[]> {
  let part: ChangedAccount[] = []
  for await (const [key, row] of store.scan(RANGE.accounts())) {
    const address = ownerOfRow(key)
    const { since, value } = decodeRow(row)
    // Most rows have not changed since version 0, so they need no second read.
    const after = since === 0 ? value && decodeAccount(value) : state.account(address, 0)
    if (after === undefined) continue
    part.push({ address, before: undefined, after })
    if (part.length < INDEXED_ACCOUNTS) continue
    yield part
    part = []
  }
  if (part.length > 0) yield part
}
