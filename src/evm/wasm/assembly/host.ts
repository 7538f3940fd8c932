// The functions of the host that the interpreter imports; all are synchronous. Keys and values are big-endian words at WORDS (the second
// at WORDS + 32), addresses at ADDRESS; the calling frame is CURRENT. Gas is a whole number.

/** Writes the dirty slots to the host's state: before the host reads one of them, and before an entry is overwritten. */
export declare function flushStores(): void
/** Makes the host's checkpoints of the frames that the interpreter has opened. */
export declare function adoptFrames(): void
/** Passes the warm slots on to the host's journal, which is asked from now on: see JOURNALED. */
export declare function takeSlots(): void
/**
 * Accesses the slot of an entry: 1 if the journal is asked and the slot was cold (EIP-2929), else 0. If the entry has no valid
 * value, writes the value and that at the beginning of the transaction.
 */
export declare function accessSlot(slot: u32): i32
/** The transaction reads the slot of an entry (EIP-7928). */
export declare function readSlot(slot: u32): void
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
