// Runs Ethereum's state tests: accounts, one transaction, and the expected state root after it, for each fork. The transaction
// runs as in a block of the node, with the same state store, execution and checks, but without a block's system calls, rewards
// and withdrawals.
import { z } from 'zod'
import type { EngineChoice } from '../../src/evm/engine-selection.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { type Address, type Hash, ZERO_HASH } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { EMPTY_UNCLES_HASH } from '../../src/primitives/block.ts'
import { EMPTY_BLOOM, encodeLogs } from '../../src/primitives/receipt.ts'
import { decodeSigned } from '../../src/primitives/transaction.ts'
import type { Header, Log, Transaction } from '../../src/primitives/types.ts'
import { BlockExecution } from '../../src/runtime/block-execution.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import type { Fork } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import type { StateView } from '../../src/state/types.ts'
import { accounts, address, bytes, faultOf, parseTests, quantity, storeAccounts, word } from './fields.ts'
import { forkOf, specOf } from './fork-names.ts'
import { signedBy, testIndexes, testTransaction } from './test-transaction.ts'

/** The forks to run, and the engine. */
export type RunOptions = {
  /** Fork names as in the tests; undefined: all. */
  readonly forks?: readonly string[] | undefined
  /** undefined: the process's default. */
  readonly engine?: EngineChoice | undefined
}

export type StateTestResult = {
  readonly name: string
  /** The name in the file: `Cancun`. */
  readonly fork: string
  /** Index among the subtests of the test and fork. */
  readonly index: number
  readonly pass: boolean
  /** The computed root; that of the unchanged state if the transaction was rejected. */
  readonly stateRoot: Hash
  /** keccak256 of the RLP of the logs; of an empty list if the transaction was rejected. */
  readonly logsHash: Hash
  /** Why the subtest failed; undefined when it passed. */
  readonly error: string | undefined
}

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
    slotNumber: quantity.default(0n),
  }),
  pre: accounts,
  transaction: testTransaction.optional().catch(undefined),
  post: z.record(
    z.string(),
    z.array(
      z.object({
        // Compared as text: in tests that check only roots they are empty, null or missing.
        hash: z.unknown().optional(),
        logs: z.unknown().optional(),
        // The signed transaction; if missing, it is made from `transaction` and `indexes`.
        txbytes: bytes.optional(),
        indexes: testIndexes.optional(),
        expectException: z.string().optional(),
      }),
    ),
  ),
})

type StateTest = z.infer<typeof stateTest>
type Subtest = NonNullable<StateTest['post'][string]>[number]

/** The hash of no logs: RLP of an empty list is the byte 0xc0. */
const NO_LOGS = keccakHash(Uint8Array.of(0xc0))

/**
 * Runs the tests of one file in order, only those of `forks` if given. Subtests of unknown forks fail, so that a suite of newer
 * rules does not pass without running. Throws ChainError `invalid-params` for a text that is not a state test.
 */
export async function* runStateTests(text: string, { forks, engine }: RunOptions): AsyncGenerator<StateTestResult> {
  for (const [name, test] of Object.entries(parseTests(text, stateTest, 'state test'))) {
    const { state, version } = await storeAccounts(test.pre)
    for (const [fork, subtests] of Object.entries(test.post)) {
      const rules = forkOf(fork)
      if (forks?.includes(fork) === false) continue
      const runtime = rules && runtimeOf(fork, engine)
      const untouched = (error: string) => ({ stateRoot: state.at(version).root(), logsHash: NO_LOGS, error })
      for (const [index, subtest] of subtests.entries()) {
        // A bug of this node fails one subtest, not the file.
        const outcome =
          rules === undefined || runtime === undefined
            ? untouched(`unsupported fork ${JSON.stringify(fork)}`)
            : await runSubtest(test, runtime, rules, subtest, state.at(version)).catch((fault: unknown) =>
                untouched(faultOf(fault)),
              )
        yield { name, fork, index, pass: outcome.error === undefined, ...outcome }
      }
    }
  }
}

