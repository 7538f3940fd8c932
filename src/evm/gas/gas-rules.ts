// Gas and limits that are equal in all forks (Yellow Paper, appendices G and H; the EIPs named). Engines, native calls and
// tools use them; prices that differ by fork are in `fork-gas.ts` and `opcode-table.ts`. Plain integers only, because the
// AssemblyScript compiler reads this file too.

/** Maximum stack height of a frame. */
export const STACK_LIMIT = 1024
/** Maximum depth of nested frames: a call or creation at this depth fails before it begins. */
export const MAX_DEPTH = 1024

/** Constant gas tiers (appendix G: G_base, G_verylow, G_mid, G_high), and that of JUMPDEST. */
export const GAS_BASE = 2
export const GAS_VERY_LOW = 3
export const GAS_MID = 8
export const GAS_HIGH = 10
export const GAS_JUMPDEST = 1

/** Number of ancestors that BLOCKHASH can return. */
export const BLOCK_HASH_WINDOW = 256

/** EIP-150: a frame retains one part in this many of its gas in a call. */
export const CALL_GAS_DIVISOR = 64
/** The stipend: gas that a call with value adds to the callee's gas at no cost for the caller. */
export const CALL_STIPEND = 2300

/** Per word of memory, and the divisor of the square part. */
export const MEMORY_WORD = 3
export const MEMORY_QUADRATIC_DIVISOR = 512
/** Per word that an opcode copies. */
export const COPY_WORD = 3
/** Per word that KECCAK256 hashes, and CREATE2 for its address. */
export const KECCAK_WORD = 6
export const LOG_TOPIC = 375
export const LOG_BYTE = 8

/** EIP-2929: a slot or account that the transaction has accessed before. */
export const WARM_ACCESS = 100
