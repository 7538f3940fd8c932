// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "../ICS20.sol";

/// @title Interchain sender
/// @notice Sends coins to another chain through one channel: those of the caller, after the caller has granted it an
/// allocation for that channel,
///
///     ICS20_CONTRACT.approve(address(sender), [Allocation("transfer", channel, limits, receivers)])
///
/// or its own, which are refunded to it if the transfer fails.
/// @dev `transfer` has nine arguments, so the compiler soon reports "stack too deep": use few local variables, or compile
/// with `viaIR`.
contract InterchainSender {
    address public immutable owner = msg.sender;
    string public channel;
    string public denom;

    /// @notice Senders of the sent packets, who get the refunds, by sequence number.
    mapping(uint64 sequence => address sender) public senderOf;

    constructor(string memory channel_, string memory denom_) {
        channel = channel_;
        denom = denom_;
    }

    receive() external payable {}

    /// @notice Sends coins of the caller.
    /// @param receiver Address in the format of the receiving chain.
    /// @param patience Seconds after which the packet times out and the coins are refunded.
    function send(uint256 amount, string calldata receiver, uint64 patience) external returns (uint64 sequence) {
        return sendFrom(msg.sender, amount, receiver, patience);
    }

    /// @notice Sends coins of this contract.
    function sendOwn(uint256 amount, string calldata receiver, uint64 patience) external returns (uint64 sequence) {
        require(msg.sender == owner, "not the owner");
        return sendFrom(address(this), amount, receiver, patience);
    }

    /// @notice Remaining amount of the caller's coins that this contract may send.
    function allowed() external view returns (uint256) {
        Allocation[] memory allocations = ICS20_CONTRACT.allowance(msg.sender, address(this));
        for (uint256 i = 0; i < allocations.length; i++) {
            if (!same(allocations[i].sourceChannel, channel)) continue;
            Coin[] memory limits = allocations[i].spendLimit;
            for (uint256 k = 0; k < limits.length; k++) if (same(limits[k].denom, denom)) return limits[k].amount;
        }
        return 0;
    }

    function sendFrom(address sender, uint256 amount, string calldata receiver, uint64 patience)
        private
        returns (uint64 sequence)
    {
        uint64 deadline = (uint64(block.timestamp) + patience) * 1_000_000_000;
        Height memory none = Height(0, 0);
        sequence = ICS20_CONTRACT.transfer("transfer", channel, denom, amount, sender, receiver, none, deadline, "");
        senderOf[sequence] = sender;
    }

    function same(string memory a, string memory b) private pure returns (bool) {
        return keccak256(bytes(a)) == keccak256(bytes(b));
    }
}
