// Worked arithmetic of the tally. Tokens are small whole numbers, shares and weights have 18 decimals.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GovParams, VoteOption } from '../../../src/modules/gov/layout.ts'
import { readGovGenesis } from '../../../src/modules/gov/params.ts'
import {
  type Ballot,
  type BondedValidatorStake,
  countBallots,
  type Delegation,
  decide,
  type VoteCount,
} from '../../../src/modules/gov/tally.ts'
import { nativeSpec } from '../../support/native.ts'
import { delegator, operator, P } from '../staking/support.ts'

const A = operator(1)
const B = operator(2)
const alice = delegator(1)
const bob = delegator(2)
const carol = delegator(3)

/** A validator that was not slashed: a share is a token. */
const elector = (of: typeof A, tokens: bigint): BondedValidatorStake => ({ operator: of, tokens, shares: tokens * P })
const ballot = (voter: typeof A, ...options: readonly (readonly [VoteOption, bigint])[]): Ballot => ({
  voter,
  options: options.map(([option, weight]) => ({ option, weight })),
})
const all = (voter: typeof A, option: VoteOption): Ballot => ballot(voter, [option, P])

/** Delegations by delegator: tokens at validators. */
function delegations(table: Readonly<Record<string, readonly (readonly [typeof A, bigint])[]>>) {
  return (voter: typeof A): readonly Delegation[] =>
    (table[voter] ?? []).map(([of, tokens]) => ({ operator: of, shares: tokens * P }))
}

/** Whole tokens. */
const votes = ({ options: { yes, abstain, no, noWithVeto }, voted }: VoteCount) =>
  [yes, abstain, no, noWithVeto, voted].map((dec) => Number(dec) / Number(P))

describe('counting votes', () => {
  // A has 100: 60 of its operator, 30 of alice, 10 of bob. B has 50, all of carol.
  const electors = [elector(A, 100n), elector(B, 50n)]
  const stakes = delegations({ [A]: [[A, 60n]], [alice]: [[A, 30n]], [bob]: [[A, 10n]], [carol]: [[B, 50n]] })
  const counted = (...ballots: Ballot[]) => votes(countBallots(electors, ballots, stakes))

  it('gives zeros without ballots', () => {
    expect(counted()).toEqual([0, 0, 0, 0, 0])
  })

  it('gives a validator the voting power of all its delegators', () => {
    expect(counted(all(A, 'yes'))).toEqual([100, 0, 0, 0, 100])
  })

  it('deducts from the validator the power of delegators that vote themselves', () => {
    expect(counted(all(A, 'yes'), all(alice, 'no'))).toEqual([70, 0, 30, 0, 100])
    expect(counted(all(alice, 'no'), all(bob, 'abstain'), all(A, 'yes'))).toEqual([60, 10, 30, 0, 100])
  })

  it('counts a delegator whose validator does not vote', () => {
    expect(counted(all(bob, 'noWithVeto'))).toEqual([0, 0, 0, 10, 10])
    expect(counted(all(bob, 'yes'), all(carol, 'yes'))).toEqual([60, 0, 0, 0, 60])
  })

  it('splits a vote by its weights', () => {
    expect(counted(ballot(A, ['yes', (7n * P) / 10n], ['abstain', (3n * P) / 10n]))).toEqual([70, 30, 0, 0, 100])
    expect(counted(ballot(alice, ['yes', P / 2n], ['no', P / 2n]), all(A, 'no'))).toEqual([15, 0, 85, 0, 100])
  })

  it('gives no power to accounts without delegations and to delegators of unbonded validators', () => {
    expect(counted(all(delegator(9), 'yes'))).toEqual([0, 0, 0, 0, 0])
    expect(votes(countBallots([elector(A, 100n)], [all(carol, 'yes'), all(B, 'yes')], stakes))).toEqual([0, 0, 0, 0, 0])
  })

  it('adds up the delegations of a delegator to several validators', () => {
    const both = delegations({
      [alice]: [
        [A, 30n],
        [B, 20n],
      ],
    })
    expect(votes(countBallots(electors, [all(alice, 'yes'), all(A, 'no')], both))).toEqual([50, 0, 70, 0, 120])
  })

  it('counts tokens after a slash, rounded to 18 decimals', () => {
    // A tenth was slashed: 30 shares are 27 tokens.
    const slashed = { ...elector(A, 100n), tokens: 90n }
    expect(votes(countBallots([slashed], [all(A, 'yes'), all(alice, 'no')], stakes))).toEqual([63, 0, 27, 0, 90])
    // Three equal shares of one token: a third for each of two voters, and a third that did not vote.
    const thirds = { operator: A, tokens: 1n, shares: 3n * P }
    const { options, voted } = countBallots([thirds], [all(alice, 'yes'), all(bob, 'no')], () => [
      { operator: A, shares: P },
    ])
    expect([options.yes, options.no, voted]).toEqual([
      333_333_333_333_333_333n,
      333_333_333_333_333_333n,
      666_666_666_666_666_666n,
    ])
  })

  it('reads every ballot and every delegation', () => {
    let steps = 0
    countBallots(electors, [all(A, 'yes'), all(carol, 'yes'), all(delegator(9), 'no')], stakes, () => steps++)
    expect(steps).toBe(5)
  })

  it('counts every bonded token once when all operators vote, whichever delegators vote', () => {
    // Delegator i has stakes[i][j] tokens at validator j and votes no or does not vote; all operators vote yes.
    const validators = [operator(0), operator(1), operator(2)]
    const person = fc.record({
      votes: fc.boolean(),
      stakes: fc.array(fc.bigInt(0n, 10n ** 24n), { minLength: 3, maxLength: 3 }),
    })
    fc.assert(
      fc.property(fc.array(person, { minLength: 1, maxLength: 6 }), (people) => {
        const tokens = validators.map((_, j) => 1n + people.reduce((sum, { stakes }) => sum + (stakes[j] ?? 0n), 0n))
        const stakesOf = new Map(people.map(({ stakes }, i) => [delegator(i), stakes] as const))
        const result = countBallots(
          validators.map((of, j) => elector(of, tokens[j] ?? 0n)),
          [
            ...people.flatMap((of, i) => (of.votes ? [all(delegator(i), 'no')] : [])),
            ...validators.map((of) => all(of, 'yes')),
          ],
          (voter) =>
            (stakesOf.get(voter) ?? []).map((stake, j) => ({ operator: validators[j] ?? A, shares: stake * P })),
        )
        const against = people.flatMap((of) => (of.votes ? of.stakes : [])).reduce((sum, stake) => sum + stake, 0n)
        const bonded = tokens.reduce((sum, of) => sum + of, 0n)
        expect(result.options.no).toBe(against * P)
        expect(result.options.yes).toBe((bonded - against) * P)
        expect(result.voted).toBe(bonded * P)
      }),
      { numRuns: 50 },
    )
  })
})

