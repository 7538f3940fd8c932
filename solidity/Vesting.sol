// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "./Types.sol";

/// @dev Address of the contract.
address constant VESTING_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000803;

/// @dev The contract at its address.
VestingI constant VESTING_CONTRACT = VestingI(VESTING_PRECOMPILE_ADDRESS);

/// @dev A period of a schedule.
struct Period {
    /// Length in seconds, from the end of the previous period.
    int64 length;
    /// Coins that unlock or vest at the end of the period.
    Coin[] amount;
}

/// @title Vesting
/// @notice Clawback vesting accounts (the module x/vesting of Evmos). Coins of such an account unlock and vest by
/// schedules; its funder may claw back unvested coins. Only the account itself can become a vesting account. Times
/// are unix seconds.
interface VestingI {
    /// @notice Makes the caller a clawback vesting account that the funder may fund. Reverts if it is one
    /// already.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param vestingAddress Account that becomes a vesting account: the caller, or the signer of the transaction on
    /// chains whose grants belong to the signer.
    /// @param enableGovClawback Whether governance may claw back the unvested coins, too.
    /// @return success Always true: a failure reverts.
    function createClawbackVestingAccount(address funderAddress, address vestingAddress, bool enableGovClawback) external returns (bool success);

    /// @notice Transfers coins to a vesting account with a lockup schedule and a vesting schedule, whose totals must be
    /// equal. The caller must be the funder, or a contract that the funder has granted this message, in a transaction
    /// that the funder signed; reverts for others.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param vestingAddress Vesting account.
    /// @param startTime Unix time in seconds at which both schedules start.
    /// @param lockupPeriods Lockup schedule: periods after which coins unlock; empty if all coins are unlocked at once.
    /// @param vestingPeriods Vesting schedule: periods after which coins vest; empty if all coins are vested at once.
    /// @return success Always true: a failure reverts.
    function fundVestingAccount(address funderAddress, address vestingAddress, uint64 startTime, Period[] calldata lockupPeriods, Period[] calldata vestingPeriods) external returns (bool success);

    /// @notice Transfers the unvested coins of a vesting account to `destAddress` and makes it an ordinary account. The
    /// caller must be the funder, or a contract that the funder has granted this message, in a transaction that the
    /// funder signed; reverts for others.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param accountAddress Vesting account.
    /// @param destAddress Account that receives the unvested coins; the zero address means the funder.
    /// @return Coins clawed back.
    function clawback(address funderAddress, address accountAddress, address destAddress) external returns (Coin[] memory);

    /// @notice Replaces the funder of a vesting account. The caller must be the funder, or a contract that the funder
    /// has granted this message, in a transaction that the funder signed; reverts for others.
    /// @param funderAddress Current funder.
    /// @param newFunderAddress Account that replaces the funder.
    /// @param vestingAddress Vesting account.
    /// @return success Always true: a failure reverts.
    function updateVestingFunder(address funderAddress, address newFunderAddress, address vestingAddress) external returns (bool success);

    /// @notice Makes a vesting account whose schedules have ended an ordinary account. Any account may call it. Reverts
    /// before the end of the schedules.
    /// @param vestingAddress Vesting account.
    /// @return success Always true: a failure reverts.
    function convertVestingAccount(address vestingAddress) external returns (bool success);

    /// @notice Returns the locked, unvested and vested coins of a vesting account. Coins may be both locked and
    /// unvested. Reverts if the account is not a vesting account.
    /// @param vestingAddress Vesting account.
    /// @return locked Coins that the lockup schedule has not released.
    /// @return unvested Coins that have not vested.
    /// @return vested Coins that have vested.
    function balances(address vestingAddress) external view returns (Coin[] memory locked, Coin[] memory unvested, Coin[] memory vested);

    /// @notice Emitted when an account becomes a vesting account.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param vestingAddress Vesting account.
    event CreateClawbackVestingAccount(address indexed funderAddress, address indexed vestingAddress);

    /// @notice Emitted when a vesting account is funded.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param vestingAddress Vesting account.
    /// @param startTime Unix time in seconds at which both schedules start.
    /// @param lockupPeriods Lockup schedule: periods after which coins unlock; empty if all coins are unlocked at once.
    /// @param vestingPeriods Vesting schedule: periods after which coins vest; empty if all coins are vested at once.
    event FundVestingAccount(address indexed funderAddress, address indexed vestingAddress, uint64 startTime, Period[] lockupPeriods, Period[] vestingPeriods);

    /// @notice Emitted when unvested coins are clawed back.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param accountAddress Vesting account.
    /// @param destAddress Account that received the coins.
    event Clawback(address indexed funderAddress, address indexed accountAddress, address destAddress);

    /// @notice Emitted when the funder of a vesting account is replaced.
    /// @param funderAddress Account that pays the grant and may claw it back.
    /// @param vestingAddress Vesting account.
    /// @param newFunderAddress Account that replaces the funder.
    event UpdateVestingFunder(address indexed funderAddress, address indexed vestingAddress, address newFunderAddress);

    /// @notice Emitted when a vesting account becomes an ordinary account.
    /// @param vestingAddress Vesting account.
    event ConvertVestingAccount(address indexed vestingAddress);

    /// @notice Grants one vesting message without a limit and replaces an earlier grant of it. The granter is the
    /// caller. Reverts if the message is not one of this contract's.
    /// @param grantee Account, usually a contract, that receives the authorization.
    /// @param method Message type URL, or the name of its `MSG_` constant.
    /// @return approved Always true: a failure reverts.
    function approve(address grantee, string calldata method) external returns (bool approved);

    /// @notice Emitted when a vesting message is granted.
    /// @param grantee Account, usually a contract, that receives the authorization.
    /// @param granter Account that grants the authorization.
    /// @param method Message type URL, or the name of its `MSG_` constant.
    event Approval(address indexed grantee, address indexed granter, string method);
}