type Outcome = Pick<StateTestResult, 'stateRoot' | 'logsHash' | 'error'>

async function runSubtest(
  test: StateTest,
  runtime: Runtime,
  fork: Fork,
  subtest: Subtest,
  view: StateView,
): Promise<Outcome> {
  const { hash, logs, expectException } = subtest
  const execution = new BlockExecution(runtime, view, { header: headerOf(test.env, fork) }, ancestorHash)
  let rejection: string | undefined
  let emitted: readonly Log[] = []
  try {
    emitted = (await execution.apply(transactionOf(test, subtest, fork))).logs
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    rejection = error.message
  }
  if (!execution.env.rules.paris) applyZeroReward(execution, test.env.currentCoinbase)
  const stateRoot = view.root()
  const logsHash = keccakHash(encodeLogs(emitted).rlp)
  const found = (error: string | undefined) => ({ stateRoot, logsHash, error })
  if (rejection !== undefined && expectException === undefined) return found(`transaction rejected: ${rejection}`)
  if (rejection === undefined && expectException !== undefined) return found(`expected exception: ${expectException}`)
  if (stateRoot !== hash) return found(`post state root mismatch: got ${stateRoot}, want ${hash}`)
  if (logsHash !== logs) return found(`post state logs hash mismatch: got ${logsHash}, want ${logs}`)
  return found(undefined)
}

/** Throws ChainError `transaction-rejected` for an invalid transaction. */
function transactionOf({ transaction }: StateTest, { txbytes, indexes }: Subtest, fork: Fork): Transaction {
  if (txbytes !== undefined) return decodeSigned(txbytes)
  if (transaction === undefined || indexes === undefined)
    throw new Error('the subtest has neither txbytes nor a transaction with a key and indexes')
  return signedBy(transaction, indexes, fork)
}

/**
 * The suite's block reward is 0 wei, paid even if the transaction was rejected. Before EIP-161 it creates the coinbase's
 * account; since then it deletes an empty one.
 */
function applyZeroReward({ machine }: BlockExecution, coinbase: Address): void {
  machine.view.addBalance(coinbase, 0n)
  machine.touch(coinbase)
  machine.accessJournal.clear()
}

/** The suite defines the hash of an ancestor as the hash of its decimal number. */
const ancestorHash = (number: bigint): Hash => keccakHash(Buffer.from(number.toString()))

function headerOf(env: StateTest['env'], fork: Fork): Header {
  const rules = forkRules(fork)
  return {
    parentHash: ZERO_HASH,
    sha3Uncles: EMPTY_UNCLES_HASH,
    coinbase: env.currentCoinbase,
    stateRoot: ZERO_HASH,
    transactionsRoot: ZERO_HASH,
    receiptsRoot: ZERO_HASH,
    logsBloom: EMPTY_BLOOM,
    difficulty: rules.paris ? 0n : env.currentDifficulty,
    number: env.currentNumber,
    gasLimit: env.currentGasLimit,
    gasUsed: 0n,
    timestamp: env.currentTimestamp,
    extraData: '0x',
    mixHash: rules.paris ? env.currentRandom : ZERO_HASH,
    nonce: `0x${'00'.repeat(8)}`,
    baseFeePerGas: rules.london ? env.currentBaseFee : undefined,
    withdrawalsRoot: undefined,
    blobGasUsed: undefined,
    excessBlobGas: rules.cancun ? env.currentExcessBlobGas : undefined,
    parentBeaconBlockRoot: undefined,
    requestsHash: undefined,
    blockAccessListHash: undefined,
    slotNumber: rules.amsterdam ? env.slotNumber : undefined,
  }
}

const runtimes = new Map<string, Runtime>()

/** A runtime with a fork's rules from the first block on. */
function runtimeOf(fork: string, engine: EngineChoice | undefined): Runtime {
  const key = `${fork} ${engine}`
  const known = runtimes.get(key)
  if (known !== undefined) return known
  const spec = specOf(fork)
  const runtime = new Runtime(spec, undefined, engine)
  runtimes.set(key, runtime)
  return runtime
}
