// Governance over an empty state, block by block, with all other native modules.
import type { Address } from '../../../src/lib/hex.ts'
import type { VoteOption } from '../../../src/modules/gov/layout.ts'
import { initGenesis } from '../../../src/modules/index.ts'
import { MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import type { GenesisValidator, NativeSpec } from '../../../src/spec/chain-spec.ts'
import { emptyView, nativeSpec } from '../../support/native.ts'
import { Chain, delegator, operator, P, validator } from '../distribution/support.ts'

export { delegator, operator, P } from '../distribution/support.ts'

/** The default minimum deposit. */
export const MIN = 10_000_000n
/** The network's gov account: the first 20 bytes of SHA-256("gov"). */
export const GOV = MODULE_ACCOUNT.gov
export const EVM_PARAMS = '/ethermint.evm.v1.MsgUpdateParams'

export class GovChain extends Chain {
  get gov() {
    return this.modules.gov
  }

  /** Submits messages with a deposit; returns the proposal's number. */
  submit(messages: readonly object[] = [], { deposit = MIN, by = delegator(0), ...rest }: Submitting = {}): bigint {
    const file = { messages, title: 'A title', summary: 'A summary', ...rest }
    return this.gov.submit(by, this.gov.read(Buffer.from(JSON.stringify(file))), deposit)
  }

  vote(id: bigint, voter: Address, option: VoteOption): void {
    this.gov.vote(id, voter, { options: [{ option, weight: P }], metadata: '' })
  }

  /** All validators vote yes, and the voting period passes. */
  pass(id: bigint): void {
    for (const { operator } of this.staking.bondedValidators()) this.vote(id, operator, 'yes')
    this.conclude(id)
  }

  /** Ends the block in which the proposal's voting or deposit period ends. */
  conclude(id: bigint): void {
    const { status, depositEndTime, votingEndTime } = this.gov.proposal(id)
    this.next(0n, (status === 'voting' ? votingEndTime : depositEndTime) - this.time)
    this.next()
  }
}

type Submitting = {
  readonly deposit?: bigint
  readonly by?: Address
  readonly expedited?: boolean
  readonly metadata?: string
  readonly title?: string
  readonly summary?: string
}

/** A message of the gov module. */
export const message = (type: string, fields: object) => ({ '@type': type, authority: GOV, ...fields })
export const evmParams = (...extraEips: string[]) => message(EVM_PARAMS, { params: { extra_eips: extraEips } })

/** `section`: further fields of the genesis' section; `modules`: those of other modules. A chain at block 1 with two validators, of 100 and 50 coins; four delegators hold 1000 coins each. */
export async function govChain(
  params: object = {},
  validators?: readonly GenesisValidator[],
  section: object = {},
  modules: NativeSpec['modules'] = {},
): Promise<GovChain> {
  const all = validators ?? [validator(1, 100n * P), validator(2, 50n * P)]
  const spec = { ...nativeSpec, validators: all, modules: { ...modules, gov: { params, ...section } } }
  const chain = new GovChain(await emptyView(), spec)
  for (const of of all) chain.view.setBalance(of.operator, 2n * of.selfDelegation)
  for (let i = 0; i < 4; i++) chain.view.setBalance(delegator(i), 1_000n * P)
  const supply = all.reduce((sum, of) => sum + 2n * of.selfDelegation, 4_000n * P)
  initGenesis(chain.view, spec, supply, chain.block)
  chain.next()
  return chain
}

export const A = operator(1)
export const B = operator(2)
