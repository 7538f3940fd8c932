// A chain that begins at a block of another chain: the rows of its beginning, and the refusal of questions about what was before.
// State version 0 is the forked chain's after that block; of it only what was fetched is on disk (`state/partial-state.ts`).
import type { BlockBefore } from '../fork/block-before.ts'
import type { ForkBlock, ForkedChain } from '../fork/forked-chain.ts'
import type { Remote } from '../fork/remote.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, type Hash, ZERO_HASH } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { beginModules } from '../runtime/genesis.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { firstParts as systemParts } from '../runtime/system.ts'
import { NATIVE_ADDRESSES } from '../spec/addresses.ts'
import type { ChainSpec, NativeSpec } from '../spec/chain-spec.ts'
import { operatorCoins } from '../spec/presets.ts'
import { firstRow } from '../state/first-state.ts'
import { KEY } from '../state/keyspace.ts'
import type { KvStore, StateView, Wanted, WriteOp } from '../state/types.ts'
import { baseRow } from './base.ts'
import { blockRows } from './blocks.ts'
import { begunRow, forkRow } from './fork-row.ts'
import { beginChain, chainRows, headRow, indexRow, readHead, stateVersionRow, unfinishedRow } from './open.ts'
import { horizonRow } from './pruning.ts'
import type { BlockRef, Chain, Indexer } from './types.ts'

/** The block of the fork, with the header that the forked chain gives it. */
export type ForkBeginning = {
  readonly at: ForkBlock
  readonly header: SealedHeader
  /** The block in whose middle the fork begins. */
  readonly before?: BlockBefore | undefined
}

/** A fork of another chain, as a node starts with it. */
export type ForkStart = {
  readonly forked: ForkedChain
  /** The block to begin at, with the new chain's specification; left out for a fork that is on disk. */
  readonly begin?: (ForkBeginning & { readonly spec: ChainSpec }) | undefined
  /** Accounts that get coins at the beginning, and how many base coins. */
  readonly accounts: readonly Address[]
  readonly balance: bigint
}

/** A chain to fork, as a client names it; left out: the present server, its newest block. */
export type ForkTarget = { readonly url?: URL | undefined; readonly number?: bigint | undefined }

/** Connects to other chains, with the settings that the node was started with. */
export type Forking = {
  connect(url: URL): Promise<Remote>
  /** Throws ChainError as `findFork`. */
  start(target: ForkTarget): Promise<ForkStart & { readonly begin: NonNullable<ForkStart['begin']> }>
}

/** The question is about a block that the forked chain has and this one has not. */
export class BeforeFork extends ChainError {
  constructor(what: string) {
    super('header-not-found', `${what} is before the fork`)
    this.name = 'BeforeFork'
  }
}

/** Throws BeforeFork for a reference by number or tag to a block before the first one, `base`. */
export function refuseBefore(ref: Exclude<BlockRef, { readonly hash: Hash }>, base: bigint): void {
  if (ref === 'earliest' && base > 0n) throw new BeforeFork('block 0')
  if (typeof ref === 'object' && ref.number < base) throw new BeforeFork(`block ${ref.number}`)
}

/**
 * Writes the beginning of a fork into an empty database, which is no chain until `beginFork` has completed it. Throws ChainError
 * `storage` if it is not empty.
 */
export async function createFork(
  store: KvStore,
  spec: ChainSpec,
  { at, header }: ForkBeginning,
  indexer: Indexer,
): Promise<void> {
  const { number } = at
  await beginChain(store)
  await store.write([
    // Without its transactions, which the forked chain has.
    ...blockRows({ header: storable(header), transactions: [], uncles: [], withdrawals: undefined }, []),
    stateVersionRow(number, 0),
    headRow(number, 0),
    indexRow('complete', indexer),
    baseRow(number),
    horizonRow({ number, version: 0 }),
    forkRow(at, spec),
    ...(spec.native === undefined ? [] : emptyRows()),
    ...chainRows(spec),
    unfinishedRow(),
  ])
}

/** The native modules begin with no account and no storage at their addresses, whatever the forked chain has there. */
const emptyRows = (): WriteOp[] =>
  [...NATIVE_ADDRESSES].flatMap((address): WriteOp[] => [
    { type: 'put', key: KEY.account(address), value: firstRow(undefined) },
    { type: 'put', key: KEY.cleared(address), value: firstRow(Uint8Array.of(1)) },
  ])

