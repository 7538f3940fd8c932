// The memory map of the engine and the reasons for which its interpreter stops. The engine and the host are both compiled from
// this file. It holds plain integers only, because the AssemblyScript compiler reads it too.
//
// The linear memory is divided into regions with fixed addresses; README.md draws them. From low to high:
//
//        0   constants of the AssemblyScript compiler, which places its own data from 8,192 on
//    1,024   OPCODES, PARAMETERS, UNPAID     of the fork, written when the rules change
//    4,096   ENVIRONMENT                     of the block and the transaction
//    5,120   ADDRESS, WORDS                  arguments and results of calls between engine and host
//    5,312   RETURN … MARKS                  variables that engine and host share
//    6,144   SCRATCH                         buffers of Keccak and of divisions
//   65,536   RETURN_BYTES                    return data of the last call, up to 32 KiB
//   98,304   DIRTY, WARMED                   lists of slots: to be written to the host; warm
//  163,840   ACCOUNTS, SLOTS, HASHES         caches
// 1,441,792  CODES                           loaded codes and records of compiled codes, until the area is full
// 9,175,040  FRAMES                          the call stack, to the end of the memory, which grows
//
// A name without prefix is an address; a name with a prefix (`F_`, `A_`, `S_`, `H_`, `ENV_`, `GAS_`) is an offset in bytes within a
// record or region. Addresses are multiples of 8. Numbers are little-endian, as WebAssembly has them.

// --- fixed addresses below the compiler's own data

/**
 * Per opcode 8 bytes: constant gas (u32), and the smallest and greatest stack height in bytes with which it can run (u16 each).
 * A smallest height of 65,535 means that the host runs the opcode if the greatest height is not 0, and that it is invalid otherwise.
 */
export const OPCODES = 1024
/** Gas parameters that differ by fork, u64 each: see `GAS_*`. */
export const PARAMETERS = 3072
/** Per opcode a u16: by how much its constant gas is below the fork's own price (`gas/unpaid-work.ts`). */
export const UNPAID = 3200
/** Words that do not change within a transaction: see `ENV_*`. */
export const ENVIRONMENT = 4096
/** An address in big-endian bytes: an argument for the host. */
export const ADDRESS = 5120
/** Big-endian words exchanged with the host: a slot's key, value and original value, or the topics of a log. */
export const WORDS = 5152
/** The last call's return data: address (0: they exceed RETURN_LIMIT and the host has them) and length, u32 each. */
export const RETURN = 5312
/** The epoch of the cache of accounts; increasing it invalidates all entries. */
export const EPOCH = 5320
/** Address of the innermost frame. */
export const CURRENT = 5324
/** Whether the interpreter may open frames itself: there is no tracer, and EIP-150 is active. */
export const MAY_CALL = 5328
/** u32: number of dirty slots, whose values have not been written to the host's state. */
export const DIRTY_COUNT = 5332
/** i64: change of the refund since it was last passed to the host. */
export const REFUND = 5336
/** Whether compiled code may run, and the gas after which a code is worth compiling: u32 each. */
export const COMPILES = 5344
export const HOT = 5348
/** i64 each: gas of a turn, gas by which a hash may delay its end, gas that the interpreter runs after a side exit. */
export const TURN = 5352
export const DELAY = 5360
export const STRETCH = 5368
/** u32: whether pairs of opcodes must not run as one, because a proposal has changed the table's prices. */
export const PLAIN = 5376
/**
 * i64: the gas that was lacking when an opcode failed with out of gas (`assembly/gas.ts`); 0 if its price is not known. For return
 * data out of bounds: minus the gas left after paying for the copy. `step` sets it to 0 first, `run` does not.
 */
