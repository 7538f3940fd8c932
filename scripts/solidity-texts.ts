// What the Solidity interfaces say in words: one sentence for each contract, function and event, and one for each
// parameter by its name. Names and types come from the typed ABIs; `solidity-source.ts` joins both.

export type Text = {
  /** What it does, for whoever calls it. */
  readonly about: string
  /** Parameters and results whose meaning differs from what `VALUES` says of their name. */
  readonly values?: Readonly<Record<string, string>>
  /** Parameters that Solidity sees as an enum. */
  readonly enums?: Readonly<Record<string, string>>
}

export type ContractText = {
  readonly title: string
  readonly about: string
  /** By name, or by signature where a name is overloaded. */
  readonly functions: Readonly<Record<string, Text>>
  readonly events: Readonly<Record<string, string>>
}

/** Parameters and results by name. */
export const VALUES: Readonly<Record<string, string>> = {
  account: 'The account asked about.',
  accountAddress: 'The vesting account.',
  addr: 'The 20-byte address.',
  allocations: 'One allocation for each channel: how much of which coin, to whom.',
  amount: 'In base units, 10^18 to the coin.',
  approved: 'Always true; a refusal reverts.',
  balance: 'What the shares are worth now.',
  bech32Address: 'The same address as bech32 text.',
  caller: 'The delegator.',
  commission: 'In base units.',
  commissionRate: 'New commission rate, 10^18 being 100 %; -1 leaves it as it is.',
  commissionRates: 'The rate, its bound and how far it may move in a day.',
  authorityBech32: 'As bech32 text.',
  authorityHex: 'As an address.',
  completionTime: 'Unix seconds at which the coins are free.',
  constitution: 'The text.',
  creationHeight: 'The block in which the unbonding began.',
  delegatorAddress: 'Whose stake it is.',
  denom: 'Denomination of the coin.',
  deposit: 'Coins of the base denomination; may be empty.',
  depositor: 'Whose coins they are.',
  deposits: 'In the order in which accounts first gave something.',
  description: 'Name and contacts of the validator.',
  destAddress: 'Who receives the coins; zero stands for the funder.',
  dstValidatorAddress: 'The validator that the stake moved to.',
  enableGovClawback: 'Whether governance may claw back as well.',
  endingHeight: 'The last block looked at; 0 is the present one.',
  entries: 'One entry for each open operation, oldest first.',
  erc20Address: 'The token contract; zero stands for the base coin.',
  funderAddress: 'Who pays and may claw back.',
  grantee: 'Who is allowed to act.',
  granter: 'Who allows it.',
  hash: 'The hash of the trace, in capitals and without `ibc/`.',
  lockupPeriods: 'Steps in which the coins unlock; empty: at once.',
  jsonProposal: 'JSON with `messages`, `title`, `summary`, `metadata` and `expedited`, as UTF-8.',
  locked: 'Coins that the lockup still holds.',
  maxRetrieve: 'How many validators to take rewards from at most.',
  messages: 'As JSON, in order.',
  metadata: 'Free text of up to 255 bytes.',
  memo: 'Free text for the other chain.',
  method: 'Message type URL, or its `MSG_` name.',
  methods: 'Message type URLs, or their `MSG_` names.',
  minSelfDelegation: 'The least that the operator keeps delegated to itself.',
  newFunderAddress: 'Who takes the place of the funder.',
  newShares: 'Shares minted, scaled by 10^18.',
  nextSequence: 'The sequence number of this packet.',
  option: 'What the voter wants.',
  options: 'What the voter wants, with weights that add up to 1.',
  owner: 'Who granted.',
  pageRequest: 'Which part of the list to answer.',
  pageResponse: 'Where the list goes on.',
  pagination: 'Which part of the list to answer.',
  params: 'As they hold now.',
  prefix: 'The human-readable part, such as `kest` or `kestvaloper`.',
  proposal: 'As it stands.',
  proposalId: 'The number of the proposal.',
  proposalStatus: 'As in `ProposalData`; 0 for all.',
  proposals: 'In order of their numbers.',
  proposer: 'Who puts the proposal forward.',
  pubkey: 'The consensus key: base64 of 32 ed25519 bytes.',
  reason: 'The words of the refusal; empty: there was none.',
  receiver: 'Who receives, in the spelling of the other chain.',
  remaining: 'What may still be used; the largest uint256 for no limit.',
  revoked: 'Always true; a refusal reverts.',
  sender: 'Whose coins they are.',
  shares: 'Shares of the validator, scaled by 10^18.',
  sourceChannel: 'The channel on this chain.',
  sourcePort: 'The port on this chain, usually `transfer`.',
  spender: 'Who may act: the contract that the grant names.',
  spendLimit: 'How much of each coin the grant allows.',
  srcValidatorAddress: 'The validator that the stake came from.',
  startTime: 'Unix seconds at which both schedules begin.',
  startingHeight: 'The first block looked at.',
  status: '`BOND_STATUS_BONDED`, `BOND_STATUS_UNBONDING`, `BOND_STATUS_UNBONDED`, or empty for all.',
  success: 'Always true; a refusal reverts.',
  tallyResult: 'Tokens behind each option.',
  timeoutHeight: 'Height of the other chain from which on the packet is refused; zero for none.',
  timeoutTimestamp: 'Unix nanoseconds from which on the packet is refused; zero for none.',
  trace: 'The path `port/channel/.../base`.',
  unvested: 'Coins that are not vested yet.',
  validator: 'As it stands.',
  validators: 'In order of their operators.',
  validatorAddress: 'The validator, as bech32 operator text or 0x hex.',
  validatorDstAddress: 'The validator to move to.',
  validatorSrcAddress: 'The validator to move from.',
  value: 'In base units.',
  values: 'The new limit for each method; the largest uint256 for no limit.',
  vested: 'Coins that are vested.',
  vestingAddress: 'The vesting account.',
  vestingPeriods: 'Steps in which the coins vest; empty: at once.',
  vote: 'As it was cast last.',
  voter: 'Whose vote it is.',
  votes: 'In the order in which accounts first voted.',
  withdrawAddress: 'Bech32 text of the account that rewards go to.',
  withdrawerAddress: 'The account that rewards shall go to, as bech32 text or 0x hex.',
}

