// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

/// @dev Address of the contract.
address constant WERC20_PRECOMPILE_ADDRESS = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

/// @dev The contract at its address.
Werc20I constant WERC20_CONTRACT = Werc20I(payable(WERC20_PRECOMPILE_ADDRESS));

/// @title The chain's coin as an ERC-20 token
/// @dev A balance is the account's own balance of coins, so deposits return the coins at once, and withdrawals move nothing.
interface Werc20I {
    /// @dev Tokens have moved by this contract. Coins that move otherwise log nothing here.
    /// @param from The account that has paid.
    /// @param to The account that has received.
    /// @param value Base units.
    event Transfer(address indexed from, address indexed to, uint256 value);

    /// @dev An allowance has changed, also by transferFrom.
    /// @param owner The account that allows.
    /// @param spender The account that may spend.
    /// @param value Base units that it may spend now.
    event Approval(address indexed owner, address indexed spender, uint256 value);

    /// @dev The contract has received coins and returned them.
    /// @param dst The account that has sent them.
    /// @param wad Base units.
    event Deposit(address indexed dst, uint256 wad);

    /// @dev An account has asked for coins that it has.
    /// @param src The account.
    /// @param wad Base units.
    event Withdrawal(address indexed src, uint256 wad);

    /// @dev As `deposit`.
    receive() external payable;

    /// @dev As `deposit`, with any input that names no function.
    fallback() external payable;

    /// @dev Returns the value to the caller.
    function deposit() external payable;

    /// @dev Moves nothing. Reverts if the caller may not spend as much.
    /// @param wad Base units.
    function withdraw(uint256 wad) external;

    /// @dev Name of the coin.
    /// @return The name.
    function name() external view returns (string memory);

    /// @dev Symbol of the coin.
    /// @return The symbol.
    function symbol() external view returns (string memory);

    /// @dev 18.
    /// @return Always 18.
    function decimals() external view returns (uint8);

    /// @dev Base units in existence.
    /// @return The supply.
    function totalSupply() external view returns (uint256);

    /// @dev The account's balance of coins, in base units.
    /// @param account The account.
    /// @return The balance.
    function balanceOf(address account) external view returns (uint256);

    /// @dev Base units that the spender may still move for the owner.
    /// @param owner The account that allows.
    /// @param spender The account that may spend.
    /// @return The rest of the allowance.
    function allowance(address owner, address spender) external view returns (uint256);

    /// @dev Moves coins of the caller. Reverts for an amount of zero.
    /// @param to The account that receives.
    /// @param value Base units.
    /// @return Always true: a failure reverts.
    function transfer(address to, uint256 value) external returns (bool);

    /// @dev Sets an allowance. None is unlimited: 2^256 - 1 becomes less by what is moved.
    /// @param spender The account that may spend.
    /// @param value Base units.
    /// @return Always true: a failure reverts.
    function approve(address spender, uint256 value) external returns (bool);

    /// @dev Moves coins of an account that has allowed it to the caller. An owner needs an allowance too.
    /// @param from The account that pays.
    /// @param to The account that receives.
    /// @param value Base units.
    /// @return Always true: a failure reverts.
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}
