// Checks an imported header against its parent and the rules of its fork without executing the block; `import-block.ts`
// compares the other fields after execution. Each failed check is a ChainError `invalid-block` with its reason.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { EMPTY_UNCLES_HASH, unclesHash } from '../primitives/block.ts'
import { nextExcessBlobGas } from '../primitives/fees.ts'
import { GAS_PER_BLOB } from '../primitives/gas.ts'
import { sealHeader } from '../primitives/header.ts'
import type { Block, Header, SealedHeader } from '../primitives/types.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import type { Fork } from '../spec/chain-spec.ts'
import { type ForkRules, forkRules } from '../spec/fork-rules.ts'
import type { StateView } from '../state/types.ts'
import { blobRulesOf } from './block-env.ts'
import { checkDaoExtraData } from './dao-fork.ts'
import { checkGasLimit } from './gas-limit.ts'
import { requireBlockRule } from './require-block-rule.ts'
import type { Runtime } from './runtime.ts'

const MAX_EXTRA_BYTES = 32
const MAX_UNCLES = 2
const MAX_UNCLE_DISTANCE = 6n

/** The chain that the header extends. */
export type Ancestry = {
  readonly parent: SealedHeader
  /** Up to and including the parent; undefined after the merge. */
  readonly totalDifficulty: bigint | undefined
  /** Ancestors with their uncles, the parent first, as far back as uncles may refer. */
  readonly recent: readonly Pick<Block, 'header' | 'uncles'>[]
}

/**
 * Throws ChainError `invalid-block` unless the header and the uncles' headers follow the rules of their forks. `state`: the
 * parent's.
 */
export function checkHeader(
  runtime: Runtime,
  block: Pick<Block, 'header' | 'uncles'>,
  ancestry: Ancestry,
  state: StateView,
): void {
  const { header } = block
  const { parent } = ancestry
  requireBlockRule(header.parentHash === parent.hash, `parent ${header.parentHash} is not the head ${parent.hash}`)
  checkAfterParent(runtime, header, parent, state)
  checkWork(runtime, header, ancestry)
  checkUncles(runtime, block, ancestry, state)
}

/** The rules that compare a header with its parent, for blocks and uncles alike, except difficulty and seal. */
function checkAfterParent(runtime: Runtime, header: Header, parent: Header, state: StateView): void {
  requireBlockRule(header.number === parent.number + 1n, `number ${header.number} does not follow ${parent.number}`)
  const earliest = earliestTimestamp(runtime.spec, parent.timestamp)
  const relation = earliest > parent.timestamp ? 'not after' : 'before'
  requireBlockRule(
    header.timestamp >= earliest,
    `timestamp ${header.timestamp} is ${relation} the parent's ${parent.timestamp}`,
  )
  requireBlockRule((header.extraData.length - 2) / 2 <= MAX_EXTRA_BYTES, 'extra data is longer than 32 bytes')
  requireBlockRule(header.gasUsed <= header.gasLimit, `gas used ${header.gasUsed} is over the limit ${header.gasLimit}`)
  checkFees(runtime, header, parent, state)
  checkGasLimit(header, parent)
  const limit = runtime.nextGasLimit(parent, state)
  requireBlockRule(limit === undefined || header.gasLimit === limit, `gas limit is ${header.gasLimit}, want ${limit}`)
  checkDaoExtraData(runtime.spec, runtime.forkOf(header), header)
}

function checkWork(runtime: Runtime, header: Header, { parent, totalDifficulty }: Ancestry): void {
  const terminal = runtime.spec.terminalTotalDifficulty
  const merged = parent.difficulty === 0n || (terminal !== undefined && (totalDifficulty ?? 0n) >= terminal)
  if (merged) {
    requireBlockRule(header.difficulty === 0n, 'difficulty is not zero after the merge')
    requireBlockRule(BigInt(header.nonce) === 0n, 'nonce is not zero after the merge')
    return
  }
  const wanted = requiredDifficulty(runtime.forkOf(header), parent, header.timestamp)
  requireBlockRule(header.difficulty === wanted, `difficulty is ${header.difficulty}, want ${wanted}`)
}

