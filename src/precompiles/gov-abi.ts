// The ABI of the governance contract as viem takes it, in a file of its own because the CLI needs it without the contract.
import { govAbi as named } from './generated/abi.ts'
import { entriesOf } from './named-abi.ts'

export const govAbi = entriesOf(named)
