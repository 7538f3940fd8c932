// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "./Types.sol";

/// @dev Address of the contract.
address constant SLASHING_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000806;

/// @dev The contract at its address.
SlashingI constant SLASHING_CONTRACT = SlashingI(SLASHING_PRECOMPILE_ADDRESS);

/// @dev Signing info of a validator.
struct SigningInfo {
    /// Consensus address: the first 20 bytes of the SHA-256 hash of the consensus public key.
    address validatorAddress;
    /// Height of the block in which the validator was last bonded.
    int64 startHeight;
    /// Votes counted since it was first bonded or last jailed for downtime.
    int64 indexOffset;
    /// Unix time in seconds before which it cannot be unjailed.
    int64 jailedUntil;
    /// Whether it is jailed permanently, after a double sign.
    bool tombstoned;
    /// Votes missed in the window of signed blocks.
    int64 missedBlocksCounter;
}

/// @dev Parameters of slashing.
struct SlashingParams {
    /// Length of the window of signed blocks.
    int64 signedBlocksWindow;
    /// Fraction of the window that a validator must sign.
    Dec minSignedPerWindow;
    /// Seconds of jail for downtime.
    int64 downtimeJailDuration;
    /// Fraction of the stake that is burnt for a double sign.
    Dec slashFractionDoubleSign;
    /// Fraction of the stake that is burnt for downtime.
    Dec slashFractionDowntime;
}

/// @title Slashing
/// @notice Signing infos of validators, and unjailing (the module x/slashing of the Cosmos SDK).
interface SlashingI {
    /// @notice Returns the signing info of a validator. Reverts if no validator with this key was ever bonded.
    /// @param consAddress Consensus address: the first 20 bytes of the SHA-256 hash of the consensus public key.
    /// @return signingInfo The signing info.
    function getSigningInfo(address consAddress) external view returns (SigningInfo memory signingInfo);

    /// @notice Returns the signing infos of all validators that were ever bonded, in order of consensus address.
    /// @param pagination Part of the list to return.
    /// @return signingInfos Signing infos.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function getSigningInfos(PageRequest calldata pagination) external view returns (SigningInfo[] memory signingInfos, PageResponse memory pageResponse);

    /// @notice Returns the parameters of slashing.
    /// @return params Current parameters.
    function getParams() external view returns (SlashingParams memory params);

    /// @notice Unjails a validator, which can then be bonded again. Only its operator may call it. Reverts before the end
    /// of its jail time, for a tombstoned validator, and if its self-delegation is below its minimum.
    /// @param validatorAddress Address of the operator.
    /// @return success Always true: a failure reverts.
    function unjail(address validatorAddress) external returns (bool success);

    /// @notice Emitted when a validator is unjailed.
    /// @param validator Address of the operator.
    event ValidatorUnjailed(address indexed validator);
}
