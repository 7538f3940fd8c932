// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "../Types.sol";

/// @dev Address of the contract.
address constant DISTRIBUTION_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000801;

/// @dev The contract at its address.
DistributionI constant DISTRIBUTION_CONTRACT = DistributionI(DISTRIBUTION_PRECOMPILE_ADDRESS);

/// @dev Rewards and commission of a validator.
struct ValidatorDistributionInfo {
    /// Bech32 address of the operator's account.
    string operatorAddress;
    /// Rewards of the self-delegation that have not been withdrawn.
    DecCoin[] selfBondRewards;
    /// Commission that has not been withdrawn.
    DecCoin[] commission;
}

/// @dev A slash of a validator.
struct ValidatorSlashEvent {
    /// Reward period of the validator that the slash ended.
    uint64 validatorPeriod;
    /// Fraction of the stake that was burnt.
    Dec fraction;
}

/// @dev Rewards of the delegation to one validator.
struct DelegationDelegatorReward {
    /// Bech32 operator address.
    string validatorAddress;
    /// Rewards that have not been withdrawn.
    DecCoin[] reward;
}

/// @title Distribution on chains with the interfaces of cosmos/evm
/// @notice Staking rewards, validator commission and the community pool (the module x/distribution of the Cosmos SDK).
/// Amounts are in wei of the base denomination.
interface DistributionI {
    /// @notice Sets the address that receives the rewards and commission of a delegator. Only the delegator itself may
    /// call it, user or contract.
    /// @param delegatorAddress Address of the delegator.
    /// @param withdrawerAddress Address that will receive rewards and commission, as bech32 or 0x-prefixed hexadecimal.
    /// @return success Always true: a failure reverts.
    function setWithdrawAddress(address delegatorAddress, string calldata withdrawerAddress) external returns (bool success);

    /// @notice Withdraws the rewards of a delegation to the withdraw address of its delegator. Only the delegator
    /// itself may call it, user or contract. Reverts if there is no such delegation.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return amount Rewards paid, in wei: one coin, whose amount may be 0.
    function withdrawDelegatorRewards(address delegatorAddress, string calldata validatorAddress) external returns (Coin[] memory amount);

    /// @notice Withdraws the commission of a validator to the withdraw address of its operator. Only the operator
    /// itself may call it, user or contract. Reverts if there is no commission.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return amount Commission paid, in wei.
    function withdrawValidatorCommission(string calldata validatorAddress) external returns (Coin[] memory amount);

    /// @notice Emitted when a withdraw address is set.
    /// @param caller Delegator whose withdraw address was set.
    /// @param withdrawerAddress Bech32 address that will receive rewards and commission.
    event SetWithdrawerAddress(address indexed caller, string withdrawerAddress);

    /// @notice Emitted when the rewards of a delegation are withdrawn.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Address of the operator.
    /// @param amount Amount in wei of the base denomination (10^18 is one coin).
    event WithdrawDelegatorReward(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount);

    /// @notice Emitted when the commission of a validator is withdrawn.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param commission Commission paid, in wei.
    event WithdrawValidatorCommission(string indexed validatorAddress, uint256 commission);

    /// @notice Withdraws the rewards of several delegations of a delegator. Only the delegator itself may call it, user
    /// or contract.
    /// @param delegatorAddress Address of the delegator.
    /// @param maxRetrieve Maximum number of validators to withdraw from; at most the maximum number of validators of
    /// the chain.
    /// @return success Always true: a failure reverts.
    function claimRewards(address delegatorAddress, uint32 maxRetrieve) external returns (bool success);

    /// @notice Transfers coins to the community pool. Only the depositor itself may call it, user or contract. Reverts
    /// if there is no coin, a coin is not of the base denomination, or the amount is larger than the spendable balance.
    /// @param depositor Account that pays.
    /// @param amount Coins, each denomination once.
    /// @return success Always true: a failure reverts.
    function fundCommunityPool(address depositor, Coin[] memory amount) external returns (bool success);

