// The staking module over an empty state, block by block; a record of its hook calls replaces the distribution module.
import { type Address, hexToAddress } from '../../../src/lib/hex.ts'
import { Bank } from '../../../src/modules/bank.ts'
import type { StakingHooks } from '../../../src/modules/staking/context.ts'
import { readStakingGenesis } from '../../../src/modules/staking/genesis.ts'
import { Staking } from '../../../src/modules/staking/staking.ts'
import type { GenesisValidator, NativeSpec } from '../../../src/spec/chain-spec.ts'
import type { StateView } from '../../../src/state/types.ts'
import { emptyView, moduleContext, nativeSpec } from '../../support/native.ts'

export const P = 10n ** 18n
export const DAY = 86_400n
/** The start time of V17. */
export const START = 1_700_000_000n

const numbered = (first: string) => (index: number) => hexToAddress(`0x${first}${index.toString(16).padStart(38, '0')}`)
/** Operators, ordered by address. */
export const operator = numbered('aa')
export const delegator = numbered('dd')

export const genesisValidator = (index: number, selfDelegation: bigint, change: Partial<GenesisValidator> = {}) => ({
  operator: operator(index),
  consensusKey: undefined,
  moniker: `validator ${index}`,
  commission: { rate: P / 10n, maxRate: P / 5n, maxChangeRate: P / 100n },
  selfDelegation,
  minSelfDelegation: 1n,
  ...change,
})

export class Chain {
  readonly view: StateView
  readonly hookCalls: string[] = []
  number = 0n
  time = START

  readonly #spec: NativeSpec

  constructor(view: StateView, modules: NativeSpec['modules'] = {}) {
    this.view = view
    this.#spec = { ...nativeSpec, modules }
  }

  get bank(): Bank {
    return new Bank(moduleContext(this.view, { block: this.#block() }))
  }

  get staking(): Staking {
    const context = moduleContext(this.view, { block: this.#block(), spec: this.#spec })
    return new Staking(context, this.bank, this.#hooks())
  }

  /** Ends the block and begins the next one, `seconds` later. */
  next(seconds = 5n): void {
    this.staking.endBlock()
    this.number += 1n
    this.time += seconds
    this.staking.continuePendingSlashes()
  }

  balance = (of: Address): bigint => this.view.balance(of)

  /** Returns the text of the refusal and reverts the writes of the refused call, as the EVM does. */
  attempt(run: (staking: Staking) => unknown): string | undefined {
    this.view.checkpoint()
    try {
      run(this.staking)
      this.view.commit()
      return undefined
    } catch (error) {
      this.view.revert()
      return error instanceof Error ? error.message : String(error)
    }
  }

  #block() {
    return { number: this.number, timestamp: this.time, proposer: operator(0) }
  }

  #hooks(): StakingHooks {
    const name = (address: Address) => `${address.slice(2, 4)}${Number(BigInt(`0x${address.slice(4)}`))}`
    const record = (call: string) => this.hookCalls.push(call)
    return {
      beforeDelegationSharesModified: (of, at) => record(`before ${name(of)} ${name(at)}`),
      afterValidatorBonded: () => undefined,
      afterCommissionChanged: () => undefined,
      afterBondedSetChanged: () => undefined,
      afterDelegationModified: (of, at) => record(`after ${name(of)} ${name(at)}`),
      afterValidatorCreated: (at) => record(`created ${name(at)}`),
      afterValidatorRemoved: (at) => record(`removed ${name(at)}`),
      beforeValidatorSlashed: (at, fraction) => record(`slashed ${name(at)} ${fraction}`),
    }
  }
}

/** A chain at block 1 with these validators; operators hold twice their self-delegation, four delegators 1000 coins each. */
export async function chainWith(
  validators: readonly GenesisValidator[],
  json: unknown = undefined,
  modules: NativeSpec['modules'] = {},
): Promise<Chain> {
  const chain = new Chain(await emptyView(), modules)
  for (const of of validators) chain.view.setBalance(of.operator, 2n * of.selfDelegation)
  for (let i = 0; i < 4; i++) chain.view.setBalance(delegator(i), 1_000n * P)
  const supply = validators.reduce((sum, of) => sum + 2n * of.selfDelegation, 4_000n * P)
  chain.bank.initGenesis({ supply })
  chain.staking.initGenesis(readStakingGenesis(validators, json))
  chain.hookCalls.length = 0
  chain.number = 1n
  return chain
}
