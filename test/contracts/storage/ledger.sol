// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IOracle { }

contract Ledger {
    enum Level { Low, Middle, High }
    type Price is uint128;
    struct Point { int64 x; int64 y; }
    struct Entry { uint256 amount; address by; bool open; mapping(address => uint256) shares; }
    /// @custom:storage-location erc7201:ledger.settings
    struct Settings { uint256 fee; }

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    uint256 total; // 0
    address owner; uint64 updated; Level level; // 1
    Price price; int128 delta; // 2
    string title; bytes raw; // 3, 4
    Point[] points; // 5
    uint8[40] small; // 6, 7
    mapping(address => uint256) balances; // 8
    mapping(address => mapping(address => uint256)) allowances; // 9
    mapping(string => uint256) byName; // 10
    mapping(uint256 => Entry) entries; // 11
    mapping(bytes32 => mapping(address => bool)) roles; // 12
    IOracle oracle; // 13
    mapping(Level => int8) byLevel; // 14

    constructor(uint256 supply) { owner = msg.sender; total = supply; balances[msg.sender] = supply; roles[0][msg.sender] = true; }

    function transfer(address to, uint256 amount) external {
        balances[msg.sender] -= amount;
        balances[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
    function approve(address spender, uint256 amount) external {
        allowances[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
    }
    function name(string calldata who, uint256 value) external { byName[who] = value; }
    function enter(uint256 id, uint256 amount, address shareholder) external {
        Entry storage entry = entries[id];
        (entry.amount, entry.by, entry.open) = (amount, msg.sender, true);
        entry.shares[shareholder] = amount / 2;
    }
    function set(Level to, uint64 time, Price cost, int128 change) external {
        (level, updated, price, delta) = (to, time, cost, change);
        byLevel[to] = int8(change);
    }
    function write(string calldata text, bytes calldata data) external { (title, raw) = (text, data); }
    function add(int64 x, int64 y) external { points.push(Point(x, y)); }
    function fill(uint256 index, uint8 value) external { small[index] = value; }
    function charge(uint256 fee) external {
        Settings storage settings;
        // keccak256(abi.encode(uint256(keccak256("ledger.settings")) - 1)) & ~bytes32(uint256(0xff))
        bytes32 place = keccak256(abi.encode(uint256(keccak256("ledger.settings")) - 1)) & ~bytes32(uint256(0xff));
        assembly { settings.slot := place }
        settings.fee = fee;
    }
    function announce(uint256 count) external { for (uint256 i; i < count; i++) emit Approval(msg.sender, address(uint160(i + 1)), 0); }
}

/// Runs the code of another contract on its own storage.
contract LedgerProxy {
    constructor(address implementation) {
        assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation) }
    }
    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let implementation := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            let ok := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok case 0 { revert(0, returndatasize()) } default { return(0, returndatasize()) }
        }
    }
}
