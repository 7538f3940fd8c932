// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Test} from "forge-std/Test.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";
import {BANK_CONTRACT} from "kestrel-evm/Bank.sol";
import {STAKING_CONTRACT, Validator} from "kestrel-evm/Staking.sol";
import {Coin, PageRequest} from "kestrel-evm/Types.sol";

/// Forks of two nodes, `FIRST` and `SECOND`, on which this account has not delegated.
contract ForksTest is Test {
    address private constant ALICE = address(0xa11ce);

    function delegated() private view returns (uint256) {
        (, Coin memory balance) = STAKING_CONTRACT.delegation(ALICE, validator());
        return balance.amount;
    }

    function validator() private view returns (string memory) {
        PageRequest memory first;
        (Validator[] memory bonded,) = STAKING_CONTRACT.validators("BOND_STATUS_BONDED", first);
        return bonded[0].operatorAddress;
    }

    function delegate(uint256 amount) private {
        string memory to = validator();
        vm.prank(ALICE, ALICE);
        STAKING_CONTRACT.delegate(ALICE, to, amount);
    }

    function testEachForkHasItsState() public {
        uint256 first = vm.createSelectFork(vm.envString("FIRST"));
        Kestrel.etch();
        vm.deal(ALICE, 10 ether);
        delegate(1 ether);
        uint256 second = vm.createSelectFork(vm.envString("SECOND"));
        Kestrel.etch();
        assertEq(delegated(), 0);
        vm.deal(ALICE, 10 ether);
        delegate(2 ether);
        vm.selectFork(first);
        assertEq(delegated(), 1 ether);
        vm.selectFork(second);
        assertEq(delegated(), 2 ether);
        vm.rollFork(block.number - 1);
        Kestrel.etch();
        assertEq(delegated(), 0);
    }

    /// What a revert within the transaction undoes, and what it leaves.
    function testRevertsAreExact() public {
        vm.createSelectFork(vm.envString("FIRST"));
        Kestrel.etch();
        vm.deal(ALICE, 10 ether);
        delegate(1 ether);
        try this.delegateAndFail(3 ether) {
            revert("did not fail");
        } catch {}
        assertEq(delegated(), 1 ether);
        assertEq(ALICE.balance, 9 ether);
        delegate(2 ether);
        assertEq(delegated(), 3 ether);
    }

    function delegateAndFail(uint256 amount) external {
        delegate(amount);
        revert("failed");
    }

    function testFiftyCallsTakeSeconds() public {
        vm.createSelectFork(vm.envString("FIRST"));
        Kestrel.etch();
        vm.deal(ALICE, 10 ether);
        uint256 start = vm.unixTime();
        for (uint256 i = 0; i < 25; i++) {
            delegate(i + 1);
            BANK_CONTRACT.balances(ALICE);
        }
        assertEq(delegated(), 25 * 26 / 2);
        require(vm.unixTime() - start < 30_000, "took too long");
    }
}
