// Block 0: the native modules' initial state on top of the genesis file's accounts, and the header that follows from both.
import { type Hash, ZERO_HASH } from '../lib/hex.ts'
import { initGenesis } from '../modules/index.ts'
import type { BlockInfo } from '../modules/module.ts'
import { installContracts } from '../precompiles/index.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { NO_ACCESSES_HASH } from '../primitives/block-access-list.ts'
import { INITIAL_BASE_FEE } from '../primitives/fees.ts'
import { sealHeader } from '../primitives/header.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import type { Block } from '../primitives/types.ts'
import type { Fork } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { firstBlock, genesisFork } from '../spec/forks.ts'
import { EMPTY_ROOT } from '../state/trie.ts'
import type { StateView } from '../state/types.ts'
import type { Runtime } from './runtime.ts'
import { requestsHash } from './system.ts'
import type { ExecutedBlock } from './types.ts'

/**
 * Executes block 0 on a view that has only the genesis file's accounts. `supply`: the sum of their balances. Does not change
 * the view of a plain chain.
 */
export function executeGenesis(runtime: Runtime, view: StateView, supply: bigint): ExecutedBlock {
  beginModules(runtime, view, supply)
  return { block: genesisBlock(runtime, view.root()), ...NO_TRANSACTIONS, view }
}

/** The results of a block without transactions. */
export const NO_TRANSACTIONS = { receipts: [], requests: [], callTrees: [], diffs: [], refused: [] } as const

/** The block whose state the modules begin with, and the fork of its rules. */
type ModulesBeginning = BlockInfo & { readonly fork: Fork }

const genesisOf = ({ spec }: Runtime): ModulesBeginning => ({
  fork: genesisFork(spec),
  number: firstBlock(spec),
  timestamp: spec.genesis.timestamp,
  proposer: spec.genesis.coinbase,
})

/** The initial state of the native modules, on a view as for `executeGenesis`. `at`: of a fork of a chain, its first block. */
export function beginModules(
  runtime: Runtime,
  view: StateView,
  supply: bigint,
  at: ModulesBeginning = genesisOf(runtime),
): void {
  const { native } = runtime.spec
  if (native === undefined) return
  initGenesis(view, native, supply, at, (names) => runtime.checkProposals(names, at))
  installContracts(view, native, 0n, at.number)
}

function genesisBlock({ spec }: Runtime, stateRoot: Hash): Block {
  const { genesis } = spec
  const rules = forkRules(genesisFork(spec))
  const header = sealHeader({
    parentHash: genesis.parentHash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    coinbase: genesis.coinbase,
    stateRoot,
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: EMPTY_BLOOM,
    difficulty: genesis.difficulty,
    number: firstBlock(spec),
    gasLimit: genesis.gasLimit,
    gasUsed: genesis.gasUsed,
    timestamp: genesis.timestamp,
    extraData: genesis.extraData,
    mixHash: genesis.mixHash,
    nonce: genesis.nonce,
    baseFeePerGas: rules.london ? (genesis.baseFeePerGas ?? INITIAL_BASE_FEE) : undefined,
    withdrawalsRoot: rules.shanghai ? EMPTY_ROOT : undefined,
    blobGasUsed: rules.cancun ? (genesis.blobGasUsed ?? 0n) : undefined,
    excessBlobGas: rules.cancun ? (genesis.excessBlobGas ?? 0n) : undefined,
    parentBeaconBlockRoot: rules.cancun ? ZERO_HASH : undefined,
    requestsHash: rules.prague ? requestsHash([]) : undefined,
    blockAccessListHash: rules.amsterdam ? NO_ACCESSES_HASH : undefined,
    slotNumber: rules.amsterdam ? (genesis.slotNumber ?? 0n) : undefined,
  })
  return { header, transactions: [], uncles: [], withdrawals: rules.shanghai ? [] : undefined }
}
