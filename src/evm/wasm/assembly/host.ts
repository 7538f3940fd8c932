// The functions of the host that the interpreter imports; all are synchronous. Keys and values are big-endian words at WORDS (the second
// at WORDS + 32), addresses at ADDRESS; the calling frame is CURRENT. Gas is a whole number.

/** Writes the dirty slots to the host's state, because the host is about to read one of them. */
export declare function flushStores(): void
/** Writes one dirty slot to the host's state, because its cache entry is about to be overwritten. */
export declare function flushSlot(slot: u32): void
/**
 * Accesses the slot of the first word: 1 if it was cold (EIP-2929), else 0. The second word becomes its value, the third its
 * value at the beginning of the transaction, if `withOriginal` is not 0.
 */
export declare function accessSlot(withOriginal: i32): i32
export declare function tload(): void
export declare function tstore(): void
/** Returns the gas of accessing the account (EIP-2929), and makes it warm. */
export declare function access(): f64
/** The account's balance, as the second word. */
export declare function balance(): void
/** Of the frame's own account, as the second word. */
export declare function selfBalance(): void
export declare function codeSize(): u32
/** As the second word. */
export declare function codeHash(): void
/** Code of the account from an offset to an address in memory, with zeros after its end. */
export declare function copyCode(to: usize, offset: u32, length: usize): void
/** Copies a part of return data that exceed RETURN_LIMIT, which the host holds. */
export declare function copyReturn(to: usize, offset: u32, length: usize): void
/** Of an ancestor within the last 256, as the second word. */
export declare function blockHash(number: f64): void
/** Of the transaction's blob, as the second word; zero if there is none. */
export declare function blobHash(index: u32): void
/** Topics are the words from WORDS on. */
export declare function log(topics: i32, data: usize, length: usize): void
/** The code at this address has used the gas at which it is worth compiling (HOT). */
export declare function hot(code: u32): void