describe('deciding a proposal', () => {
  const { params } = readGovGenesis(nativeSpec)
  const BONDED = 1_000n
  type Votes = { yes?: bigint; abstain?: bigint; no?: bigint; noWithVeto?: bigint }
  function verdict(given: Votes, change: Partial<GovParams> = {}, isExpedited = false) {
    const { yes = 0n, abstain = 0n, no = 0n, noWithVeto = 0n } = given
    const options = { yes: yes * P, abstain: abstain * P, no: no * P, noWithVeto: noWithVeto * P }
    const voted = (yes + abstain + no + noWithVeto) * P
    return decide({ options, voted }, BONDED, { ...params, ...change }, isExpedited)
  }
  const passed = { passes: true, burns: false }
  const rejected = { passes: false, burns: false }
  const burnt = { passes: false, burns: true }

  it('needs a quorum of 33.4 % of the bonded tokens', () => {
    expect(verdict({ yes: 333n })).toEqual(rejected)
    expect(verdict({ yes: 334n })).toEqual(passed)
    // Abstaining counts towards the quorum.
    expect(verdict({ yes: 1n, abstain: 332n })).toEqual(rejected)
    expect(verdict({ yes: 1n, abstain: 333n })).toEqual(passed)
    expect(verdict({ yes: 333n }, { burnVoteQuorum: true })).toEqual(burnt)
    expect(verdict({})).toEqual(rejected)
    expect(verdict({}, { quorum: 0n })).toEqual(rejected)
  })

  it('rejects a proposal on which all abstain, and refunds the deposits', () => {
    expect(verdict({ abstain: 1_000n })).toEqual(rejected)
    expect(verdict({ abstain: 1_000n }, { burnVoteQuorum: true })).toEqual(rejected)
  })

  it('needs more than half of the votes other than abstain', () => {
    expect(verdict({ yes: 500n, no: 500n })).toEqual(rejected)
    expect(verdict({ yes: 501n, no: 499n })).toEqual(passed)
    expect(verdict({ yes: 200n, no: 199n, abstain: 601n })).toEqual(passed)
    expect(verdict({ yes: 200n, no: 150n, noWithVeto: 50n, abstain: 600n })).toEqual(rejected)
    expect(verdict({ no: 1_000n })).toEqual(rejected)
  })

  it('is a veto above 33.4 % of all votes, which burns the deposits', () => {
    expect(verdict({ yes: 666n, noWithVeto: 334n })).toEqual(passed)
    expect(verdict({ yes: 665n, noWithVeto: 335n })).toEqual(burnt)
    expect(verdict({ yes: 665n, noWithVeto: 335n }, { burnVoteVeto: false })).toEqual(rejected)
    // Abstain votes are included: 300 of 900 is neither a veto nor a majority.
    expect(verdict({ yes: 300n, noWithVeto: 300n, abstain: 300n })).toEqual(rejected)
    expect(verdict({ noWithVeto: 1_000n })).toEqual(burnt)
  })

  it('needs more than 66.7 % for an expedited proposal', () => {
    expect(verdict({ yes: 667n, no: 333n }, {}, true)).toEqual(rejected)
    expect(verdict({ yes: 668n, no: 332n }, {}, true)).toEqual(passed)
  })

  it('rejects a proposal when no tokens are bonded', () => {
    const none = { options: { yes: 0n, abstain: 0n, no: 0n, noWithVeto: 0n }, voted: 0n }
    expect(decide(none, 0n, { ...params, quorum: 0n, burnVoteQuorum: true }, false)).toEqual(rejected)
  })
})
