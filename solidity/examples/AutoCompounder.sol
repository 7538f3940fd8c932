// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../Distribution.sol";
import "../Staking.sol";

/// @title Rewards into stake
/// @notice Takes rewards and stakes them again: for users who have granted it MSG_WITHDRAW_DELEGATOR_REWARD and
/// MSG_DELEGATE, and for stake of its own, which needs no grant.
contract AutoCompounder {
    address public immutable owner = msg.sender;

    event Compounded(address indexed delegator, string validator, uint256 amount);

    /// @notice Stakes the caller's rewards with the validator that paid them.
    /// @return amount Base units; 0 if nothing was due or the caller's rewards go to another account.
    function compound(string calldata validator) external returns (uint256 amount) {
        return compoundFor(msg.sender, validator);
    }

    /// @notice Stakes coins of this contract: those sent along, and any that it has.
    function stake(string calldata validator) external payable {
        require(msg.sender == owner, "not the owner");
        STAKING_CONTRACT.delegate(address(this), validator, address(this).balance);
    }

    /// @notice As `compound`, for this contract's own stake. Anyone may call it.
    function compoundOwn(string calldata validator) external returns (uint256 amount) {
        return compoundFor(address(this), validator);
    }

    /// @notice Takes own stake back; `collect` pays it out when the unbonding is over.
    function unstake(string calldata validator, uint256 amount) external returns (int64 completionTime) {
        require(msg.sender == owner, "not the owner");
        return STAKING_CONTRACT.undelegate(address(this), validator, amount);
    }

    /// @notice Pays the owner what this contract has and has not staked.
    function collect() external {
        require(msg.sender == owner, "not the owner");
        (bool paid,) = owner.call{value: address(this).balance}("");
        require(paid, "not paid");
    }

    /// @dev Counts what has arrived instead of what was paid: rewards may go to another account.
    function compoundFor(address delegator, string calldata validator) private returns (uint256 amount) {
        uint256 before = delegator.balance;
        DISTRIBUTION_CONTRACT.withdrawDelegatorRewards(delegator, validator);
        amount = delegator.balance - before;
        if (amount == 0) return 0;
        STAKING_CONTRACT.delegate(delegator, validator, amount);
        emit Compounded(delegator, validator, amount);
    }
}
