// SPDX-License-Identifier: MIT
pragma solidity >=0.8.28;

// A light client of eureka's router on another kestrel, for eureka's router here. The contract of IBC follows the other chain's headers and
// proves the hash of a block below their app hash; this contract opens the block's header and the proofs of `eth_getProof` below it.
// It shows that the app hash suffices for both directions, and is nothing more: nobody has audited it.

struct Height {
    uint64 revisionNumber;
    uint64 revisionHeight;
}

/// What eureka asks a light client.
interface LightClient {
    struct MsgVerifyMembership {
        bytes proof;
        Height proofHeight;
        bytes[] path;
        bytes value;
    }

    struct MsgVerifyNonMembership {
        bytes proof;
        Height proofHeight;
        bytes[] path;
    }

    function updateClient(bytes calldata updateMsg) external returns (uint8);
    function misbehaviour(bytes calldata misbehaviourMsg) external;
    function verifyMembership(MsgVerifyMembership calldata msg_) external returns (uint256);
    function verifyNonMembership(MsgVerifyNonMembership calldata msg_) external returns (uint256);
    function getClientState() external view returns (bytes memory);
}

interface Ibc {
    function updateClient(string calldata clientId, bytes calldata updateMsg) external returns (uint8);
    function verifyMembership(
        string calldata clientId,
        bytes calldata proof,
        Height calldata proofHeight,
        bytes[] calldata path,
        bytes calldata value
    ) external view returns (uint256);
    function getClientState(string calldata clientId) external view returns (bytes memory);
}

