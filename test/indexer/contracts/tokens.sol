// SPDX-License-Identifier: MIT
// Tokens as found on real chains, regular and irregular ones, each as short as possible.
pragma solidity ^0.8.30;

/// An ERC-20 that anyone may mint.
contract Coin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) {
        (name, symbol, decimals) = (name_, symbol_, decimals_);
        if (supply > 0) mint(msg.sender, supply);
    }

    function mint(address to, uint256 value) public {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function burn(uint256 value) external {
        totalSupply -= value;
        balanceOf[msg.sender] -= value;
        emit Transfer(msg.sender, address(0), value);
    }

    function transfer(address to, uint256 value) public virtual returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Many transfers in one transaction.
    function spread(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) transfer(to[i], value);
    }
}

/// Burns a tenth of each transfer without an event.
contract FeeCoin is Coin("Fee", "FEE", 18, 1000 ether) {
    function transfer(address to, uint256 value) public override returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value - value / 10;
        totalSupply -= value / 10;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// An old token with bytes32 names.
contract OldCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    bytes32 public constant name = "Old Coin";
    bytes32 public constant symbol = "OLD";
    uint256 public constant decimals = 9;
    uint256 public totalSupply = 77;
    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = 77;
        emit Transfer(address(0), msg.sender, 77);
    }
}

/// A token without name and decimals, as the standard allows.
contract BareCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        totalSupply += value;
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }
}

/// A token whose balanceOf reverts or burns all gas.
contract SecretCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Secret";
    string public constant symbol = "SEC";
    uint8 public constant decimals = 2;
    uint256 public constant totalSupply = 1000;
    bool public immutable isGreedy;

    constructor(bool isGreedy_) {
        isGreedy = isGreedy_;
        emit Transfer(address(0), msg.sender, 1000);
    }

    function balanceOf(address) external view returns (uint256) {
        if (!isGreedy) revert("none of your business");
        while (true) {}
        return 0;
    }

    function transfer(address to, uint256 value) public {
        emit Transfer(msg.sender, to, value);
    }

    function spread(address[] calldata to, uint256 value) external {
        for (uint256 i = 0; i < to.length; i++) transfer(to[i], value);
    }
}

/// Wrapped coins; `isPlain` emits only Deposit and Withdrawal like WETH9, otherwise Transfer too.
contract Wrapped {
    event Deposit(address indexed dst, uint256 wad);
    event Withdrawal(address indexed src, uint256 wad);
    event Transfer(address indexed src, address indexed dst, uint256 wad);

    string public constant name = "Wrapped Coin";
    string public constant symbol = "WCOIN";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    bool public immutable isPlain;

    constructor(bool isPlain_) {
        isPlain = isPlain_;
    }

    function totalSupply() external view returns (uint256) {
        return address(this).balance;
    }

    function deposit() external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
        if (!isPlain) emit Transfer(address(0), msg.sender, msg.value);
    }

    function withdraw(uint256 wad) external {
        balanceOf[msg.sender] -= wad;
        if (!isPlain) emit Transfer(msg.sender, address(0), wad);
        emit Withdrawal(msg.sender, wad);
        payable(msg.sender).transfer(wad);
    }

    function transfer(address to, uint256 wad) public {
        balanceOf[msg.sender] -= wad;
        balanceOf[to] += wad;
        emit Transfer(msg.sender, to, wad);
    }

    function depositFor(address to) external payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
        transfer(to, msg.value);
    }
}

/// Accepts deposits and is not a token.
contract Vault {
    event Deposit(address indexed from, uint256 amount);

    function deposit() external payable {
        emit Deposit(msg.sender, msg.value);
    }
}

