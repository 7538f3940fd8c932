// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "./Types.sol";

/// @dev Address of the contract.
address constant ICS20_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000802;

/// @dev The contract at its address.
ICS20I constant ICS20_CONTRACT = ICS20I(ICS20_PRECOMPILE_ADDRESS);

/// @dev Granted transfers through one channel.
struct Allocation {
    /// Port on this chain.
    string sourcePort;
    /// Channel on this chain.
    string sourceChannel;
    /// Maximum amount of each denomination; the maximum of uint256 means no limit.
    Coin[] spendLimit;
    /// Allowed receivers; empty allows all.
    string[] allowList;
}

/// @dev Origin of a voucher denomination.
struct DenomTrace {
    /// Ports and channels that the token came through, last hop first.
    string path;
    /// Denomination on the chain of origin.
    string baseDenom;
}

/// @dev Granted transfers through one channel, with a list of allowed memos.
struct ICS20Allocation {
    /// Port on this chain.
    string sourcePort;
    /// Channel on this chain.
    string sourceChannel;
    /// Maximum amount of each denomination; the maximum of uint256 means no limit.
    Coin[] spendLimit;
    /// Allowed receivers; empty allows all.
    string[] allowList;
    /// Allowed memos; empty allows only the empty memo, `*` allows all.
    string[] allowedPacketData;
}

/// @title ICS20
/// @notice Transfers of fungible tokens through IBC channels (ICS-20). A contract may send its own coins, or coins of
/// the signer within an authorization that the signer has granted here, channel by channel.
interface ICS20I {
    /// @notice Grants transfers to a spender and replaces its earlier transfer grant. All memos are allowed. The
    /// granter is the caller. Reverts if a channel does not exist.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param allocations One allocation for each channel.
    /// @return approved Always true: a failure reverts.
    function approve(address spender, Allocation[] calldata allocations) external returns (bool approved);

    /// @notice Revokes the spender's transfer grant. Reverts if there is none.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @return revoked Always true: a failure reverts.
    function revoke(address spender) external returns (bool revoked);

    /// @notice Raises the limit of one denomination in one channel. Reverts if there is no grant for them.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination to add to the limit.
    /// @return approved Always true: a failure reverts.
    function increaseAllowance(address spender, string calldata sourcePort, string calldata sourceChannel, string calldata denom, uint256 amount) external returns (bool approved);

    /// @notice Lowers the limit of one denomination in one channel. Reverts if there is no grant for them or the limit
    /// is lower than the amount.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination to subtract from the limit.
    /// @return approved Always true: a failure reverts.
    function decreaseAllowance(address spender, string calldata sourcePort, string calldata sourceChannel, string calldata denom, uint256 amount) external returns (bool approved);

    /// @notice Sends coins through a channel. They are refunded if the receiving chain rejects the packet or it times
    /// out; one of the two timeouts must be set. The caller must be the sender, or a contract that the sender has
    /// granted this message, in a transaction that the sender signed; reverts for others.
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

    /// @notice Returns the trace of a voucher denomination; empty if it is unknown.
    /// @param hash Hash of the trace: `ibc/` and 64 hexadecimal digits, or the digits alone.
    /// @return denomTrace Path and base denomination.
    function denomTrace(string calldata hash) external view returns (DenomTrace memory denomTrace);

    /// @notice Returns the traces of all voucher denominations.
    /// @param pageRequest Part of the list to return.
    /// @return denomTraces Traces: pages in order of hashes, within a page in order of paths.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function denomTraces(PageRequest calldata pageRequest) external view returns (DenomTrace[] memory denomTraces, PageResponse memory pageResponse);

    /// @notice Returns the hash of a denomination trace; empty if it is unknown.
    /// @param trace Full path of the denomination, `port/channel/.../base`.
    /// @return hash Hash of the denomination trace: 64 upper-case hexadecimal digits without the prefix `ibc/`.
    function denomHash(string calldata trace) external view returns (string memory hash);

    /// @notice Returns the allocations of a transfer grant; empty if there is none.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @return allocations One allocation for each channel.
    function allowance(address owner, address spender) external view returns (Allocation[] memory allocations);

    /// @notice Emitted when coins are sent.
    /// @param sender Account whose coins are sent.
    /// @param receiver Address of the receiver in the format of the receiving chain.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param denom Denomination of the coin.
    /// @param amount Amount in base units of the denomination.
    /// @param memo Memo of the packet, for the receiving chain.
    event IBCTransfer(address indexed sender, string indexed receiver, string sourcePort, string sourceChannel, string denom, uint256 amount, string memo);

    /// @notice Emitted for each channel of a transfer grant.
    /// @param grantee Account, usually a contract, that receives the authorization.
    /// @param granter Account that grants the authorization.
    /// @param sourcePort Port on this chain, usually `transfer`.
    /// @param sourceChannel Channel on this chain.
    /// @param spendLimit Maximum amount of each denomination that may be sent.
    event IBCTransferAuthorization(address indexed grantee, address indexed granter, string sourcePort, string sourceChannel, Coin[] spendLimit);

    /// @notice Emitted when a transfer grant is revoked.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    event RevokeIBCTransferAuthorization(address indexed owner, address indexed spender);

    /// @notice Emitted when the limit of a transfer grant is raised or lowered.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @param values New limit in base units of the denomination.
    event AllowanceChange(address indexed owner, address indexed spender, string[] methods, uint256[] values);

    /// @notice Grants transfers with a list of allowed memos to a grantee and replaces its earlier transfer grant. The
    /// granter is the caller. Reverts if a channel does not exist.
    /// @param grantee Account, usually a contract, that receives the authorization.
    /// @param allocations One allocation for each channel.
    /// @return approved Always true: a failure reverts.
    function approve(address grantee, ICS20Allocation[] calldata allocations) external returns (bool approved);
}
