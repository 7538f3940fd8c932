// Where things lie in the engine's memory, and why its interpreter stops: one page that both sides are compiled from.
// Plain integers only, because the AssemblyScript compiler reads this file too. Addresses are bytes, all multiples of 8.

// --- fixed places below the compiler's own data

/** Per opcode 8 bytes: constant gas (u32), least and greatest stack in bytes (u16, u16) with which it may run. */
export const OPCODES = 1024
/** Gas parameters that differ by fork, u64 each: see `GAS_*`. */
export const PARAMETERS = 3072
/** Per opcode a u16: by how much its constant gas is below the fork's own price (`gas/unpaid-work.ts`). */
export const UNPAID = 3200
/** Words that are the same in the whole transaction: see `ENV_*`. */
export const ENVIRONMENT = 4096
/** An address in big-endian bytes, for the host. */
export const ADDRESS = 5120
/** Big-endian words for the host: a slot's key and its value, or the topics of a log. */
export const WORDS = 5152
/** Where the last call's return data are: address (0: the host has them) and length, u32 each. */
export const RETURN = 5312
/** Counts what has been forgotten: slots and accounts that were remembered before do not count any more. */
export const EPOCH = 5320
/** The frame that runs. */
export const CURRENT = 5324
/** Whether the interpreter may open frames itself: nobody watches, and calls keep back a 64th (EIP-150). */
export const MAY_CALL = 5328
/** Slots whose value the host has yet to be told: how many, and where they are, u32 each. */
export const DIRTY_COUNT = 5332
/** i64: by how much the refund has grown, or shrunk, since the host was told. */
export const REFUND = 5336
/** Whether compiled code may run, and how much gas makes a code worth compiling: u32 each. */
export const COMPILES = 5344
export const HOT = 5348
/** i64 each: gas of a turn, gas by which a hash may delay its end, gas of the interpreter's stretches beside compiled code. */
export const TURN = 5352
export const DELAY = 5360
export const STRETCH = 5368
/** u32: whether the interpreter runs each opcode by itself, because the table has prices of its own. */
export const PLAIN = 5376
/**
 * i64: by how much gas the price of an opcode exceeded what there was, when it failed for that; see `assembly/gas.ts`. 0: the
 * price is not known. Of return data out of bounds, which are paid for first: below zero, what was left after that. A step
 * sets it to 0 first, a run does not.
 */
export const MISSING = 5384
/** i64: by how much the refund would have grown with an SSTORE that MISSING is of. */
export const MISSING_REFUND = 5392
/** What the log of steps shows (`LOG_…` flags), where its text ends, and where that of the record's frame ends: u32 each. */
export const LOG_FLAGS = 5400
export const LOG_AT = 5404
export const LOG_TAIL_END = 5408
/** Of the record: pc, opcode, height of the stack, and how many stack items stand at LOG_WORDS, u32 each; gas before, i64. */
export const LOG_PC = 5412
export const LOG_OP = 5416
export const LOG_HEIGHT = 5420
export const LOG_SHOWN = 5424
export const LOG_GAS = 5432
/** i64: the refund that the host knows of. */
export const LOG_REFUND = 5440
/** Key and value of an SLOAD or SSTORE, as big-endian words. */
export const LOG_KEY = 5448
/** u32: how many records the text has. */
export const LOG_COUNT = 5512
/** i64: unpaid work that the transaction may still do. */
export const WORK = 5520
/** A byte for each opcode: whether `runToMarked` stops before it. */
export const MARKS = 5632
/** Addresses of the slots that DIRTY_COUNT counts, u32 each. */
export const DIRTY = 98304
/** Keccak's sponge and the dividers' digits. */
export const SCRATCH = 6144
/** Return data of the last call, as far as they fit. */
export const RETURN_BYTES = 65536
export const RETURN_LIMIT = 32768
/** Accounts with code that calls have found, each in the one place that its address allows: see `A_*`. */
export const ACCOUNTS = 131072
export const ACCOUNT_COUNT = 256
/** Slots that were read or written, each in the one place that account and key allow: see `S_*`. */
export const SLOTS = 163840
export const SLOT_COUNT = 4096
/** Hashes of 64 bytes, each in the one place that its input allows: see `H_*`. */
export const HASHES = 720896
export const HASH_COUNT = 2048
/** Code that was loaded, until the arena is full. */
export const CODES = 917504
export const CODES_END = 8650752
/** Frames, one above the other: header, stack, memory, and the next frame behind what this memory has become. */
export const FRAMES = 8650752

// --- the log of steps. While there is one, the frames begin behind it.

/** Names of the opcodes: each its length in a byte, then its text. */
export const LOG_NAMES = 8650752
export const LOG_NAME_BYTES = 32
/** JSON text of an error. */
export const LOG_ERROR = 8658944
export const LOG_ERROR_BYTES = 512
/** The stack of the last record, the text of its items, and where in it each item's text begins. */
export const LOG_WORDS = 8659456
export const LOG_OFFSETS = 8693248
export const LOG_STACK_TEXT = 8698368
/** The text: records with a comma before each. */
export const LOG_TEXT = 8771584
export const LOG_END = 9820160
/** Room for the head of a record. */
export const LOG_HEAD = 1024
/** What a record shows. */
export const LOG_STACK = 1
export const LOG_MEMORY = 2
export const LOG_RETURN = 4
export const LOG_STORAGE = 8

