// Version 2 of the module's rules, in which fees stay pending, beside version 1, which allocates them in every block: after the
// same operations, everything that can be read is the same.
import fc from 'fast-check'
import { encodeFunctionData } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { toBech32 } from '../../../src/lib/bech32.ts'
import { fromHex } from '../../../src/lib/hex.ts'
import { distributionLayout } from '../../../src/modules/distribution/layout.ts'
import { MOST_TOTALS } from '../../../src/modules/distribution/totals.ts'
import { openModules } from '../../../src/modules/index.ts'
import { distribution as distributionContract } from '../../../src/precompiles/distribution.ts'
import { MODULE_ACCOUNT, NATIVE_CONTRACT, operatorPrefix } from '../../../src/spec/addresses.ts'
import { nativeCall, runNow } from '../../support/native.ts'
import { accounts, type Operation, operation, perform, TAX, VALIDATORS, withdrawAddress } from './operations.ts'
import { type Chain, chainWith, DAY, delegator, operator, P, slashWorkOfBlock, validator } from './support.ts'

const operators = VALIDATORS.map((_, index) => operator(index))

const chainOf = async (version: number, isNetwork = false) => {
  const chain = await chainWith(
    VALIDATORS.map((coins, i) => validator(i, coins * P + BigInt(i), [0n, 5n, 10n, 100n][i])),
    {
      tax: TAX,
      staking: { maxValidators: 3, maxEntries: 3 },
      slashing: { version: 2, signedBlocksWindow: 4 },
      version,
      isNetwork,
    },
  )
  for (const of of accounts) chain.distribution.setWithdrawAddress(of, withdrawAddress(of))
  return chain
}

/** What can be read between two calls, without writing. Pending coins are with the fee collector, so the two accounts count together. */
function readable({ spec, block, view }: Chain) {
  const { bank, staking, distribution } = openModules({ spec, block, view, access: 'read' })
  const { feeCollector, distribution: own, ...others } = MODULE_ACCOUNT
  const holders = [...accounts, ...accounts.map(withdrawAddress), ...Object.values(others)]
  return {
    validators: staking.validators().map((of) => [of.operator, of.status, of.tokens, of.shares, of.commission.rate]),
    rewards: operators.map((at) => ({
      outstanding: distribution.outstandingRewards(at),
      commission: distribution.accumulatedCommission(at),
      ofDelegations: accounts.map((of) => distribution.delegationRewards(of, at)),
    })),
    communityPool: distribution.communityPool(),
    balances: holders.map((of) => view.balance(of)),
    held: view.balance(feeCollector) + view.balance(own),
    supply: bank.supply(),
    broken: [...staking.invariants(), ...distribution.invariants()],
  }
}

/** The stored records, after all fees are allocated. */
function stored(chain: Chain) {
  const { communityPool, validatorRewards } = distributionLayout.open(
    chain.view.slots(NATIVE_CONTRACT.distribution, 'read'),
  )
  return {
    communityPool: communityPool.get(),
    balances: [MODULE_ACCOUNT.feeCollector, MODULE_ACCOUNT.distribution].map(chain.balance),
    validators: operators.map((at) => {
      const of = validatorRewards.at(at)
      const { period } = of.currentRewards.get()
      return {
        outstanding: of.outstandingRewards.get(),
        commission: of.accumulatedCommission.get(),
        current: of.currentRewards.get(),
        historical: Array.from({ length: Number(period) }, (_, past) => of.historicalRewards.at(BigInt(past)).get()),
        slashes: of.slashEvents.get(),
        starting: accounts.map((delegator) => of.startingInfos.at(delegator).get()),
      }
    }),
  }
}

/** Every run reads all that there is after each step of two chains. */
const runs = { numRuns: 8 }

/** `isUndone`: the call fails after the operation, as in a transaction that is reverted. */
type Step = { readonly of: Operation; readonly isUndone: boolean }
const steps = fc.array(fc.record({ of: operation, isUndone: fc.oneof(fc.constant(false), fc.boolean()) }), {
  minLength: 10,
  maxLength: 40,
})

function take(chain: Chain, { of, isUndone }: Step): string | undefined {
  if (of.kind === 'next') {
    chain.next(of.fees, of.days * DAY + 5n, of.absent)
    return undefined
  }
  return chain.attempt((modules) => {
    perform(modules, chain, of)
    if (isUndone) throw new Error('undone')
  })
}