    /// @notice Transfers coins to a validator as if they were rewards: the operator's commission is taken first, the
    /// rest is for the delegators in proportion to their stake. Only the depositor itself may call it, user or
    /// contract. Reverts as `fundCommunityPool`, and if the validator does not exist.
    /// @param depositor Account that pays.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param amount Coins, each denomination once.
    /// @return success Always true: a failure reverts.
    function depositValidatorRewardsPool(address depositor, string calldata validatorAddress, Coin[] memory amount) external returns (bool success);

    /// @notice Returns the coins of the community pool.
    /// @return coins One coin; empty if there are none.
    function communityPool() external view returns (DecCoin[] memory coins);

    /// @notice Emitted when the rewards of several delegations are withdrawn.
    /// @param delegatorAddress Address of the delegator.
    /// @param amount Sum of the rewards in wei.
    event ClaimRewards(address indexed delegatorAddress, uint256 amount);

    /// @notice Emitted for each coin that is transferred to the community pool.
    /// @param depositor Account that paid.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination.
    event FundCommunityPool(address indexed depositor, string denom, uint256 amount);

    /// @notice Emitted for each coin that is transferred to a validator as rewards.
    /// @param depositor Account that paid.
    /// @param validatorAddress Address of the operator.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination.
    event DepositValidatorRewardsPool(address indexed depositor, address indexed validatorAddress, string denom, uint256 amount);

    /// @notice Returns the rewards of the self-delegation and the commission of a validator. Reverts if the validator
    /// does not exist.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return distributionInfo Rewards and commission that have not been withdrawn.
    function validatorDistributionInfo(string calldata validatorAddress) external view returns (ValidatorDistributionInfo memory distributionInfo);

    /// @notice Returns all rewards of a validator and its delegators that have not been withdrawn.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return rewards One coin; empty if there are none.
    function validatorOutstandingRewards(string calldata validatorAddress) external view returns (DecCoin[] memory rewards);

    /// @notice Returns the commission of a validator that has not been withdrawn.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return commission One coin; empty if there is none.
    function validatorCommission(string calldata validatorAddress) external view returns (DecCoin[] memory commission);

    /// @notice Returns the rewards of a delegation that have not been withdrawn. Reverts if there is no such
    /// delegation.
    /// @param delegatorAddress Address of the delegator.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @return rewards One coin; empty if there are none.
    function delegationRewards(address delegatorAddress, string calldata validatorAddress) external view returns (DecCoin[] memory rewards);

    /// @notice Returns the rewards of all delegations of a delegator that have not been withdrawn.
    /// @param delegatorAddress Address of the delegator.
    /// @return rewards Rewards by validator.
    /// @return total Sum of the rewards.
    function delegationTotalRewards(address delegatorAddress) external view returns (DelegationDelegatorReward[] memory rewards, DecCoin[] memory total);

    /// @notice Returns the validators that a delegator delegates to.
    /// @param delegatorAddress Address of the delegator.
    /// @return validators Bech32 operator addresses.
    function delegatorValidators(address delegatorAddress) external view returns (string[] memory validators);

    /// @notice Returns the address that receives the rewards of a delegator.
    /// @param delegatorAddress Address of the delegator.
    /// @return withdrawAddress Bech32 address that receives the rewards.
    function delegatorWithdrawAddress(address delegatorAddress) external view returns (string memory withdrawAddress);

    /// @notice Returns the slashes of a validator in a range of heights, by pages.
    /// @param validatorAddress Operator of the validator: bech32 with the operator prefix, or 0x-prefixed hexadecimal.
    /// @param startingHeight First block height of the range.
    /// @param endingHeight Last block height of the range, included; 0 is the current block.
    /// @param pageRequest Part of the list to return.
    /// @return slashes Slashes in order of height.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function validatorSlashes(string calldata validatorAddress, uint64 startingHeight, uint64 endingHeight, PageRequest calldata pageRequest) external view returns (ValidatorSlashEvent[] memory slashes, PageResponse memory pageResponse);
}
