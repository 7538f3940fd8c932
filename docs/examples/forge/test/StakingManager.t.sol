// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Test} from "forge-std/Test.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";
import {MSG_DELEGATE, MSG_UNDELEGATE} from "kestrel-evm/Authorization.sol";
import {STAKING_CONTRACT, StakingI, Validator, UnbondingDelegationEntry} from "kestrel-evm/Staking.sol";
import {Coin, PageRequest} from "kestrel-evm/Types.sol";
import {StakingManager} from "kestrel-evm/examples/StakingManager.sol";

/// Run with --fork-url NODE.
contract StakingManagerTest is Test {
    address private constant ALICE = address(0xa11ce);
    StakingManager private manager;
    string private validator;

    function setUp() public {
        Kestrel.etch();
        manager = new StakingManager();
        PageRequest memory first;
        (Validator[] memory bonded,) = STAKING_CONTRACT.validators("BOND_STATUS_BONDED", first);
        validator = bonded[0].operatorAddress;
        vm.deal(ALICE, 100 ether);
        // A contract may act for the signer of the transaction only, so it has to be the origin too.
        vm.startPrank(ALICE, ALICE);
    }

    function approve(uint256 amount) private {
        string[] memory methods = new string[](2);
        (methods[0], methods[1]) = (MSG_DELEGATE, MSG_UNDELEGATE);
        STAKING_CONTRACT.approve(address(manager), amount, methods);
    }

    function testDelegatesForItsUser() public {
        approve(10 ether);
        vm.expectEmit(true, true, false, true, address(STAKING_CONTRACT));
        emit StakingI.Delegate(ALICE, validator, 4 ether, 4 ether * 1e18);
        manager.stake(validator, 4 ether);

        assertEq(manager.staked(ALICE), 4 ether);
        assertEq(ALICE.balance, 96 ether);
        (uint256 shares, Coin memory balance) = STAKING_CONTRACT.delegation(ALICE, validator);
        assertEq(shares, 4 ether * 1e18);
        assertEq(balance.amount, 4 ether);
        assertEq(STAKING_CONTRACT.allowance(ALICE, address(manager), MSG_DELEGATE), 6 ether);
    }

    function testNeedsAGrant() public {
        string memory grantee = vm.toString(address(manager));
        vm.expectRevert(
            bytes(string.concat("authorization to ", MSG_DELEGATE, " for address ", grantee, " does not exist or is expired"))
        );
        manager.stake(validator, 1 ether);
    }

    function testMayNotDelegateMoreThanGranted() public {
        approve(10 ether);
        vm.expectRevert("amount 11000000000000000000 greater than allowed limit 10000000000000000000");
        manager.stake(validator, 11 ether);
    }

    function testUndelegates() public {
        approve(10 ether);
        manager.stake(validator, 4 ether);
        assertEq(uint64(manager.unstake(validator, 3 ether)), block.timestamp + 21 days);
        UnbondingDelegationEntry[] memory entries = STAKING_CONTRACT.unbondingDelegation(ALICE, validator);
        assertEq(entries.length, 1);
        assertEq(entries[0].balance, 3 ether);
        (uint256 worth,) = manager.position(validator);
        assertEq(worth, 1 ether);
    }

    function testTriesTheNextValidator() public {
        approve(10 ether);
        string[] memory validators = new string[](2);
        (validators[0], validators[1]) = ("nobody", validator);
        assertEq(manager.stakeWithAny(validators, 2 ether), 1);
        assertEq(ALICE.balance, 98 ether);
    }
}