/** What is fetched at the beginning. */
export const firstParts = ({ accounts, begin }: Pick<ForkStart, 'accounts' | 'begin'>): Wanted[] => [
  ...systemParts(begin?.spec),
  ...accounts.map((account) => ({ account })),
  ...(begin?.spec.native?.validators ?? []).map(({ operator }) => ({ account: operator })),
]

/**
 * Fetches what every block of Ethereum reads, writes the initial state of native modules, executes the transactions of a block in
 * whose middle the fork begins, gives accounts coins, and completes the chain. Throws ChainError `transaction-rejected` if one of the
 * transactions cannot be executed.
 */
export async function beginFork(
  chain: Pick<Chain, 'missing' | 'edit' | 'openBlock' | 'store' | 'head'>,
  runtime: Runtime,
  { accounts, balance, begin }: Pick<ForkStart, 'accounts' | 'balance' | 'begin'>,
): Promise<void> {
  await chain.missing?.fetch(firstParts({ accounts, begin }))
  const { native } = runtime.spec
  if (native !== undefined) await chain.edit((view) => beginNative(runtime, native, view, chain.head, accounts))
  if (begin?.before !== undefined) await executeBefore(chain, begin.before)
  await chain.edit((view) => {
    for (const account of accounts) view.setBalance(account, balance)
  })
  const { number, version } = readHead(chain.store)
  await chain.store.write([begunRow(number, version), { type: 'del', key: KEY.meta('unfinished') }])
}

/**
 * Writes the initial state of the native modules. The supply begins with the coins of the validators' operators and of `accounts`: how
 * many the forked chain has cannot be asked.
 */
function beginNative(
  runtime: Runtime,
  { validators }: NativeSpec,
  view: StateView,
  head: SealedHeader,
  accounts: readonly Address[],
): void {
  for (const validator of validators) view.addBalance(validator.operator, operatorCoins(validator))
  const counted = new Set([...accounts, ...validators.map(({ operator }) => operator)])
  const supply = Array.from(counted, (of) => view.balance(of)).reduce((sum, balance) => sum + balance, 0n)
  const { fork, coinbase: proposer } = runtime.env(head)
  beginModules(runtime, view, supply, { fork, number: head.number, timestamp: head.timestamp, proposer })
}

async function executeBefore(chain: Pick<Chain, 'openBlock'>, { header, transactions }: BlockBefore): Promise<void> {
  const { timestamp, gasLimit, coinbase, extraData, baseFeePerGas, mixHash, slotNumber } = header
  const parentBeaconBlockRoot = header.parentBeaconBlockRoot ?? ZERO_HASH
  const attributes = { timestamp, gasLimit, coinbase, extraData, baseFeePerGas, parentBeaconBlockRoot, slotNumber }
  const builder = await chain.openBlock({ ...attributes, prevRandao: mixHash }, true)
  try {
    await builder.take(transactions)
    if (builder.size < transactions.length)
      throw new ChainError('transaction-rejected', `transactions of block ${header.number} cannot be executed here`)
    await builder.seal()
  } finally {
    builder.abandon()
  }
}

/** The header with the fields of the newest fork that it has all fields of; other chains leave some of them out. */
function storable(header: SealedHeader): SealedHeader {
  const { baseFeePerGas, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  const { blockAccessListHash, slotNumber } = header
  const isLondon = baseFeePerGas !== undefined
  const isShanghai = isLondon && withdrawalsRoot !== undefined
  const isCancun =
    isShanghai && blobGasUsed !== undefined && excessBlobGas !== undefined && parentBeaconBlockRoot !== undefined
  const isAmsterdam =
    isCancun && requestsHash !== undefined && blockAccessListHash !== undefined && slotNumber !== undefined
  return {
    ...header,
    withdrawalsRoot: isShanghai ? withdrawalsRoot : undefined,
    blobGasUsed: isCancun ? blobGasUsed : undefined,
    excessBlobGas: isCancun ? excessBlobGas : undefined,
    parentBeaconBlockRoot: isCancun ? parentBeaconBlockRoot : undefined,
    requestsHash: isCancun ? requestsHash : undefined,
    blockAccessListHash: isAmsterdam ? blockAccessListHash : undefined,
    slotNumber: isAmsterdam ? slotNumber : undefined,
  }
}
