// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "./Types.sol";

/// @dev Address of the contract.
address constant GOV_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000805;

/// @dev The contract at its address.
GovI constant GOV_CONTRACT = GovI(GOV_PRECOMPILE_ADDRESS);

/// @dev Options of a vote.
enum VoteOption {
    Unspecified,
    Yes,
    Abstain,
    No,
    NoWithVeto
}

/// @dev A vote option with its weight.
struct WeightedVoteOption {
    /// Vote option.
    VoteOption option;
    /// Part of the voting power: a decimal string greater than 0 and at most `1`.
    string weight;
}

/// @dev The vote of an account.
struct WeightedVote {
    /// Id of the proposal.
    uint64 proposalId;
    /// Account that voted.
    address voter;
    /// Vote options with their weights, which add up to 1.
    WeightedVoteOption[] options;
    /// Free text of the voter.
    string metadata;
}

/// @dev The deposit of an account.
struct DepositData {
    /// Id of the proposal.
    uint64 proposalId;
    /// Account that deposited.
    address depositor;
    /// Sum of its deposits.
    Coin[] amount;
}

/// @dev A tally: bonded coins in wei behind each option, as decimal strings.
struct TallyResultData {
    /// Coins for Yes.
    string yes;
    /// Coins for Abstain.
    string abstain;
    /// Coins for No.
    string no;
    /// Coins for NoWithVeto.
    string noWithVeto;
}

/// @dev A proposal.
struct ProposalData {
    /// Id, counted from 1.
    uint64 id;
    /// Type URLs of its messages; `getMessages` returns the messages.
    string[] messages;
    /// 1 deposit period, 2 voting period, 3 passed, 4 rejected, 5 passed, but its execution failed.
    uint32 status;
    /// Tally at the end of the voting period.
    TallyResultData finalTallyResult;
    /// Unix time in seconds of its submission.
    uint64 submitTime;
    /// Unix time in seconds at which its deposit period ends.
    uint64 depositEndTime;
    /// Sum of all deposits.
    Coin[] totalDeposit;
    /// Unix time in seconds at which its voting period started; 0 before.
    uint64 votingStartTime;
    /// Unix time in seconds at which its voting period ends; 0 before it started.
    uint64 votingEndTime;
    /// Free text.
    string metadata;
    /// Title.
    string title;
    /// Summary.
    string summary;
    /// Account that submitted it.
    address proposer;
}

/// @dev Parameters of governance. Periods are in nanoseconds; fractions are decimal strings, where `1` is the whole.
struct Params {
    /// Length of the voting period.
    int64 votingPeriod;
    /// Deposit with which the voting period starts.
    Coin[] minDeposit;
    /// Maximum length of the deposit period.
    int64 maxDepositPeriod;
    /// Fraction of the bonded coins that must vote.
    string quorum;
    /// Fraction of the votes without Abstain that Yes must exceed.
    string threshold;
    /// Fraction of the votes that NoWithVeto must not exceed.
    string vetoThreshold;
    /// Fraction of the minimum deposit that a submission must bring.
    string minInitialDepositRatio;
    /// Fraction of the deposits that a cancelled proposal loses.
    string proposalCancelRatio;
    /// Bech32 address that receives this fraction; it is burnt if empty.
    string proposalCancelDest;
    /// Length of the voting period of expedited proposals.
    int64 expeditedVotingPeriod;
    /// Threshold of expedited proposals.
    string expeditedThreshold;
    /// Minimum deposit of expedited proposals.
    Coin[] expeditedMinDeposit;
    /// Whether deposits are burnt if the quorum is not reached.
    bool burnVoteQuorum;
    /// Whether deposits are burnt if the minimum deposit is not reached in time.
    bool burnProposalDepositPrevote;
    /// Whether deposits are burnt after a veto.
    bool burnVoteVeto;
    /// Fraction of the minimum deposit that each later deposit must reach.
    string minDepositRatio;
}

/// @title Gov
/// @notice Governance by bonded coins (the module x/gov of the Cosmos SDK). A passed proposal is executed at the end of
/// the block in which its voting period ends. Accounts, including contracts, act only for themselves; these messages
/// cannot be granted.
interface GovI {
    /// @notice Submits a proposal. Its voting period starts when its deposits reach the minimum deposit. The proposer
    /// must be the caller. Reverts if the JSON or a message is invalid, or the initial deposit is too small.
    /// @param proposer Account that submits the proposal and pays the initial deposit.
    /// @param jsonProposal UTF-8 JSON with `messages`, `title`, `summary`, `metadata` and `expedited`.
    /// @param deposit Initial deposit in the base denomination; may be empty.
    /// @return proposalId Id of the new proposal.
    function submitProposal(address proposer, bytes calldata jsonProposal, Coin[] calldata deposit) external returns (uint64 proposalId);

    /// @notice Cancels a proposal before its voting period ends; a part of its deposits is burnt or paid to the chain
    /// (`proposalCancelRatio`). Only its proposer may call it.
    /// @param proposer Account that submitted the proposal.
    /// @param proposalId Id of the proposal.
    /// @return success Always true: a failure reverts.
    function cancelProposal(address proposer, uint64 proposalId) external returns (bool success);

    /// @notice Adds to the deposit of a proposal. The depositor must be the caller. Reverts if the proposal accepts no
    /// more deposits or the amount is below the minimum.
    /// @param depositor Account that deposits.
    /// @param proposalId Id of the proposal.
    /// @param amount Coins of the base denomination.
    /// @return success Always true: a failure reverts.
    function deposit(address depositor, uint64 proposalId, Coin[] calldata amount) external returns (bool success);

