// SPDX-License-Identifier: MIT
pragma solidity >=0.8.25;

contract Child {
    bytes public kept;

    constructor(bytes memory data) {
        kept = data;
        require(data.length != 33, "odd");
    }

    function grow(bytes calldata data) external returns (bytes memory) {
        kept = bytes.concat(data, data);
        return kept;
    }

    function refuse(uint256 value) external pure {
        revert(string.concat("refused ", string(abi.encode(value))));
    }
}

/** Uses every opcode that reads or writes memory, and calls of all kinds. */
contract Busy {
    mapping(uint256 => bytes32) public hashes;

    function work(uint256 rounds) external payable returns (bytes32 last) {
        Child child = new Child(abi.encode(rounds));
        bytes memory data = hex"0102030405";
        for (uint256 i = 0; i < rounds; i++) {
            data = child.grow(bytes.concat(data, bytes32(i)));
            if (data.length > 200) data = abi.encodePacked(uint8(i));
            last = keccak256(abi.encode(last, i, data));
            hashes[i] = last;
            try child.refuse(i) {} catch (bytes memory reason) {
                last ^= sha256(reason);
            }
            try new Child(new bytes(33)) {} catch {}
            (bool ok, bytes memory back) = address(child).delegatecall(abi.encodeCall(Child.grow, (data)));
            (ok, back) = address(child).staticcall(abi.encodeWithSignature("kept()"));
            (ok, back) = address(uint160(4)).call(address(child).code);
            // Without the coins, and to an account without code.
            (ok,) = payable(msg.sender).call{value: 1 ether}("");
            (ok,) = address(uint160(0xdead)).call(back);
            assembly {
                mstore8(mload(0x40), 7)
                mcopy(add(mload(0x40), 5), mload(0x40), 40)
                codecopy(add(mload(0x40), 64), 10, 70)
                extcodecopy(child, add(mload(0x40), 96), 20, 1000)
                calldatacopy(add(mload(0x40), 3), 2, 90)
                log1(mload(0x40), 900, 1)
                pop(mload(add(mload(0x40), 2048)))
            }
        }
    }

    function loop(uint256 rounds) external returns (uint256 sum) {
        for (uint256 i = 0; i < rounds; i++) {
            sum = step(sum, i);
        }
        hashes[0] = bytes32(sum);
    }

    function step(uint256 sum, uint256 i) internal pure returns (uint256) {
        unchecked {
            return sum + i * 3;
        }
    }
}
