// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

library Sums {
    function add(uint256 a, uint256 b) external pure returns (uint256) {
        return a + b;
    }
}

contract Purse {
    error NotEnough(address who, uint256 has, uint256 wants);
    event Put(address indexed from, uint256 amount);

    uint256 public immutable least;
    mapping(address => uint256) public held;

    constructor(uint256 least_) {
        least = least_;
    }

    function take(uint256 amount) external {
        if (held[msg.sender] < amount) revert NotEnough(msg.sender, held[msg.sender], amount);
        held[msg.sender] -= amount;
    }
}

contract Vault is Purse(5) {
    function put(uint256 amount) external {
        held[msg.sender] = Sums.add(held[msg.sender], amount);
        emit Put(msg.sender, amount);
    }
}
