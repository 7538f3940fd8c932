// The functions of the host that the interpreter imports; all are synchronous. Keys and values are big-endian words at WORDS (the second
// at WORDS + 32), addresses at ADDRESS; the frame that asks is the one that runs. Prices are whole numbers of gas.

/** Takes the slots of DIRTY, because the host is about to read one of them. */
export declare function flushStores(): void
/** Takes one slot of DIRTY, because its place in the cache is about to be used for another slot. */
export declare function flushSlot(slot: u32): void
/**
 * Accesses the slot of the first word: 1 if it was cold (EIP-2929), else 0. The second word becomes its value, the third its
 * value at the beginning of the transaction, if `withOriginal` is not 0.
 */
export declare function accessSlot(withOriginal: i32): i32
export declare function tload(): void
export declare function tstore(): void
/** What it costs to touch the account, which is warm from now on. */
export declare function access(): f64
/** The account's balance, as the second word. */
export declare function balance(): void
/** Of the frame's own account, as the second word. */
export declare function selfBalance(): void
export declare function codeSize(): u32
/** As the second word. */
export declare function codeHash(): void
/** Code of the account from an offset to an address in memory, with zeros behind its end. */
export declare function copyCode(to: usize, offset: u32, length: usize): void
/** Part of return data that are too long for RETURN_BYTES. */
export declare function copyReturn(to: usize, offset: u32, length: usize): void
/** Of an ancestor within the last 256, as the second word. */
export declare function blockHash(number: f64): void
/** Of the transaction's blob, as the second word; zero if there is none. */
export declare function blobHash(index: u32): void
/** Topics are the words from WORDS on. */
export declare function log(topics: i32, data: usize, length: usize): void
/** The code at this address has used so much gas that it is worth compiling. */
export declare function hot(code: u32): void
