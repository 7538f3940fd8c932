// Structs that several precompiles share, as lines of a human-readable ABI.

export const COIN = 'struct Coin { string denom; uint256 amount; }'
export const PAGE_REQUEST =
  'struct PageRequest { bytes key; uint64 offset; uint64 limit; bool countTotal; bool reverse; }'
export const PAGE_RESPONSE = 'struct PageResponse { bytes nextKey; uint64 total; }'
