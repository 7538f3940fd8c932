// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4;

error NotEnough(address who, uint256 has, uint256 wants);

library Checks {
    function atMost(uint256 value, uint256 most) internal pure {
        require(value <= most, "too much");
    }

    function shared(uint256 value) external pure returns (uint256) {
        return 100 / value;
    }
}

interface Missing {
    function absent() external;
    function number() external returns (uint256);
}

abstract contract Base {
    address owner = msg.sender;

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    function inherited(uint256 value) public pure virtual {
        // ä is two bytes in UTF-8, 🎈 four.
        string memory word = unicode"ä🎈"; assert(bytes(word).length == value);
    }
}

contract Vault is Base {
    mapping(address => uint256) public held;
    uint256[] public list;

    constructor(uint256 limit) {
        Checks.atMost(limit, 10);
    }

    function put(uint256 amount) external payable {
        held[msg.sender] += amount;
    }

    function take(uint256 amount) external {
        _check(msg.sender, amount);
        held[msg.sender] -= amount;
    }

    function _check(address who, uint256 wants) internal view {
        uint256 has = held[who];
        if (has < wants) revert NotEnough(who, has, wants);
    }

    function guarded() external onlyOwner returns (uint256) {
        return list.length;
    }

    function shared(uint256 value) external pure returns (uint256) {
        return Checks.shared(value);
    }

    function burn() external {
        uint256 i;
        while (true) list.push(i++);
    }

    function lowLevel() external pure {
        assembly {
            mstore(0, 0)
            revert(0, 0)
        }
    }

    fallback() external {
        revert("fallback");
    }
}

contract Caller {
    function takeFor(Vault vault, uint256 amount) external {
        vault.take(amount);
    }

    function caught(Vault vault, uint256 amount) external {
        try vault.take(amount) {} catch {
            revert("caught");
        }
    }

    function ignored(Vault vault) external {
        try vault.take(5) {} catch {}
        vault.guarded();
    }

    function create(uint256 limit) external returns (Vault) {
        return new Vault(limit);
    }

    function callNothing(Missing nothing) external {
        nothing.absent();
    }

    function readNothing(Missing nothing) external returns (uint256) {
        return nothing.number();
    }

    function pay(address payable to) external {
        to.transfer(1 ether);
    }

    function forward(address to, bytes calldata data) external {
        (bool ok, bytes memory answer) = to.call(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }
}

contract Proxy {
    address immutable implementation;

    constructor(address to) {
        implementation = to;
    }

    fallback() external payable {
        address to = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}
