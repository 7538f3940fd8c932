// A header that somebody else made: does it follow from its parent by the rules of its fork? Everything that needs no
// execution; what execution decides is compared afterwards. Each refusal is ChainError `invalid-block` with its reason.
import { ChainError } from '../lib/errors.ts'
import type { Hash } from '../lib/hex.ts'
import { unclesHash } from '../primitives/block.ts'
import { nextBaseFee, nextExcessBlobGas } from '../primitives/fees.ts'
import { GAS_PER_BLOB } from '../primitives/gas.ts'
import { sealHeader } from '../primitives/header.ts'
import type { Block, Header, SealedHeader } from '../primitives/types.ts'
import { earliestTimestamp } from '../spec/block-rules.ts'
import { blobRulesOf, rulesOf } from './block-env.ts'
import { check } from './check.ts'
import { checkDaoExtraData } from './dao-fork.ts'
import { requiredDifficulty } from './difficulty.ts'
import { checkGasLimit } from './gas-limit.ts'
import type { Runtime } from './runtime.ts'

const MAX_EXTRA_BYTES = 32
const MAX_UNCLES = 2
const MAX_UNCLE_DISTANCE = 6n

/** How the chain behind the header stands. */
export type Ancestry = {
  readonly parent: SealedHeader
  /** Up to and with the parent; undefined after the merge. */
  readonly totalDifficulty: bigint | undefined
  /** Ancestors with their uncles, the parent first, as far back as uncles may reach. */
  readonly recent: readonly Pick<Block, 'header' | 'uncles'>[]
}

/** Throws ChainError `invalid-block` unless the header and the headers of the uncles are as their forks demand. */
export function checkHeader(runtime: Runtime, block: Pick<Block, 'header' | 'uncles'>, ancestry: Ancestry): void {
  const { header } = block
  const { parent } = ancestry
  check(header.parentHash === parent.hash, `parent ${header.parentHash} is not the head ${parent.hash}`)
  checkAfterParent(runtime, header, parent)
  checkWork(runtime, header, ancestry)
  checkUncles(runtime, block, ancestry)
}

/** What follows from the parent's header, for blocks and uncles alike; difficulty and seal apart. */
function checkAfterParent(runtime: Runtime, header: Header, parent: Header): void {
  check(header.number === parent.number + 1n, `number ${header.number} does not follow ${parent.number}`)
  const earliest = earliestTimestamp(runtime.spec, parent.timestamp)
  const relation = earliest > parent.timestamp ? 'not after' : 'before'
  check(header.timestamp >= earliest, `timestamp ${header.timestamp} is ${relation} the parent's ${parent.timestamp}`)
  check((header.extraData.length - 2) / 2 <= MAX_EXTRA_BYTES, 'extra data is longer than 32 bytes')
  check(header.gasUsed <= header.gasLimit, `gas used ${header.gasUsed} is over the limit ${header.gasLimit}`)
  checkFees(runtime, header, parent)
  checkGasLimit(header, parent)
  checkDaoExtraData(runtime.spec, runtime.forkOf(header), header)
}

function checkWork(runtime: Runtime, header: Header, { parent, totalDifficulty }: Ancestry): void {
  const terminal = runtime.spec.terminalTotalDifficulty
  const merged = parent.difficulty === 0n || (terminal !== undefined && (totalDifficulty ?? 0n) >= terminal)
  if (merged) {
    check(header.difficulty === 0n, 'difficulty is not zero after the merge')
    check(BigInt(header.nonce) === 0n, 'nonce is not zero after the merge')
    return
  }
  const wanted = requiredDifficulty(runtime.forkOf(header), parent, header.timestamp)
  check(header.difficulty === wanted, `difficulty is ${header.difficulty}, want ${wanted}`)
}

function checkFees(runtime: Runtime, header: Header, parent: Header): void {
  const fork = runtime.forkOf(header)
  const rules = rulesOf(fork)
  const present = (field: keyof Header, wanted: boolean) =>
    check((header[field] !== undefined) === wanted, `${field} is ${wanted ? 'missing' : 'not known yet'}`)
  present('baseFeePerGas', rules.london)
  present('withdrawalsRoot', rules.shanghai)
  for (const field of ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'] as const) present(field, rules.cancun)
  present('requestsHash', rules.prague)
  if (rules.london) {
    const wanted = nextBaseFee(parent)
    check(header.baseFeePerGas === wanted, `base fee is ${header.baseFeePerGas}, want ${wanted}`)
  }
  const blobs = blobRulesOf(runtime.spec, fork)
  if (blobs === undefined) return
  const wanted = nextExcessBlobGas(parent, blobs)
  check(header.excessBlobGas === wanted, `excess blob gas is ${header.excessBlobGas}, want ${wanted}`)
  check((header.blobGasUsed ?? 0n) <= blobs.max * GAS_PER_BLOB, `blob gas used ${header.blobGasUsed} is over the limit`)
}

/** Yellow Paper 11.1: at most two uncles, each a child of a recent ancestor, itself no ancestor and not named before. */
function checkUncles(runtime: Runtime, { header, uncles }: Pick<Block, 'header' | 'uncles'>, ancestry: Ancestry): void {
  check(unclesHash(uncles) === header.sha3Uncles, 'uncles do not match their hash')
  if (uncles.length === 0) return
  check(header.difficulty > 0n, 'a block after the merge has no uncles')
  check(uncles.length <= MAX_UNCLES, 'too many uncles')
  const ancestors = new Map(ancestry.recent.map((ancestor) => [ancestor.header.hash, ancestor.header]))
  const seen = new Set(ancestry.recent.flatMap((ancestor) => ancestor.uncles.map(hashOf)))
  for (const uncle of uncles) {
    const id = hashOf(uncle)
    check(!seen.has(id), 'an uncle is named twice')
    seen.add(id)
    check(!ancestors.has(id), 'an uncle is an ancestor')
    const parent = ancestors.get(uncle.parentHash)
    // The parent's children beside this block are its brothers, not its uncles.
    const isBrother = uncle.parentHash === header.parentHash
    check(
      parent !== undefined && !isBrother && header.number - parent.number <= MAX_UNCLE_DISTANCE + 1n,
      'an uncle is no child of a recent ancestor',
    )
    checkUncle(runtime, uncle, parent)
  }
}

/** An uncle's header is checked as a block's own; only its seal is not. */
function checkUncle(runtime: Runtime, uncle: Header, parent: Header): void {
  try {
    checkAfterParent(runtime, uncle, parent)
    const wanted = requiredDifficulty(runtime.forkOf(uncle), parent, uncle.timestamp)
    check(uncle.difficulty === wanted, `difficulty is ${uncle.difficulty}, want ${wanted}`)
  } catch (error) {
    throw error instanceof ChainError ? new ChainError(error.code, `uncle ${hashOf(uncle)}: ${error.message}`) : error
  }
}

const hashOf = (header: Header): Hash => sealHeader(header).hash
