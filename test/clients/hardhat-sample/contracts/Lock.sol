// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Coins that their owner gets back after a time: what tutorials of Hardhat begin with.
contract Lock {
    uint256 public immutable unlockTime;
    address payable public immutable owner;

    event Withdrawal(uint256 amount, uint256 when);

    error TooEarly(uint256 time, uint256 unlockTime);
    error NotOwner(address caller);

    constructor(uint256 _unlockTime) payable {
        require(block.timestamp < _unlockTime, "unlock time should be in the future");
        unlockTime = _unlockTime;
        owner = payable(msg.sender);
    }

    function withdraw() external {
        if (block.timestamp < unlockTime) revert TooEarly(block.timestamp, unlockTime);
        if (msg.sender != owner) revert NotOwner(msg.sender);
        emit Withdrawal(address(this).balance, block.timestamp);
        owner.transfer(address(this).balance);
    }

    function half(uint256 total, uint256 parts) external pure returns (uint256) {
        return total / parts;
    }
}