export const MISSING = 5384
/** i64: the change of the refund by the SSTORE that lacked gas (MISSING). */
export const MISSING_REFUND = 5392
/** What the step log shows (`LOG_…` flags), the end of its text, and the end of the record's stack and memory: u32 each. */
export const LOG_FLAGS = 5400
export const LOG_AT = 5404
export const LOG_TAIL_END = 5408
/** Of the current record: pc, opcode, stack height, number of stack items at LOG_WORDS, u32 each; gas before the opcode, i64. */
export const LOG_PC = 5412
export const LOG_OP = 5416
export const LOG_HEIGHT = 5420
export const LOG_SHOWN = 5424
export const LOG_GAS = 5432
/** i64: the refund as last passed to the host. */
export const LOG_REFUND = 5440
/** Key and value of an SLOAD or SSTORE, as big-endian words. */
export const LOG_KEY = 5448
/** u32: number of records in the text. */
export const LOG_COUNT = 5512
/** i64: unpaid work that the transaction may still do (`gas/unpaid-work.ts`). */
export const WORK = 5520
/**
 * u32 each, compared with fields of a slot: the contents of storage that the values are from, the set of warm slots, and the
 * transaction. Increasing one makes the fields of all slots stale.
 */
export const STORAGE = 5528
export const WARMTH = 5532
export const TRANSACTION = 5536
/** u32: whether the host's journal has the warm slots; else WARMED has all of them. */
export const JOURNALED = 5540
/** u32: number of slots in WARMED. */
export const WARMED_COUNT = 5544
/**
 * i64 each: the state gas (EIP-8037) that is left in the transaction's reservoir, that is used, and the part of it that gas has
 * paid for because the reservoir was empty. A frame's part is the difference to its start (F_RESERVOIR, F_STATE_USED, F_SPILLED).
 */
export const RESERVOIR = 5552
export const STATE_USED = 5560
export const SPILLED = 5568
/** i64: SPILLED before the opcode of the log's current record. */
export const LOG_SPILLED = 5584
/** u32: whether the host is told which slots the transaction reads (EIP-7928). */
export const RECORDS = 5576
/** A byte for each opcode: whether `runToMarked` stops before it. */
export const MARKS = 5632
/** Addresses of the dirty slots' entries, u32 each. */
export const DIRTY = 98304
/** Addresses of the warm slots' entries in the order in which they became warm, u32 each, unless JOURNALED. */
export const WARMED = 131072
/** Buffers of Keccak's sponge and of long division. */
export const SCRATCH = 6144
/** Return data of the last call, up to RETURN_LIMIT bytes. */
export const RETURN_BYTES = 65536
export const RETURN_LIMIT = 32768
/** Direct-mapped cache of accounts with code: see `A_*`. */
export const ACCOUNTS = 163840
export const ACCOUNT_COUNT = 256
/** Hash table of storage slots by account and key: see `S_*`. A slot is within SLOT_REACH entries from the one that its hash names. */
export const SLOTS = 180224
export const SLOT_COUNT = 8192
export const SLOT_REACH = 8
/** Direct-mapped cache of Keccak-256 hashes of 64-byte inputs: see `H_*`. */
export const HASHES = 1228800
export const HASH_COUNT = 2048
/** Loaded codes, each after its header (`C_*`) and followed by zeros and a bit map of jump destinations. */
export const CODES = 1441792
export const CODES_END = 9175040
/** The call stack. A frame is a header, the stack and the memory; the next frame begins at the current end of this memory. */
export const FRAMES = 9175040

// --- the step log. In a transaction that is logged, the frames begin after it.

/** Names of the opcodes: each its length in a byte, then its text. */
export const LOG_NAMES = 9175040
export const LOG_NAME_BYTES = 32
/** JSON text of an error. */
export const LOG_ERROR = 9183232
export const LOG_ERROR_BYTES = 512
/** The stack of the last record, the text of its items, and the offset of each item's text. */
export const LOG_WORDS = 9183744
export const LOG_OFFSETS = 9217536
export const LOG_STACK_TEXT = 9222656
/** The text: records with a comma before each. */
export const LOG_TEXT = 9295872
export const LOG_END = 10344448
/** Bytes reserved for the head of a record. */
export const LOG_HEAD = 1024
/** What a record shows. */
export const LOG_STACK = 1
export const LOG_MEMORY = 2
export const LOG_RETURN = 4
export const LOG_STORAGE = 8
/** Nothing but this: records are packed (`PACKED_STEP` of `evm/tracer.ts`), not text. */
export const LOG_PACKED = 16
/** With LOG_PACKED: the item on top of the stack follows (`WIDE_STEP`). */
export const LOG_TOP = 32

