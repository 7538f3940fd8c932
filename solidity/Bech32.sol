// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

/// @dev Address of the contract.
address constant BECH32_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000400;

/// @dev The contract at its address.
Bech32I constant BECH32_CONTRACT = Bech32I(BECH32_PRECOMPILE_ADDRESS);

/// @title Bech32
/// @notice Conversion between addresses of 20 bytes and their bech32 encoding. The functions read no state.
interface Bech32I {
    /// @notice Encodes an address as bech32. Reverts if the prefix is empty or contains characters other than visible
    /// ASCII.
    /// @param addr Address of 20 bytes.
    /// @param prefix Human-readable part, such as `kest` or `kestvaloper`.
    /// @return bech32Address Bech32 encoding of the address.
    function hexToBech32(address addr, string calldata prefix) external view returns (string memory bech32Address);

    /// @notice Decodes a bech32 address with any prefix. Reverts if the checksum or the length is wrong.
    /// @param bech32Address Bech32 address.
    /// @return addr Address of 20 bytes.
    function bech32ToHex(string calldata bech32Address) external view returns (address addr);
}
