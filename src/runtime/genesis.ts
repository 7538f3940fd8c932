// Block 0: the accounts of the genesis file, the native modules' initial state, and the header that follows from them.

import { fromHex, ZERO_HASH } from '../lib/hex.ts'
import { initGenesis } from '../modules/index.ts'
import { installContracts } from '../precompiles/index.ts'
import { EMPTY_UNCLES_HASH } from '../primitives/block.ts'
import { INITIAL_BASE_FEE } from '../primitives/fees.ts'
import { sealHeader } from '../primitives/header.ts'
import { EMPTY_BLOOM } from '../primitives/receipt.ts'
import type { Block } from '../primitives/types.ts'
import { genesisFork } from '../spec/forks.ts'
import { EMPTY_ROOT } from '../state/trie.ts'
import type { StateView } from '../state/types.ts'
import { rulesOf } from './block-env.ts'
import type { Runtime } from './runtime.ts'
import { requestsHash } from './system.ts'
import type { ExecutedBlock } from './types.ts'

/** Writes the genesis state on an empty view and returns block 0. */
export function executeGenesis(runtime: Runtime, view: StateView): ExecutedBlock {
  const { genesis, native } = runtime.spec
  const fork = genesisFork(runtime.spec)
  let supply = 0n
  for (const [address, { balance, nonce, code, storage }] of genesis.alloc) {
    view.setBalance(address, balance)
    if (nonce > 0n) view.setNonce(address, nonce)
    if (code.length > 0) view.setCode(address, code)
    for (const [key, word] of storage) view.setWord(address, key, fromHex(word))
    supply += balance
  }
  if (native !== undefined) {
    const block = { number: 0n, timestamp: genesis.timestamp, proposer: genesis.coinbase }
    initGenesis(view, native, supply, block, (names) => runtime.checkProposals(names, { fork, number: 0n }))
    installContracts(view, native, 0n)
  }
  const rules = rulesOf(fork)
  const header = sealHeader({
    parentHash: genesis.parentHash,
    sha3Uncles: EMPTY_UNCLES_HASH,
    coinbase: genesis.coinbase,
    stateRoot: view.root(),
    transactionsRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    logsBloom: EMPTY_BLOOM,
    difficulty: genesis.difficulty,
    number: 0n,
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
  })
  const block: Block = { header, transactions: [], uncles: [], withdrawals: rules.shanghai ? [] : undefined }
  return { block, receipts: [], requests: [], callTrees: [], diffs: [], refused: [], view }
}
