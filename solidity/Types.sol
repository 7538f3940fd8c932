// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

/// @dev An amount of one denomination.
struct Coin {
    /// Denomination.
    string denom;
    /// Amount in base units (wei for the base denomination).
    uint256 amount;
}

/// @dev Part of a list to return.
struct PageRequest {
    /// `nextKey` of the previous page; empty, or one zero byte, for the first page.
    bytes key;
    /// Items to skip if no key is given.
    uint64 offset;
    /// Maximum number of items: 0 means 100, the largest is 1,000.
    uint64 limit;
    /// Whether to count the items of the whole list.
    bool countTotal;
    /// Whether to read the list from its end.
    bool reverse;
}

/// @dev Position in a list.
struct PageResponse {
    /// Key of the next page; empty at the end of the list.
    bytes nextKey;
    /// Number of items of the whole list, if it was requested.
    uint64 total;
}

/// @dev An amount of one denomination that is the whole part of a decimal.
struct DecCoin {
    /// Denomination.
    string denom;
    /// Whole base units; the fraction is truncated.
    uint256 amount;
    /// Always 18, as in the Cosmos SDK; the amount is not scaled by it.
    uint8 precision;
}

/// @dev A decimal fraction.
struct Dec {
    /// The fraction times 10^precision.
    uint256 value;
    /// Number of decimals: 18.
    uint8 precision;
}

/// @dev A height of another chain.
struct Height {
    /// Revision of the chain: the number at the end of its chain id.
    uint64 revisionNumber;
    /// Block height within the revision.
    uint64 revisionHeight;
}
