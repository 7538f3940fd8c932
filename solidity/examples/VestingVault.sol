// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../Vesting.sol";

/// @title Vesting vault
/// @notice Pays accounts in coins that vest in steps, and claws back unvested ones. An account that is to be paid first
/// becomes a vesting account:
///
///     VESTING_CONTRACT.createClawbackVestingAccount(address(vault), msg.sender, false)
contract VestingVault {
    address public immutable owner = msg.sender;
    /// @notice The chain's base denomination.
    string public denom;

    constructor(string memory denom_) {
        denom = denom_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    /// @notice Grants the coins sent with the call; they vest in equal steps from now on.
    /// @param steps Number of steps; the amount must be a multiple of it.
    /// @param stepLength Seconds between two steps.
    /// @param lockup Seconds for which vested coins stay locked, too.
    function award(address payable to, uint256 steps, int64 stepLength, int64 lockup) external payable onlyOwner {
        require(steps > 0 && msg.value % steps == 0, "not a multiple");
        Period[] memory vesting = new Period[](steps);
        for (uint256 i = 0; i < steps; i++) vesting[i] = Period(stepLength, coins(msg.value / steps));
        Period[] memory locked = new Period[](1);
        locked[0] = Period(lockup, coins(msg.value));
        VESTING_CONTRACT.fundVestingAccount(address(this), to, uint64(block.timestamp), locked, vesting);
    }

    /// @notice Claws back the unvested coins to the owner.
    /// @return amount Base units; 0 if all coins have vested.
    function dismiss(address from) external onlyOwner returns (uint256 amount) {
        Coin[] memory unvested = VESTING_CONTRACT.clawback(address(this), from, owner);
        return unvested.length == 0 ? 0 : unvested[0].amount;
    }

    /// @notice Makes another account the funder of a vesting account.
    function handOver(address of_, address newFunder) external onlyOwner {
        VESTING_CONTRACT.updateVestingFunder(address(this), newFunder, of_);
    }

    function coins(uint256 amount) private view returns (Coin[] memory list) {
        list = new Coin[](1);
        list[0] = Coin(denom, amount);
    }
}
