// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Test} from "forge-std/Test.sol";
import {Vm} from "forge-std/Vm.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";

/// What the node has answered to calls is what they answer here. `foundry.test.ts` writes the files.
contract SameAsOnTheNodeTest is Test {
    struct Step {
        string name;
        address from;
        address to;
        bytes data;
        uint256 value;
        bool isUndone;
        uint256 number;
        uint256 time;
        bool success;
        bytes output;
        uint256 gasUsed;
        Vm.Log[] logs;
        address[] accounts;
        uint256[] balances;
    }

    function setUp() public {
        Kestrel.etch();
    }

    /// Calls that the node has made each on the same state.
    function testSingleCalls() public {
        Step[] memory steps = abi.decode(vm.readFileBinary("out/single.abi"), (Step[]));
        for (uint256 i = 0; i < steps.length; i++) {
            checkAlone(steps[i]);
        }
        require(steps.length > 0, "no calls");
    }

    /// The same, undone by a revert in between.
    function testRevertedCalls() public {
        Step[] memory steps = abi.decode(vm.readFileBinary("out/single.abi"), (Step[]));
        for (uint256 i = 0; i < steps.length; i++) {
            // Those that are made directly.
            if (steps[i].gasUsed == 0) continue;
            try this.undo(steps[i]) {}
            catch (bytes memory reason) {
                require(keccak256(reason) == keccak256("undone"), string(reason));
            }
            checkAlone(steps[i]);
        }
    }

    function checkAlone(Step memory step) private {
        address origin = tx.origin;
        uint256 snapshot = vm.snapshotState();
        check(step);
        require(tx.origin == origin, "origin");
        vm.revertToState(snapshot);
    }

    function undo(Step calldata step) external {
        vm.prank(step.from, step.from);
        (bool done,) = step.to.call{value: step.value}(step.data);
        require(done == step.success, step.name);
        bytes memory reason = "undone";
        assembly {
            revert(add(reason, 32), mload(reason))
        }
    }

    /// Calls that the node has made one after the other.
    function testSequence() public {
        Step[] memory steps = abi.decode(vm.readFileBinary("out/sequence.abi"), (Step[]));
        for (uint256 i = 0; i < steps.length; i++) check(steps[i]);
        require(steps.length > 0, "no calls");
    }

    function check(Step memory step) private {
        vm.roll(step.number);
        vm.warp(step.time);
        vm.recordLogs();
        vm.prank(step.from, step.from);
        (bool success, bytes memory output) = step.to.call{value: step.value}(step.data);
        uint256 gas = vm.lastCallGas().gasTotalUsed;
        Vm.Log[] memory logs = vm.getRecordedLogs();
        same(step, "success", abi.encode(success), abi.encode(step.success));
        same(step, "output", output, step.output);
        if (!step.isUndone) same(step, "logs", abi.encode(logs), abi.encode(step.logs));
        for (uint256 i = 0; i < step.accounts.length; i++) {
            same(step, vm.toString(step.accounts[i]), abi.encode(step.accounts[i].balance), abi.encode(step.balances[i]));
        }
        uint256 difference = gas > step.gasUsed ? gas - step.gasUsed : step.gasUsed - gas;
        require(step.gasUsed == 0 || difference < 200, string.concat(step.name, ": gas is ", vm.toString(gas), ", on the node ", vm.toString(step.gasUsed)));
    }

    function same(Step memory step, string memory what, bytes memory here, bytes memory node) private pure {
        if (keccak256(here) == keccak256(node)) return;
        revert(string.concat(step.name, ": ", what, " is ", vm.toString(here), ", on the node ", vm.toString(node)));
    }
}