function checkFees(runtime: Runtime, header: Header, parent: Header, state: StateView): void {
  const fork = runtime.forkOf(header)
  const rules = forkRules(fork)
  const present = (field: keyof Header, wanted: boolean) =>
    requireBlockRule((header[field] !== undefined) === wanted, `${field} is ${wanted ? 'missing' : 'not known yet'}`)
  present('baseFeePerGas', rules.london)
  present('withdrawalsRoot', rules.shanghai)
  for (const field of ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'] as const) present(field, rules.cancun)
  present('requestsHash', rules.prague)
  for (const field of ['blockAccessListHash', 'slotNumber'] as const) present(field, rules.amsterdam)
  if (rules.london) {
    const wanted = runtime.nextBaseFee(parent, state)
    requireBlockRule(header.baseFeePerGas === wanted, `base fee is ${header.baseFeePerGas}, want ${wanted}`)
  }
  const blobs = blobRulesOf(runtime.spec, fork)
  if (blobs === undefined) return
  const wanted = nextExcessBlobGas(parent, blobs)
  requireBlockRule(header.excessBlobGas === wanted, `excess blob gas is ${header.excessBlobGas}, want ${wanted}`)
  requireBlockRule(
    (header.blobGasUsed ?? 0n) <= blobs.max * GAS_PER_BLOB,
    `blob gas used ${header.blobGasUsed} is over the limit`,
  )
}

/** Yellow Paper 11.1: at most two uncles, each a child of a recent ancestor, neither an ancestor nor named before. */
function checkUncles(
  runtime: Runtime,
  { header, uncles }: Pick<Block, 'header' | 'uncles'>,
  ancestry: Ancestry,
  state: StateView,
): void {
  requireBlockRule(unclesHash(uncles) === header.sha3Uncles, 'uncles do not match their hash')
  if (uncles.length === 0) return
  requireBlockRule(header.difficulty > 0n, 'a block after the merge has no uncles')
  requireBlockRule(uncles.length <= MAX_UNCLES, 'too many uncles')
  const ancestors = new Map(ancestry.recent.map((ancestor) => [ancestor.header.hash, ancestor.header]))
  const seen = new Set(ancestry.recent.flatMap((ancestor) => ancestor.uncles.map(hashOf)))
  for (const uncle of uncles) {
    const id = hashOf(uncle)
    requireBlockRule(!seen.has(id), 'an uncle is named twice')
    seen.add(id)
    requireBlockRule(!ancestors.has(id), 'an uncle is an ancestor')
    const parent = ancestors.get(uncle.parentHash)
    // Other children of the parent are siblings of this block, not its uncles.
    const isSibling = uncle.parentHash === header.parentHash
    requireBlockRule(
      parent !== undefined && !isSibling && header.number - parent.number <= MAX_UNCLE_DISTANCE + 1n,
      'an uncle is no child of a recent ancestor',
    )
    // Only proof-of-work chains have uncles, and they have no floor of the base fee, so any state will do.
    checkUncle(runtime, uncle, parent, state)
  }
}

/** Checks an uncle's header by the rules of a block's, except its proof-of-work seal. */
function checkUncle(runtime: Runtime, uncle: Header, parent: Header, state: StateView): void {
  try {
    checkAfterParent(runtime, uncle, parent, state)
    const wanted = requiredDifficulty(runtime.forkOf(uncle), parent, uncle.timestamp)
    requireBlockRule(uncle.difficulty === wanted, `difficulty is ${uncle.difficulty}, want ${wanted}`)
  } catch (error) {
    throw error instanceof ChainError ? new ChainError(error.code, `uncle ${hashOf(uncle)}: ${error.message}`) : error
  }
}

const hashOf = (header: Header): Hash => sealHeader(header).hash

const MINIMUM = 131_072n
const ADJUSTMENT_QUOTIENT = 2048n
const BOMB_PERIOD = 100_000n
/** EIP-649, 1234, 2384, 3554, 4345, 5133: number of blocks by which the difficulty bomb is delayed, newest first. */
const BOMB_DELAYS: readonly (readonly [Fork, bigint])[] = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['byzantium', 3_000_000n],
]

/** The difficulty of a block with this number and timestamp after its parent. */
export function requiredDifficulty(fork: Fork, parent: Header, timestamp: bigint): bigint {
  const rules = forkRules(fork)
  const step = parent.difficulty / ADJUSTMENT_QUOTIENT
  let difficulty = parent.difficulty + step * adjustment(rules, parent, timestamp - parent.timestamp)
  if (difficulty < MINIMUM) difficulty = MINIMUM
  const delay = BOMB_DELAYS.find(([since]) => rules[since])?.[1] ?? 0n
  const number = parent.number + 1n
  const period = (number > delay ? number - delay : 0n) / BOMB_PERIOD
  if (period > 1n) difficulty += 2n ** (period - 2n)
  return difficulty
}

function adjustment(rules: ForkRules, parent: Header, seconds: bigint): bigint {
  if (rules.byzantium) {
    const uncles = parent.sha3Uncles === EMPTY_UNCLES_HASH ? 1n : 2n
    return max(uncles - seconds / 9n, -99n)
  }
  if (rules.homestead) return max(1n - seconds / 10n, -99n)
  return seconds < 13n ? 1n : -1n
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
