// Builds the machine that executes a block: the fork's opcode table with active proposals, native contracts, fee policy. All of
// it follows from the chain's specification, the header and the state, so an old block is executed by its own rules.
import { LRUCache } from 'lru-cache'
import { registryOf } from '../cip/modules.ts'
import type { Registry } from '../cip/registry.ts'
import { freeCycle } from '../evm/free-cycle.ts'
import { buildTable, type JumpTable } from '../evm/jump-table.ts'
import { type EngineChoice, Machine } from '../evm/machine.ts'
import type { NativeContracts } from '../evm/native-call.ts'
import { type OpcodeChange, opcodeChanges } from '../evm/opcode-changes.ts'
import type { OpcodeTable } from '../evm/opcode-table.ts'
import { type Unsteady, unsteadyFunction } from '../evm/steady-functions.ts'
import type { Deadline } from '../lib/deadline.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, type Hash, ZERO_ADDRESS } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import { consensusParamsOn } from '../modules/consensus-params.ts'
import { type Modules, openModules } from '../modules/index.ts'
import type { Report } from '../modules/module.ts'
import { activeProposals, minBaseFeeOn, upgraded } from '../modules/params.ts'
import { proposerInTurn } from '../modules/staking/proposer.ts'
import { lockedBalances } from '../modules/vesting/locked-balance.ts'
import { sharedNativeContracts } from '../precompiles/index.ts'
import { nextBaseFee } from '../primitives/fees.ts'
import type { CommitInfo, Header } from '../primitives/types.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { forkRules, rulesOn } from '../spec/fork-rules.ts'
import { forkAt } from '../spec/forks.ts'
import type { StateView } from '../state/types.ts'
import { type BlockEnv, blockEnv } from './block-env.ts'
import type { FeePolicy } from './execute-message.ts'
import { gasLimitTowards } from './gas-limit.ts'

/** The hash of a block by its number, for BLOCKHASH; undefined when it is not an ancestor. */
export type BlockHashes = (number: bigint) => Hash | undefined
const NO_NATIVES: NativeContracts = new Map()
/** Opcode tables to cache, one for each fork and list of active proposals. A chain uses a few. */
const TABLES = 64
/** Number of checked lists of proposals to cache. */
const TRIALS = 256

/** Execution by the rules of one chain. One object serves all blocks; it caches what depends on fork and proposals. */
export class Runtime {
  readonly spec: ChainSpec
  readonly fees: FeePolicy
  readonly #engine: EngineChoice | undefined
  /** Native contracts by fork, because they check lists of proposals against the fork that they run on. */
  readonly #natives = new Map<Fork, (block: bigint) => NativeContracts>()
  readonly #report: Report
  /** Environments by header object; a header never changes. */
  readonly #envs = new WeakMap<Header, BlockEnv>()
  readonly #tables = new LRUCache<string, OpcodeTable>({ max: TABLES })
  /** Lists of proposals that passed the check. Separate from `#tables`, so that many submitted lists evict no table in use. */
  readonly #sound = new LRUCache<string, true>({ max: TRIALS })
  /** The opcode proposals that this chain may use. */
  readonly proposals: Registry

  /**
   * `engine` runs contract code; by default the WebAssembly engine, if it has been built. `report` receives errors of native
   * code whose text must not become part of a block.
   */
  constructor(
    spec: ChainSpec,
    proposals: Registry = registryOf(spec),
    engine?: EngineChoice | undefined,
    report: Report = (message, error) => console.error(message, error),
  ) {
    this.spec = spec
    this.#engine = engine
    this.#report = report
    this.proposals = proposals
    proposals.seal()
    const collects = spec.native !== undefined && !spec.native.feeMarket.burnBaseFee
    this.fees = { collector: collects ? MODULE_ACCOUNT.feeCollector : undefined }
  }

