// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Work without state. Each function takes the number of repetitions, and returns a result, which must be the same on every
/// node, and the gas that the work itself used. Functions whose results a node might cache take a seed that changes the work.
contract Compute {
    /// Multiplication, addition and shifts over the whole width.
    function arithmetic(uint256 n) external view returns (uint256 x, uint256 gas) {
        gas = gasleft();
        x = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95;
        unchecked {
            for (uint256 i = 0; i < n; i++) {
                x = x * 0xd1342543de82ef95f19cc0605cedc8341082276bf3a27251f86c6a11d0c18e95 + i;
                x ^= x >> 67;
            }
        }
        gas -= gasleft();
    }

    /// Division and modular arithmetic, for which a processor has no instruction at this width.
    function division(uint256 n) external view returns (uint256 x, uint256 gas) {
        gas = gasleft();
        uint256 p = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
        x = 3;
        unchecked {
            for (uint256 i = 1; i <= n; i++) {
                x = mulmod(x, x, p);
                x = addmod(x, (p - x) / (i << 64), p) + x % (i << 131 | 1);
            }
        }
        gas -= gasleft();
    }

    /// Small numbers with Solidity's checks for overflow.
    function count(uint256 n) external view returns (uint256 sum, uint256 gas) {
        gas = gasleft();
        for (uint256 i = 0; i < n; i++) {
            if (i % 3 != 0) sum += i;
        }
        gas -= gasleft();
    }

    function fibonacci(uint256 n) external view returns (uint256 result, uint256 gas) {
        gas = gasleft();
        result = fib(n);
        gas -= gasleft();
    }

    function fib(uint256 n) internal pure returns (uint256) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }

    /// Quicksort of n words.
    function sort(uint256 n) external view returns (uint256 digest, uint256 gas) {
        gas = gasleft();
        uint256[] memory list = new uint256[](n);
        uint256 seed = 42;
        unchecked {
            for (uint256 i = 0; i < n; i++) {
                seed = seed * 6364136223846793005 + 1442695040888963407;
                list[i] = seed >> 32 & 0xffffffff;
            }
        }
        quicksort(list, 0, int256(n) - 1);
        for (uint256 i = 1; i < n; i++) {
            require(list[i - 1] <= list[i]);
        }
        digest = list[n / 2];
        gas -= gasleft();
    }

    function quicksort(uint256[] memory list, int256 low, int256 high) internal pure {
        if (low >= high) return;
        uint256 pivot = list[uint256(low + (high - low) / 2)];
        int256 i = low;
        int256 j = high;
        while (i <= j) {
            while (list[uint256(i)] < pivot) i++;
            while (list[uint256(j)] > pivot) j--;
            if (i <= j) {
                (list[uint256(i)], list[uint256(j)]) = (list[uint256(j)], list[uint256(i)]);
                i++;
                j--;
            }
        }
        quicksort(list, low, j);
        quicksort(list, i, high);
    }

    function hash(uint256 n, uint256 seed) external view returns (uint256 digest, uint256 gas) {
        gas = gasleft();
        bytes32 word = bytes32(seed);
        for (uint256 i = 0; i < n; i++) {
            word = keccak256(abi.encode(word, i));
        }
        digest = uint256(word);
        gas -= gasleft();
    }

    /// Writes and reads 1,024 words repeatedly.
    function words(uint256 n) external view returns (uint256 sum, uint256 gas) {
        gas = gasleft();
        uint256[1024] memory list;
        unchecked {
            for (uint256 i = 0; i < n; i++) {
                list[i & 1023] += i;
                sum += list[(i * 7) & 1023];
            }
        }
        gas -= gasleft();
    }

    /// Copies 32 KB within memory.
    function copies(uint256 n) external view returns (uint256 last, uint256 gas) {
        gas = gasleft();
        bytes memory data = new bytes(64 << 10);
        data[100] = 0x7f;
        assembly {
            for { let i := 0 } lt(i, n) { i := add(i, 1) } { mcopy(add(data, 32808), add(data, 32), 32767) }
            last := mload(add(data, 32908))
        }
        gas -= gasleft();
    }

    /// Sequential calls, each with arguments and a result.
    function calls(uint256 n) external view returns (uint256 sum, uint256 gas) {
        gas = gasleft();
        for (uint256 i = 0; i < n; i++) {
            sum += this.square(i);
        }
        gas -= gasleft();
    }

    function square(uint256 x) external pure returns (uint256) {
        return x * x;
    }

    /// Nested calls, 32 deep.
    function nested(uint256 n) external view returns (uint256 sum, uint256 gas) {
        gas = gasleft();
        for (uint256 i = 0; i < n; i++) {
            sum += this.descend(32);
        }
        gas -= gasleft();
    }

    function descend(uint256 depth) external view returns (uint256) {
        return depth == 0 ? 1 : this.descend(depth - 1) + depth;
    }

    function recover(uint256 n, uint256 seed) external view returns (uint256 found, uint256 gas) {
        gas = gasleft();
        // The generator's x and small numbers make a valid signature of some address.
        bytes32 r = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798;
        for (uint256 i = 1; i <= n; i++) {
            found ^= uint160(ecrecover(bytes32(seed), 27, r, bytes32(i)));
        }
        gas -= gasleft();
    }
}
