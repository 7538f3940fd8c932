// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A token written in assembly: balances in hashed slots of their own layout, as gas-saving libraries do.
contract CompactToken {
    uint256 private constant BALANCE_SEED = 0xba1a2ce5;

    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address[] memory holders, uint256 each) {
        for (uint256 i = 0; i < holders.length; i++) {
            address holder = holders[i];
            assembly {
                mstore(0x0c, BALANCE_SEED)
                mstore(0x00, holder)
                sstore(keccak256(0x0c, 0x20), each)
            }
        }
    }

    function balanceOf(address of_) external view returns (uint256 amount) {
        assembly {
            mstore(0x0c, BALANCE_SEED)
            mstore(0x00, of_)
            amount := sload(keccak256(0x0c, 0x20))
        }
    }

    function transfer(address to, uint256 value) external returns (bool) {
        assembly {
            mstore(0x0c, BALANCE_SEED)
            mstore(0x00, caller())
            let from := keccak256(0x0c, 0x20)
            let before := sload(from)
            if gt(value, before) { revert(0, 0) }
            sstore(from, sub(before, value))
            mstore(0x00, to)
            let receiver := keccak256(0x0c, 0x20)
            sstore(receiver, add(sload(receiver), value))
        }
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Delegates every call to a contract whose address is in a slot (ERC-1967).
contract Proxy {
    constructor(address implementation, bytes memory initial) {
        assembly {
            sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, implementation)
            if iszero(delegatecall(gas(), implementation, add(initial, 0x20), mload(initial), 0, 0)) { revert(0, 0) }
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let implementation := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            let done := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

/// A token behind a proxy: inherited functions, a storage struct, hooks and custom errors.
contract LayeredToken {
    struct Balances {
        mapping(address => uint256) of_;
        mapping(address => mapping(address => uint256)) allowances;
        uint256 supply;
        bool paused;
    }

    error InsufficientBalance(address from, uint256 balance, uint256 needed);
    error Paused();

    event Transfer(address indexed from, address indexed to, uint256 value);

    function initialize(address[] calldata holders, uint256 each) external {
        for (uint256 i = 0; i < holders.length; i++) update(address(0), holders[i], each);
    }

    function balanceOf(address of_) public view virtual returns (uint256) {
        return balances().of_[of_];
    }

    function transfer(address to, uint256 value) public virtual returns (bool) {
        update(msg.sender, to, value);
        return true;
    }

    function update(address from, address to, uint256 value) internal virtual {
        Balances storage all = balances();
        if (all.paused) revert Paused();
        if (from == address(0)) {
            all.supply += value;
        } else {
            uint256 balance = all.of_[from];
            if (balance < value) revert InsufficientBalance(from, balance, value);
            unchecked { all.of_[from] = balance - value; }
        }
        if (to == address(0)) {
            unchecked { all.supply -= value; }
        } else {
            unchecked { all.of_[to] += value; }
        }
        emit Transfer(from, to, value);
    }

    function balances() private pure returns (Balances storage found) {
        assembly { found.slot := 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00 }
    }
}
