// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Test} from "forge-std/Test.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";
import {DISTRIBUTION_CONTRACT} from "kestrel-evm/cosmos-evm/Distribution.sol";
import {STAKING_CONTRACT, Validator} from "kestrel-evm/cosmos-evm/Staking.sol";
import {Coin} from "kestrel-evm/Types.sol";

/// @dev Runs on a fork of a chain with the interfaces of cosmos/evm.
contract CosmosEvmTest is Test {
    event Delegate(address indexed delegatorAddress, address indexed validatorAddress, uint256 amount, uint256 newShares);

    string private constant VALIDATOR = "cosmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pw4xyrql";
    address private constant OPERATOR = 0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E;

    function setUp() public {
        Kestrel.etch();
        vm.deal(address(this), 10 ether);
    }

    function test_delegates_own_coins() public {
        vm.expectEmit(true, true, true, true, address(STAKING_CONTRACT));
        emit Delegate(address(this), OPERATOR, 2 ether, 2 ether * 10 ** 18);
        STAKING_CONTRACT.delegate(address(this), VALIDATOR, 2 ether);
        (, Coin memory balance) = STAKING_CONTRACT.delegation(address(this), VALIDATOR);
        assertEq(balance.amount, 2 ether);
        assertEq(address(this).balance, 8 ether);
        Validator memory validator = STAKING_CONTRACT.validator(OPERATOR);
        assertEq(uint256(keccak256(bytes(validator.description.moniker))), uint256(keccak256("localtestnet")));
        assertEq(validator.tokens, 1_002 ether);
    }

    function test_refuses_coins_of_others() public {
        address other = address(0xb0b);
        bytes memory reason = abi.encodePacked(
            "msg.sender address ", vm.toString(address(this)), " does not match the requester address ", vm.toString(other)
        );
        vm.expectRevert(reason);
        STAKING_CONTRACT.delegate(other, VALIDATOR, 1 ether);
    }

    function test_pays_into_the_community_pool() public {
        uint256 before = DISTRIBUTION_CONTRACT.communityPool()[0].amount;
        Coin[] memory amount = new Coin[](1);
        amount[0] = Coin("atest", 3 ether);
        DISTRIBUTION_CONTRACT.fundCommunityPool(address(this), amount);
        assertEq(DISTRIBUTION_CONTRACT.communityPool()[0].amount, before + 3 ether);
    }
}
