// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "../Types.sol";

/// @dev Address of the contract.
address constant STAKING_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000800;

/// @dev The contract at its address.
StakingI constant STAKING_CONTRACT = StakingI(STAKING_PRECOMPILE_ADDRESS);

/// @dev Bond status of a validator. The coins of bonded validators count for consensus and governance.
enum BondStatus {
    Unspecified,
    Unbonded,
    Unbonding,
    Bonded
}

/// @dev A validator.
struct Validator {
    /// Address of the operator in hexadecimal; empty if the validator does not exist.
    string operatorAddress;
    /// Base64 of the ed25519 consensus public key.
    string consensusPubkey;
    /// Whether the validator is jailed: excluded from the active set until it is unjailed.
    bool jailed;
    /// Bond status.
    BondStatus status;
    /// Coins delegated to the validator, in wei.
    uint256 tokens;
    /// Shares issued to its delegators, with 18 decimals.
    uint256 delegatorShares;
    /// Name and contacts.
    Description description;
    /// Height of the block in which it began to unbond.
    int64 unbondingHeight;
    /// Unix time in seconds at which its unbonding completes.
    int64 unbondingTime;
    /// Commission rate as an 18-decimal fraction.
    uint256 commission;
    /// Minimum self-delegation of its operator, in wei.
    uint256 minSelfDelegation;
}

/// @dev A redelegation that slashes of the source validator still apply to.
struct RedelegationEntry {
    /// Height of the block in which the delegation was moved.
    int64 creationHeight;
    /// Unix time in seconds until which slashes of the source validator apply.
    int64 completionTime;
    /// Amount in wei that was moved.
    uint256 initialBalance;
    /// Shares of the destination validator issued for it, with 18 decimals.
    uint256 sharesDst;
}

/// @dev Redelegations of one delegator from one validator to another.
struct Redelegation {
    /// Bech32 address of the delegator.
    string delegatorAddress;
    /// Bech32 operator address of the source validator.
    string validatorSrcAddress;
    /// Bech32 operator address of the destination validator.
    string validatorDstAddress;
    /// Entries, oldest first.
    RedelegationEntry[] entries;
}

/// @dev Redelegations of one delegator from one validator to another; all members are empty if there are none.
struct RedelegationOutput {
    /// Bech32 address of the delegator.
    string delegatorAddress;
    /// Bech32 operator address of the source validator.
    string validatorSrcAddress;
    /// Bech32 operator address of the destination validator.
    string validatorDstAddress;
    /// Entries that have not completed, oldest first.
    RedelegationEntry[] entries;
}

/// @dev A redelegation entry with its current value.
struct RedelegationEntryResponse {
    /// The entry.
    RedelegationEntry redelegationEntry;
    /// Current value of its shares, in wei.
    uint256 balance;
}

/// @dev Redelegations with their current value.
struct RedelegationResponse {
    /// Delegator, validators and entries.
    Redelegation redelegation;
    /// The entries with their current value.
    RedelegationEntryResponse[] entries;
}

/// @dev Coins that are being undelegated from a validator.
struct UnbondingDelegationEntry {
    /// Height of the block in which the entry was created.
    int64 creationHeight;
    /// Unix time in seconds at which the coins are paid.
    int64 completionTime;
    /// Amount in wei at creation.
    uint256 initialBalance;
    /// Amount in wei that will be paid: the initial balance less slashes and cancelled parts.
    uint256 balance;
    /// Number of the entry, which no other unbonding or redelegation has.
    uint64 unbondingId;
    /// Reasons to hold the entry back: always 0.
    int64 unbondingOnHoldRefCount;
}

/// @dev Unbonding entries of one delegator at one validator.
struct UnbondingDelegationOutput {
    /// Bech32 address of the delegator; empty if there are no entries, as the member below.
    string delegatorAddress;
    /// Bech32 operator address of the validator.
    string validatorAddress;
    /// Entries that have not completed, oldest first.
    UnbondingDelegationEntry[] entries;
}