/** Zero bytes behind a code: what a PUSH at its end reads, and the STOP of running past it. */
export const CODE_PADDING = 40

/** What stands before a code, so many bytes before it, u32 each: where its compiled form is (0: nowhere), gas it has used. */
export const C_COMPILED = 8
export const C_HEAT = 4
export const CODE_HEADER = 32
/** A compiled form: its place in the table of functions (u32), then for each byte of code which entry begins there (u16). */
export const COMPILED_ENTRIES = 4
/** The entry is no place to jump to. */
export const ENTRY_ONLY = 32768

// --- a frame's header (u32 where nothing else is said)

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
/** The frame that called, 0 for what the host has opened first. */
export const F_PARENT = 160
/** Whether the host knows of the frame; if not, the interpreter ends it as it has begun it. */
export const F_KNOWN = 164
/** A number for the account in whose name it runs. */
export const F_ACCOUNT = 168
export const F_DEPTH = 172
/** u64: what it was given. */
export const F_GAS_GIVEN = 176
/** The opcode that called. */
export const F_KIND = 184
export const FRAME_HEADER = 192
export const STACK_BYTES = 32768
/** Between stack and memory, for a push that is found out afterwards. */
export const STACK_MARGIN = 64

// --- what is remembered of an account (64 bytes), and of a slot (128 bytes)

/** The address as a stack word, without the upper limb. */
export const A_ADDRESS = 0
export const A_EPOCH = 24
export const A_CODE = 28
export const A_CODE_LENGTH = 32
export const A_JUMPS = 36
export const A_ACCOUNT = 40
export const ACCOUNT_BYTES = 64

/** Key and value as big-endian words. It is warm. */
export const S_KEY = 0
export const S_VALUE = 32
export const S_EPOCH = 64
export const S_ACCOUNT = 68
/** u32: 1 + the slot's position in DIRTY while the host has not been told of the value; else 0. */
export const S_DIRTY = 72
/** Whether the value at the beginning of the transaction is there. */
export const S_HAS_ORIGINAL = 76
export const S_ORIGINAL = 80
export const SLOT_BYTES = 128

// --- a hash with its input (96 bytes)

export const H_INPUT = 0
export const H_WORD = 64
export const HASH_BYTES = 96

// --- places within PARAMETERS and ENVIRONMENT

export const GAS_EXP_BYTE = 0
export const GAS_INIT_CODE_WORD = 8
/** Of a warm slot, and of a warm account (EIP-2929). */
export const GAS_WARM = 16
/** Of SLOAD on a cold slot, and what SSTORE adds there (EIP-2929); before that, 0 like GAS_WARM. */
export const GAS_COLD_SLOT = 24
/** 1: SSTORE compares with the value at the beginning of the transaction (EIP-1283, EIP-2200); 0: with the current one. */
export const STORE_IS_NET = 32
/** SSTORE fails with so much gas or less (EIP-2200); 0: whatever pays for it is enough. */
export const GAS_STORE_SENTRY = 40
/** The value stays. */
export const GAS_STORE_NOOP = 48
/** A slot that is zero in the beginning is written first. */
export const GAS_STORE_INIT = 56
/** Another slot is written first. */
export const GAS_STORE_CLEAN = 64
/** A slot is written again. */
export const GAS_STORE_DIRTY = 72
/** A slot becomes zero; taken back when it does not stay zero. */
export const REFUND_CLEAR = 80
/** A slot is what it was in the beginning: zero, or another value. */
export const REFUND_INIT = 88
export const REFUND_CLEAN = 96
export const PARAMETER_COUNT = 13

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

// --- why the interpreter stops; an opcode's own number when the host has to carry it out

export const STOPPED = 0
/** Its turn is over; it goes on where it was. */
export const PAUSED = 256
export const OUT_OF_GAS = 257
export const STACK_UNDERFLOW = 258
export const STACK_OVERFLOW = 259
export const INVALID_JUMP = 260
export const INVALID_OPCODE = 261
export const STATIC_CHANGE = 262
/** RETURNDATACOPY beyond the end of the return data (EIP-211). */
export const RETURN_OUT_OF_BOUNDS = 263
/** The computer has no memory left, whatever the gas says. Failures of the frame itself are those between PAUSED and here. */
export const NO_MEMORY = 264

/** Compiled code leaves the rest to the interpreter. */
export const FALLEN = 265

/** The log has no room for the next record. */
export const LOG_FULL = 266
/** The record of an SLOAD or SSTORE waits for the storage that it shows. */
export const LOG_SLOT = 267

/** The next opcode is marked. */
export const MARKED = 268

/** Gas that a turn may use before the host looks at the clock. */
export const TURN_GAS = 1000000
/** By how much gas a turn may be late at a hash: a loop is better left at its JUMPDEST, where compiled code can be entered. */
export const HASH_DELAY = 100000
/** Gas after which the interpreter, when compiled code has given up, looks whether that can go on. */
export const STRETCH_GAS = 500
