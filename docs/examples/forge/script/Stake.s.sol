// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Script} from "forge-std/Script.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";
import {MSG_DELEGATE} from "kestrel-evm/Authorization.sol";
import {STAKING_CONTRACT, Validator} from "kestrel-evm/Staking.sol";
import {PageRequest} from "kestrel-evm/Types.sol";
import {StakingManager} from "kestrel-evm/examples/StakingManager.sol";

/// Run with --rpc-url NODE --broadcast --skip-simulation.
contract Stake is Script {
    function run() external returns (StakingManager manager) {
        Kestrel.etch();
        PageRequest memory first;
        (Validator[] memory bonded,) = STAKING_CONTRACT.validators("BOND_STATUS_BONDED", first);
        string[] memory methods = new string[](1);
        methods[0] = MSG_DELEGATE;

        vm.startBroadcast();
        manager = new StakingManager();
        STAKING_CONTRACT.approve(address(manager), 10 ether, methods);
        manager.stake(bonded[0].operatorAddress, 4 ether);
        vm.stopBroadcast();
    }
}
