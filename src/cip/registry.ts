// The proposals that this program knows on one chain, by name. The runtime seals the registry.

import { expansionGas } from '../evm/gas/memory-gas.ts'
import { type JumpTable, maxStackAtEntry } from '../evm/jump-table.ts'
import { ChainError } from '../lib/errors.ts'
import { checkProposalList, isProposalName } from '../spec/proposal-name.ts'
import type { Proposal, Tools } from './define.ts'
import { RESERVED } from './ethereum.ts'

export interface Registry {
  /**
   * Adds all of them or none; lists may name them from block `since` on (default 0). Throws ChainError `invalid-params`, or
   * `not-allowed` if the registry is sealed.
   */
  register(proposals: Proposal | readonly Proposal[], since?: bigint): void
  /** Refuses further registrations. */
  seal(): void
  /** Sorted. */
  names(): readonly string[]
  get(name: string): Proposal | undefined
  /**
   * Throws ChainError `invalid-params` for a name that is malformed, unknown in the block (default: the newest) or repeated.
   */
  check(names: readonly string[], block?: bigint): void
  /** Applies proposals in order. Throws as `check`, and if one fails. */
  apply(names: readonly string[], table: JumpTable): void
}

type Known = { readonly proposal: Proposal; readonly since: bigint }

const TOOLS: Tools = { expansionGas, maxStackAtEntry }

/** `own`: built-in proposals; other modules may not use their reserved names. */
export function createRegistry(chainName: string, own: readonly Proposal[]): Registry {
  const known = new Map<string, Known>()
  let isSealed = false
  const names = () => [...known.keys()].sort()
  const add = (proposals: readonly Proposal[], since: bigint, check: (name: string) => void) => {
    if (isSealed) throw new ChainError('not-allowed', 'already sealed and cannot be modified')
    const added = new Map<string, Proposal>()
    for (const proposal of proposals) {
      const name = proposal.name ?? `${chainName}_${proposal.number}`
      if (!isProposalName(name)) throw refuse(`eip name does not conform to structure 'chainName_Number': ${name}`)
      check(name)
      if (known.has(name) || added.has(name)) {
        const present = [...new Set([...names(), ...added.keys()])].sort().join(' ')
        throw refuse(`duplicate activation: ${name} is already present in [${present}]`)
      }
      added.set(name, proposal)
    }
    for (const [name, proposal] of added) known.set(name, { proposal, since })
  }
  const proposalOf = (name: string, block?: bigint): Proposal => {
    const found = known.get(name)
    if (found !== undefined && (block === undefined || found.since <= block)) return found.proposal
    if (found !== undefined) throw refuse(`EIP ${name} is not activateable before block ${found.since}`)
    throw refuse(`EIP ${name} is not activateable`, `this chain may use ${names().join(', ')}`)
  }
  const check = (list: readonly string[], block?: bigint) => checkProposalList(list, (name) => proposalOf(name, block))
  add(own, 0n, () => undefined)
  return {
    register(proposals, since = 0n) {
      add([proposals].flat(), since, (name) => {
        if (name.startsWith(RESERVED)) throw refuse(`${name}: names that begin with ${RESERVED} are reserved`)
      })
    },
    seal() {
      isSealed = true
    },
    names,
    get: (name) => known.get(name)?.proposal,
    check,
    apply(list, table) {
      check(list)
      for (const name of list) applyOne(name, proposalOf(name), table)
    },
  }
}

function applyOne(name: string, proposal: Proposal, table: JumpTable): void {
  try {
    const result: unknown = proposal.apply(table, TOOLS)
    if (result instanceof Promise) {
      // `apply` must not be asynchronous; a later rejection of its promise must not end the process.
      result.catch(() => undefined)
      throw new TypeError('apply must not be asynchronous')
    }
    table.validate()
  } catch (error) {
    // The module's own message may differ between nodes, and the error may become revert data, so it goes into `detail`.
    throw refuse(`EIP ${name} failed to activate`, error instanceof Error ? error.message : String(error))
  }
}

const refuse = (problem: string, detail?: string): ChainError =>
  new ChainError('invalid-params', problem, undefined, detail)