/** Contracts by the precompile's name. */
export const CONTRACTS: Readonly<Record<string, ContractText>> = {
  authorization: {
    title: 'Grants',
    about:
      'An account allows a contract to act for it: message by message, up to an amount, for a year. The granter is the caller; the contract can use the grant only in transactions that the granter signs.',
    functions: {
      approve: {
        about: 'Allows the spender each of these messages, up to an amount; replaces what was allowed before.',
        values: {
          amount: 'Base units for staking messages; the largest uint256 for no limit, 0 takes the grant back.',
        },
      },
      revoke: { about: 'Takes grants back. Reverts if one of them is not there.' },
      increaseAllowance: { about: 'Raises the limit of grants of staking messages.' },
      decreaseAllowance: { about: 'Lowers the limit of grants of staking messages. Reverts below zero.' },
      allowance: { about: 'What the spender may still do for the owner; 0 where there is no grant.' },
    },
    events: {
      Approval: 'Messages were granted.',
      Revocation: 'Grants were taken back.',
      AllowanceChange: 'Limits were raised or lowered.',
    },
  },
  staking: {
    title: 'Staking',
    about:
      'Stake of the base coin with validators. A call acts for the delegator that it names: the caller itself, or the signer of the transaction if it has granted the caller the message.',
    functions: {
      delegate: { about: 'Stakes coins with a validator. Rewards that are due are paid out first.' },
      undelegate: { about: 'Takes stake back; the coins are paid after the unbonding time.' },
      redelegate: { about: 'Moves stake from one validator to another at once.' },
      cancelUnbondingDelegation: { about: 'Stakes coins again that are on their way out.' },
      delegation: { about: 'The stake of a delegator with a validator.' },
      unbondingDelegation: { about: 'Coins of a delegator that are on their way out of a validator.' },
      'validator(string)': { about: 'A validator; all members are empty where there is none.' },
      'validator(address)': {
        about: 'As by text, with `operatorAddress` in 0x hex.',
        values: { validatorAddress: 'The address of its operator.' },
      },
      validators: { about: 'Validators, by their status.' },
      redelegation: { about: 'Open moves of a delegator between two validators.' },
      redelegations: {
        about: 'Open moves with what they are worth. A zero address or an empty text leaves a filter out.',
        values: { response: 'One item for each delegator and pair of validators.' },
      },
      createValidator: {
        about: 'Makes the caller a validator. Not for contracts.',
        values: { validatorAddress: 'The operator: the caller.', value: 'What the operator delegates, in base units.' },
      },
      editValidator: {
        about: 'Changes what the caller shows and takes as a validator. Not for contracts.',
        values: {
          validatorAddress: 'The operator: the caller.',
          minSelfDelegation: 'The least own stake, which can only rise; -1 leaves it as it is.',
        },
      },
    },
    events: {
      Delegate: 'Coins were staked.',
      Unbond: 'Stake was taken back and waits.',
      Redelegate: 'Stake was moved.',
      CancelUnbondingDelegation: 'Waiting coins were staked again.',
      CreateValidator: 'There is a new validator.',
      EditValidator: 'A validator was changed.',
    },
  },
  distribution: {
    title: 'Distribution of rewards',
    about:
      'Rewards of stake, commission of validators and the community pool. Who may act for whom is as with staking; a grant of these messages has no limit.',
    functions: {
      setWithdrawAddress: { about: "Sends a delegator's rewards and commission to another account from now on." },
      withdrawDelegatorRewards: {
        about: 'Pays the rewards of a delegation.',
        values: { amount: 'What was paid; one coin of amount 0 where nothing was due.' },
      },
      withdrawValidatorCommission: {
        about: 'Pays a validator its commission.',
        values: { amount: 'What was paid.' },
      },
      claimRewards: { about: 'Pays the rewards of several delegations.' },
      fundCommunityPool: { about: 'Gives coins to the community pool.' },
      validatorDistributionInfo: {
        about: 'What a validator and its operator have earned.',
        values: { distributionInfo: 'Commission and rewards of its own stake.' },
      },
      validatorOutstandingRewards: {
        about: 'All that a validator and its delegators have not withdrawn.',
        values: { rewards: 'One item; none for nothing.' },
      },
      validatorCommission: {
        about: 'Commission that a validator has not withdrawn.',
        values: { commission: 'One item; none for nothing.' },
      },
      'validatorSlashes(string,uint64,uint64)': {
        about: 'Slashes of a validator, the first hundred.',
        values: { slashes: 'In order of height.' },
      },
      'validatorSlashes(string,uint64,uint64,(bytes,uint64,uint64,bool,bool))': {
        about: 'Slashes of a validator, page by page.',
        values: { slashes: 'In order of height.' },
      },
      delegationRewards: {
        about: 'What a delegation has earned and not withdrawn.',
        values: { rewards: 'One item; none for nothing.' },
      },
      delegationTotalRewards: {
        about: 'What all delegations of a delegator have earned.',
        values: { rewards: 'By validator.', total: 'Of all of them.' },
      },
      delegatorValidators: {
        about: 'The validators that a delegator has delegated to.',
        values: { validators: 'Bech32 operator texts.' },
      },
      delegatorWithdrawAddress: { about: "Where a delegator's rewards go." },
    },
    events: {
      SetWithdrawerAddress: 'Rewards of the caller go to another account from now on.',
      WithdrawDelegatorRewards: 'Rewards were paid.',
      WithdrawValidatorCommission: 'Commission was paid.',
      ClaimRewards: 'Rewards of several delegations were paid.',
      FundCommunityPool: 'Coins went to the community pool.',
    },
  },
  ics20: {
    title: 'Transfers to other chains',
    about:
      'Coins sent through IBC channels. A contract may send coins of its own, or those of the signer within what the signer has granted it here, channel by channel.',
    functions: {
      'approve(address,(string,string,(string,uint256)[],string[])[])': {
        about: 'Allows the spender transfers; replaces what was allowed before. Memos are free.',
      },
      'approve(address,(string,string,(string,uint256)[],string[],string[])[])': {
        about: 'Allows the grantee transfers, with a rule for memos.',
      },
      revoke: { about: "Takes the spender's transfer grant back." },
      increaseAllowance: { about: 'Raises the limit of one coin in one channel.' },
      decreaseAllowance: { about: 'Lowers the limit of one coin in one channel. Reverts below zero.' },
      transfer: {
        about:
          'Sends coins through a channel. They come back if the other chain refuses them or the time is over; one of the two timeouts must be set.',
      },
      denomTrace: {
        about: 'Where a voucher comes from; empty if it is not known.',
        values: {
          hash: '`ibc/` and 64 hex digits, or the digits alone.',
          denomTrace: 'Its path and base denomination.',
        },
      },
      denomTraces: { about: 'All vouchers known here.', values: { denomTraces: 'In order of path.' } },
      denomHash: { about: 'The hash of a path; empty if it is not known.' },
      allowance: { about: 'What the spender may still send for the owner; empty where there is no grant.' },
    },
    events: {
      IBCTransfer: 'Coins were sent.',
      IBCTransferAuthorization: 'Transfers through one channel were granted.',
      RevokeIBCTransferAuthorization: 'A transfer grant was taken back.',
      AllowanceChange: 'A limit was raised or lowered.',
    },
  },
  vesting: {
    title: 'Vesting accounts',
    about:
      'Accounts whose coins become free step by step, and whose funder may take back what is not vested. The account itself agrees to become one.',
    functions: {
      createClawbackVestingAccount: {
        about: 'Makes the signer of the transaction a vesting account that this funder may fund.',
      },
      fundVestingAccount: {
        about: 'Pays coins into a vesting account, with a schedule for unlocking and one for vesting.',
      },
      clawback: {
        about: 'Takes back what is not vested; the account becomes an ordinary one.',
        values: { '': 'What was taken back.' },
      },
      updateVestingFunder: { about: "Puts another funder in the caller's place." },
      convertVestingAccount: { about: 'Makes a vesting account whose schedules are over an ordinary one.' },
      balances: { about: 'What is locked, unvested and vested. Locked and unvested overlap.' },
      approve: {
        about: 'Allows the grantee one vesting message.',
        values: { method: 'Its type URL, or its `MSG_` name.' },
      },
    },
    events: {
      CreateClawbackVestingAccount: 'An account has become a vesting account.',
      FundVestingAccount: 'Coins were paid in.',
      Clawback: 'Unvested coins were taken back.',
      UpdateVestingFunder: 'There is a new funder.',
      ConvertVestingAccount: 'A vesting account has become an ordinary one.',
      Approval: 'A vesting message was granted.',
    },
  },
  bech32: {
    title: 'Addresses as text',
    about: 'Between 20-byte addresses and bech32 text, which Solidity can hardly do itself.',
    functions: {
      hexToBech32: { about: 'Writes an address as bech32 text.' },
      bech32ToHex: {
        about: 'Reads bech32 text of any prefix.',
        values: { bech32Address: 'The text.' },
      },
    },
    events: {},
  },
  gov: {
    title: 'Governance',
    about:
      'Whoever has bonded coins decides on proposals, which are carried out at the end of the block in which their vote ends. Everybody acts for themselves, contracts too.',
    functions: {
      submitProposal: {
        about: 'Puts a proposal to the vote, or to those who would add to its deposit.',
        values: { proposalId: 'Its number.' },
      },
      cancelProposal: { about: 'Takes a proposal back, which costs a part of its deposits.' },
      deposit: {
        about: 'Adds to the deposit of a proposal; with enough of it the vote begins.',
        values: { amount: 'Coins of the base denomination.' },
      },
      vote: { about: 'Votes for one option. The last vote counts.', enums: { option: 'VoteOption' } },
      voteWeighted: { about: 'Splits a vote over several options. The last vote counts.' },
      getVote: { about: 'The vote of an account, as long as the votes are not counted. Reverts if there is none.' },
      getVotes: { about: 'The votes on a proposal, as long as they are not counted.' },
      getDeposit: {
        about: 'The deposit of an account, until it is given back or burnt. Reverts if there is none.',
        values: { deposit: 'All that the account has given.' },
      },
      getDeposits: { about: 'The deposits of a proposal, until they are given back or burnt.' },
      getTallyResult: { about: 'The count of a proposal: as the votes stand now, or as it ended.' },
      getProposal: { about: 'A proposal. Reverts if there is none with this number, or no longer.' },
      getProposals: {
        about: 'Proposals of a status that an account has voted on or deposited for.',
        values: {
          voter: 'Only those with a vote of this account; zero for all.',
          depositor: 'Only those with a deposit of this account; zero for all.',
        },
      },
      getParams: { about: 'The rules of governance.' },
      getConstitution: { about: 'The constitution of the chain.' },
      getAuthority: { about: 'The account that proposals act as: the `authority` of their messages.' },
      getMessages: { about: 'What a proposal would do, in full.' },
      getFailure: { about: 'Why a proposal that had passed could not be carried out.' },
    },
    events: {
      SubmitProposal: 'A proposal was put forward.',
      CancelProposal: 'A proposal was taken back.',
      Deposit: 'Coins were added to a deposit.',
      Vote: 'A vote was cast.',
      VoteWeighted: 'A split vote was cast.',
    },
  },
  slashing: {
    title: 'Slashing',
    about: 'The way back of a jailed validator, and what is known of how validators sign.',
    functions: {
      getSigningInfo: {
        about: 'How a validator has signed. Reverts if none with this key was ever bonded.',
        values: { consAddress: 'First 20 bytes of SHA-256 of the consensus key.', signingInfo: 'As it stands.' },
      },
      getSigningInfos: {
        about: 'How all validators have signed that were ever bonded, by consensus address.',
        values: { signingInfos: 'One for each.' },
      },
      getParams: { about: 'What faults cost.', values: { params: 'The parameters.' } },
      unjail: {
        about:
          'Lets a validator back into the set; for its operator alone. Reverts before its time, and after double signing.',
        values: { validatorAddress: "The operator's account." },
      },
    },
    events: { ValidatorUnjailed: 'A validator is no longer jailed.' },
  },
  bank: {
    title: 'Coins',
    about: 'What accounts hold and what there is. The base coin stands under the zero address.',
    functions: {
      balances: {
        about: 'All that an account holds.',
        values: { balances: 'One item for each token; nothing is left out.' },
      },
      totalSupply: { about: 'All that there is.', values: { totalSupply: 'One item for each token.' } },
      supplyOf: { about: 'How much there is of one token.', values: { totalSupply: 'In base units.' } },
    },
    events: {},
  },
}
