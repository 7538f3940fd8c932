// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Mintable {
    function mint(address to, uint256 id) external;
}

/// Mints many items in one transaction.
contract Minter {
    function mintMany(Mintable art, address to, uint256 count) external {
        for (uint256 id = 1; id <= count; id++) art.mint(to, id);
    }
}
