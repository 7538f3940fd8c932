import { describe, expect, it } from 'vitest'
import { ZERO_ADDRESS } from '../../../src/lib/hex.ts'
import { readGovGenesis } from '../../../src/modules/gov/params.ts'
import { weightsOf } from '../../../src/modules/gov/tally.ts'
import { nativeSpec } from '../../support/native.ts'
import { P } from './support.ts'

const read = (gov: unknown) => readGovGenesis({ ...nativeSpec, modules: gov === undefined ? {} : { gov } })

describe('the genesis section', () => {
  it('has the Cosmos SDK’s defaults, but a short voting period', () => {
    const defaults = {
      params: {
        votingPeriod: 30n,
        maxDepositPeriod: 172_800n,
        minDeposit: 10_000_000n,
        quorum: (334n * P) / 1000n,
        threshold: P / 2n,
        vetoThreshold: (334n * P) / 1000n,
        minInitialDepositRatio: 0n,
        minDepositRatio: P / 100n,
        proposalCancelRatio: P / 2n,
        proposalCancelDest: ZERO_ADDRESS,
        expeditedVotingPeriod: 15n,
        expeditedThreshold: (667n * P) / 1000n,
        expeditedMinDeposit: 50_000_000n,
        burnVoteQuorum: false,
        burnProposalDepositPrevote: false,
        burnVoteVeto: true,
      },
      // A genesis without a version is of a chain from before version 2.
      version: 1,
      constitution: '',
    }
    for (const section of [undefined, {}, { params: {} }]) expect(read(section)).toEqual(defaults)
  })

  it('takes the given values, and keeps the expedited values in proportion', () => {
    const { params, constitution } = read({
      params: { votingPeriod: 1, minDeposit: '7', threshold: '0.9' },
      constitution: 'We, the validators',
    })
    expect(params).toMatchObject({ votingPeriod: 1n, expeditedVotingPeriod: 1n, minDeposit: 7n })
    expect(params).toMatchObject({ expeditedMinDeposit: 35n, threshold: (9n * P) / 10n })
    expect(params.expeditedThreshold).toBe((9n * P) / 10n)
    expect(constitution).toBe('We, the validators')
    expect(read({ params: { votingPeriod: 100, expeditedVotingPeriod: '99s' } }).params).toMatchObject({
      votingPeriod: 100n,
      expeditedVotingPeriod: 99n,
    })
  })

  it.each([
    [{ votingPeriod: 30 }, 'kestrel.modules.gov.votingPeriod: unknown field'],
    [{ params: { votingperiod: 30 } }, 'kestrel.modules.gov.params.votingperiod: unknown field'],
    [{ params: { quorum: 0.3 } }, 'kestrel.modules.gov.params.quorum: expected a decimal string from "0" to "1"'],
    [
      { params: { votingPeriod: 0 } },
      'kestrel.modules.gov.params.votingPeriod: expected seconds from 1 to 864000000, as a number or as "30s"',
    ],
    [
      { params: { expeditedVotingPeriod: 31 } },
      'kestrel.modules.gov.params.expeditedVotingPeriod: expected at most the voting period',
    ],
    [
      { params: { minDeposit: [{ denom: 'other', amount: '1' }] } },
      'kestrel.modules.gov.params.minDeposit: expected base units, or a list of one coin of akest',
    ],
  ])('refuses %j', (section, words) => {
    expect(() => read(section)).toThrow(words)
  })
})

describe('a split vote', () => {
  it('has weights that add up to one', () => {
    expect(
      weightsOf([
        { option: 1n, weight: '0.7' },
        { option: 4n, weight: '0.300000000000000000' },
      ]),
    ).toEqual([
      { option: 'yes', weight: (7n * P) / 10n },
      { option: 'noWithVeto', weight: (3n * P) / 10n },
    ])
  })

  it.each([
    [[], ': invalid request'],
    [
      [
        [1n, '0.5'],
        [1n, '0.5'],
      ],
      'duplicated vote option: invalid vote option',
    ],
    [
      [
        [1n, '0.5'],
        [2n, '0.500000000000000001'],
      ],
      'total weight overflow 1.00: invalid vote option',
    ],
    [
      [
        [1n, '0.5'],
        [2n, '0.499999999999999999'],
      ],
      'total weight lower than 1.00: invalid vote option',
    ],
    [[[0n, '1']], 'VOTE_OPTION_UNSPECIFIED: invalid vote option'],
    [[[5n, '1']], '5: invalid vote option'],
    [
      [
        [1n, '1'],
        [2n, '0'],
      ],
      'invalid weight: 0: invalid vote option',
    ],
    [[[1n, '-1']], 'invalid weight: -1: invalid vote option'],
    [[[1n, '0.0000000000000000001']], 'invalid weight: 0.0000000000000000001: invalid vote option'],
    [[[1n, '']], 'invalid weight: : invalid vote option'],
  ] as const)('%s is refused', (options, words) => {
    const given = options.map(([option, weight]) => ({ option, weight }))
    expect(() => weightsOf(given)).toThrow(words)
  })
})
