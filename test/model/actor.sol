// SPDX-License-Identifier: MIT
pragma solidity ^0.8.17;

/// @dev Calls other contracts step by step, in frames that may be reverted.
contract Actor {
    struct Step {
        /// 0: must succeed; 1: may fail; 2: is undone afterwards
        uint8 mode;
        address target;
        bytes data;
    }

    event Ran(uint256 succeeded);

    /// Bit n of the event says whether step n has succeeded; for mode 2, whether the call that was undone had.
    function run(Step[] calldata steps) external {
        uint256 succeeded;
        for (uint256 i = 0; i < steps.length; i++) {
            bool done;
            if (steps[i].mode == 2) {
                try this.undo(steps[i].target, steps[i].data) {} catch (bytes memory answer) {
                    done = answer.length == 1;
                }
            } else {
                (done, ) = steps[i].target.call(steps[i].data);
                require(done || steps[i].mode == 1, "a step has failed");
            }
            if (done) succeeded |= 1 << i;
        }
        emit Ran(succeeded);
    }

    /// Reverts with one byte if the call has succeeded, and with nothing if not.
    function undo(address target, bytes calldata data) external {
        (bool done, ) = target.call(data);
        uint256 size = done ? 1 : 0;
        assembly {
            revert(0, size)
        }
    }

    receive() external payable {}
}
