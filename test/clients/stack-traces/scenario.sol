// Contracts that fail, for compilers from 0.4.26 on. A line that ends in a version is there from that version on ("since"), or
// before it ("until"), and else blank, so its number stays.
pragma solidity >=0.4.22;

library Checks {
    function atMost(uint256 value, uint256 most) internal pure {
        require(value <= most, "too much");
    }
    function shared(uint256 value) public pure returns (uint256) {
        require(value != 0, "nothing");
        return 100 / value;
    }
}

contract Base {
    address owner = msg.sender;
    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }
    function inherited(uint256 x) public pure {
        assert(x == 1);
    }
}

contract Vault is Base {
    error NotEnough(uint256 has, uint256 wants); // since 0.8.4
    mapping(address => uint256) public held;
    uint256[] list;

    constructor(uint256 limit) public { // until 0.7.0
    constructor(uint256 limit) { // since 0.7.0
        Checks.atMost(limit, 10);
    }

    function take(uint256 amount) public {
        check(amount);
        held[msg.sender] -= amount;
    }

    function check(uint256 amount) internal view {
        require(held[msg.sender] >= amount, "not enough");
    }

    function custom(uint256 amount) public view {
        if (amount > 1) revert NotEnough(held[msg.sender], amount); // since 0.8.4
        require(amount <= 1, "custom"); // until 0.8.4
    }

    function guarded() public onlyOwner {
        held[msg.sender] = 1;
    }

    function shared(uint256 x) public pure returns (uint256) {
        return Checks.shared(x);
    }

    function index(uint256 at) public view returns (uint256) {
        return list[at];
    }

    function divide(uint256 by) public pure returns (uint256) {
        return 100 / by;
    }

    function burn() public {
        for (uint256 i = 0; i < 1000000; i++) held[address(uint160(i))] = i;
    }

    function lowLevel() public pure {
        assembly {
            revert(0, 0)
        }
    }

    function deep(uint256 levels) public returns (uint256) {
        if (levels == 0) return reverted();
        return deep(levels - 1);
    }

    function reverted() private returns (uint256) {
        held[msg.sender]++;
        revert("deep");
    }
}

contract Caller {
    function takeFor(Vault vault, uint256 amount) public {
        vault.take(amount);
    }

    function create(uint256 limit) public returns (Vault) {
        return new Vault(limit);
    }

    function nobody(Vault vault) public {
        vault.take(1);
    }

    function pay(address to) public {
        address(uint160(to)).transfer(1); // until 0.8.0
        payable(to).transfer(1); // since 0.8.0
    }

    function caught(Vault vault) public { // since 0.6.0
        try vault.take(1) {} catch { revert("caught"); } // since 0.6.0
    } // since 0.6.0

    function ignored(Vault vault) public { // since 0.6.0
        try vault.take(1) {} catch {} // since 0.6.0
        vault.guarded(); // since 0.6.0
    } // since 0.6.0
}

contract Proxy {
    address target;

    constructor(address to) public { // until 0.7.0
    constructor(address to) { // since 0.7.0
        target = to;
    }

    function() external payable { // until 0.6.0
    fallback() external payable { // since 0.6.0
        address to = target;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}
