// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../Distribution.sol";
import "../Staking.sol";

/// @title Auto-compounder
/// @notice Withdraws rewards and delegates them again: for users who have granted it MSG_WITHDRAW_DELEGATOR_REWARD and
/// MSG_DELEGATE, and for its own delegations, which need no grant.
contract AutoCompounder {
    address public immutable owner = msg.sender;

    event Compounded(address indexed delegator, string validator, uint256 amount);

    /// @notice Delegates the caller's rewards to the validator that paid them.
    /// @return amount Base units; 0 if there were no rewards or the caller's withdraw address is another account.
    function compound(string calldata validator) external returns (uint256 amount) {
        return compoundFor(msg.sender, validator);
    }

    /// @notice Delegates all coins of this contract, including those sent with the call.
    function stake(string calldata validator) external payable {
        require(msg.sender == owner, "not the owner");
        STAKING_CONTRACT.delegate(address(this), validator, address(this).balance);
    }

    /// @notice As `compound`, for this contract's own delegations. Anyone may call it.
    function compoundOwn(string calldata validator) external returns (uint256 amount) {
        return compoundFor(address(this), validator);
    }

    /// @notice Undelegates this contract's coins; call `collect` after the unbonding time.
    function unstake(string calldata validator, uint256 amount) external returns (int64 completionTime) {
        require(msg.sender == owner, "not the owner");
        return STAKING_CONTRACT.undelegate(address(this), validator, amount);
    }

    /// @notice Pays this contract's balance to the owner.
    function collect() external {
        require(msg.sender == owner, "not the owner");
        (bool paid,) = owner.call{value: address(this).balance}("");
        require(paid, "not paid");
    }

    /// @dev Measures the delegator's balance, because its withdraw address may be another account.
    function compoundFor(address delegator, string calldata validator) private returns (uint256 amount) {
        uint256 before = delegator.balance;
        DISTRIBUTION_CONTRACT.withdrawDelegatorRewards(delegator, validator);
        amount = delegator.balance - before;
        if (amount == 0) return 0;
        STAKING_CONTRACT.delegate(delegator, validator, amount);
        emit Compounded(delegator, validator, amount);
    }
}
