// The environment of the messages in a block: number, time, fees and the rules of its fork (Yellow Paper, I_H).
import type { BlockContext } from '../evm/message.ts'
import { type BlobRules, blobBaseFee } from '../primitives/fees.ts'
import type { Header } from '../primitives/types.ts'
import { executionGasCap, SKIPPED_UPGRADE, transactionGasCap } from '../spec/block-rules.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { type ForkRules, forkRules, rulesOn } from '../spec/fork-rules.ts'
import { blobParamsAt } from '../spec/forks.ts'

export type BlockEnv = BlockContext & {
  readonly fork: Fork
  readonly rules: ForkRules
  readonly blobs: BlobRules | undefined
  /** Maximum gas limit of one transaction (EIP-7825); undefined: only the block's gas limit bounds it. */
  readonly transactionGasCap: bigint | undefined
  /** Most execution gas of one transaction (EIP-8037); undefined: all its gas is. */
  readonly executionGasCap: bigint | undefined
  /** Whether the block skips the upgrade of its height. */
  readonly skipsUpgrade: boolean
}

/** Blob limits of a fork, and whether EIP-7918's reserve price applies (from Osaka); undefined before Cancun. */
export function blobRulesOf(spec: ChainSpec, fork: Fork): BlobRules | undefined {
  const params = blobParamsAt(spec, fork)
  return params && { ...params, reservePrice: forkRules(fork).osaka }
}

/** The environment of a block, from the header fields that are known before execution. */
export function blockEnv(
  spec: ChainSpec,
  fork: Fork,
  header: Pick<
    Header,
    | 'number'
    | 'timestamp'
    | 'coinbase'
    | 'gasLimit'
    | 'difficulty'
    | 'mixHash'
    | 'baseFeePerGas'
    | 'excessBlobGas'
    | 'slotNumber'
  > &
    Partial<Pick<Header, 'extraData'>>,
): BlockEnv {
  const blobs = blobRulesOf(spec, fork)
  return {
    fork,
    rules: rulesOn(spec, fork),
    blobs,
    transactionGasCap: transactionGasCap(spec, fork),
    executionGasCap: executionGasCap(spec, fork),
    skipsUpgrade: header.extraData === SKIPPED_UPGRADE,
    number: header.number,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    gasLimit: header.gasLimit,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
    slotNumber: header.slotNumber ?? 0n,
    blobBaseFee: blobs && blobBaseFee(header.excessBlobGas ?? 0n, blobs),
  }
}
