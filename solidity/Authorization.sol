// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

/// @dev Address of the contract.
address constant AUTHORIZATION_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000A00;

/// @dev The contract at its address.
AuthorizationI constant AUTHORIZATION_CONTRACT = AuthorizationI(AUTHORIZATION_PRECOMPILE_ADDRESS);

// Type URLs of the messages that can be granted.
string constant MSG_DELEGATE = "/cosmos.staking.v1beta1.MsgDelegate";
string constant MSG_UNDELEGATE = "/cosmos.staking.v1beta1.MsgUndelegate";
string constant MSG_REDELEGATE = "/cosmos.staking.v1beta1.MsgBeginRedelegate";
string constant MSG_CANCEL_UNDELEGATION = "/cosmos.staking.v1beta1.MsgCancelUnbondingDelegation";
string constant MSG_SET_WITHDRAWER_ADDRESS = "/cosmos.distribution.v1beta1.MsgSetWithdrawAddress";
string constant MSG_WITHDRAW_DELEGATOR_REWARD = "/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward";
string constant MSG_WITHDRAW_VALIDATOR_COMMISSION = "/cosmos.distribution.v1beta1.MsgWithdrawValidatorCommission";
string constant MSG_FUND_VESTING_ACCOUNT = "/evmos.vesting.v2.MsgFundVestingAccount";
string constant MSG_CLAWBACK = "/evmos.vesting.v2.MsgClawback";
string constant MSG_UPDATE_VESTING_FUNDER = "/evmos.vesting.v2.MsgUpdateVestingFunder";

/// @title Authorization
/// @notice Grants by which a contract may act for an account (the module x/authz of the Cosmos SDK). A grant is valid
/// for one type of message until it is used up, revoked or expired (by default after one year). The granter is the caller.
/// A contract can use a grant only in a transaction that the granter has signed. The staking and distribution contracts
/// have the same functions for their messages.
interface AuthorizationI {
    /// @notice Grants messages to a spender and replaces its earlier grants of them. Reverts if the spender is the zero
    /// address or a method is unknown.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param amount Limit in wei for staking messages; the maximum of uint256 means no limit, 0 revokes the grant.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @return approved Always true: a failure reverts.
    function approve(address spender, uint256 amount, string[] calldata methods) external returns (bool approved);

    /// @notice Revokes grants. Reverts if one of them does not exist.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @return revoked Always true: a failure reverts.
    function revoke(address spender, string[] calldata methods) external returns (bool revoked);

    /// @notice Raises the limit of existing grants of staking messages. Reverts if one of them does not exist.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param amount Amount in wei to add to the limit.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @return approved Always true: a failure reverts.
    function increaseAllowance(address spender, uint256 amount, string[] calldata methods) external returns (bool approved);

    /// @notice Lowers the limit of existing grants of staking messages. Reverts if one of them does not exist or its
    /// limit is lower than the amount.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param amount Amount in wei to subtract from the limit.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @return approved Always true: a failure reverts.
    function decreaseAllowance(address spender, uint256 amount, string[] calldata methods) external returns (bool approved);

    /// @notice Returns the remaining limit of a grant, or 0 if there is none.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param method Message type URL, or the name of its `MSG_` constant.
    /// @return remaining Remaining amount in wei; the maximum of uint256 means no limit.
    function allowance(address owner, address spender, string calldata method) external view returns (uint256 remaining);

    /// @notice Emitted when messages are granted.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @param value Limit of the grants in wei.
    event Approval(address indexed owner, address indexed spender, string[] methods, uint256 value);

    /// @notice Emitted when grants are revoked.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    event Revocation(address indexed owner, address indexed spender, string[] methods);

    /// @notice Emitted when the limits of grants are raised or lowered.
    /// @param owner Account that granted the authorization.
    /// @param spender Account, usually a contract, that may use the authorization.
    /// @param methods Message type URLs, or the names of their `MSG_` constants.
    /// @param values New limit of each method in wei, in the order of `methods`; the maximum of uint256 means no limit.
    event AllowanceChange(address indexed owner, address indexed spender, string[] methods, uint256[] values);
}
