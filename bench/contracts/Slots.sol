// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Work on storage; results and gas as in Compute.
contract Slots {
    mapping(uint256 => uint256) public slots;

    /// Writes the slots [first, first + n).
    function fill(uint256 first, uint256 n) external {
        for (uint256 i = first; i < first + n; i++) {
            slots[i] = i + 1;
        }
    }

    /// Reads n slots that are `step` apart.
    function readFrom(uint256 first, uint256 n, uint256 step) external view returns (uint256 sum) {
        for (uint256 i = 0; i < n; i++) sum += slots[first + i * step];
    }

    /// Reads the first 300 slots n times.
    function read(uint256 n) external view returns (uint256 sum, uint256 gas) {
        gas = gasleft();
        for (uint256 round = 0; round < n; round++) {
            for (uint256 i = 0; i < 300; i++) {
                sum += slots[i];
            }
        }
        gas -= gasleft();
    }

    /// Writes the first 300 slots n times, with other values each time.
    function write(uint256 n) external returns (uint256 last, uint256 gas) {
        gas = gasleft();
        for (uint256 round = 0; round < n; round++) {
            for (uint256 i = 0; i < 300; i++) {
                slots[i] += round + 1;
            }
        }
        last = slots[299];
        gas -= gasleft();
    }
}
