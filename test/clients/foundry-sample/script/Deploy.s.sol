// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VaultProxy, VaultV1} from "../src/Vault.sol";
import {vm} from "../src/Vm.sol";

contract Deploy {
    function run() external returns (address vault) {
        vm.startBroadcast();
        vault = address(new VaultProxy(address(new VaultV1())));
        VaultV1(vault).poke();
        VaultV1(vault).poke();
        vm.stopBroadcast();
    }
}
