// What the structs of the Solidity interfaces are called, which a typed ABI does not know, and what their members mean.

export type StructText = {
  readonly about: string
  /** Used by several contracts, and so in `Types.sol`. */
  readonly isShared?: true
  /** All members in order: by these a struct is recognised. */
  readonly members: Readonly<Record<string, string>>
  /** Members that Solidity sees as an enum. */
  readonly enums?: Readonly<Record<string, string>>
}

/** Structs by name. */
export const STRUCTS: Readonly<Record<string, StructText>> = {
  Coin: {
    about: 'An amount of one denomination.',
    isShared: true,
    members: { denom: 'Denomination.', amount: 'In base units.' },
  },
  DecCoin: {
    about: 'An amount that may have a fraction.',
    isShared: true,
    members: {
      denom: 'Denomination.',
      amount: 'Whole base units; the fraction is cut off.',
      precision: 'Always 18; the amount is not scaled by it.',
    },
  },
  Dec: {
    about: 'A number with decimals.',
    isShared: true,
    members: { value: 'The number times 10^precision.', precision: 'How many decimals, 18.' },
  },
  Height: {
    about: 'An absolute height of the other chain.',
    isShared: true,
    members: { revisionNumber: 'Number at the end of its chain id.', revisionHeight: 'Block number.' },
  },
  PageRequest: {
    about: 'Which part of a list to answer.',
    isShared: true,
    members: {
      key: '`nextKey` of the answer before; empty (or one zero byte) to begin.',
      offset: 'Items to skip, where no key is given.',
      limit: 'Items to answer; 0 for 100, at most 1000.',
      countTotal: 'Whether to count the whole list.',
      reverse: 'From the end to the beginning.',
    },
  },
  PageResponse: {
    about: 'Where a list goes on.',
    isShared: true,
    members: { nextKey: 'Empty at the end.', total: 'Length of the whole list, if it was counted.' },
  },
  Validator: {
    about: 'A validator as it stands.',
    members: {
      operatorAddress: 'Bech32 text of its operator; empty: there is none.',
      consensusPubkey: 'Base64 of its ed25519 key.',
      jailed: 'Put out of the set until it is unjailed.',
      status: 'Whether its stake counts.',
      tokens: 'Coins delegated to it, in base units.',
      delegatorShares: 'Shares of them, scaled by 10^18.',
      description: 'The details that its operator gave.',
      unbondingHeight: 'Block in which it began to leave the set.',
      unbondingTime: 'Unix seconds at which it will have left.',
      commission: 'Part of the rewards that it keeps, 10^18 being all.',
      minSelfDelegation: 'The least that its operator keeps delegated, in base units.',
    },
    enums: { status: 'BondStatus' },
  },
  UnbondingDelegationEntry: {
    about: 'Coins on their way out of a validator.',
    members: {
      creationHeight: 'Block in which they set out.',
      completionTime: 'Unix seconds at which they are paid.',
      initialBalance: 'Base units at the beginning.',
      balance: 'Base units to be paid: less by slashing and what was cancelled.',
    },
  },
  RedelegationEntry: {
    about: 'Stake that moved and is still answerable to its old validator.',
    members: {
      creationHeight: 'Block in which it moved.',
      completionTime: 'Unix seconds until which it is answerable.',
      initialBalance: 'Base units that moved.',
      sharesDst: 'Shares got for them, scaled by 10^18.',
    },
  },
  Redelegation: {
    about: 'The moves of one delegator between two validators.',
    members: {
      delegatorAddress: 'Bech32 text.',
      validatorSrcAddress: 'Bech32 operator text.',
      validatorDstAddress: 'Bech32 operator text.',
      entries: 'One for each move, oldest first.',
    },
  },
  RedelegationEntryResponse: {
    about: 'A move with what it is worth today.',
    members: { redelegationEntry: 'The move.', balance: 'Base units now.' },
  },
  RedelegationResponse: {
    about: 'Moves with what they are worth today.',
    members: { redelegation: 'Who moved from where to where.', entries: 'One for each move.' },
  },
  Description: {
    about: 'Name and contacts of a validator; `[do-not-modify]` in an edit leaves a member as it is.',
    members: {
      moniker: 'Name.',
      identity: 'Identity signature.',
      website: 'Web site.',
      securityContact: 'Whom to tell of a weakness.',
      details: 'Anything else.',
    },
  },
  CommissionRates: {
    about: 'What a validator keeps of the rewards; 10^18 is 100 %.',
    members: {
      rate: 'Now.',
      maxRate: 'Never more than this.',
      maxChangeRate: 'Never further than this in one day.',
    },
  },
  ValidatorDistributionInfo: {
    about: 'What a validator and its operator have earned.',
    members: {
      operatorAddress: "Bech32 text of the operator's account.",
      selfBondRewards: "Rewards of the operator's own stake.",
      commission: 'Commission not yet withdrawn.',
    },
  },
  ValidatorSlashEvent: {
    about: 'A slash.',
    members: {
      validatorPeriod: 'Period of the reward book that it ended.',
      fraction: 'Part of the stake that was lost.',
    },
  },
  SigningInfo: {
    about: 'How a validator has signed.',
    members: {
      validatorAddress: 'First 20 bytes of SHA-256 of its consensus key.',
      startHeight: 'Block in which it was last bonded.',
      indexOffset: 'Votes counted since it was bonded first, or jailed for downtime.',
      jailedUntil: 'Unix seconds before which it may not be unjailed.',
      tombstoned: 'Jailed for ever.',
      missedBlocksCounter: 'Votes missed in the window.',
    },
  },
  SlashingParams: {
    about: 'What faults cost.',
    members: {
      signedBlocksWindow: 'Blocks of which a validator must have signed a part.',
      minSignedPerWindow: 'That part.',
      downtimeJailDuration: 'Seconds in jail for downtime.',
      slashFractionDoubleSign: 'Part of the stake that double signing costs.',
      slashFractionDowntime: 'Part of the stake that downtime costs.',
    },
  },
  DelegationDelegatorReward: {
    about: 'Rewards with one validator.',
    members: { validatorAddress: 'Bech32 operator text.', reward: 'Not yet withdrawn.' },
  },
  Allocation: {
    about: 'What a contract may send through one channel.',
    members: {
      sourcePort: 'Port on this chain.',
      sourceChannel: 'Channel on this chain.',
      spendLimit: 'The most of each coin; the largest uint256 for no limit.',
      allowList: 'Receivers; empty: anyone.',
    },
  },
  ICS20Allocation: {
    about: 'As Allocation, with a rule for memos.',
    members: {
      sourcePort: 'Port on this chain.',
      sourceChannel: 'Channel on this chain.',
      spendLimit: 'The most of each coin; the largest uint256 for no limit.',
      allowList: 'Receivers; empty: anyone.',
      allowedPacketData: 'Memos; empty: none, `*`: any.',
    },
  },
  DenomTrace: {
    about: 'Where a voucher comes from.',
    members: { path: 'Ports and channels that it came through.', baseDenom: 'What it is called at home.' },
  },
  Period: {
    about: 'A step of a schedule.',
    members: { length: 'Seconds since the step before.', amount: 'Coins that become free at its end.' },
  },
  WeightedVoteOption: {
    about: 'A part of a vote.',
    members: { option: 'What the voter wants.', weight: 'With which part of the stake: a decimal text up to `1`.' },
    enums: { option: 'VoteOption' },
  },
  WeightedVote: {
    about: 'The vote of an account.',
    members: {
      proposalId: 'The number of the proposal.',
      voter: 'Whose vote it is.',
      options: 'What the voter wants; the weights add up to 1.',
      metadata: 'What the voter has to say.',
    },
  },
  DepositData: {
    about: 'The deposit of an account.',
    members: {
      proposalId: 'The number of the proposal.',
      depositor: 'Whose coins they are.',
      amount: 'All that the account has given.',
    },
  },
  TallyResultData: {
    about: 'A count of votes, in base units of bonded coins as decimal texts.',
    members: { yes: 'For it.', abstain: 'Without a wish.', no: 'Against it.', noWithVeto: 'Strongly against it.' },
  },
  ProposalData: {
    about: 'A proposal.',
    members: {
      id: 'Its number, counted from 1.',
      messages: 'Types of what it would do; `getMessages` has all.',
      status: '1 waits for deposits, 2 is voted on, 3 passed, 4 rejected, 5 passed but failed in execution.',
      finalTallyResult: 'The count, when the vote is over.',
      submitTime: 'Unix seconds.',
      depositEndTime: 'Unix seconds until which the deposit must be complete.',
      totalDeposit: 'All that was ever deposited for it.',
      votingStartTime: 'Unix seconds; 0 before the vote.',
      votingEndTime: 'Unix seconds; 0 before the vote.',
      metadata: 'Free text.',
      title: 'In a few words.',
      summary: 'In more words.',
      proposer: 'Who put it forward.',
    },
  },
  Params: {
    about: 'The rules of governance. Periods are in nanoseconds; parts are decimal texts, 1 being all.',
    members: {
      votingPeriod: 'How long a vote lasts.',
      minDeposit: 'With which the vote begins.',
      maxDepositPeriod: 'How long a proposal may wait for it.',
      quorum: 'Part of the bonded coins that must vote.',
      threshold: 'Part of those who do not abstain that yes must exceed.',
      vetoThreshold: 'Part of the votes that no-with-veto must not exceed.',
      minInitialDepositRatio: 'Part of the deposit that comes with a proposal.',
      proposalCancelRatio: 'Part of the deposits that cancelling costs.',
      proposalCancelDest: 'Who gets that, as bech32 text; empty: it is burnt.',
      expeditedVotingPeriod: 'The same for expedited proposals.',
      expeditedThreshold: 'The same for expedited proposals.',
      expeditedMinDeposit: 'The same for expedited proposals.',
      burnVoteQuorum: 'Whether deposits are burnt when too few vote.',
      burnProposalDepositPrevote: 'Whether deposits are burnt when there are too few in time.',
      burnVoteVeto: 'Whether deposits are burnt after a veto.',
      minDepositRatio: 'Part of the deposit that every later deposit reaches.',
    },
  },
  Balance: {
    about: 'An amount of one token.',
    members: { contractAddress: 'Token contract; zero stands for the base coin.', amount: 'In base units.' },
  },
}

/** Enums by name, their members in order. */
export const ENUMS: Readonly<Record<string, { readonly about: string; readonly members: readonly string[] }>> = {
  BondStatus: {
    about: "Whether a validator's stake counts.",
    members: ['Unspecified', 'Unbonded', 'Unbonding', 'Bonded'],
  },
  VoteOption: {
    about: 'What a voter wants.',
    members: ['Unspecified', 'Yes', 'Abstain', 'No', 'NoWithVeto'],
  },
}
