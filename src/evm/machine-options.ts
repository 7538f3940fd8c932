// Constructor options of a machine.

import type { AnyDeadline } from '../lib/deadline.ts'
import type { Address, Hash } from '../lib/hex.ts'
import type { Pause } from '../lib/scheduler.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import type { EngineChoice } from './engine-selection.ts'
import type { NativeBlock, NativeContracts } from './native-call.ts'
import type { OpcodeTable } from './opcode-table.ts'

export type MachineOptions = {
  readonly spec: ChainSpec
  readonly view: StateView
  /** The table of the fork that the machine follows. */
  readonly table: OpcodeTable
  readonly natives: NativeContracts
  readonly block: NativeBlock
  /** BLOCKHASH: hash of an ancestor within the last 256; undefined reads as zero. */
  readonly blockHash: (number: bigint) => Hash | undefined
  readonly deadline: AnyDeadline | undefined
  /** The turns in which messages run; left out: those of a block. */
  readonly pause?: Pause | undefined
  /** Wei that an account may not spend; left out: 0 for all. */
  readonly lockedBalance?: ((of: Address) => bigint) | undefined
  /** The engine for ordinary code; left out: ours, if it has been built. */
  readonly engine?: EngineChoice | undefined
}
