// SPDX-License-Identifier: MIT
// Calls within contracts and between them, with events, prints and a failure that is caught. Tests name its lines.
pragma solidity ^0.8.20;

library console {
    address constant ADDRESS = 0x000000000000000000636F6e736F6c652e6c6f67;

    function log(string memory text, uint256 value) internal view {
        (bool ok, ) = ADDRESS.staticcall(abi.encodeWithSignature("log(string,uint256)", text, value));
        ok;
    }
}

library Checks {
    function atMost(uint256 value, uint256 most) internal pure {
        require(value <= most, "too much");
    }
}

contract Vault {
    enum State { Closed, Open, Paused }
    struct Order { address to; uint256 amount; State state; }

    error NotEnough(address who, uint256 has, uint256 wants);
    event Put(address indexed from, uint256 amount, State state);
    event Checked(uint256 amount);

    mapping(address => uint256) public held;
    State public state = State.Open;
    Order[] internal orders;

    function put(uint256 amount) external {
        _check(amount);
        held[msg.sender] += amount;
        emit Put(msg.sender, amount, state);
        console.log("put %d", amount);
    }

    function order(Order calldata first, Order[] calldata more) external {
        orders.push(first);
        for (uint256 i = 0; i < more.length; i++) orders.push(more[i]);
        emit Checked(orders.length);
    }

    function set(State to) external {
        state = to;
    }

    function clear() external {
        held[msg.sender] = 0;
    }

    function take(uint256 amount) external {
        _enough(amount);
        held[msg.sender] -= amount;
    }

    function _check(uint256 amount) internal {
        Checks.atMost(amount, 1_000_000);
        emit Checked(amount);
    }

    function _enough(uint256 amount) internal view {
        uint256 has = held[msg.sender];
        if (has < amount) {
            revert NotEnough(msg.sender, has, amount);
        }
    }
}

contract Caller {
    event Failed(bytes reason);
    uint256 public sum;

    function work(Vault vault, uint256 rounds) external {
        for (uint256 i = 0; i < rounds; i++) {
            vault.put(i + 1);
            sum += _square(i);
        }
        try vault.take(1_000_000) {
            sum = 0;
        } catch (bytes memory reason) {
            emit Failed(reason);
        }
        console.log("sum is %d", sum);
    }

    function takeFor(Vault vault, uint256 amount) external {
        vault.put(1);
        vault.take(amount);
    }

    function _square(uint256 i) internal pure returns (uint256) {
        return _times(i, i);
    }

    function _times(uint256 a, uint256 b) internal pure returns (uint256 product) {
        for (uint256 i = 0; i < b; i++) product += a;
    }
}
