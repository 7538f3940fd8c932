// The only room that knows EVM, modules, precompiles and proposals: it puts a machine together for one block.
// Everything it needs is in its arguments and in the state, so an old block is executed by its own rules.
import type { KZG } from '@ethereumjs/util'
import { proposalsNamed } from '../cip/index.ts'
import { jumpTable } from '../evm/jump-table.ts'
import { Machine } from '../evm/machine.ts'
import type { NativeContract } from '../evm/native-call.ts'
import { buildTable, type OpcodeTable } from '../evm/tables.ts'
import type { Address, Hash } from '../lib/hex.ts'
import { type Modules, openModules } from '../modules/index.ts'
import { holdings } from '../modules/vesting/held.ts'
import { nativeContracts } from '../precompiles/index.ts'
import type { Header } from '../primitives/types.ts'
import { MODULE_ACCOUNT } from '../spec/addresses.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { commonFor, forkAt } from '../spec/forks.ts'
import type { StateView } from '../state/types.ts'
import { type BlockEnv, blockEnv } from './block-env.ts'
import type { FeePolicy } from './execute-message.ts'

export type BlockHashes = (number: bigint) => Hash | undefined
const NO_NATIVES: ReadonlyMap<Address, NativeContract> = new Map()

export class Runtime {
  readonly spec: ChainSpec
  readonly fees: FeePolicy
  readonly #kzg: KZG | undefined
  readonly #tables = new Map<string, OpcodeTable>()

  constructor(spec: ChainSpec, kzg?: KZG) {
    this.spec = spec
    this.#kzg = kzg
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
    return blockEnv(this.spec, this.forkOf(header), header)
  }

  /** A machine for messages of one block on one view. `deadline` is in `performance.now()` milliseconds. */
  machine(view: StateView, env: BlockEnv, blockHash: BlockHashes, deadline?: number): Machine {
    return new Machine({
      common: commonFor(this.spec, env.fork, this.#kzg),
      view,
      table: this.#table(env.fork, this.modules(view, env, 'read')?.params.activeProposals() ?? []),
      natives: this.spec.native === undefined ? NO_NATIVES : nativeContracts(this.spec.native, env.number),
      block: { number: env.number, timestamp: env.timestamp, proposer: env.coinbase },
      blockHash,
      deadline,
      held: this.held(view, () => env.timestamp),
    })
  }

  /** How much of its balance an account must keep at a time (unix seconds); undefined on a plain chain: nothing. */
  held(view: StateView, time: () => bigint): ((of: Address) => bigint) | undefined {
    return this.spec.native === undefined ? undefined : holdings(view, time)
  }

  /** The native modules over a view; undefined on a plain chain. */
  modules(view: StateView, env: BlockEnv, access: 'read' | 'write'): Modules | undefined {
    if (this.spec.native === undefined) return undefined
    const block = { number: env.number, timestamp: env.timestamp, proposer: env.coinbase }
    return openModules({ spec: this.spec.native, block, view, access })
  }

  /** The opcode table of a fork with improvement proposals applied in their order. */
  #table(fork: Fork, proposals: readonly string[]): OpcodeTable {
    const name = [fork, ...proposals].join(' ')
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const common = commonFor(this.spec, fork, this.#kzg)
    const table = buildTable(common, (map) => {
      const opcodes = jumpTable(map, common)
      for (const proposal of proposalsNamed(this.spec.name, proposals)) proposal.apply(opcodes)
    })
    this.#tables.set(name, table)
    return table
  }
}