  /** The same, but errors of native code are reported to another. */
  reportingTo(report: Report): Runtime {
    return new Runtime(this.spec, this.proposals, this.#engine, report)
  }

  /** A runtime for another chain, on the same engine. */
  with(spec: ChainSpec): Runtime {
    return new Runtime(spec, undefined, this.#engine, this.#report)
  }

  /** The fork of a header. A header without difficulty is after the merge. */
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

  /** Base fee of a block's child on the state after the block: EIP-1559's, raised to the floor. */
  nextBaseFee(parent: Header, state: StateView): bigint {
    const fee = nextBaseFee(parent)
    const floor = this.minBaseFee(state)
    return fee < floor ? floor : fee
  }

  /** Floor of the base fee of blocks after a state, in wei per gas; 0: none. */
  minBaseFee(state: StateView): bigint {
    return this.spec.native?.feeMarket.minBaseFee === undefined ? 0n : minBaseFeeOn(state)
  }

  /**
   * The gas limit of a block's child on the state after the block: the next step towards the one that governance has set.
   * undefined: it has set none.
   */
  nextGasLimit(parent: Header, state: StateView): bigint | undefined {
    const params = consensusParamsOn(this.spec.native, state)
    return params === undefined || params.gasLimit === 0n
      ? undefined
      : gasLimitTowards(params.gasLimit, parent.gasLimit)
  }

  /** A machine for messages of one block on one view. `pause` yields to the event loop. */
  machine(view: StateView, env: BlockEnv, blockHash: BlockHashes, pause: Pause, deadline?: Deadline): Machine {
    return new Machine({
      spec: this.spec,
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

  /** Reads an account's locked balance (vesting) at a time in unix seconds; undefined on a plain chain. */
  lockedBalances(view: StateView, time: () => bigint): ((of: Address) => bigint) | undefined {
    return this.spec.native === undefined ? undefined : lockedBalances(view, time)
  }

  /** The native modules over a view; undefined on a plain chain. `commit`: the block's commit info from CometBFT. */
  modules(view: StateView, env: BlockEnv, access: 'read' | 'write', commit?: CommitInfo): Modules | undefined {
    if (this.spec.native === undefined) return undefined
    const { number, timestamp, coinbase: proposer, skipsUpgrade } = env
    const block = { number, timestamp, proposer, skipsUpgrade, commit }
    const checkProposals = (names: readonly string[]) => this.checkProposals(names, env)
    return openModules({ spec: this.spec.native, block, view, access, checkProposals, report: this.#report })
  }

  /** The proposer of a block without CometBFT, from the state of its parent; the zero address: none. */
  proposerInTurn(parent: StateView, number: bigint): Address {
    return (this.spec.native && proposerInTurn(parent, number)) ?? ZERO_ADDRESS
  }

  /** The fork's opcode table without opcode proposals, for system calls. */
  forkTable({ fork }: Pick<BlockEnv, 'fork'>): OpcodeTable {
    return this.#table(fork, [])
  }

  /** The fork's opcode table with the proposals that are active on a view. Throws ChainError as `checkProposals`. */
  table(view: StateView, env: BlockEnv): OpcodeTable {
    return this.#table(env.fork, this.#proposalsOn(view))
  }

  /**
   * Returns the changes that an opcode proposal makes to a fork's opcode table when no other proposal is active; an empty list if
   * it cannot be applied alone.
   */
  changesOf(name: string, { fork }: Pick<BlockEnv, 'fork'>): readonly OpcodeChange[] {
    try {
      return opcodeChanges(this.#table(fork, []), this.#table(fork, [name]))
    } catch (error) {
      if (error instanceof ChainError) return []
      throw error
    }
  }

  /**
   * Throws ChainError unless these opcode proposals can be active together after a block and at each later upgrade. Builds the
   * opcode table of every fork from this one on, and tries the functions of what is only proposed.
   */
  checkProposals(
    names: readonly string[],
    { fork, number }: Pick<BlockEnv, 'fork' | 'number'>,
    are: 'proposed' | 'active' = 'proposed',
  ): void {
    this.#tryOut(names, fork, number, are)
    let active = names
    for (const upgrade of this.spec.native?.upgrades ?? []) {
      if (upgrade.height <= number) continue
      active = upgraded(active, upgrade)
      const { name, height } = upgrade
      explained(` (at upgrade ${name}, block ${height})`, () => this.#tryOut(active, fork, height, are))
    }
  }

  /** Throws ChainError if this program lacks a proposal that is active on the chain, or will be after an upgrade. */
  requireProposals(view: StateView, env: BlockEnv): void {
    const active = this.#proposalsOn(view)
    this.checkProposals(active, env, 'active')
  }

  #proposalsOn(view: StateView): readonly string[] {
    return this.spec.native === undefined ? [] : activeProposals(view)
  }

  #tryOut(names: readonly string[], from: Fork, block: bigint, are: 'proposed' | 'active'): void {
    if (names.length === 0) return
    this.proposals.check(names, block)
    for (const { fork } of this.spec.forks) {
      const key = keyOf(fork, [are, ...names])
      if (!forkRules(fork)[from] || this.#sound.has(key)) continue
      const table = this.#build(fork, names)
      const cycle = table.boundsWork ? freeCycle(table) : undefined
      if (cycle !== undefined) throw freeOpcodes(cycle)
      const unsteady = are === 'proposed' ? unsteadyFunction(table, this.#table(fork, [])) : undefined
      if (unsteady !== undefined) throw dependsOnMore(unsteady)
      this.#sound.set(key, true)
    }
  }

  /** The opcode table of a fork with opcode proposals applied in order. */
  #table(fork: Fork, names: readonly string[]): OpcodeTable {
    const key = keyOf(fork, names)
    const known = this.#tables.get(key) ?? this.#build(fork, names)
    this.#tables.set(key, known)
    return known
  }

  #build(fork: Fork, names: readonly string[]): OpcodeTable {
    const change = names.length === 0 ? undefined : (table: JumpTable) => this.proposals.apply(names, table)
    return buildTable(rulesOn(this.spec, fork), change, this.spec.native?.boundedWork)
  }
}

const freeOpcodes = (names: readonly string[]): ChainError => {
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return new ChainError('invalid-params', `code could run for ever without gas: ${listed} would cost nothing`)
}

const dependsOnMore = ({ opcode, part }: Unsteady): ChainError =>
  new ChainError('invalid-params', `the ${part} of ${opcode} depends on more than its frame: tried twice, it differed`)

const keyOf = (fork: Fork, names: readonly string[]): string => [fork, ...names].join(' ')

/** Appends `suffix` to the message of a ChainError that `check` throws. */
function explained(suffix: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw new ChainError(error.code, `${error.message}${suffix}`, error.data, error.detail)
  }
}