    /// @notice Votes for one option; replaces an earlier vote of the account. The voter must be the caller. Reverts
    /// outside of the voting period.
    /// @param voter Account that votes.
    /// @param proposalId Id of the proposal.
    /// @param option Vote option.
    /// @param metadata Free text of at most 255 bytes.
    /// @return success Always true: a failure reverts.
    function vote(address voter, uint64 proposalId, VoteOption option, string calldata metadata) external returns (bool success);

    /// @notice Splits a vote over several options; replaces an earlier vote of the account. The voter must be the
    /// caller. Reverts outside of the voting period or if the weights do not add up to 1.
    /// @param voter Account that votes.
    /// @param proposalId Id of the proposal.
    /// @param options Vote options with their weights, which add up to 1.
    /// @param metadata Free text of at most 255 bytes.
    /// @return success Always true: a failure reverts.
    function voteWeighted(address voter, uint64 proposalId, WeightedVoteOption[] calldata options, string calldata metadata) external returns (bool success);

    /// @notice Emitted when a proposal is submitted.
    /// @param proposer Account that submitted the proposal.
    /// @param proposalId Id of the proposal.
    event SubmitProposal(address indexed proposer, uint64 proposalId);

    /// @notice Emitted when a proposal is cancelled.
    /// @param proposer Account that submitted the proposal.
    /// @param proposalId Id of the proposal.
    event CancelProposal(address indexed proposer, uint64 proposalId);

    /// @notice Emitted when coins are deposited for a proposal.
    /// @param depositor Account that deposits.
    /// @param proposalId Id of the proposal.
    /// @param amount Coins of the base denomination.
    event Deposit(address indexed depositor, uint64 proposalId, Coin[] amount);

    /// @notice Emitted when an account votes for one option.
    /// @param voter Account that votes.
    /// @param proposalId Id of the proposal.
    /// @param option Vote option, as the number of `VoteOption`.
    event Vote(address indexed voter, uint64 proposalId, uint8 option);

    /// @notice Emitted when an account splits its vote.
    /// @param voter Account that votes.
    /// @param proposalId Id of the proposal.
    /// @param options Vote options with their weights, which add up to 1.
    event VoteWeighted(address indexed voter, uint64 proposalId, WeightedVoteOption[] options);

    /// @notice Returns the vote of an account, until the votes are tallied. Reverts if there is none.
    /// @param proposalId Id of the proposal.
    /// @param voter Account that votes.
    /// @return vote Latest vote of the account.
    function getVote(uint64 proposalId, address voter) external view returns (WeightedVote memory vote);

    /// @notice Returns the votes on a proposal, until they are tallied.
    /// @param proposalId Id of the proposal.
    /// @param pagination Part of the list to return.
    /// @return votes Votes in the order in which the accounts first voted.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function getVotes(uint64 proposalId, PageRequest calldata pagination) external view returns (WeightedVote[] memory votes, PageResponse memory pageResponse);

    /// @notice Returns the deposit of an account, until it is refunded or burnt. Reverts if there is none.
    /// @param proposalId Id of the proposal.
    /// @param depositor Account that deposits.
    /// @return deposit Sum of the account's deposits.
    function getDeposit(uint64 proposalId, address depositor) external view returns (DepositData memory deposit);

    /// @notice Returns the deposits of a proposal, until they are refunded or burnt.
    /// @param proposalId Id of the proposal.
    /// @param pagination Part of the list to return.
    /// @return deposits Deposits in the order in which the accounts first deposited.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function getDeposits(uint64 proposalId, PageRequest calldata pagination) external view returns (DepositData[] memory deposits, PageResponse memory pageResponse);

    /// @notice Returns the tally of a proposal: of the current votes during its voting period, the final one after it.
    /// @param proposalId Id of the proposal.
    /// @return tallyResult Bonded coins behind each option.
    function getTallyResult(uint64 proposalId) external view returns (TallyResultData memory tallyResult);

    /// @notice Returns a proposal. Reverts if it does not exist or was removed.
    /// @param proposalId Id of the proposal.
    /// @return proposal The proposal.
    function getProposal(uint64 proposalId) external view returns (ProposalData memory proposal);

    /// @notice Returns proposals by status, voter and depositor.
    /// @param proposalStatus Status as in `ProposalData`; 0 matches all.
    /// @param voter Account that has voted on the proposals; the zero address matches all.
    /// @param depositor Account that has deposited for the proposals; the zero address matches all.
    /// @param pagination Part of the list to return.
    /// @return proposals Proposals in ascending order of their ids.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function getProposals(uint32 proposalStatus, address voter, address depositor, PageRequest calldata pagination) external view returns (ProposalData[] memory proposals, PageResponse memory pageResponse);

    /// @notice Returns the parameters of governance.
    /// @return params Current parameters.
    function getParams() external view returns (Params memory params);

    /// @notice Returns the constitution of the chain.
    /// @return constitution Text of the constitution.
    function getConstitution() external view returns (string memory constitution);

    /// @notice Returns the account of the governance module: the `authority` of the messages of proposals.
    /// @return authorityBech32 Bech32 address of the account.
    /// @return authorityHex The same address in 20 bytes.
    function getAuthority() external view returns (string memory authorityBech32, address authorityHex);

    /// @notice Returns the messages of a proposal.
    /// @param proposalId Id of the proposal.
    /// @return messages Messages as JSON, in order of execution.
    function getMessages(uint64 proposalId) external view returns (string[] memory messages);

    /// @notice Returns why a passed proposal could not be executed.
    /// @param proposalId Id of the proposal.
    /// @return reason Error message of the failed message; empty if none failed.
    function getFailure(uint64 proposalId) external view returns (string memory reason);
}
