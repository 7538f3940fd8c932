// SPDX-License-Identifier: MIT
// Items with metadata: generated on the chain at any gas cost, or on the web.
pragma solidity ^0.8.30;

/// An ERC-721 whose metadata anybody may set, optionally with filler bytes and wasted gas.
contract Drawings {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);
    event MetadataUpdate(uint256 id);

    string public constant name = "Drawings";
    string public constant symbol = "DRAW";
    mapping(uint256 => address) private owners;
    mapping(uint256 => string) private uris;
    mapping(uint256 => uint256) private sizes;
    mapping(uint256 => uint256) private costs;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f || id == 0x49064906;
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "no such item");
    }

    function balanceOf(address) external pure returns (uint256) {
        return 1;
    }

    function mint(address to, uint256 id, string calldata uri) external {
        (owners[id], uris[id]) = (to, uri);
        emit Transfer(address(0), to, id);
    }

    /// Items in a series, each with a drawing of this size and cost.
    function mintMany(address to, uint256 first, uint256 count, uint256 size, uint256 cost) external {
        for (uint256 id = first; id < first + count; id++) {
            (owners[id], sizes[id], costs[id]) = (to, size, cost);
            emit Transfer(address(0), to, id);
        }
    }

    function burn(uint256 id) external {
        emit Transfer(ownerOf(id), address(0), id);
        delete owners[id];
    }

    function set(uint256 id, string calldata uri) external {
        uris[id] = uri;
    }

    function emitUpdate(uint256 id) external {
        emit MetadataUpdate(id);
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        uint256 end = costs[id];
        if (end > 0) for (uint256 before = gasleft(); before - gasleft() < end; ) {}
        if (sizes[id] == 0) return uris[id];
        bytes memory filling = new bytes(sizes[id]);
        assembly {
            let to := add(add(filling, 32), mload(filling))
            for { let at := add(filling, 32) } lt(at, to) { at := add(at, 32) } {
                mstore(at, 0x6161616161616161616161616161616161616161616161616161616161616161)
            }
        }
        return string.concat(
            'data:application/json;utf8,{"name":"Drawing","image":"data:image/svg+xml;utf8,<svg><!--',
            string(filling),
            '--></svg>"}'
        );
    }
}

/// An ERC-1155 whose URI anybody may set.
contract Cards {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    string public uri_;
    mapping(address => mapping(uint256 => uint256)) public amounts;

    constructor(string memory uri) {
        uri_ = uri;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return amounts[owner][id];
    }

    function uri(uint256) external view returns (string memory) {
        return uri_;
    }

    function transfer(address from, address to, uint256 id, uint256 value) external {
        if (from != address(0)) amounts[from][id] -= value;
        if (to != address(0)) amounts[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }
}

/// An ERC-20 that grows by itself, without an event.
contract RebasingCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    uint256 public factor = 1;
    mapping(address => uint256) private shares;

    constructor(string memory name_, string memory symbol_) {
        (name, symbol) = (name_, symbol_);
        shares[msg.sender] = 1000;
        emit Transfer(address(0), msg.sender, 1000);
    }

    function grow(uint256 to) external {
        factor = to;
    }

    function totalSupply() external view returns (uint256) {
        return 1000 * factor;
    }

    function balanceOf(address holder) external view returns (uint256) {
        return shares[holder] * factor;
    }
}
