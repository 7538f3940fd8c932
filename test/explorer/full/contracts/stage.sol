// SPDX-License-Identifier: MIT
// Contracts for the long scenario of the explorer's tests: all interactions between contracts.
pragma solidity ^0.8.30;

/// An ERC-20 created by CREATE2.
contract Gem {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Gem Stone";
    string public constant symbol = "GEM";
    uint8 public constant decimals = 0;
    uint256 public constant totalSupply = 12;
    mapping(address => uint256) public balanceOf;

    constructor(address first) {
        balanceOf[first] = 12;
        emit Transfer(address(0), first, 12);
    }
}

contract Mortal {
    constructor() payable {}

    function die(address payable heir) external {
        selfdestruct(heir);
    }
}

/// Code for a delegation (EIP-7702).
contract Lamp {
    event Lit(address indexed by, uint256 value);

    function light() external payable {
        emit Lit(msg.sender, msg.value);
    }
}

contract Stage {
    error Refused(address who, uint256 amount);

    event Made(address indexed what);

    constructor() payable {}

    receive() external payable {}

    /// Sends coins in internal transactions.
    function pay(address payable[] calldata to, uint256 each) external payable {
        for (uint256 i = 0; i < to.length; i++) to[i].transfer(each);
    }

    function refuse(uint256 amount) external view {
        revert Refused(msg.sender, amount);
    }

    function refuseInWords() external pure {
        revert("not on this stage");
    }

    /// Pays, then reverts.
    function payInVain(address payable to, uint256 value) external {
        to.transfer(value);
        revert("in vain");
    }

    /// Makes a failing inner call, and continues.
    function tryInVain(address payable to, uint256 value) external {
        try this.payInVain(to, value) {} catch {}
        try this.refuse(3) {} catch {}
        emit Made(to);
    }

    function make() external returns (Lamp lamp) {
        lamp = new Lamp();
        emit Made(address(lamp));
    }

    function makeAt(bytes32 salt) external returns (Gem gem) {
        gem = new Gem{salt: salt}(msg.sender);
        emit Made(address(gem));
    }

    /// Creates a contract that self-destructs in the same transaction.
    function makeAndEnd(address payable heir) external payable {
        Mortal mortal = new Mortal{value: msg.value}();
        mortal.die(heir);
    }

    function all(address of_) external returns (bool ok) {
        (ok, ) = of_.delegatecall("");
        (ok, ) = of_.staticcall("");
        (ok, ) = of_.call("");
    }
}
