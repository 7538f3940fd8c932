// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "../Types.sol";

/// @dev Address of the contract.
address constant ICS20_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000802;

/// @dev The contract at its address.
ICS20I constant ICS20_CONTRACT = ICS20I(ICS20_PRECOMPILE_ADDRESS);

/// @dev A channel that a token came through.
struct Hop {
    /// Port on this chain.
    string portId;
    /// Channel on this chain.
    string channelId;
}

/// @dev A voucher denomination.
struct Denom {
    /// Denomination on the chain of origin.
    string base;
    /// Channels that the token came through, last hop first.
    Hop[] trace;
}

/// @title ICS20 on chains with the interfaces of cosmos/evm
/// @notice Transfers of fungible tokens through IBC channels (ICS-20). An account, user or contract, sends its own
/// coins only.
interface ICS20I {
    /// @notice Sends coins through a channel. They are refunded if the receiving chain rejects the packet or it times
    /// out; one of the two timeouts must be set. Only the sender itself may call it, user or contract.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param denom Denomination of the coins, or of a registered token.
    /// @param amount Amount in base units of the denomination.
    /// @param sender Account whose coins are sent.
    /// @param receiver Address of the receiver in the format of the receiving chain.
    /// @param timeoutHeight Block height of the receiving chain at which the packet times out; zero for no timeout
    /// height.
    /// @param timeoutTimestamp Unix time in nanoseconds at which the packet times out; zero for no timeout time.
    /// @param memo Memo of the packet, for the receiving chain.
    /// @return nextSequence Sequence number of the packet.
    function transfer(string calldata sourcePort, string calldata sourceChannel, string calldata denom, uint256 amount, address sender, string calldata receiver, Height calldata timeoutHeight, uint64 timeoutTimestamp, string calldata memo) external returns (uint64 nextSequence);

    /// @notice Returns a voucher denomination; empty if it is unknown.
    /// @param hash Hash of the full path: `ibc/` and 64 hexadecimal digits, or the digits alone.
    /// @return denom Base denomination and channels.
    function denom(string calldata hash) external view returns (Denom memory denom);

    /// @notice Returns all voucher denominations.
    /// @param pageRequest Part of the list to return.
    /// @return denoms Denominations: pages in order of hashes, within a page in order of full paths.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function denoms(PageRequest calldata pageRequest) external view returns (Denom[] memory denoms, PageResponse memory pageResponse);

    /// @notice Returns the hash of a denomination trace; empty if it is unknown.
    /// @param trace Full path of the denomination, `port/channel/.../base`.
    /// @return hash Hash of the denomination trace: 64 upper-case hexadecimal digits without the prefix `ibc/`.
    function denomHash(string calldata trace) external view returns (string memory hash);

    /// @notice Emitted when coins are sent.
    /// @param sender Account whose coins are sent.
    /// @param receiver Address of the receiver in the format of the receiving chain.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination.
    /// @param memo Memo of the packet, for the receiving chain.
    event IBCTransfer(address indexed sender, string indexed receiver, string sourcePort, string sourceChannel, string denom, uint256 amount, string memo);
}
