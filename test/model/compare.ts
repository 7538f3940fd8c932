// What the model and the node say about the same block: facts by name, each as a line of text.
import { z } from 'zod'
import { PAGE } from './abi.ts'
import { allowance, MESSAGE_NAMES } from './authz.ts'
import { balanceOf, MODULE } from './bank.ts'
import { pendingRewards, withdrawAddress } from './distribution.ts'
import type { ModelNode } from './node.ts'
import { accountOf } from './operations.ts'
import { vestedAt } from './schedule.ts'
import { type Address, pair, parts, type State, triple } from './state.ts'
import { ACCOUNTS, CONTRACTS, USERS, VESTER } from './world.ts'

type Facts = Map<string, string>
const line = (...values: readonly unknown[]): string => values.join(' ')
const balances = [...ACCOUNTS, MODULE.bonded, MODULE.notBonded, MODULE.gov]

export function factsOfModel(state: State): Facts {
  const facts: Facts = new Map()
  for (const account of balances) facts.set(`balance ${account}`, line(balanceOf(state, account)))
  // Fees move to the rewards when somebody reads or changes them: only the sum is the same in every block.
  facts.set('fees and rewards', line(balanceOf(state, MODULE.feeCollector) + balanceOf(state, MODULE.distribution)))
  facts.set('supply', line(state.supply))
  for (const [operator, one] of state.validators) {
    const { jailed, status, tokens, shares, unbondingHeight, unbondingTime, commission, minSelfDelegation } = one
    const numbers = [tokens, shares, unbondingHeight, unbondingTime, commission.rate, minSelfDelegation]
    facts.set(`validator ${operator}`, line(jailed, status, ...numbers))
    const record = state.rewards.get(operator)
    facts.set(`commission ${operator}`, line(record?.commission))
    facts.set(`outstanding ${operator}`, line(record?.outstanding))
    facts.set(
      `slashes ${operator}`,
      (record?.slashes ?? []).map(({ period, fraction }) => line(period, fraction)).join(),
    )
  }
  for (const [key, shares] of state.delegations) {
    facts.set(`delegation ${key}`, line(shares))
    facts.set(`rewards ${key}`, line(pendingRewards(state, key)))
  }
  for (const [key, entries] of state.unbondings)
    facts.set(
      `unbonding ${key}`,
      entries.map(({ height, completion, initial, balance }) => line(height, completion, initial, balance)).join(),
    )
  for (const [key, entries] of state.redelegations)
    facts.set(
      `redelegation ${key}`,
      entries.map(({ height, completion, initial, sharesDst }) => line(height, completion, initial, sharesDst)).join(),
    )
  for (const account of ACCOUNTS) facts.set(`withdraw address ${account}`, withdrawAddress(state, account))
  for (const [consensus, { start, jailedUntil, tombstoned }] of state.signing)
    facts.set(`signing ${consensus}`, line(start, jailedUntil, tombstoned))
  for (const user of USERS)
    for (const contract of CONTRACTS)
      for (const name of MESSAGE_NAMES)
        facts.set(`allowance ${triple(user, contract, name)}`, line(allowance(state, user, contract, name)))
  factsOfProposals(state, facts)
  for (const account of VESTER) {
    const vesting = state.vesting.get(account)
    const amounts = vesting && vestedAt(vesting, state.time)
    facts.set(`vesting ${account}`, amounts ? line(amounts.locked, amounts.unvested, amounts.vested) : 'none')
  }
  facts.set('invariants', '')
  return facts
}

function factsOfProposals(state: State, facts: Facts): void {
  for (const [id, proposal] of state.proposals) {
    const { proposer, status, total, depositEnd, votingStart, votingEnd, tally, votes, deposits } = proposal
    facts.set(`proposal ${id}`, line(proposer, status, total, depositEnd, votingStart, votingEnd, ...tally))
    for (const [voter, options] of votes)
      facts.set(`vote ${id} ${voter}`, options.map(({ option, weight }) => line(option, weight)).join())
    for (const [depositor, amount] of deposits) facts.set(`deposit ${id} ${depositor}`, line(amount))
  }
}

