// Storage of the vesting module, at its contract's address: clawback accounts, their funders and their schedules.
import { enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, u64, u256 } from '../../state/storage-types.ts'
import type { ScheduleStep } from './schedule.ts'

const step = struct<ScheduleStep>({ time: u64, total: u256 })

const account = layout({
  /** Unix seconds; of the earliest grant. */
  start: u64,
  /** The steps of all grants together. */
  lockup: list(step),
  vesting: list(step),
  /** Base units that were delegated since the account is one of these, and have not come back. */
  delegated: u256,
  /** Whether governance, too, may claw back. */
  governance: bool,
})
export type VestingAccount = ReturnType<typeof account.open>

export const vestingLayout = layout({
  /** Clawback account to funder. Its length is read first: at zero no other slot is read. */
  funders: enumerable(address, address),
  /** By clawback account. */
  accounts: mapping(address, account),
})
export type VestingState = ReturnType<typeof vestingLayout.open>