contract StateLightClient is LightClient {
    Ibc private constant IBC = Ibc(0x0000000000000000000000000000000000000807);
    /// Slot of `commitments` in eureka's router: ERC-7201's of `ibc.storage.IBCStore`.
    uint256 private constant COMMITMENTS = 0x1260944489272988d9df285149b5aa1b0f48f2136d6f416159f840a3e0747600;
    /// keccak256 of an empty string in RLP.
    bytes32 private constant EMPTY_ROOT = 0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421;

    struct Proof {
        /// Of the block's hash at `evm`, for the contract of IBC.
        bytes block;
        /// The block's header in RLP.
        bytes header;
        /// Nodes of the tries, from the root on.
        bytes[] account;
        bytes[] slot;
    }

    /// The client here, which knows CometBFT's tree only, and the router there.
    string private clientId;
    address private immutable router;

    constructor(string memory clientId_, address router_) {
        clientId = clientId_;
        router = router_;
    }

    function getClientState() external view returns (bytes memory) {
        return IBC.getClientState(clientId);
    }

    function updateClient(bytes calldata updateMsg) public returns (uint8) {
        return IBC.updateClient(clientId, updateMsg);
    }

    function misbehaviour(bytes calldata misbehaviourMsg) external {
        require(updateClient(misbehaviourMsg) == 1, "no misbehaviour");
    }

    function verifyMembership(MsgVerifyMembership calldata msg_) external view returns (uint256) {
        (uint256 word, uint256 time) = read(msg_.proof, msg_.proofHeight, msg_.path);
        require(word != 0 && msg_.value.length == 32 && bytes32(word) == bytes32(msg_.value), "another value");
        return time;
    }

    function verifyNonMembership(MsgVerifyNonMembership calldata msg_) external view returns (uint256) {
        (uint256 word, uint256 time) = read(msg_.proof, msg_.proofHeight, msg_.path);
        require(word == 0, "there is a value");
        return time;
    }

    /// The commitment at a path, zero if there is none, and the time of the height in Unix seconds.
    function read(bytes calldata encoded, Height calldata height, bytes[] calldata path) private view returns (uint256, uint256 time) {
        require(path.length == 1, "a path of one key");
        Proof memory proof = abi.decode(encoded, (Proof));
        bytes[] memory store = new bytes[](1);
        store[0] = "evm";
        time = IBC.verifyMembership(clientId, proof.block, height, store, abi.encodePacked(keccak256(proof.header)));
        bytes memory account = get(word(items(proof.header)[3]), keccak256(abi.encodePacked(router)), proof.account);
        require(account.length > 0, "no router");
        bytes32 slot = keccak256(abi.encode(keccak256(path[0]), COMMITMENTS));
        bytes memory value = get(word(items(account)[2]), keccak256(abi.encode(slot)), proof.slot);
        return (value.length == 0 ? 0 : number(value), time);
    }

    /// What a Merkle Patricia trie has at a key of 32 bytes; empty if the nodes show that it has nothing. Nodes of less than 32 bytes,
    /// which stand within others, do not exist in tries of hashed keys of this size.
    function get(bytes32 root, bytes32 key, bytes[] memory nodes) private pure returns (bytes memory) {
        if (root == EMPTY_ROOT) return "";
        uint256 depth = 0;
        for (uint256 i = 0; i < nodes.length; i++) {
            require(keccak256(nodes[i]) == root, "another node");
            bytes[] memory node = items(nodes[i]);
            bytes memory child;
            bool isEnd;
            if (node.length == 17) {
                child = node[nibble(key, depth++)];
                isEnd = child.length == 0;
            } else {
                bool isSame;
                (isSame, depth) = follow(key, depth, node[0]);
                // Leaves have the bit 32.
                isEnd = !isSame || uint8(node[0][0]) & 32 != 0;
                if (isSame) child = node[1];
            }
            if (!isEnd) root = word(child);
            else if (i == nodes.length - 1) return child;
            else revert("too many nodes");
        }
        revert("too few nodes");
    }

    /// Whether the digits of a path (hex prefix encoding) are the key's, and the depth below them.
    function follow(bytes32 key, uint256 depth, bytes memory path) private pure returns (bool, uint256 end) {
        uint256 first = uint8(path[0]) & 16 == 0 ? 2 : 1;
        end = depth + 2 * path.length - first;
        for (uint256 i = first; depth < end; i++) {
            uint8 digits = uint8(path[i / 2]);
            if (nibble(key, depth++) != (i % 2 == 0 ? digits >> 4 : digits & 15)) return (false, end);
        }
        return (true, end);
    }

    function nibble(bytes32 key, uint256 depth) private pure returns (uint256) {
        uint8 digits = uint8(key[depth / 2]);
        return depth % 2 == 0 ? digits >> 4 : digits & 15;
    }

    function word(bytes memory item) private pure returns (bytes32) {
        require(item.length == 32, "no hash");
        return bytes32(item);
    }

    /// The number that an item in RLP is.
    function number(bytes memory item) private pure returns (uint256 value) {
        (uint256 start, uint256 end) = span(item, 0, 0x80);
        require(end - start <= 32 && end == item.length, "no number");
        for (uint256 i = start; i < end; i++) value = (value << 8) | uint8(item[i]);
    }

    /// The contents of the strings in a list in RLP.
    function items(bytes memory list) private pure returns (bytes[] memory found) {
        found = new bytes[](32);
        uint256 count = 0;
        (uint256 at, uint256 last) = span(list, 0, 0xc0);
        require(last == list.length, "no list");
        while (at < last) {
            (uint256 start, uint256 end) = span(list, at, 0x80);
            bytes memory item = new bytes(end - start);
            assembly ("memory-safe") {
                mcopy(add(item, 32), add(add(list, 32), start), sub(end, start))
            }
            found[count++] = item;
            at = end;
        }
        assembly ("memory-safe") {
            mstore(found, count)
        }
    }

    /// Where the content of an item in RLP begins and ends; `kind`: 0x80 of strings, 0xc0 of lists.
    function span(bytes memory data, uint256 at, uint256 kind) private pure returns (uint256 start, uint256 end) {
        uint256 first = uint8(data[at]);
        if (kind == 0x80 && first < kind) return (at, at + 1);
        require(first >= kind && first < kind + 64, "another kind of item");
        uint256 length = first - kind;
        start = at + 1;
        if (length > 55) {
            uint256 size = length - 55;
            length = 0;
            for (uint256 i = 0; i < size; i++) length = (length << 8) | uint8(data[start++]);
        }
        end = start + length;
        require(end <= data.length, "item beyond the end");
    }
}