describe.each([
  ['of one node', false],
  ['that is a network', true],
])('version 2 on a chain %s', (_, isNetwork) => {
  beforeEach(() => slashWorkOfBlock(1))
  it('has the rewards, coins and refusals of version 1 after every operation, and its records when all is allocated', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const [former, latter] = [await chainOf(1, isNetwork), await chainOf(2, isNetwork)]
        for (const step of all) {
          expect(take(latter, step)).toBe(take(former, step))
          expect(readable(latter)).toEqual(readable(former))
        }
        latter.distribution.settle()
        expect(stored(latter)).toEqual(stored(former))
      }),
      runs,
    )
  })
})

describe('pending fees', () => {
  it('change one slot of the fee collector in a block, a second one in every third, and nothing of the distribution', async () => {
    const chain = await chainOf(2)
    chain.next(1_000n)
    const changed = Array.from({ length: 6 }, (_, i) => {
      chain.view.beginTransaction()
      chain.next(1_000n + BigInt(i))
      const diff = chain.view.transactionDiff()
      return diff.map(({ address, slots }) => [address, slots.length])
    })
    expect(
      changed.flat().filter(([of]) => of === NATIVE_CONTRACT.distribution || of === MODULE_ACCOUNT.distribution),
    ).toEqual([])
    const slots = changed.flatMap((diff) => diff.filter(([of]) => of === MODULE_ACCOUNT.feeCollector).map(([, n]) => n))
    expect(slots).toEqual([1, 1, 2, 1, 1, 2])
  })

  it('are allocated when too many blocks wait, or too many coins', async () => {
    const [former, latter] = [await chainOf(1), await chainOf(2)]
    for (let block = 0; block < 2 * (MOST_TOTALS + 1); block++) {
      // The pending coins are with the collector, until as many blocks wait as may.
      const waits = block % (MOST_TOTALS + 1)
      expect(latter.balance(MODULE_ACCOUNT.feeCollector) > 0n).toBe(waits > 0)
      for (const chain of [former, latter]) chain.next(999n + BigInt(block))
    }
    expect(stored(latter)).toEqual(stored(former))
    for (const fees of [5n, 2n ** 80n, 7n]) for (const chain of [former, latter]) chain.next(fees)
    expect(latter.balance(MODULE_ACCOUNT.feeCollector)).toBe(7n)
    expect(readable(latter)).toEqual(readable(former))
  })

  it('are not moved by a change from outside: the fees of earlier blocks are allocated first', async () => {
    const [former, latter] = [await chainOf(1), await chainOf(2)]
    for (const chain of [former, latter]) {
      chain.next(1_000n)
      chain.distribution.settle()
      chain.view.setBalance(MODULE_ACCOUNT.feeCollector, 0n)
      chain.next(500n)
    }
    expect(readable(latter).rewards).toEqual(readable(former).rewards)
    expect(latter.balance(MODULE_ACCOUNT.feeCollector)).toBe(500n)
  })

  it('are only what the fee collector has, if somebody has taken its coins', async () => {
    const [former, latter] = await Promise.all([chainOf(1), chainOf(2)])
    for (const chain of [former, latter]) {
      chain.next(1_000n)
      chain.next(1_000n)
      chain.view.setBalance(MODULE_ACCOUNT.feeCollector, 300n)
      chain.distribution.settle()
      chain.next(500n)
      chain.next(0n)
    }
    expect(latter.balance(MODULE_ACCOUNT.feeCollector)).toBeLessThanOrEqual(500n)
  })

  it('cost a call no gas: it is the same however many blocks wait', async () => {
    const A = toBech32(operatorPrefix('kest'), operator(1))
    const abi = distributionContract.abi
    const calls = [
      ['validatorOutstandingRewards', [A], true],
      ['validatorCommission', [A], true],
      ['delegationRewards', [operator(1), A], true],
      ['withdrawValidatorCommission', [A], false],
      ['withdrawDelegatorRewards', [operator(1), A], false],
      ['withdrawDelegatorRewards', [operator(1), A], false],
      ['claimRewards', [operator(1), 3], false],
    ] as const
    const costs = async (version: number) => {
      const chain = await chainOf(version)
      chain.staking.delegate(delegator(0), operator(1), P)
      for (let block = 0; block < 10; block++) chain.next(1_000_003n)
      const contract = distributionContract.on(chain.spec, (message, error) => expect.fail(`${message} ${error}`))
      return calls.map(([functionName, args, isStatic]) => {
        const input = fromHex(encodeFunctionData({ abi, functionName, args }))
        const caller = { caller: operator(1), origin: operator(1), isStatic, block: chain.block }
        const { gasUsed, output, error } = runNow(contract, nativeCall(chain.view, input, caller))
        return [functionName, gasUsed, Buffer.from(output).toString('hex'), error]
      })
    }
    const [former, latter] = [await costs(1), await costs(2)]
    expect(former.every(([, , , error]) => error === undefined)).toBe(true)
    expect(latter).toEqual(former)
  })
})
