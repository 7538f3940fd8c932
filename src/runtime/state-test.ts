// Ethereum's state tests: a world, one transaction, and the root of the world after it, fork by fork.
// The transaction runs as in a block of the node: state on rows in a store, the same execution, the same checks.
// Only what surrounds the transaction of a block is left out: system calls, rewards and withdrawals.
import { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  bigToFixed,
  fromHex,
  type Hash,
  hexToAddress,
  toHash,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { kzg } from '../primitives/kzg.ts'
import { EMPTY_BLOOM, encodeLogs } from '../primitives/receipt.ts'
import { decodeSigned } from '../primitives/transaction.ts'
import type { Header, Log } from '../primitives/types.ts'
import { type ChainSpec, FORKS, type Fork } from '../spec/chain-spec.ts'
import { atLeast } from '../spec/forks.ts'
import { openMemoryStore } from '../state/kv.ts'
import { StateStore } from '../state/state-store.ts'
import type { StateView } from '../state/types.ts'
import { BlockExecution } from './execute-block.ts'
import { Runtime } from './runtime.ts'

export type StateTestResult = {
  readonly name: string
  /** As the file spells it: `Cancun`. */
  readonly fork: string
  /** Place among the subtests of the test and fork. */
  readonly index: number
  readonly pass: boolean
  /** The root that was computed; of the untouched state when the transaction was rejected. */
  readonly stateRoot: Hash
  /** Why the subtest failed; undefined when it passed. */
  readonly error: string | undefined
}

/** The suite's names of forks that are not those of the libraries. */
const FORK_NAMES: Readonly<Record<string, Fork>> = {
  Frontier: 'chainstart',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  Merge: 'paris',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
}

/** The forks that can be run, as the tests name them. */
export const STATE_TEST_FORKS: readonly string[] = Object.keys(FORK_NAMES)

/** Numbers may be padded, and zero may have no digits. */
const quantity = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .transform((hex) => (hex === '0x' ? 0n : BigInt(hex)))
const word = quantity.refine((value) => value < 2n ** 256n).transform((value) => toHash(bigToFixed(value, 32)))
const bytes = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform(fromHex)
const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform(hexToAddress)

/** An object as a map, keys and values read. */
const mapOf = <K extends string, V>(key: z.ZodType<K, string>, value: z.ZodType<V>) =>
  // The library's `entries` forgets what the keys are.
  z.record(key, value).transform((record): ReadonlyMap<K, V> => new Map(Object.entries(record) as [K, V][]))

const account = z.object({ balance: quantity, nonce: quantity, code: bytes, storage: mapOf(word, word) })

const stateTest = z.object({
  env: z.object({
    currentCoinbase: address,
    currentGasLimit: quantity,
    currentNumber: quantity,
    currentTimestamp: quantity,
    currentDifficulty: quantity.default(0n),
    currentRandom: word.default(ZERO_HASH),
    currentBaseFee: quantity.default(10n),
    currentExcessBlobGas: quantity.default(0n),
  }),
  pre: mapOf(address, account),
  post: z.record(
    z.string(),
    z.array(
      z.object({
        // Compared as they stand: whoever only wants to know the roots leaves them blank, in any way.
        hash: z.unknown().optional(),
        logs: z.unknown().optional(),
        txbytes: bytes,
        expectException: z.string().optional(),
      }),
    ),
  ),
})
const stateTestFile = z.record(z.string(), stateTest)

type StateTest = z.infer<typeof stateTest>
type Subtest = NonNullable<StateTest['post'][string]>[number]

/**
 * Runs the tests of one file, in the file's order; forks that this node does not know are left out, as are those not in
 * `forks`. Throws ChainError `invalid-params` for a text that is no state test.
 */
export async function* runStateTests(text: string, forks?: ReadonlySet<string>): AsyncGenerator<StateTestResult> {
  for (const [name, test] of Object.entries(parse(text))) {
    const { state, version } = await stateOf(test.pre)
    for (const [forkName, subtests] of Object.entries(test.post)) {
      const fork = FORK_NAMES[forkName]
      if (fork === undefined || forks?.has(forkName) === false) continue
      for (const [index, subtest] of subtests.entries()) {
        const { stateRoot, error } = await runSubtest(test, fork, subtest, state.at(version)).catch(
          (fault: unknown) => ({
            // A fault of this node costs one subtest, not the file.
            stateRoot: state.at(version).root(),
            error: `fault: ${fault instanceof Error ? fault.stack : fault}`,
          }),
        )
        yield { name, fork: forkName, index, pass: error === undefined, stateRoot, error }
      }
    }
  }
}

function parse(text: string): Record<string, StateTest> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ChainError('invalid-params', 'not JSON')
  }
  const parsed = stateTestFile.safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ChainError('invalid-params', `not a state test: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** The accounts as a committed version, which each subtest opens anew. */
async function stateOf(accounts: StateTest['pre']): Promise<{ state: StateStore; version: number }> {
  const store = await openMemoryStore()
  const state = new StateStore(store, -1)
  const view = state.at(-1)
  for (const [of, { balance, nonce, code, storage }] of accounts) {
    view.setBalance(of, balance)
    view.setNonce(of, nonce)
    view.setCode(of, code)
    for (const [key, value] of storage) view.setWord(of, key, fromHex(value))
  }
  const { rows, codes } = await view.changes()
  const { ops, version, landed } = state.stage(rows, codes)
  await store.write(ops)
  landed()
  return { state, version }
}

async function runSubtest(
  test: StateTest,
  fork: Fork,
  { hash, logs, txbytes, expectException }: Subtest,
  view: StateView,
): Promise<{ stateRoot: Hash; error: string | undefined }> {
  const execution = new BlockExecution(runtimeOf(fork), view, headerOf(test.env, fork), ancestorHash)
  let rejection: string | undefined
  let emitted: readonly Log[] = []
  try {
    emitted = (await execution.apply(decodeSigned(txbytes))).logs
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    rejection = error.message
  }
  if (!execution.env.rules.paris) await payNothing(execution, test.env.currentCoinbase)
  const stateRoot = view.root()
  const failed = (error: string) => ({ stateRoot, error })
  if (rejection !== undefined && expectException === undefined) return failed(`transaction rejected: ${rejection}`)
  if (rejection === undefined && expectException !== undefined) return failed(`expected exception: ${expectException}`)
  if (stateRoot !== hash) return failed(`post state root mismatch: got ${stateRoot}, want ${hash}`)
  const logsHash = keccakHash(encodeLogs(emitted).rlp)
  if (logsHash !== logs) return failed(`post state logs hash mismatch: got ${logsHash}, want ${logs}`)
  return { stateRoot, error: undefined }
}

/**
 * The suite's reward for proof of work is 0 wei, due even when the transaction was rejected. Before EIP-161 it makes the
 * coinbase an account; after it an empty one is gone.
 */
async function payNothing({ machine }: BlockExecution, coinbase: Address): Promise<void> {
  machine.view.addBalance(coinbase, 0n)
  machine.touch(coinbase)
  machine.warmth.clear()
}

/** The suite's chain has no ancestors: their hashes are those of their numbers in decimal. */
const ancestorHash = (number: bigint): Hash => keccakHash(Buffer.from(number.toString()))

function headerOf(env: StateTest['env'], fork: Fork): Header {
  const isMerged = atLeast(fork, 'paris')
  return {
    parentHash: ZERO_HASH,
    sha3Uncles: EMPTY_UNCLES_HASH,
    coinbase: env.currentCoinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    difficulty: isMerged ? 0n : env.currentDifficulty,
    number: env.currentNumber,
    gasLimit: env.currentGasLimit,
    gasUsed: 0n,
    timestamp: env.currentTimestamp,
    extraData: '0x',
    mixHash: isMerged ? env.currentRandom : ZERO_HASH,
    nonce: `0x${'00'.repeat(8)}`,
    baseFeePerGas: atLeast(fork, 'london') ? env.currentBaseFee : undefined,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: atLeast(fork, 'cancun') ? env.currentExcessBlobGas : undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
  }
}

const runtimes = new Map<Fork, Runtime>()

/** The rules of a fork, on a chain that has had them from its first block. */
function runtimeOf(fork: Fork): Runtime {
  const known = runtimes.get(fork)
  if (known !== undefined) return known
  const runtime = new Runtime(specOf(fork), kzg)
  runtimes.set(fork, runtime)
  return runtime
}

function specOf(fork: Fork): ChainSpec {
  return {
    name: 'state-test',
    chainId: 1n,
    forks: FORKS.filter((earlier) => atLeast(fork, earlier)).map((earlier) =>
      atLeast(earlier, 'shanghai') ? { fork: earlier, time: 0n } : { fork: earlier, block: 0n },
    ),
    terminalTotalDifficulty: atLeast(fork, 'paris') ? 0n : undefined,
    mergeNetsplitBlock: undefined,
    blobSchedule: new Map(),
    depositContract: ZERO_ADDRESS,
    genesis: {
      parentHash: ZERO_HASH,
      coinbase: ZERO_ADDRESS,
      timestamp: 0n,
      gasLimit: 0n,
      gasUsed: 0n,
      difficulty: 0n,
      extraData: '0x',
      mixHash: ZERO_HASH,
      nonce: `0x${'00'.repeat(8)}`,
      baseFeePerGas: undefined,
      blobGasUsed: undefined,
      excessBlobGas: undefined,
      alloc: new Map(),
    },
    native: undefined,
  }
}
