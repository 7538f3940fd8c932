// The only room that knows EVM, modules, precompiles and proposals: it puts a machine together for one block.
// Everything it needs is in its arguments and in the state, so an old block is executed by its own rules.
import type { KZG } from '@ethereumjs/util'
import { LRUCache } from 'lru-cache'
import { registryOf } from '../cip/modules.ts'
import type { Registry } from '../cip/registry.ts'
import { commonFor } from '../evm/ethereumjs/common.ts'
import { buildTable } from '../evm/jump-table.ts'
import { type EngineChoice, Machine } from '../evm/machine.ts'
import type { NativeContracts } from '../evm/native-call.ts'
import type { OpcodeTable } from '../evm/opcode-table.ts'
import { ChainError } from '../lib/errors.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import { type Modules, openModules } from '../modules/index.ts'
import type { Report } from '../modules/module.ts'
import { activeProposals, upgraded } from '../modules/params.ts'
import { lockedBalances } from '../modules/vesting/locked-balance.ts'
import { sharedNativeContracts } from '../precompiles/index.ts'
import type { Header } from '../primitives/types.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { atLeast, forkAt } from '../spec/forks.ts'
import type { StateView } from '../state/types.ts'
import { type BlockEnv, blockEnv } from './block-env.ts'
import type { FeePolicy } from './execute-message.ts'

export type BlockHashes = (number: bigint) => Hash | undefined
const NO_NATIVES: NativeContracts = new Map()
/** Tables of this many lists of proposals are kept; there are never more than a few, unless somebody plays with them. */
const TABLES = 64
/** Outcomes of trials that are kept. */
const TRIALS = 256

export class Runtime {
  readonly spec: ChainSpec
  readonly fees: FeePolicy
  readonly #kzg: KZG | undefined
  readonly #engine: EngineChoice | undefined
  /** A native contract tries out lists of proposals by the fork that it runs on, so each fork has its own. */
  readonly #natives = new Map<Fork, (block: bigint) => NativeContracts>()
  readonly #report: Report
  /** A header says the same whenever it is asked. */
  readonly #envs = new WeakMap<Header, BlockEnv>()
  readonly #tables = new LRUCache<string, OpcodeTable>({ max: TABLES })
  /** Lists that have been tried out, kept apart from the tables in use: whoever submits many lists displaces none of those. */
  readonly #sound = new LRUCache<string, true>({ max: TRIALS })
  /** The improvement proposals that this chain may use. */
  readonly proposals: Registry

  /**
   * `engine`: what runs ordinary code; left out: ours, where it has been built. `report` hears of what went wrong in a
   * block in words that must not enter it.
   */
  constructor(
    spec: ChainSpec,
    kzg?: KZG,
    proposals: Registry = registryOf(spec),
    engine?: EngineChoice | undefined,
    report: Report = (message, error) => console.error(message, error),
  ) {
    this.spec = spec
    this.#kzg = kzg
    this.#engine = engine
    this.#report = report
    this.proposals = proposals
    proposals.seal()
    const collects = spec.native !== undefined && !spec.native.feeMarket.burnBaseFee
    this.fees = { collector: collects ? MODULE_ACCOUNT.feeCollector : undefined }
  }

  /** The rules a header stands under; a header without difficulty is after the merge. */
  forkOf(header: Pick<Header, 'number' | 'timestamp' | 'difficulty'>): Fork {
    return forkAt(this.spec, {
      number: header.number,
      timestamp: header.timestamp,
      merged: header.difficulty === 0n && this.spec.terminalTotalDifficulty !== undefined,
    })
  }

  env(header: Header): BlockEnv {
    const known = this.#envs.get(header) ?? blockEnv(this.spec, this.forkOf(header), header)
    this.#envs.set(header, known)
    return known
  }

