// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// An exchange with the calls and storage slots of a swap at Uniswap V2: the router computes the pair's address, reads the reserves,
// moves the tokens in, and the pair moves the tokens out, reads both balances and writes reserves and price sums.

interface IToken {
    function balanceOf(address of_) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

contract Pair {
    address public factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private blockTimestampLast;
    uint256 public price0CumulativeLast;
    uint256 public price1CumulativeLast;
    uint256 private unlocked = 1;

    event Swap(address indexed sender, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address indexed to);
    event Sync(uint112 reserve0, uint112 reserve1);

    modifier lock() {
        require(unlocked == 1, "LOCKED");
        unlocked = 0;
        _;
        unlocked = 1;
    }

    constructor() {
        factory = msg.sender;
    }

    function initialize(address first, address second) external {
        require(msg.sender == factory, "FORBIDDEN");
        token0 = first;
        token1 = second;
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    function sync() external lock {
        update(IToken(token0).balanceOf(address(this)), IToken(token1).balanceOf(address(this)));
    }

    function swap(uint256 out0, uint256 out1, address to) external lock {
        (uint112 before0, uint112 before1,) = getReserves();
        require(out0 < before0 && out1 < before1, "INSUFFICIENT_LIQUIDITY");
        uint256 balance0;
        uint256 balance1;
        {
            (address first, address second) = (token0, token1);
            if (out0 > 0) IToken(first).transfer(to, out0);
            if (out1 > 0) IToken(second).transfer(to, out1);
            balance0 = IToken(first).balanceOf(address(this));
            balance1 = IToken(second).balanceOf(address(this));
        }
        uint256 in0 = balance0 > before0 - out0 ? balance0 - (before0 - out0) : 0;
        uint256 in1 = balance1 > before1 - out1 ? balance1 - (before1 - out1) : 0;
        {
            uint256 adjusted0 = balance0 * 1000 - in0 * 3;
            uint256 adjusted1 = balance1 * 1000 - in1 * 3;
            require(adjusted0 * adjusted1 >= uint256(before0) * before1 * 1000 ** 2, "K");
        }
        update(balance0, balance1);
        emit Swap(msg.sender, in0, in1, out0, out1, to);
    }

    function update(uint256 balance0, uint256 balance1) private {
        uint32 elapsed = uint32(block.timestamp) - blockTimestampLast;
        if (elapsed > 0 && reserve0 > 0 && reserve1 > 0) {
            price0CumulativeLast += (uint256(reserve1) << 112) / reserve0 * elapsed;
            price1CumulativeLast += (uint256(reserve0) << 112) / reserve1 * elapsed;
        }
        (reserve0, reserve1, blockTimestampLast) = (uint112(balance0), uint112(balance1), uint32(block.timestamp));
        emit Sync(reserve0, reserve1);
    }
}

contract Factory {
    bytes32 public constant pairCode = keccak256(type(Pair).creationCode);

    function createPair(address first, address second) external returns (address pair) {
        (first, second) = first < second ? (first, second) : (second, first);
        pair = address(new Pair{salt: keccak256(abi.encodePacked(first, second))}());
        Pair(pair).initialize(first, second);
    }
}

contract Router {
    address private immutable factory;
    bytes32 private immutable pairCode;

    constructor(Factory of_) {
        factory = address(of_);
        pairCode = of_.pairCode();
    }

    function pairFor(address first, address second) public view returns (address) {
        bytes32 salt = keccak256(abi.encodePacked(first, second));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", factory, salt, pairCode)))));
    }

    /// Swaps `amount` of the token `from` into the token `to` for the sender.
    function swap(uint256 amount, uint256 least, address from, address to) external returns (uint256 out) {
        bool isFirst = from < to;
        address pair = isFirst ? pairFor(from, to) : pairFor(to, from);
        (uint256 reserveIn, uint256 reserveOut,) = Pair(pair).getReserves();
        if (!isFirst) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        uint256 paid = amount * 997;
        out = paid * reserveOut / (reserveIn * 1000 + paid);
        require(out >= least, "INSUFFICIENT_OUTPUT_AMOUNT");
        IToken(from).transferFrom(msg.sender, pair, amount);
        Pair(pair).swap(isFirst ? 0 : out, isFirst ? out : 0, msg.sender);
    }
}