/// @dev Description of a validator. The text `[do-not-modify]` leaves a member unchanged in an edit.
struct Description {
    /// Name of the validator.
    string moniker;
    /// Identity signature, such as one of Keybase.
    string identity;
    /// Address of a web site.
    string website;
    /// Contact for security reports.
    string securityContact;
    /// Further details.
    string details;
}

/// @dev Commission of a validator, as 18-decimal fractions (10^18 is 100 %).
struct CommissionRates {
    /// Commission rate.
    uint256 rate;
    /// Maximum commission rate, which cannot be changed later.
    uint256 maxRate;
    /// Maximum change of the rate in one day, which cannot be changed later.
    uint256 maxChangeRate;
}

/// @title Staking on chains with the interfaces of cosmos/evm
/// @notice Delegations of the base denomination to validators (the module x/staking of the Cosmos SDK). Amounts are in
/// wei, shares and rates have 18 decimals, times are unix seconds.
interface StakingI {
    /// @notice Delegates coins to a validator. Rewards that the delegation has earned are withdrawn first. Only the
    /// delegator itself may call it, user or contract. Reverts if the validator does not exist or the delegator has too
    /// few spendable coins.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @return success Always true: a failure reverts.
    function delegate(address delegatorAddress, string calldata validatorAddress, uint256 amount) external returns (bool success);

    /// @notice Undelegates coins from a validator. They are paid after the unbonding time. Only the delegator itself
    /// may call it, user or contract. Reverts if the delegation is smaller than the amount.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @return completionTime Unix time in seconds at which the coins are paid.
    function undelegate(address delegatorAddress, string calldata validatorAddress, uint256 amount) external returns (int64 completionTime);

    /// @notice Moves a delegation from one validator to another without unbonding. Only the delegator itself
    /// may call it, user or contract. Reverts if the delegation is smaller than the amount.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorSrcAddress Operator of the source validator, as bech32 or 0x-prefixed hexadecimal.
    /// @param validatorDstAddress Operator of the destination validator, as bech32 or 0x-prefixed hexadecimal.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @return completionTime Unix time in seconds until which slashes of the source validator apply to the moved
    /// coins.
    function redelegate(address delegatorAddress, string calldata validatorSrcAddress, string calldata validatorDstAddress, uint256 amount) external returns (int64 completionTime);

    /// @notice Delegates the coins of an unbonding entry to the same validator again. Only the delegator
    /// itself may call it, user or contract. Reverts if there is no such entry or its balance is smaller than the amount.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @param creationHeight Height of the block in which the unbonding entry was created.
    /// @return success Always true: a failure reverts.
    function cancelUnbondingDelegation(address delegatorAddress, string calldata validatorAddress, uint256 amount, uint256 creationHeight) external returns (bool success);

    /// @notice Emitted when coins are delegated.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Address of the operator.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @param newShares Delegation shares issued, with 18 decimals.
    event Delegate(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount, uint256 newShares);

    /// @notice Emitted when coins are undelegated.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Address of the operator.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @param completionTime Unix time in seconds at which the unbonding or redelegation completes.
    event Unbond(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount, uint256 completionTime);

    /// @notice Emitted when a delegation is moved.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorSrcAddress Operator of the source validator.
    /// @param validatorDstAddress Operator of the destination validator.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @param completionTime Unix time in seconds at which the unbonding or redelegation completes.
    event Redelegate(address indexed delegatorAddress, address indexed validatorSrcAddress, address indexed validatorDstAddress, uint256 amount, uint256 completionTime);

    /// @notice Emitted when the coins of an unbonding entry are delegated again.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Address of the operator.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    /// @param creationHeight Height of the block in which the unbonding entry was created.
    event CancelUnbondingDelegation(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount, uint256 creationHeight);

    /// @notice Returns the delegation of a delegator to a validator; zero if there is none.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return shares Shares of the delegation, with 18 decimals.
    /// @return balance Current value of the shares, in wei.
    function delegation(address delegatorAddress, string calldata validatorAddress) external view returns (uint256 shares, Coin memory balance);

