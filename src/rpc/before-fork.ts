// On a fork: questions about what was before it are passed to the forked chain, and its answers to the client as they are, so that
// what only that chain knows (types of transactions, fields of receipts) comes through unchanged.
import { BeforeFork } from '../chain/fork.ts'
import type { Chain } from '../chain/types.ts'
import { isUnknownMethod, RemoteError } from '../fork/errors.ts'
import type { ForkedChain } from '../fork/forked-chain.ts'
import { ChainError } from '../lib/errors.ts'
import { type Hash, toQuantity } from '../lib/hex.ts'
import { RpcError } from './errors.ts'

/**
 * Runs a method. If it throws BeforeFork, or finds nothing for a hash that it was asked for, the forked chain answers; for a hash only
 * if it is of a block up to the fork, or of a transaction there. `committed`: whether the method is about committed blocks only;
 * `changes`: whether it may change the chain, which is never passed on.
 */
export async function orBeforeFork(
  { forked, pool }: Pick<Chain, 'pool'> & { readonly forked: ForkedChain },
  { method, params, committed, changes }: { method: string; params: unknown; committed: boolean; changes: boolean },
  invoke: () => Promise<unknown>,
): Promise<unknown> {
  const given = Array.isArray(params) ? params : []
  try {
    const result = await invoke()
    if (!committed || !isNothing(result, given) || !(await isBefore(forked, given, pool))) return result
  } catch (error) {
    if (error instanceof BeforeFork) {
      if (changes || !given.every(isAboutBefore(forked))) throw error
      return passed(forked, method, given.map(numberIn(forked)))
    }
    const isUnknown = error instanceof ChainError && (error.code === 'not-found' || error.code === 'header-not-found')
    if (!committed || !isUnknown || !(await isBefore(forked, given, pool))) throw error
  }
  return passed(forked, method, given)
}

/** Tags name the head of this chain, which is then the block of the fork; the forked chain has gone on. */
const numberIn =
  ({ at }: ForkedChain) =>
  (argument: unknown): unknown =>
    typeof argument === 'string' && HEAD_TAGS.has(argument) ? toQuantity(at.number) : argument
const HEAD_TAGS: ReadonlySet<string> = new Set(['latest', 'pending', 'safe', 'finalized'])

/** Empty bytes are nothing only as the encoding of a transaction, which is named by its hash. */
const isNothing = (result: unknown, [first]: readonly unknown[]): boolean =>
  result === null ||
  (Array.isArray(result) && result.length === 0) ||
  (result === '0x' && typeof first === 'string' && hashOf(first) !== undefined)

/** Whether the blocks that an object names are all before the fork: a range over the border is not the forked chain's alone. */
const isAboutBefore =
  ({ at }: ForkedChain) =>
  (argument: unknown): boolean => {
    if (typeof argument !== 'object' || argument === null) return true
    const named = Object.entries(argument).filter(([name]) => RANGE_FIELDS.has(name))
    return named.every(([, value]) => value === 'earliest' || (isQuantity(value) && BigInt(value) <= at.number))
  }
const RANGE_FIELDS: ReadonlySet<string> = new Set(['fromBlock', 'toBlock', 'blockNumber'])
const isQuantity = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value)

/** Whether a hash among the arguments is the forked chain's. Without a server only what is here is known. */
async function isBefore(forked: ForkedChain, params: readonly unknown[], pool: Chain['pool']): Promise<boolean> {
  const hash = params.map(hashOf).find((found) => found !== undefined)
  if (forked.remote === undefined || (hash !== undefined && pool.get(hash) !== undefined)) return false
  return hash !== undefined && (await forked.locate(hash)) !== undefined
}

function hashOf(argument: unknown): Hash | undefined {
  const value =
    typeof argument === 'object' && argument !== null && 'blockHash' in argument ? argument.blockHash : argument
  return typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value) ? (value.toLowerCase() as Hash) : undefined
}

async function passed(forked: ForkedChain, method: string, params: readonly unknown[]): Promise<unknown> {
  try {
    return await forked.answer(method, params)
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error
    // This chain has the method.
    const message = isUnknownMethod(error)
      ? `the forked chain (${forked.connected.name}): ${error.message}`
      : error.message
    throw new RpcError(error.code, message, error.data)
  }
}