const address = z.string().transform((text) => text.toLowerCase() as Address)
const operator = z.string().transform(accountOf)
const coins = z.array(z.object({ amount: z.bigint() })).transform(([first]) => first?.amount ?? 0n)
const answers = {
  supply: z.array(z.object({ amount: z.bigint() })).transform(([first]) => first?.amount),
  validators: z.tuple([
    z.array(
      z.object({
        operatorAddress: operator,
        jailed: z.boolean(),
        status: z.number(),
        tokens: z.bigint(),
        delegatorShares: z.bigint(),
        unbondingHeight: z.bigint(),
        unbondingTime: z.bigint(),
        commission: z.bigint(),
        minSelfDelegation: z.bigint(),
      }),
    ),
    z.unknown(),
  ]),
  slashes: z.tuple([
    z.array(z.object({ validatorPeriod: z.bigint(), fraction: z.object({ value: z.bigint() }) })),
    z.unknown(),
  ]),
  totalRewards: z.tuple([z.array(z.object({ validatorAddress: operator, reward: coins })), z.unknown()]),
  delegation: z.tuple([z.bigint(), z.unknown()]),
  unbonding: z.array(
    z.object({
      creationHeight: z.bigint(),
      completionTime: z.bigint(),
      initialBalance: z.bigint(),
      balance: z.bigint(),
    }),
  ),
  redelegations: z.tuple([
    z.array(
      z.object({
        redelegation: z.object({ validatorSrcAddress: operator, validatorDstAddress: operator }),
        entries: z.array(
          z.object({
            redelegationEntry: z.object({
              creationHeight: z.bigint(),
              completionTime: z.bigint(),
              initialBalance: z.bigint(),
              sharesDst: z.bigint(),
            }),
          }),
        ),
      }),
    ),
    z.unknown(),
  ]),
  signing: z.tuple([
    z.array(
      z.object({
        validatorAddress: address,
        startHeight: z.bigint(),
        jailedUntil: z.bigint(),
        tombstoned: z.boolean(),
      }),
    ),
    z.unknown(),
  ]),
  proposals: z.tuple([
    z.array(
      z.object({
        id: z.bigint(),
        proposer: address,
        status: z.number(),
        totalDeposit: coins,
        depositEndTime: z.bigint(),
        votingStartTime: z.bigint(),
        votingEndTime: z.bigint(),
        finalTallyResult: z.object({ yes: z.string(), abstain: z.string(), no: z.string(), noWithVeto: z.string() }),
      }),
    ),
    z.unknown(),
  ]),
  votes: z.tuple([
    z.array(z.object({ voter: address, options: z.array(z.object({ option: z.number(), weight: z.string() })) })),
    z.unknown(),
  ]),
  deposits: z.tuple([z.array(z.object({ depositor: address, amount: coins })), z.unknown()]),
  vesting: z.tuple([coins, coins, coins]),
}

/** Reads the same facts from the node. `seen`: keys of unbondings that there have been; a list of them cannot be asked for. */
export async function factsOfNode(node: ModelNode, seen: ReadonlySet<string>): Promise<Facts> {
  const facts: Facts = new Map()
  const { read } = node
  const balance = async (account: Address) =>
    BigInt(z.string().parse(await node.rpc('eth_getBalance', account, 'latest')))
  const jobs: Promise<unknown>[] = []
  const ask = (job: () => Promise<unknown>) => jobs.push(job())
  for (const account of balances) ask(async () => facts.set(`balance ${account}`, line(await balance(account))))
  ask(async () => {
    const [fees, rewards] = await Promise.all([balance(MODULE.feeCollector), balance(MODULE.distribution)])
    facts.set('fees and rewards', line(fees + rewards))
  })
  ask(async () => facts.set('supply', line(answers.supply.parse(await read('bank', 'totalSupply')))))
  ask(() => readValidators(node, facts))
  for (const account of ACCOUNTS) ask(() => readDelegator(node, facts, account))
  for (const key of seen) {
    ask(async () => {
      const entries = answers.unbonding.parse(await read('staking', 'unbondingDelegation', ...parts(key)))
      if (entries.length > 0)
        facts.set(
          `unbonding ${key}`,
          entries.map((one) => line(one.creationHeight, one.completionTime, one.initialBalance, one.balance)).join(),
        )
    })
  }
  ask(async () => {
    const [infos] = answers.signing.parse(await read('slashing', 'getSigningInfos', PAGE))
    for (const { validatorAddress, startHeight, jailedUntil, tombstoned } of infos)
      facts.set(`signing ${validatorAddress}`, line(startHeight, jailedUntil, tombstoned))
  })
  for (const user of USERS)
    for (const contract of CONTRACTS)
      for (const name of MESSAGE_NAMES)
        ask(async () =>
          facts.set(
            `allowance ${triple(user, contract, name)}`,
            line(await read('authorization', 'allowance', user, contract, name)),
          ),
        )
  ask(() => readProposals(node, facts))
  for (const account of VESTER)
    ask(async () => {
      const text = await read('vesting', 'balances', account).then(
        (answer) => line(...answers.vesting.parse(answer)),
        () => 'none',
      )
      facts.set(`vesting ${account}`, text)
    })
  ask(async () =>
    facts.set(
      'invariants',
      z
        .array(z.string())
        .parse(await node.rpc('dev_invariants', 'latest'))
        .join(),
    ),
  )
  await Promise.all(jobs)
  return facts
}

