// The built-in opcode proposals; a new one needs a line here.
import { cip0 } from './cip-0.ts'
import { cip1 } from './cip-1.ts'
import { cip2 } from './cip-2.ts'
import type { Proposal } from './define.ts'
import { ETHEREUM } from './ethereum.ts'
import { createRegistry, type Registry } from './registry.ts'

export const PROPOSALS: readonly Proposal[] = [cip0, cip1, cip2]

/** The built-in proposals of a chain, in a registry to which users' proposals can be added. */
export const proposalsOf = (chainName: string): Registry => createRegistry(chainName, [...ETHEREUM, ...PROPOSALS])