/** Zero bytes after a code: operands of a PUSH at its end, and the implied STOP. */
export const CODE_PADDING = 40

/** The header before a code, as distances back from the code, u32 each: address of the compiled form (0: none), gas used. */
export const C_COMPILED = 8
export const C_HEAT = 4
export const CODE_HEADER = 32
/** A compiled form: its index in the function table (u32), then per byte of code the number of the trace that starts there (u16). */
export const COMPILED_ENTRIES = 4
/** Flag of an entry that is no jump destination: the frame may resume there, but a jump must not land there. */
export const ENTRY_ONLY = 32768

// --- a frame's header (u32 unless noted)

export const F_CODE = 0
export const F_CODE_LENGTH = 4
export const F_JUMPS = 8
export const F_DATA = 12
export const F_DATA_LENGTH = 16
export const F_STACK = 20
/** One past the top word. */
export const F_TOP = 24
export const F_MEMORY = 28
/** Bytes, a multiple of 32. */
export const F_MEMORY_SIZE = 32
export const F_PC = 36
/** i64 */
export const F_GAS = 40
export const F_OUTPUT = 48
export const F_OUTPUT_LENGTH = 52
export const F_STATIC = 56
/** The opcode that ran last, or that comes next when the frame pauses. */
export const F_OPCODE = 60
/** Stack words, least significant limb first. */
export const F_ADDRESS = 64
export const F_CALLER = 96
export const F_VALUE = 128
/** The calling frame, for frames that the interpreter has opened. */
export const F_PARENT = 160
/** Whether the host knows the frame: it has opened or adopted it, and closes it. Other frames the interpreter closes. */
export const F_KNOWN = 164
/** Number of the executing account, which is the account part of a slot's key in the table. */
export const F_ACCOUNT = 168
export const F_DEPTH = 172
/** u64: gas at the start of the frame. */
export const F_GAS_GIVEN = 176
/** The opcode that called. */
export const F_KIND = 184
/** WARMED_COUNT when the frame began, for frames that the interpreter has opened. */
export const F_WARMED = 188
/** i64 each: RESERVOIR, STATE_USED and SPILLED when the frame began. */
export const F_RESERVOIR = 192
export const F_STATE_USED = 200
export const F_SPILLED = 208
export const FRAME_HEADER = 224
export const STACK_BYTES = 32768
/** Bytes between stack and memory, because some opcodes write above the stack before its height is checked. */
export const STACK_MARGIN = 64

// --- entries of an account (64 bytes) and of a slot (128 bytes)

/** The address as a stack word, without the upper limb. */
export const A_ADDRESS = 0
export const A_EPOCH = 24
export const A_CODE = 28
export const A_CODE_LENGTH = 32
export const A_JUMPS = 36
export const A_ACCOUNT = 40
export const ACCOUNT_BYTES = 64

/** Key and value as big-endian words. */
export const S_KEY = 0
export const S_VALUE = 32
/** The value is of the present contents of storage if this equals STORAGE. */
export const S_STORAGE = 64
export const S_ACCOUNT = 68
/** u32: whether the slot is in DIRTY. */
export const S_DIRTY = 72
/** The slot is warm (EIP-2929) if this equals WARMTH. */
export const S_WARMTH = 76
/**
 * The original value is known if this equals TRANSACTION. Else the transaction has not written the slot, and a value of the present
 * contents is the original one too.
 */
export const S_TRANSACTION = 80
/** Not 0: this entry, whichever slot it has, is in the host's list of those that differ from earlier contents (`slot-table.ts`). */
export const S_LISTED = 84
/** The host was told that the transaction reads the slot if this equals TRANSACTION. */
export const S_READ = 88
/** The value at the start of the transaction. */
export const S_ORIGINAL = 96
export const SLOT_BYTES = 128

