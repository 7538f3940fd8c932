// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

struct PackedUserOperation {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    bytes32 accountGasLimits;
    uint256 preVerificationGas;
    bytes32 gasFees;
    bytes paymasterAndData;
    bytes signature;
}

interface IAccount {
    function validateUserOp(PackedUserOperation calldata userOp, bytes32 userOpHash, uint256 missingAccountFunds)
        external
        returns (uint256 validationData);
}

/// Logs operations of anybody, with a hash of its choice.
contract Pretender {
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    bytes32 private immutable hash;
    bool private immutable asks;

    constructor(bytes32 hash_, bool asks_) {
        hash = hash_;
        asks = asks_;
    }

    function handleOps(PackedUserOperation[] calldata ops, address payable) external {
        for (uint256 i = 0; i < ops.length; i++) {
            if (asks) try IAccount(ops[i].sender).validateUserOp(ops[i], hash, 0) {} catch {}
            emit UserOperationEvent(hash, ops[i].sender, address(0), ops[i].nonce, true, 1, 1);
        }
    }
}

/// Accepts every operation of everybody.
contract Obliging is IAccount {
    function validateUserOp(PackedUserOperation calldata, bytes32, uint256) external pure returns (uint256) {
        return 0;
    }
}
