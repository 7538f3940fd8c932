// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VaultProxy, VaultV1} from "../src/Vault.sol";
import {Vm, vm} from "../src/Vm.sol";

/// Run with --fork-url NODE, a fork of a chain on which Deploy.s.sol has run, at block BORDER; on the fork Upgrade.s.sol has run.
contract ForkTest {
    VaultV1 private vault = VaultV1(vm.envAddress("VAULT"));
    string private node = vm.envString("NODE");
    uint256 private border = vm.envUint("BORDER");

    function testTheHeadIsThatOfTheFork() public {
        require(vault.total() == 13, "total");
        vault.poke();
        require(vault.total() == 23, "poked");
        address first = address(new VaultV1());
        vm.prank(vm.envAddress("ADMIN"));
        VaultProxy(address(vault)).upgradeTo(first);
        vault.poke();
        require(vault.total() == 24, "downgraded");
    }

    function testRollsOverTheBorder() public {
        vm.createSelectFork(node);
        uint256 head = block.number;
        require(head > border, "head");
        vm.rollFork(border);
        require(vault.total() == 2 && vault.step() == 1, "border");
        vm.rollFork(border + 1);
        require(vault.total() == 3, "after");
        bytes32 last = blockhash(border);
        vm.rollFork(vm.envUint("FIRST"));
        require(address(vault).code.length == 0, "first");
        vm.rollFork(head);
        require(vault.total() == 13 && vault.step() == 10, "head again");
        require(last != 0 && blockhash(border) == last, "hash");
    }

    function testRollsToTransactionsOfBothSides() public {
        vm.createSelectFork(node);
        check("POKED_BEFORE", 1);
        check("POKED_AFTER", 2);
    }

    function check(string memory name, uint256 before) private {
        bytes32 transaction = vm.envBytes32(name);
        vm.rollFork(transaction);
        require(vault.total() == before, name);
        vm.transact(transaction);
        require(vault.total() == before + 1, name);
    }

    function testFindsLogsOfBothSides() public {
        vm.createSelectFork(node);
        bytes32[] memory topics = new bytes32[](1);
        topics[0] = VaultV1.Poked.selector;
        Vm.EthGetLogs[] memory logs = vm.eth_getLogs(0, block.number, address(vault), topics);
        require(logs.length == 4, "logs");
        require(logs[1].blockNumber <= border && logs[2].blockNumber > border, "sides");
    }

    function testAsksTheNode() public {
        vm.createSelectFork(node, border);
        require(vm.rpc("eth_blockNumber", "[]").length > 0, "number");
        vm.rpc("eth_getBlockByNumber", '["0x1", true]');
    }
}
