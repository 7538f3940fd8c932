// The ABI of the governance contract for viem, in a separate file because the CLI needs it without the contract.
import { govAbi as named } from './generated/abi.ts'
import { entriesOf } from './named-abi.ts'

export const govAbi = entriesOf(named)
