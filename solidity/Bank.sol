// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

/// @dev Address of the contract.
address constant BANK_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000804;

/// @dev The contract at its address.
BankI constant BANK_CONTRACT = BankI(BANK_PRECOMPILE_ADDRESS);

/// @dev An amount of one token.
struct Balance {
    /// Token contract; the zero address is the base denomination.
    address contractAddress;
    /// Amount in base units of the token (wei for the base denomination).
    uint256 amount;
}

/// @title Bank
/// @notice Balances and supply of the base denomination and of coins with a token contract (the module x/bank of the
/// Cosmos SDK). The base denomination has the zero address.
interface BankI {
    /// @notice Returns all balances of an account that have a token contract.
    /// @param account Account whose balances are read.
    /// @return balances One item for each token.
    function balances(address account) external view returns (Balance[] memory balances);

    /// @notice Returns the supply of all tokens.
    /// @return totalSupply One item for each token.
    function totalSupply() external view returns (Balance[] memory totalSupply);

    /// @notice Returns the supply of one token; 0 if it is not registered.
    /// @param erc20Address Token contract; the zero address is the base denomination.
    /// @return totalSupply Supply in base units of the token.
    function supplyOf(address erc20Address) external view returns (uint256 totalSupply);
}
