// SPDX-License-Identifier: MIT
pragma solidity >=0.8.4;

library Maths {
    function twice(uint256 value) internal pure returns (uint256 result) {
        result = value * 2;
    }
}

contract Shop {
    enum Kind { None, Small, Large }
    struct Order {
        uint128 amount;
        Kind kind;
        string note;
    }

    address public owner = msg.sender;
    uint256 public total;
    mapping(address => uint256) public spent;

    event Bought(address indexed who, uint256 amount);

    modifier positive(uint256 amount) {
        require(amount > 0, "nothing");
        _;
    }

    constructor(uint256 first) {
        total = first;
    }

    function buy(uint256 amount, string calldata note) external positive(amount) returns (uint256 paid) {
        Order memory order = Order(uint128(amount), Kind.Large, note);
        paid = _price(order.amount);
        for (uint256 i = 0; i < 2; i++) {
            total += paid;
        }
        spent[msg.sender] = total;
        emit Bought(msg.sender, paid);
    }

    function _price(uint256 amount) internal pure returns (uint256) {
        uint256 price = Maths.twice(amount);
        return price + 1;
    }

    function fail(uint256 value) external {
        total = value;
        revert("no");
    }

    receive() external payable {
        total = 1;
    }
}

contract Buyer {
    uint256 public tries;

    function attempt(Shop shop, uint256 amount) external {
        tries = 1;
        try shop.fail(amount) {} catch {
            tries = 2;
        }
        shop.buy(amount, "gift");
        tries = 3;
    }
}

contract Values {
    type Price is uint64;
    struct Point {
        int32 x;
        bool seen;
    }

    Point[] points;
    uint256 count;

    error Bad(uint256 code);

    function all(uint256[] calldata list, bytes calldata data, address payable who, Price price)
        external
        returns (bytes4 id, string memory text)
    {
        id = bytes4(data[:4]);
        text = "done";
        int256 minus = -5;
        uint8[3] memory fixedList = [1, 2, 3];
        Point[] memory many = new Point[](2);
        many[1] = Point(-7, true);
        (uint256 first, , bool third) = three();
        {
            uint256 inner = list[1];
            first += inner;
        }
        uint256 after_ = first;
        points.push(many[1]);
        Point storage stored = points[0];
        try this.refuse{gas: 50000}(after_) returns (uint256 value) {
            first = value;
        } catch Error(string memory reason) {
            first = bytes(reason).length;
        } catch (bytes memory raw) {
            first = raw.length;
        }
        for (uint256 i = 0; i < 1; i++) {
            uint256 square = i * i;
            first += square;
        }
        assembly {
            let hidden := 5
            first := add(first, hidden)
        }
        function (uint256) external returns (uint256) callback = this.refuse;
        count = first;
        stored.seen = callback.address == who && Price.unwrap(price) == 0 && minus < 0 && fixedList[0] == 1 && third;
    }

    function three() internal pure returns (uint256, uint256, bool) {
        return (1, 2, true);
    }

    function refuse(uint256 value) external pure returns (uint256) {
        if (value == 0) revert Bad(9);
        if (value == 1) revert("one");
        return value * 2;
    }
}

contract Proxy {
    address immutable implementation;

    constructor(address first) {
        implementation = first;
    }

    fallback() external payable {
        (bool ok, bytes memory answer) = implementation.delegatecall(msg.data);
        require(ok, string(answer));
    }
}
