// A header that somebody else made: does it follow from its parent by the rules of its fork? Everything that needs no
// execution; what execution decides is compared afterwards. Each refusal is ChainError `invalid-block` with its reason.
import { ChainError } from '../lib/errors.ts'
import { unclesHash } from '../primitives/block.ts'
import { nextBaseFee, nextExcessBlobGas } from '../primitives/fees.ts'
import { GAS_PER_BLOB } from '../primitives/gas.ts'
import type { Block, Header, SealedHeader } from '../primitives/types.ts'
import { blobRulesOf, rulesOf } from './block-env.ts'
import { requiredDifficulty } from './difficulty.ts'
import type { Runtime } from './runtime.ts'

const GAS_LIMIT_QUOTIENT = 1024n
const MIN_GAS_LIMIT = 5000n
const MAX_GAS_LIMIT = (1n << 63n) - 1n
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

export function checkHeader(runtime: Runtime, block: Pick<Block, 'header' | 'uncles'>, ancestry: Ancestry): void {
  const { header } = block
  const { parent } = ancestry
  check(header.number === parent.number + 1n, `number ${header.number} does not follow ${parent.number}`)
  check(header.parentHash === parent.hash, `parent ${header.parentHash} is not the head ${parent.hash}`)
  check(
    header.timestamp > parent.timestamp,
    `timestamp ${header.timestamp} is not after the parent's ${parent.timestamp}`,
  )
  check((header.extraData.length - 2) / 2 <= MAX_EXTRA_BYTES, 'extra data is longer than 32 bytes')
  check(header.gasUsed <= header.gasLimit, `gas used ${header.gasUsed} is over the limit ${header.gasLimit}`)
  checkWork(runtime, header, ancestry)
  checkGasLimit(header, parent)
  checkFees(runtime, header, parent)
  checkUncles(runtime, block, ancestry)
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

function checkGasLimit(header: Header, parent: Header): void {
  const begins = header.baseFeePerGas !== undefined && parent.baseFeePerGas === undefined
  const from = begins ? parent.gasLimit * 2n : parent.gasLimit
  const change = header.gasLimit > from ? header.gasLimit - from : from - header.gasLimit
  check(
    change < from / GAS_LIMIT_QUOTIENT,
    `gas limit ${header.gasLimit} is too far from the parent's ${parent.gasLimit}`,
  )
  check(
    header.gasLimit >= MIN_GAS_LIMIT && header.gasLimit <= MAX_GAS_LIMIT,
    `gas limit ${header.gasLimit} is out of range`,
  )
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

/** Yellow paper 11.1: at most two, each a child of a recent ancestor, itself no ancestor and not named before. */
function checkUncles(runtime: Runtime, { header, uncles }: Pick<Block, 'header' | 'uncles'>, ancestry: Ancestry): void {
  check(unclesHash(uncles) === header.sha3Uncles, 'uncles do not match their hash')
  if (uncles.length === 0) return
  check(header.difficulty > 0n, 'a block after the merge has no uncles')
  check(uncles.length <= MAX_UNCLES, 'too many uncles')
  const ancestors = new Map(ancestry.recent.map((ancestor) => [ancestor.header.hash, ancestor.header]))
  const seen = new Set(ancestry.recent.flatMap((ancestor) => ancestor.uncles.map((uncle) => unclesHash([uncle]))))
  for (const uncle of uncles) {
    const id = unclesHash([uncle])
    check(!seen.has(id), 'an uncle is named twice')
    seen.add(id)
    const parent = ancestors.get(uncle.parentHash)
    check(
      parent !== undefined && header.number - uncle.number <= MAX_UNCLE_DISTANCE,
      'an uncle is no child of a recent ancestor',
    )
    check(![...ancestors.values()].some((ancestor) => unclesHash([ancestor]) === id), 'an uncle is an ancestor')
    if (parent === undefined) continue
    const wanted = requiredDifficulty(runtime.forkOf(uncle), parent, uncle.timestamp)
    check(uncle.difficulty === wanted, `an uncle's difficulty is ${uncle.difficulty}, want ${wanted}`)
  }
}

export function check(holds: boolean, reason: string): asserts holds {
  if (!holds) throw new ChainError('invalid-block', reason)
}
