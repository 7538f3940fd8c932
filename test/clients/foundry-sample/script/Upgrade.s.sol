// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VaultProxy, VaultV1, VaultV2} from "../src/Vault.sol";
import {vm} from "../src/Vm.sol";

contract Upgrade {
    function run() external {
        address vault = vm.envAddress("VAULT");
        vm.startBroadcast();
        VaultV1(vault).poke();
        VaultProxy(payable(vault)).upgradeTo(address(new VaultV2()));
        VaultV1(vault).poke();
        vm.stopBroadcast();
    }
}
