// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../Staking.sol";

/// @title Staking for users
/// @notice Stakes the coins of whoever calls it, and keeps count. Each user first allows it at the staking contract:
///
///     STAKING_CONTRACT.approve(address(manager), amount, [MSG_DELEGATE, MSG_UNDELEGATE, ...])
///
/// @dev The grant must come from the user's own account. Called from here, `approve` would grant for this contract.
contract StakingManager {
    /// @notice Base units that each user has staked through this contract, less what came back.
    mapping(address user => uint256 amount) public staked;

    /// @notice Stakes coins of the caller.
    function stake(string calldata validator, uint256 amount) external {
        staked[msg.sender] += amount;
        STAKING_CONTRACT.delegate(msg.sender, validator, amount);
    }

    /// @notice Takes stake of the caller back.
    /// @return completionTime Unix seconds at which the chain pays the coins to the caller.
    function unstake(string calldata validator, uint256 amount) external returns (int64 completionTime) {
        staked[msg.sender] -= amount;
        return STAKING_CONTRACT.undelegate(msg.sender, validator, amount);
    }

    /// @notice Moves stake of the caller to another validator.
    function move(string calldata from, string calldata to, uint256 amount) external returns (int64 completionTime) {
        return STAKING_CONTRACT.redelegate(msg.sender, from, to, amount);
    }

    /// @notice Stakes coins of the caller again that were on their way out since this block.
    function stakeAgain(string calldata validator, uint256 amount, uint256 creationHeight) external {
        staked[msg.sender] += amount;
        STAKING_CONTRACT.cancelUnbondingDelegation(msg.sender, validator, amount, creationHeight);
    }

    /// @notice Stakes with the first validator that takes the coins.
    /// @return chosen Its place in the list. What the others did is undone, their reasons are logged.
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

    /// @notice What the caller's stake with a validator is worth, and what this contract may still do with it.
    function position(string calldata validator) external view returns (uint256 worth, uint256 allowed) {
        (, Coin memory balance) = STAKING_CONTRACT.delegation(msg.sender, validator);
        return (balance.amount, STAKING_CONTRACT.allowance(msg.sender, address(this), MSG_DELEGATE));
    }
}
