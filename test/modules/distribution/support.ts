// All native modules over an empty state, block by block, as the runtime opens them, with the real staking module.
import { onTestFinished } from 'vitest'
import type { Address } from '../../../src/lib/hex.ts'
import { beginBlock, endBlock, initGenesis, type Modules, openModules } from '../../../src/modules/index.ts'
import { SLASH_WORK } from '../../../src/modules/staking/context.ts'
import { VOTE_ABSENT } from '../../../src/primitives/commit-info.ts'
import type { CommitInfo, Vote } from '../../../src/primitives/types.ts'
import { consensusAddress, MODULE_ACCOUNT } from '../../../src/spec/addresses.ts'
import { DEFAULT_NETWORK, type GenesisValidator, type NativeSpec } from '../../../src/spec/chain-spec.ts'
import type { StateView } from '../../../src/state/types.ts'
import { emptyView, nativeSpec } from '../../support/native.ts'
import { delegator, genesisValidator, operator, P, START } from '../staking/support.ts'

export { DAY, delegator, operator, P } from '../staking/support.ts'

/** A validator; the commission is in hundredths. */
export const validator = (index: number, selfDelegation: bigint, commission = 0n): GenesisValidator =>
  genesisValidator(index, selfDelegation, {
    commission: { rate: commission * 10n ** 16n, maxRate: P, maxChangeRate: P },
  })

export class Chain {
  readonly view: StateView
  readonly spec: NativeSpec
  number = 0n
  time = START
  commit: CommitInfo | undefined
  /** The bonded sets at the end of each block. */
  readonly #sets: (readonly Vote[])[] = []

  constructor(view: StateView, spec: NativeSpec) {
    this.view = view
    this.spec = spec
  }

  get modules(): Modules {
    const { view, spec } = this
    return openModules({ spec, view, access: 'write', block: this.block })
  }

  get staking() {
    return this.modules.staking
  }

  get distribution() {
    return this.modules.distribution
  }

  get block() {
    return { number: this.number, timestamp: this.time, proposer: operator(0), commit: this.commit }
  }

  /**
   * Ends the block, which has collected `fees`, and begins the next one. In a network it has the votes of the set of three
   * blocks before; `absent`: a bit for each member that did not vote.
   */
  next(fees = 0n, seconds = 5n, absent = 0): void {
    this.view.addBalance(MODULE_ACCOUNT.feeCollector, fees)
    this.modules.bank.adjustSupply(fees)
    endBlock(this.modules)
    if (this.spec.consensus !== undefined) this.#vote(absent)
    this.number += 1n
    this.time += seconds
    beginBlock(this.modules)
  }

  #vote(absent: number): void {
    const { staking } = this
    const votes = staking.bondedValidators().flatMap(({ operator: of, power }) => {
      const key = staking.validator(of)?.consensusKey
      return key === undefined ? [] : [{ address: consensusAddress(key), power, flag: 2 }]
    })
    this.#sets.push(votes)
    const flagged = (this.#sets.at(-3) ?? []).map((vote, index) =>
      ((absent >> index) & 1) === 1 ? { ...vote, flag: VOTE_ABSENT } : vote,
    )
    this.commit = { round: 0n, votes: flagged, evidence: [], time: this.time * 10n ** 9n }
  }

  balance = (of: Address): bigint => this.view.balance(of)

  /** Returns the text of the refusal and reverts the writes of the refused call, as the EVM does. */
  attempt(run: (modules: Modules) => unknown): string | undefined {
    this.view.checkpoint()
    try {
      run(this.modules)
      this.view.commit()
      return undefined
    } catch (error) {
      this.view.revert()
      return error instanceof Error ? error.message : String(error)
    }
  }

  /** Base units that `run` adds to an account. */
  gain(of: Address, run: (modules: Modules) => unknown): bigint {
    const before = this.balance(of)
    run(this.modules)
    return this.balance(of) - before
  }
}

/** A fraction as the genesis file writes it. */
const decimal = (hundredths: bigint) => (hundredths === 100n ? '1' : `0.${String(hundredths).padStart(2, '0')}`)

/**
 * A chain at block 1. Operators hold as many coins as they self-delegated, four delegators 1000 coins each.
 * `tax` is in hundredths.
 */
export async function chainWith(
  validators: readonly GenesisValidator[],
  {
    tax = 0n,
    staking = {},
    inflation = {},
    slashing,
    version = 1,
    isNetwork = false,
  }: {
    tax?: bigint
    staking?: object
    inflation?: object
    slashing?: object | undefined
    version?: number
    isNetwork?: boolean
  } = {},
): Promise<Chain> {
  const distribution = { version, params: { communityTax: decimal(tax) } }
  const modules = { distribution, staking: { params: staking }, inflation, slashing }
  const spec = { ...nativeSpec, validators, modules, ...(isNetwork && { consensus: DEFAULT_NETWORK }) }
  const chain = new Chain(await emptyView(), spec)
  for (const of of validators) chain.view.setBalance(of.operator, 2n * of.selfDelegation)
  for (let i = 0; i < 4; i++) chain.view.setBalance(delegator(i), 1_000n * P)
  const supply = validators.reduce((sum, of) => sum + 2n * of.selfDelegation, 4_000n * P)
  initGenesis(chain.view, spec, supply, chain.block)
  chain.next()
  return chain
}

/** Bounds the slash work of a block until the end of the test, on chains with version 2 of the rules. */
export function slashWorkOfBlock(units: number): void {
  const { ofBlock } = SLASH_WORK
  SLASH_WORK.ofBlock = units
  onTestFinished(() => {
    SLASH_WORK.ofBlock = ofBlock
  })
}