    /// @notice Returns the validators with a status.
    /// @param status `BOND_STATUS_BONDED`, `BOND_STATUS_UNBONDING`, `BOND_STATUS_UNBONDED`, or an empty string for all.
    /// @param pageRequest Part of the list to return.
    /// @return validators Validators in ascending order of their operator addresses.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function validators(string calldata status, PageRequest calldata pageRequest) external view returns (Validator[] memory validators, PageResponse memory pageResponse);

    /// @notice Returns redelegations with their current value. Reverts if neither a delegator nor a source validator is
    /// given.
    /// @param delegatorAddress Address of the delegator; the zero address matches all.
    /// @param srcValidatorAddress Operator of the source validator; an empty string matches all.
    /// @param dstValidatorAddress Operator of the destination validator; an empty string matches all.
    /// @param pageRequest Part of the list to return.
    /// @return response One item for each delegator and pair of validators.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function redelegations(address delegatorAddress, string calldata srcValidatorAddress, string calldata dstValidatorAddress, PageRequest calldata pageRequest) external view returns (RedelegationResponse[] memory response, PageResponse memory pageResponse);

    /// @notice Returns the unbonding entries of a delegator at a validator.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return unbondingDelegation Delegator, validator and entries.
    function unbondingDelegation(address delegatorAddress, string calldata validatorAddress) external view returns (UnbondingDelegationOutput memory unbondingDelegation);

    /// @notice Returns the redelegation entries of a delegator between two validators.
    /// @param delegatorAddress Address of the delegator.
    /// @param srcValidatorAddress Operator of the source validator.
    /// @param dstValidatorAddress Operator of the destination validator.
    /// @return redelegation Delegator, validators and entries.
    function redelegation(address delegatorAddress, string calldata srcValidatorAddress, string calldata dstValidatorAddress) external view returns (RedelegationOutput memory redelegation);

    /// @notice Creates a validator and its self-delegation. Only the operator itself may call it, in a transaction to
    /// this contract. Reverts if the operator or the key already belongs to a validator.
    /// @param description Name and contacts of the validator.
    /// @param commissionRates Initial commission rate, maximum rate and maximum change per day.
    /// @param minSelfDelegation Minimum self-delegation of the operator, in wei.
    /// @param validatorAddress Address of the operator, which must be the caller.
    /// @param pubkey Consensus public key: base64 of 32 bytes (ed25519).
    /// @param value Self-delegation in wei.
    /// @return success Always true: a failure reverts.
    function createValidator(Description calldata description, CommissionRates calldata commissionRates, uint256 minSelfDelegation, address validatorAddress, string calldata pubkey, uint256 value) external returns (bool success);

    /// @notice Changes description, commission rate or minimum self-delegation of a validator. Only the operator itself
    /// may call it, in a transaction to this contract. Reverts if the rate changes too far or twice within a day, or if
    /// the minimum self-delegation falls.
    /// @param description Name and contacts of the validator.
    /// @param validatorAddress Address of the operator, which must be the caller.
    /// @param commissionRate New commission rate as an 18-decimal fraction (10^18 is 100 %), or -1 to leave it
    /// unchanged.
    /// @param minSelfDelegation New minimum self-delegation in wei, which can only rise, or -1 to leave it unchanged.
    /// @return success Always true: a failure reverts.
    function editValidator(Description calldata description, address validatorAddress, int256 commissionRate, int256 minSelfDelegation) external returns (bool success);

    /// @notice Emitted when a validator is created.
    /// @param validatorAddress Address of the operator.
    /// @param value Self-delegation in wei.
    event CreateValidator(address indexed validatorAddress, uint256 value);

    /// @notice Emitted when a validator is changed.
    /// @param validatorAddress Address of the operator.
    /// @param commissionRate New commission rate as an 18-decimal fraction (10^18 is 100 %), or -1 to leave it
    /// unchanged.
    /// @param minSelfDelegation New minimum self-delegation in wei, or -1 if it is unchanged.
    event EditValidator(address indexed validatorAddress, int256 commissionRate, int256 minSelfDelegation);

    /// @notice Returns a validator. All members are empty if it does not exist.
    /// @param validatorAddress Address of the operator.
    /// @return validator The validator.
    function validator(address validatorAddress) external view returns (Validator memory validator);
}
