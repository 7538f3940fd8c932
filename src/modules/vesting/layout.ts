// Storage of the vesting module, at its contract's address: clawback accounts, their funders and their schedules.
import { enumerable, layout, list, mapping, struct } from '../../state/layout.ts'
import { address, bool, u64, u256 } from '../../state/storage-types.ts'
import type { ScheduleStep } from './schedule.ts'

const step = struct<ScheduleStep>({ time: u64, total: u256 })

const account = layout({
  /** Start of the earliest grant, in unix seconds. */
  start: u64,
  /** The merged steps of all grants. */
  lockup: list(step),
  vesting: list(step),
  /** Base units delegated since the account became a clawback account, and not returned yet. */
  delegated: u256,
  /** Whether governance may claw back, too. */
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
