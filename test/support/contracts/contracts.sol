// SPDX-License-Identifier: MIT
// What the end-to-end tests deploy. `contracts.json` holds the compiled form and says with what it was compiled.
pragma solidity 0.8.30;

/// A token as wallets know it, with both kinds of refusal.
contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error InsufficientBalance(address account, uint256 balance, uint256 needed);

    string public name;
    string public constant symbol = "TOK";
    uint8 public constant decimals = 18;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(string memory name_, uint256 supply) {
        name = name_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance exceeded");
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function refuse(string calldata reason) external pure {
        revert(reason);
    }

    function move(address from, address to, uint256 value) private {
        uint256 balance = balanceOf[from];
        if (balance < value) revert InsufficientBalance(from, balance, value);
        balanceOf[from] = balance - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Calls that are hard on gas.
contract Frames {
    mapping(uint256 => uint256) public words;

    /// Passes on through `depth` frames, each keeping a 64th (EIP-150), and writes `count` words in the last.
    function descend(uint256 depth, uint256 count) external {
        if (depth > 0) return this.descend(depth - 1, count);
        for (uint256 i = 0; i < count; i++) words[i] = block.number;
    }

    /// Writes, and clears it all again: most of the gas comes back as a refund.
    function waste(uint256 count) external {
        for (uint256 i = 0; i < count; i++) words[i] = 1;
        for (uint256 i = 0; i < count; i++) words[i] = 0;
    }

    /// Wants more gas than it uses.
    function greedy() external {
        require(gasleft() > 500_000, "more gas");
        words[0] = gasleft();
    }

    function endless() external view {
        uint256 x = block.number;
        while (true) {
            unchecked { x++; }
        }
    }
}
