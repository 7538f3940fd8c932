// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// Every rule of Solidity's storage layout; the test compares with the compiler's own output.

uint256 constant FILE_LENGTH = 2 ** 3 + 1;
type Price is uint128;
enum Level { Low, Middle, High }
struct Point { int64 x; int64 y; }
interface IOracle { function price() external view returns (uint256); }
error Unused(uint256 reason);

library Sizes {
    enum Kind { A, B }
    struct Set { bytes32[] values; mapping(bytes32 value => uint256) positions; }
}

abstract contract Root {
    uint8 internal rootByte;
    enum Phase { Open, Closed }
    struct Inner { uint128 a; Phase phase; uint128 b; }
    function hook() external virtual;
    modifier only() virtual { require(rootByte == 0); _; }
}

abstract contract Left is Root {
    uint16 leftShort;
    bool private shared;
    uint256 constant SIZE = FILE_LENGTH / 3;
}

abstract contract Right is Root {
    address payable rightAddress;
    bool private shared;
    uint immutable fixedAtCreation = 5;
}

contract Values is Left, Right layout at 0x100 - 2 * (3 + 5) {
    using Arrays for uint256[];
    event Changed(address indexed who, uint256[3] values);
    uint96 public afterAddress;
    bytes3 three; bytes32 whole; int24 negative; bool flag = true;
    string public text = "a; b } c // \" d";
    bytes raw; /* uint hidden; */ uint8 afterBytes;
    Level level; Phase phase; Price price; Sizes.Kind kind; IOracle oracle; Root.Phase otherPhase;
    Point point; uint8 afterPoint;
    Inner inner; Inner[2] inners; Inner[] manyInners;
    uint8[33] small; uint24[11] eleven; uint128[SIZE] three128; uint256[FILE_LENGTH] nine; bytes1[FILE_LENGTH << 5] many;
    uint8[(SIZE + 2) % 4 * 7][2] nested; uint16[][2] twoDynamic; uint16[2][] dynamicOfTwo;
    mapping(address => uint256) balances;
    mapping(address owner => mapping(address spender => uint256 value)) allowances;
    mapping(string => Inner) byName; mapping(Level => Price[]) byLevel; mapping(IOracle => bool) byOracle;
    mapping(Price => mapping(bytes => Sizes.Set)) deep;
    Sizes.Set set;
    Node root;
    struct Node { uint256 value; Node[] children; mapping(uint256 => Node) named; }
    function(uint256) external view returns (uint256) callback;
    function(uint256, bytes memory) internal pure returns (uint256)[2] steps;
    uint64 private transient locked;
    uint64 public constant LIMIT = 10;
    uint64 last;

    function hook() external override(Root) { assembly { let x := "}" } locked = 1; }
    fallback(bytes calldata) external payable returns (bytes memory) { return ""; }
    receive() external payable {}
}

library Arrays {
    /// @custom:storage-location erc7201:example.main
    struct Main { uint256 x; uint256 y; }
    function sum(uint256[] storage values) internal view returns (uint256 total) {
        for (uint256 i; i < values.length; i++) { total += values[i]; }
    }
}
