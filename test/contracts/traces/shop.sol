// SPDX-License-Identifier: MIT
// Storage of all kinds, written in calls, behind a proxy, and in calls that fail.
pragma solidity ^0.8.20;

contract Shop {
    enum Mode { Closed, Open, Sale }
    struct Item { uint128 price; uint128 stock; string name; Mode mode; }
    struct Line { uint256 item; uint256 count; }
    struct Rack { uint64 width; uint64[] places; }

    error Missing(uint256 item, Mode mode);
    event Ordered(address indexed by, Line[] lines, Item first, Mode mode);

    address public owner;
    Mode public mode;
    bool public busy;
    mapping(address => mapping(uint256 => Item)) internal items;
    mapping(string => uint256) public byName;
    uint32[] public log;
    uint16[20] public fixedSlots;
    Rack internal rack;
    string public motto;

    constructor(Mode first) {
        owner = msg.sender;
        mode = first;
    }

    function put(uint256 id, Item calldata item) external {
        items[msg.sender][id] = item;
        byName[item.name] = id;
    }

    function order(Line[] calldata lines) external returns (Mode, uint256 total) {
        busy = true;
        for (uint256 i = 0; i < lines.length; i++) {
            Item storage item = items[msg.sender][lines[i].item];
            if (item.stock == 0) revert Missing(lines[i].item, item.mode);
            item.stock -= uint128(lines[i].count);
            total += item.price * lines[i].count;
            log.push(uint32(lines[i].item));
        }
        fixedSlots[17] = 9;
        emit Ordered(msg.sender, lines, items[msg.sender][lines[0].item], mode);
        busy = false;
        return (mode, total);
    }

    function shelve(uint64 place) external {
        rack.places.push(place);
    }

    function setMotto(string calldata to) external {
        motto = to;
    }

    function spin(uint256 times) external {
        for (uint256 i = 0; i < times; i++) owner = address(uint160(i));
    }
}

contract Customer {
    uint256 public spent;
    mapping(bytes32 => bool) internal tried;

    function stock(Shop shop, uint256 id, Shop.Item calldata item) external {
        shop.put(id, item);
    }

    function buy(Shop shop, Shop.Line[] calldata lines, Shop.Line[] calldata more) external {
        tried[keccak256("buy")] = true;
        (, uint256 total) = shop.order(lines);
        spent += total;
        try this.inner(shop, more) { spent = 0; } catch (bytes memory) { tried[keccak256("again")] = true; }
    }

    function inner(Shop shop, Shop.Line[] calldata lines) external {
        spent = 12345;
        shop.order(lines);
    }
}

contract Proxy {
    // EIP-1967
    bytes32 internal constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address to) {
        assembly { sstore(SLOT, to) }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