async function readValidators({ read }: ModelNode, facts: Facts): Promise<void> {
  const [validators] = answers.validators.parse(await read('staking', 'validators', '', PAGE))
  await Promise.all(
    validators.map(async (one) => {
      const { operatorAddress: who, jailed, status, tokens, delegatorShares, unbondingHeight } = one
      const numbers = [
        tokens,
        delegatorShares,
        unbondingHeight,
        one.unbondingTime,
        one.commission,
        one.minSelfDelegation,
      ]
      facts.set(`validator ${who}`, line(jailed, status, ...numbers))
      const [commission, outstanding, slashes] = await Promise.all([
        read('distribution', 'validatorCommission', who),
        read('distribution', 'validatorOutstandingRewards', who),
        read('distribution', 'validatorSlashes', who, 0n, 0n, PAGE),
      ])
      facts.set(`commission ${who}`, line(coins.parse(commission)))
      facts.set(`outstanding ${who}`, line(coins.parse(outstanding)))
      const [events] = answers.slashes.parse(slashes)
      facts.set(`slashes ${who}`, events.map((one) => line(one.validatorPeriod, one.fraction.value)).join())
    }),
  )
}

async function readDelegator({ read }: ModelNode, facts: Facts, account: Address): Promise<void> {
  const [rewards, to, moved] = await Promise.all([
    read('distribution', 'delegationTotalRewards', account),
    read('distribution', 'delegatorWithdrawAddress', account),
    read('staking', 'redelegations', account, '', '', PAGE),
  ])
  facts.set(`withdraw address ${account}`, operator.parse(to))
  const [redelegations] = answers.redelegations.parse(moved)
  for (const { redelegation, entries } of redelegations) {
    const key = triple(account, redelegation.validatorSrcAddress, redelegation.validatorDstAddress)
    const texts = entries.map(({ redelegationEntry: one }) =>
      line(one.creationHeight, one.completionTime, one.initialBalance, one.sharesDst),
    )
    facts.set(`redelegation ${key}`, texts.join())
  }
  const [list] = answers.totalRewards.parse(rewards)
  await Promise.all(
    list.map(async ({ validatorAddress, reward }) => {
      const key = pair(account, validatorAddress)
      facts.set(`rewards ${key}`, line(reward))
      const [shares] = answers.delegation.parse(await read('staking', 'delegation', account, validatorAddress))
      facts.set(`delegation ${key}`, line(shares))
    }),
  )
}

const ZERO = `0x${'0'.repeat(40)}` as const

async function readProposals({ read }: ModelNode, facts: Facts): Promise<void> {
  const [proposals] = answers.proposals.parse(await read('gov', 'getProposals', 0, ZERO, ZERO, PAGE))
  await Promise.all(
    proposals.map(async (one) => {
      const { id, proposer, status, totalDeposit, depositEndTime, votingStartTime, votingEndTime } = one
      const { yes, abstain, no, noWithVeto } = one.finalTallyResult
      const times = [depositEndTime, votingStartTime, votingEndTime]
      facts.set(`proposal ${id}`, line(proposer, status, totalDeposit, ...times, yes, abstain, no, noWithVeto))
      if (status > 2) return
      const [voted, deposited] = await Promise.all([
        read('gov', 'getVotes', id, PAGE),
        read('gov', 'getDeposits', id, PAGE),
      ])
      const [votes] = answers.votes.parse(voted)
      for (const { voter, options } of votes)
        facts.set(`vote ${id} ${voter}`, options.map(({ option, weight }) => line(option, weightOf(weight))).join())
      const [deposits] = answers.deposits.parse(deposited)
      for (const { depositor, amount } of deposits) facts.set(`deposit ${id} ${depositor}`, line(amount))
    }),
  )
}

/** A decimal text, scaled by 10^18. */
function weightOf(text: string): bigint {
  const [whole = '0', places = ''] = text.split('.')
  return BigInt(whole + places.padEnd(18, '0'))
}

/** Facts on which the two do not agree. */
export function differences(model: Facts, node: Facts): string[] {
  return [...new Set([...model.keys(), ...node.keys()])]
    .filter((name) => model.get(name) !== node.get(name))
    .map((name) => `${name}\n    model: ${model.get(name) ?? '-'}\n    node:  ${node.get(name) ?? '-'}`)
}
