// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    struct Gas {
        uint64 gasLimit;
        uint64 gasTotalUsed;
        uint64 gasMemoryUsed;
        int64 gasRefunded;
        uint64 gasRemaining;
    }

    function assertEq(uint256 actual, uint256 expected) external pure;
    function createSelectFork(string calldata url) external returns (uint256 fork);
    function createFork(string calldata url) external returns (uint256 fork);
    function rollFork(uint256 number) external;
    function selectFork(uint256 fork) external;
    function deal(address account, uint256 balance) external;
    function envString(string calldata name) external view returns (string memory);
    function expectEmit(bool, bool, bool, bool data, address emitter) external;
    function expectRevert() external;
    function expectRevert(bytes calldata data) external;
    function getRecordedLogs() external returns (Log[] memory logs);
    function lastCallGas() external view returns (Gas memory gas);
    function prank(address sender, address origin) external;
    function readFileBinary(string calldata path) external view returns (bytes memory data);
    function recordLogs() external;
    function revertToState(uint256 snapshot) external returns (bool);
    function roll(uint256 number) external;
    function snapshotState() external returns (uint256 snapshot);
    function startBroadcast() external;
    function startPrank(address sender, address origin) external;
    function stopBroadcast() external;
    function stopPrank() external;
    function toString(uint256 value) external pure returns (string memory text);
    function toString(address value) external pure returns (string memory text);
    function toString(bytes calldata value) external pure returns (string memory text);
    function unixTime() external view returns (uint256 milliseconds);
    function warp(uint256 time) external;
}
