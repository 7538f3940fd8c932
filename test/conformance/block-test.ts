// Runs Ethereum's blockchain tests by the node's import: a chain in memory imports the blocks as bytes, with all checks. An
// invalid block must leave the head unchanged. Like the rest of the node, it does not check proof-of-work seals.

import { z } from 'zod'
import { BlockChain } from '../../src/chain/block-chain.ts'
import { createChain, NO_INDEX } from '../../src/chain/open.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { bytesToBig, equalBytes, type Hash, hexToAddress, hexToHash, toHex, ZERO_HASH } from '../../src/lib/hex.ts'
import { encodeBlock } from '../../src/primitives/block.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import type { BlobParams, Fork, GenesisSpec } from '../../src/spec/chain-spec.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import type { StateView } from '../../src/state/types.ts'
import { type Accounts, accounts, address, bytes, faultOf, parseTests, quantity, word } from './fields.ts'
import { forkOf, networkOf, specOf } from './fork-names.ts'
import type { RunOptions } from './state-test.ts'

export type BlockTestResult = {
  readonly name: string
  /** The test's `network` field: `ShanghaiToCancunAtTime15k`. */
  readonly fork: string
  /** false for a test that was skipped. */
  readonly pass: boolean
  /** Why the test does not apply to this node; undefined when it ran. */
  readonly skipped: string | undefined
  /** Numbers of imported blocks (without genesis) and of correctly refused ones. */
  readonly imported: number
  readonly refused: number
  /** State root of the head at the end; undefined if there is none. */
  readonly stateRoot: Hash | undefined
  /** Why the test failed; undefined when it passed or was skipped. */
  readonly error: string | undefined
}

type Outcome = Omit<BlockTestResult, 'name' | 'fork' | 'pass'>

/** Mainnet's deposit contract (EIP-6110), which the tests of all forks use. */
const DEPOSIT_CONTRACT = hexToAddress('0x00000000219ab540356cBB839Cbe05303d7705Fa')
/** Limits of calls and of the pool, which block imports do not use. */
const LIMITS = { gasCap: 50_000_000n, time: 5_000 }
const POOL = { minTip: 0n, allowUnprotected: true }

/**
 * Runs the tests of one file in order, only those of `forks` if given. Tests of unknown forks are skipped with that reason.
 * Throws ChainError `invalid-params` for a text that is not a blockchain test.
 */
export async function* runBlockTests(text: string, { forks, engine }: RunOptions): AsyncGenerator<BlockTestResult> {
  for (const [name, test] of Object.entries(parseTests(text, blockTest, 'blockchain test'))) {
    if (forks?.includes(test.network) === false) continue
    const why = inapplicable(test)
    const progress = { imported: 0, refused: 0 }
    const outcome: Outcome =
      why !== undefined
        ? { ...progress, skipped: why, stateRoot: undefined, error: undefined }
        : await runTest(test, engine).catch((error: unknown) => ({
            ...progress,
            skipped: undefined,
            stateRoot: undefined,
            error: error instanceof ChainError ? error.message : faultOf(error),
          }))
    const pass = outcome.error === undefined && outcome.skipped === undefined
    yield { name, fork: test.network, pass, ...outcome }
  }
}

/** Why a test does not apply: unknown rules, or valid blocks that do not form one chain. */
function inapplicable({ network, genesisBlockHeader, blocks }: BlockTest): string | undefined {
  if (networkOf(network) === undefined) return `unknown network ${network}`
  let head = genesisBlockHeader.hash
  for (const { blockHeader } of blocks) {
    if (blockHeader === undefined) continue
    if (blockHeader.parentHash !== head) return 'not applicable: the chain never reorganises'
    head = blockHeader.hash
  }
  return undefined
}

async function runTest(test: BlockTest, engine: RunOptions['engine']): Promise<Outcome> {
  const spec = chainOf(test)
  const runtime = new Runtime(spec, undefined, engine)
  const store = await openMemoryStore()
  await createChain(store, spec, NO_INDEX, runtime)
  const faults: unknown[] = []
  const onError = (error: unknown) => faults.push(error)
  const chain = new BlockChain({ store, runtime, indexer: NO_INDEX, limits: LIMITS, pool: POOL, onError })
  const progress = { imported: 0, refused: 0 }
  try {
    let error = await wrongGenesis(chain, test)
    for (const [position, block] of test.blocks.entries()) {
      if (error !== undefined) break
      error = await importTestBlock(chain, block)
      if (error !== undefined) error = `blocks[${position}]: ${error}`
      else if (block.blockHeader === undefined) progress.refused++
      else progress.imported++
    }
    error ??= await wrongEnd(chain, test)
    if (faults.length > 0) error ??= faultOf(faults[0])
    return { ...progress, skipped: undefined, stateRoot: chain.head.stateRoot, error }
  } finally {
    await chain.close()
  }
}

