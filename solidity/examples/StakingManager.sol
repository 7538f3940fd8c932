// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../Staking.sol";

/// @title Staking manager
/// @notice Delegates coins of its callers and records the amounts. Each user first grants it the staking messages:
///
///     STAKING_CONTRACT.approve(address(manager), amount, [MSG_DELEGATE, MSG_UNDELEGATE, ...])
///
/// @dev The user's own account must call `approve`: if this contract called it, the contract would be the granter.
contract StakingManager {
    /// @notice Base units that each user has delegated through this contract, less undelegated ones.
    mapping(address user => uint256 amount) public staked;

    /// @notice Delegates coins of the caller.
    function stake(string calldata validator, uint256 amount) external {
        staked[msg.sender] += amount;
        STAKING_CONTRACT.delegate(msg.sender, validator, amount);
    }

    /// @notice Undelegates coins of the caller.
    /// @return completionTime Unix seconds at which the chain pays the coins to the caller.
    function unstake(string calldata validator, uint256 amount) external returns (int64 completionTime) {
        staked[msg.sender] -= amount;
        return STAKING_CONTRACT.undelegate(msg.sender, validator, amount);
    }

    /// @notice Redelegates coins of the caller to another validator.
    function move(string calldata from, string calldata to, uint256 amount) external returns (int64 completionTime) {
        return STAKING_CONTRACT.redelegate(msg.sender, from, to, amount);
    }

    /// @notice Cancels an unbonding of the caller that began in the block `creationHeight`.
    function stakeAgain(string calldata validator, uint256 amount, uint256 creationHeight) external {
        staked[msg.sender] += amount;
        STAKING_CONTRACT.cancelUnbondingDelegation(msg.sender, validator, amount, creationHeight);
    }

    /// @notice Delegates to the first validator for which it succeeds. Reasons of failures are logged.
    /// @return chosen Index of the validator in the list.
    function stakeWithAny(string[] calldata validators, uint256 amount) external returns (uint256 chosen) {
        for (; chosen < validators.length; chosen++) {
            try STAKING_CONTRACT.delegate(msg.sender, validators[chosen], amount) {
                staked[msg.sender] += amount;
                return chosen;
            } catch Error(string memory reason) {
                emit Refused(validators[chosen], reason);
            }
        }
        revert("no validator takes the coins");
    }

    event Refused(string validator, string reason);

    /// @notice Value of the caller's delegation to a validator, and the remaining allowance of this contract.
    function position(string calldata validator) external view returns (uint256 worth, uint256 allowed) {
        (, Coin memory balance) = STAKING_CONTRACT.delegation(msg.sender, validator);
        return (balance.amount, STAKING_CONTRACT.allowance(msg.sender, address(this), MSG_DELEGATE));
    }
}