// --- a hash with its input (96 bytes)

export const H_INPUT = 0
export const H_WORD = 64
export const HASH_BYTES = 96

// --- offsets within PARAMETERS and ENVIRONMENT

export const GAS_EXP_BYTE = 0
export const GAS_INIT_CODE_WORD = 8
/** Of a warm slot, and of a warm account (EIP-2929). */
export const GAS_WARM = 16
/** Of SLOAD on a cold slot (EIP-2929); before that, 0 like GAS_WARM. */
export const GAS_COLD_SLOT = 24
/** 1: SSTORE compares with the value at the beginning of the transaction (EIP-1283, EIP-2200); 0: with the current one. */
export const STORE_IS_NET = 32
/** SSTORE fails with this much gas or less (EIP-2200); 0: no such check. */
export const GAS_STORE_SENTRY = 40
/** SSTORE of the current value; the cases are those of `assembly/sstore-gas.ts`. */
export const GAS_STORE_NOOP = 48
/** First write of a slot that was zero at the start of the transaction. */
export const GAS_STORE_INIT = 56
/** First write of any other slot. */
export const GAS_STORE_CLEAN = 64
/** A later write of the same slot. */
export const GAS_STORE_DIRTY = 72
/** Refund for a deletion; taken back when the slot gets another value again. */
export const REFUND_CLEAR = 80
/** Refunds for a reset to the value at the start of the transaction: zero, or another value. */
export const REFUND_INIT = 88
export const REFUND_CLEAN = 96
/** What SSTORE adds on a cold slot. */
export const GAS_COLD_STORE = 104
/** What EXTCODESIZE and EXTCODECOPY add (EIP-8038). */
export const GAS_CODE_READ = 112
/** State gas of a new slot (EIP-8037). */
export const STATE_GAS_SLOT = 120
export const PARAMETER_COUNT = 16

export const ENV_ORIGIN = 0
export const ENV_GAS_PRICE = 32
export const ENV_COINBASE = 64
export const ENV_TIMESTAMP = 96
export const ENV_NUMBER = 128
export const ENV_DIFFICULTY = 160
export const ENV_GAS_LIMIT = 192
export const ENV_CHAIN_ID = 224
export const ENV_BASE_FEE = 256
export const ENV_BLOB_BASE_FEE = 288
export const ENV_SLOT_NUMBER = 320

// --- reasons for which the interpreter stops; an opcode's number if the host has to carry it out

export const STOPPED = 0
/** The turn is over; the frame can continue. */
export const PAUSED = 256
export const OUT_OF_GAS = 257
export const STACK_UNDERFLOW = 258
export const STACK_OVERFLOW = 259
export const INVALID_JUMP = 260
export const INVALID_OPCODE = 261
export const STATIC_CHANGE = 262
/** RETURNDATACOPY beyond the end of the return data (EIP-211). */
export const RETURN_OUT_OF_BOUNDS = 263
/** The machine has no memory left. The failures of a frame are the reasons between PAUSED and this one. */
export const NO_MEMORY = 264

/** A side exit of compiled code: the interpreter continues. */
export const FALLEN = 265

/** The log has no room for the next record. */
export const LOG_FULL = 266
/** An SLOAD or SSTORE has run, and the host has to add the storage to its record. */
export const LOG_SLOT = 267

/** The next opcode is marked in MARKS. */
export const MARKED = 268

/** A proposal has functions for the opcode, so the host runs it. Not a failure: the frame continues. */
export const BY_HOST = 269

/** Gas that a turn may use before the host looks at the clock. */
export const TURN_GAS = 1000000
/** Gas by which a turn is extended at a KECCAK256: a pause at a JUMPDEST is better, because compiled code can be entered there. */
export const HASH_DELAY = 100000
/** Gas for which the interpreter runs after a side exit, before compiled code is tried again. */
export const STRETCH_GAS = 500
