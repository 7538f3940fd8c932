// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// The cheat codes of Foundry that are used here.
interface Vm {
    struct EthGetLogs {
        address emitter;
        bytes32[] topics;
        bytes data;
        bytes32 blockHash;
        uint64 blockNumber;
        bytes32 transactionHash;
        uint64 transactionIndex;
        uint256 logIndex;
        bool removed;
    }

    function createSelectFork(string calldata url) external returns (uint256);
    function createSelectFork(string calldata url, uint256 number) external returns (uint256);
    function rollFork(uint256 number) external;
    function rollFork(bytes32 transaction) external;
    function transact(bytes32 transaction) external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory);
    function eth_getLogs(uint256 from, uint256 to, address emitter, bytes32[] calldata topics)
        external
        returns (EthGetLogs[] memory);
    function prank(address sender) external;
    function startBroadcast() external;
    function stopBroadcast() external;
    function envAddress(string calldata name) external view returns (address);
    function envBytes32(string calldata name) external view returns (bytes32);
    function envString(string calldata name) external view returns (string memory);
    function envUint(string calldata name) external view returns (uint256);
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