/// An ERC-721; `isOld` emits Transfer without indexed parameters.
contract Art {
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    string public constant name = "Art";
    string public constant symbol = "ART";
    bool public immutable isOld;
    mapping(uint256 => address) private owners;
    mapping(address => uint256) private counts;

    constructor(bool isOld_) {
        isOld = isOld_;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd || id == 0x5b5e139f;
    }

    function ownerOf(uint256 id) public view returns (address owner) {
        owner = owners[id];
        require(owner != address(0), "no such item");
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(owner != address(0), "nobody");
        return counts[owner];
    }

    function tokenURI(uint256 id) external view returns (string memory) {
        ownerOf(id);
        return string.concat("ipfs://art/", string(abi.encodePacked(bytes1(uint8(48 + (id % 10))))));
    }

    function mint(address to, uint256 id) external {
        require(owners[id] == address(0), "taken");
        move(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf(id) == from, "not the owner");
        move(from, to, id);
    }

    function burn(uint256 id) external {
        move(ownerOf(id), address(0), id);
    }

    function move(address from, address to, uint256 id) private {
        if (from != address(0)) counts[from]--;
        if (to != address(0)) counts[to]++;
        owners[id] = to;
        if (!isOld) {
            emit Transfer(from, to, id);
            return;
        }
        bytes memory data = abi.encode(from, to, id);
        bytes32 topic = Transfer.selector;
        assembly {
            log1(add(data, 32), mload(data), topic)
        }
    }
}

/// An ERC-1155.
contract Items {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address indexed operator,
        address indexed from,
        address indexed to,
        uint256[] ids,
        uint256[] values
    );

    mapping(address => mapping(uint256 => uint256)) private amounts;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26 || id == 0x0e89341c;
    }

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return amounts[owner][id];
    }

    function uri(uint256) external pure returns (string memory) {
        return "https://items.example/{id}.json";
    }

    function mint(address to, uint256 id, uint256 value) external {
        amounts[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
    }

    function mintBatch(address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) amounts[to][ids[i]] += values[i];
        emit TransferBatch(msg.sender, address(0), to, ids, values);
    }

    function transfer(address from, address to, uint256 id, uint256 value) external {
        amounts[from][id] -= value;
        if (to != address(0)) amounts[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function transferBatch(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) {
            amounts[from][ids[i]] -= values[i];
            if (to != address(0)) amounts[to][ids[i]] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
    }
}

/// Creates tokens, the first one in its constructor.
contract Factory {
    Coin public coin = new Coin("Constructed", "CON", 6, 5_000_000);

    function make(uint256 count) external {
        for (uint256 i = 0; i < count; i++) new Coin("Made", "MADE", 18, 0);
    }
}

/// Emits any log.
contract LogEmitter {
    function emitLog(bytes32[] calldata topics, bytes memory data) external {
        (uint256 count, uint256 size) = (topics.length, data.length);
        assembly {
            let at := add(data, 32)
            let first := topics.offset
            switch count
            case 0 { log0(at, size) }
            case 1 { log1(at, size, calldataload(first)) }
            case 2 { log2(at, size, calldataload(first), calldataload(add(first, 32))) }
            case 3 {
                log3(at, size, calldataload(first), calldataload(add(first, 32)), calldataload(add(first, 64)))
            }
            default {
                log4(
                    at,
                    size,
                    calldataload(first),
                    calldataload(add(first, 32)),
                    calldataload(add(first, 64)),
                    calldataload(add(first, 96))
                )
            }
        }
    }
}

/// Emits any log; balanceOf returns 2 (by id: 3) for every account.
contract LogEmittingCoin is LogEmitter {
    uint256 public constant totalSupply = 2;

    function balanceOf(address) external pure returns (uint256) {
        return 2;
    }

    function balanceOf(address, uint256) external pure returns (uint256) {
        return 3;
    }
}

/// Is named after its creation, like a contract behind a proxy.
contract LateCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    function begin(string calldata name_, string calldata symbol_, uint8 decimals_) external {
        (name, symbol, decimals) = (name_, symbol_, decimals_);
        totalSupply = 10;
        balanceOf[msg.sender] = 10;
        emit Transfer(address(0), msg.sender, 10);
    }
}

/// Can self-destruct under old forks, and has only opcodes that these forks know.
contract MortalCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 0;
    uint256 public constant totalSupply = 10;
    mapping(address => uint256) public balanceOf;

    constructor() {
        balanceOf[msg.sender] = 10;
        emit Transfer(address(0), msg.sender, 10);
    }

    function die(address heir) external {
        balanceOf[msg.sender] -= 4;
        balanceOf[heir] += 4;
        emit Transfer(msg.sender, heir, 4);
        selfdestruct(payable(msg.sender));
    }
}
