// The DAO fork (EIP-779): its block moves the balances of 116 accounts to the refund contract, and it and the next nine blocks
// have a mark in their extra data. The accounts are in dao-fork-accounts.json, in EIP-779's order.
import type { Machine } from '../evm/machine.ts'
import { type Address, type Hex, hexToAddress } from '../lib/hex.ts'
import type { Header } from '../primitives/types.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import accounts from './dao-fork-accounts.json' with { type: 'json' }
import { requireBlockRule } from './require-block-rule.ts'

/** `dao-hard-fork` in ASCII. */
const MARK: Hex = '0x64616f2d686172642d666f726b'
const MARKED_BLOCKS = 10n

const DRAINED: readonly Address[] = accounts.map(hexToAddress)
export const REFUND_CONTRACT = hexToAddress('0xbf4ed7b27f1d666546e30d74d50d173d20bca754')

const supportedFrom = (spec: ChainSpec): bigint | undefined => spec.forks.find(({ fork }) => fork === 'dao')?.block

/**
 * Whether a block's extra data must have the mark or must not; undefined: no rule. After the merge there is none, as in geth.
 */
function demandOf(spec: ChainSpec, fork: Fork, number: bigint): 'mark' | 'no mark' | undefined {
  const supported = supportedFrom(spec)
  const from = supported ?? spec.opposedDaoForkBlock
  const isInRange = from !== undefined && number >= from && number < from + MARKED_BLOCKS
  if (!isInRange || forkRules(fork).paris) return undefined
  return supported === undefined ? 'no mark' : 'mark'
}

/**
 * Throws ChainError `invalid-block` when a block in the fork's range lacks the mark, or has it on a chain that opposes the
 * fork (`daoForkSupport: false`).
 */
export function checkDaoExtraData(spec: ChainSpec, fork: Fork, { number, extraData }: Header): void {
  const demand = demandOf(spec, fork, number)
  requireBlockRule(demand !== 'mark' || extraData === MARK, `bad DAO pro-fork extra data ${extraData}, want ${MARK}`)
  requireBlockRule(demand !== 'no mark' || extraData !== MARK, `bad DAO no-fork extra data ${extraData}`)
}

/** The extra data of a block under construction: the requested data, unless the fork demands otherwise. */
export function daoExtraData(spec: ChainSpec, fork: Fork, number: bigint, requested: Hex): Hex {
  const demand = demandOf(spec, fork, number)
  if (demand === 'mark') return MARK
  return demand === 'no mark' && requested === MARK ? '0x' : requested
}

/**
 * Moves the balances if this is the fork's block. As in geth, accounts that did not exist are created empty before
 * EIP-161.
 */
export function moveDaoFunds(spec: ChainSpec, machine: Machine, number: bigint): void {
  if (supportedFrom(spec) !== number) return
  const { view } = machine
  for (const address of DRAINED) {
    view.transfer(address, REFUND_CONTRACT, view.balance(address))
    machine.touch(address)
  }
  machine.touch(REFUND_CONTRACT)
  machine.accessJournal.clear()
}
