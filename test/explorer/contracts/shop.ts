// A contract in two files with every kind of argument that forms must support, and its proxy.

const HEAD = '// SPDX-License-Identifier: MIT\npragma solidity ^0.8.0;\n'

const ORDERS = `${HEAD}
/// What somebody wants.
struct Order { address buyer; uint256[] items; bytes4 tag; }
`

const SHOP = `${HEAD}
import {Order} from "./lib/Orders.sol";

contract Shop {
  address public immutable owner;
  string public name;
  uint256 public sold;
  mapping(address => uint256) public paid;
  Order private last;

  event Sold(address indexed buyer, uint256 price);
  error TooCheap(uint256 offered, uint256 wanted);

  constructor(string memory name_) { owner = msg.sender; name = name_; }

  function rename(string calldata to) external { name = to; }

  /// Costs one coin for each item.
  function buy(Order calldata order, bool gift) external payable returns (uint256) {
    uint256 wanted = order.items.length * 1 ether;
    if (msg.value < wanted) revert TooCheap(msg.value, wanted);
    last = order;
    sold += order.items.length;
    paid[gift ? order.buyer : msg.sender] += msg.value;
    emit Sold(order.buyer, msg.value);
    return sold;
  }
  function lastOrder() external view returns (Order memory order, uint256 total) { return (last, sold); }
  function sum(uint256[] calldata values) external pure returns (uint256 total) {
    for (uint256 i = 0; i < values.length; i++) total += values[i];
  }
  function whoAsks() external view returns (address) { return msg.sender; }
  receive() external payable { paid[msg.sender] += msg.value; }
}
`

const PROXY = `${HEAD}
contract Proxy {
  constructor(address to) {
    assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) }
  }
  fallback() external payable {
    assembly {
      let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
`

export const SHOP_SOURCES = { 'src/Shop.sol': SHOP, 'src/lib/Orders.sol': ORDERS }
export const PROXY_SOURCES = { 'src/Proxy.sol': PROXY }
