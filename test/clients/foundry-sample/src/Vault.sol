// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A counter behind a proxy: each poke adds one, and the second version adds ten.
contract VaultV1 {
    uint256 public total;

    event Poked(address indexed by, uint256 total);

    function poke() external {
        total += step();
        emit Poked(msg.sender, total);
    }

    function step() public pure virtual returns (uint256) {
        return 1;
    }
}

contract VaultV2 is VaultV1 {
    function step() public pure override returns (uint256) {
        return 10;
    }
}

/// EIP-1967.
contract VaultProxy {
    bytes32 private constant IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    address private immutable admin = msg.sender;

    constructor(address first) {
        set(first);
    }

    function upgradeTo(address next) external {
        require(msg.sender == admin, "NOT_ADMIN");
        set(next);
    }

    function set(address next) private {
        assembly {
            sstore(IMPLEMENTATION, next)
        }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(IMPLEMENTATION), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(done) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