  /** A machine for messages of one block on one view, which run in the turns of `pause`. `deadline` is in `performance.now()` milliseconds. */
  machine(view: StateView, env: BlockEnv, blockHash: BlockHashes, pause: Pause, deadline?: number): Machine {
    return new Machine({
      common: commonFor(this.spec, env.fork, this.#kzg),
      view,
      table: this.table(view, env),
      natives: this.#nativesOf(env),
      block: { number: env.number, timestamp: env.timestamp, proposer: env.coinbase },
      blockHash,
      deadline,
      pause,
      engine: this.#engine,
      lockedBalance: this.lockedBalances(view, () => env.timestamp),
    })
  }

  #nativesOf({ fork, number }: BlockEnv): NativeContracts {
    const { native } = this.spec
    if (native === undefined) return NO_NATIVES
    const known = this.#natives.get(fork)
    if (known !== undefined) return known(number)
    const contracts = sharedNativeContracts(native, this.#report, (names, block) =>
      this.checkProposals(names, { fork, number: block.number }),
    )
    this.#natives.set(fork, contracts)
    return contracts(number)
  }

  /** How much of its balance an account must keep at a time (unix seconds); undefined on a plain chain: nothing. */
  lockedBalances(view: StateView, time: () => bigint): ((of: Address) => bigint) | undefined {
    return this.spec.native === undefined ? undefined : lockedBalances(view, time)
  }

  /** The native modules over a view; undefined on a plain chain. */
  modules(view: StateView, env: BlockEnv, access: 'read' | 'write'): Modules | undefined {
    if (this.spec.native === undefined) return undefined
    const block = { number: env.number, timestamp: env.timestamp, proposer: env.coinbase }
    const checkProposals = (names: readonly string[]) => this.checkProposals(names, env)
    return openModules({ spec: this.spec.native, block, view, access, checkProposals, report: this.#report })
  }

  /** What opcodes do by the fork alone, without improvement proposals: the table of the protocol's own calls. */
  forkTable({ fork }: Pick<BlockEnv, 'fork'>): OpcodeTable {
    return this.#table(fork, [])
  }

  /** What opcodes do under the parameters that a view holds. Throws ChainError as `checkProposals`. */
  table(view: StateView, env: BlockEnv): OpcodeTable {
    return this.#table(env.fork, this.#proposalsOn(view))
  }

  /**
   * Throws ChainError unless these improvement proposals can be active together after a block, and the upgrades to come
   * can be made on top of them. All forks that may still come are tried out.
   */
  checkProposals(names: readonly string[], { fork, number }: Pick<BlockEnv, 'fork' | 'number'>): void {
    this.#tryOut(names, fork, number)
    let active = names
    for (const upgrade of this.spec.native?.upgrades ?? []) {
      if (upgrade.height <= number) continue
      active = upgraded(active, upgrade)
      const { name, height } = upgrade
      explained(` (at upgrade ${name}, block ${height})`, () => this.#tryOut(active, fork, height))
    }
  }

  /** Throws ChainError when this program lacks a proposal that the chain has active, or will have at an upgrade. */
  requireProposals(view: StateView, env: BlockEnv): void {
    const active = this.#proposalsOn(view)
    this.checkProposals(active, env)
  }

  #proposalsOn(view: StateView): readonly string[] {
    return this.spec.native === undefined ? [] : activeProposals(view)
  }

  #tryOut(names: readonly string[], from: Fork, block: bigint): void {
    if (names.length === 0) return
    this.proposals.check(names, block)
    for (const { fork } of this.spec.forks) {
      const key = keyOf(fork, names)
      if (!atLeast(fork, from) || this.#sound.has(key)) continue
      this.#build(fork, names)
      this.#sound.set(key, true)
    }
  }

  /** The opcode table of a fork with improvement proposals applied in their order. */
  #table(fork: Fork, names: readonly string[]): OpcodeTable {
    const key = keyOf(fork, names)
    const known = this.#tables.get(key) ?? this.#build(fork, names)
    this.#tables.set(key, known)
    return known
  }

  #build(fork: Fork, names: readonly string[]): OpcodeTable {
    const common = commonFor(this.spec, fork, this.#kzg)
    return buildTable(common, names.length === 0 ? undefined : (table) => this.proposals.apply(names, table))
  }
}

const keyOf = (fork: Fork, names: readonly string[]): string => [fork, ...names].join(' ')

/** Adds words to the refusal, if it comes to one. */
function explained(words: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError(error.code, `${error.message}${words}`, error.data, error.detail)
  }
}