/** The test's chain: forks, genesis, and blob limits by fork. */
function chainOf({ network, config, genesisBlockHeader, pre }: BlockTest): GenesisSpec {
  const { hash: _, baseFeePerGas, blobGasUsed, excessBlobGas, ...header } = genesisBlockHeader
  const blobSchedule = new Map<Fork, BlobParams>()
  for (const [name, limits] of Object.entries(config?.blobSchedule ?? {})) {
    const fork = forkOf(name)
    if (fork !== undefined) blobSchedule.set(fork, limits)
  }
  const spec = specOf(network, {
    chainId: config?.chainid ?? 1n,
    blobSchedule,
    depositContract: DEPOSIT_CONTRACT,
    genesis: { ...header, baseFeePerGas, blobGasUsed, excessBlobGas },
  })
  return { ...spec, genesis: { ...spec.genesis, alloc: pre } }
}

async function wrongGenesis(
  chain: BlockChain,
  { genesisBlockHeader, genesisRLP }: BlockTest,
): Promise<string | undefined> {
  const block = await chain.block({ number: 0n })
  if (chain.head.hash !== genesisBlockHeader.hash)
    return `genesis hash mismatch: got ${chain.head.hash}, want ${genesisBlockHeader.hash}`
  if (genesisRLP === undefined || (block !== undefined && equalBytes(encodeBlock(block), genesisRLP))) return undefined
  return 'genesis RLP mismatch'
}

/** Imports one block; returns the difference from the test's expectation, or undefined. */
async function importTestBlock(
  chain: BlockChain,
  { rlp, blockHeader }: BlockTest['blocks'][number],
): Promise<string | undefined> {
  const before = chain.head.hash
  try {
    await chain.importBlock(rlp)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    if (blockHeader !== undefined) return `refused: ${error.message}`
    return chain.head.hash === before ? undefined : 'a refused block moved the head'
  }
  if (blockHeader === undefined) return 'imported, but must be refused'
  return chain.head.hash === blockHeader.hash ? undefined : `hash is ${chain.head.hash}, want ${blockHeader.hash}`
}

async function wrongEnd(chain: BlockChain, { lastblockhash, postState, postStateHash }: BlockTest) {
  const { head } = chain
  if (head.hash !== lastblockhash) return `last block hash mismatch: got ${head.hash}, want ${lastblockhash}`
  if (postStateHash != null && head.stateRoot !== postStateHash)
    return `post state root mismatch: got ${head.stateRoot}, want ${postStateHash}`
  if (postState == null) return undefined
  return wrongAccount((await chain.at('latest')).view, postState)
}

/** The first account that differs from the test's. The state root has excluded additional accounts. */
function wrongAccount(view: StateView, world: Accounts): string | undefined {
  for (const [of, { balance, nonce, code, storage }] of world) {
    if (view.balance(of) !== balance) return `balance of ${of} is ${view.balance(of)}, want ${balance}`
    if (view.nonce(of) !== nonce) return `nonce of ${of} is ${view.nonce(of)}, want ${nonce}`
    if (!equalBytes(view.code(of), code)) return `code of ${of} differs`
    for (const [key, value] of storage)
      if (bytesToBig(view.word(of, key)) !== BigInt(value)) return `slot ${key} of ${of} differs`
  }
  return undefined
}

const header = z.object({
  hash: word,
  parentHash: word.default(ZERO_HASH),
})

const genesisHeader = z.object({
  hash: word,
  parentHash: word,
  coinbase: address,
  timestamp: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  difficulty: quantity,
  extraData: bytes.transform(toHex),
  mixHash: word,
  nonce: bytes.transform(toHex),
  baseFeePerGas: quantity.optional(),
  blobGasUsed: quantity.optional(),
  excessBlobGas: quantity.optional(),
})

const block = z.object({
  rlp: bytes,
  /** A block without this field must be refused. */
  blockHeader: header.optional(),
  expectException: z.unknown().optional(),
})

const blobLimits = z.object({ target: quantity, max: quantity, baseFeeUpdateFraction: quantity })

/** One test. `network` is the name of its rules, which `networkOf` reads. */
export const blockTest = z.object({
  network: z.string(),
  config: z
    .object({ chainid: quantity.optional(), blobSchedule: z.record(z.string(), blobLimits).optional() })
    .optional(),
  genesisBlockHeader: genesisHeader,
  genesisRLP: bytes.optional(),
  pre: accounts,
  blocks: z.array(block),
  /** Hash of the head at the end. Older files omit the 0x prefix. */
  lastblockhash: z
    .string()
    .regex(/^(0x)?[0-9a-f]{64}$/i)
    .transform((hex) => hexToHash(hex.startsWith('0x') ? hex : `0x${hex}`)),
  /** All accounts at the end. Tests with large states have `postStateHash` instead. */
  postState: accounts.nullish(),
  postStateHash: word.nullish(),
})
export type BlockTest = z.infer<typeof blockTest>
