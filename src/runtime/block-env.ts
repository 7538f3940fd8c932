// The environment of the messages in a block: number, time, fees and the rules of its fork (Yellow Paper, I_H).
import type { BlockContext } from '../evm/message.ts'
import { type BlobRules, blobBaseFee } from '../primitives/fees.ts'
import type { Header } from '../primitives/types.ts'
import { transactionGasCap } from '../spec/block-rules.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { atLeast, blobParamsAt } from '../spec/forks.ts'

/** For each fork that execution branches on: whether it is active. */
export type Rules = {
  readonly homestead: boolean
  readonly spuriousDragon: boolean
  readonly byzantium: boolean
  readonly istanbul: boolean
  readonly berlin: boolean
  readonly london: boolean
  readonly paris: boolean
  readonly shanghai: boolean
  readonly cancun: boolean
  readonly prague: boolean
  readonly osaka: boolean
}

export type BlockEnv = BlockContext & {
  readonly fork: Fork
  readonly rules: Rules
  readonly blobs: BlobRules | undefined
  /** Largest gas limit of one transaction (EIP-7825); undefined: only the block's gas limit caps it. */
  readonly transactionGasCap: bigint | undefined
}

const RULES = new Map<Fork, Rules>()

export function rulesOf(fork: Fork): Rules {
  const known = RULES.get(fork)
  if (known !== undefined) return known
  const rules: Rules = {
    homestead: atLeast(fork, 'homestead'),
    spuriousDragon: atLeast(fork, 'spuriousDragon'),
    byzantium: atLeast(fork, 'byzantium'),
    istanbul: atLeast(fork, 'istanbul'),
    berlin: atLeast(fork, 'berlin'),
    london: atLeast(fork, 'london'),
    paris: atLeast(fork, 'paris'),
    shanghai: atLeast(fork, 'shanghai'),
    cancun: atLeast(fork, 'cancun'),
    prague: atLeast(fork, 'prague'),
    osaka: atLeast(fork, 'osaka'),
  }
  RULES.set(fork, rules)
  return rules
}

/** Blob limits of a fork, and whether EIP-7918's reserve price holds (from Osaka on); undefined before Cancun. */
export function blobRulesOf(spec: ChainSpec, fork: Fork): BlobRules | undefined {
  const params = blobParamsAt(spec, fork)
  return params && { ...params, reservePrice: atLeast(fork, 'osaka') }
}

/** The environment of a block, from the header fields that are known before it runs. */
export function blockEnv(
  spec: ChainSpec,
  fork: Fork,
  header: Pick<
    Header,
    'number' | 'timestamp' | 'coinbase' | 'gasLimit' | 'difficulty' | 'mixHash' | 'baseFeePerGas' | 'excessBlobGas'
  >,
): BlockEnv {
  const blobs = blobRulesOf(spec, fork)
  return {
    fork,
    rules: rulesOf(fork),
    blobs,
    transactionGasCap: transactionGasCap(spec, fork),
    number: header.number,
    timestamp: header.timestamp,
    coinbase: header.coinbase,
    gasLimit: header.gasLimit,
    difficulty: header.difficulty,
    prevRandao: header.mixHash,
    baseFeePerGas: header.baseFeePerGas,
    blobBaseFee: blobs && blobBaseFee(header.excessBlobGas ?? 0n, blobs),
  }
}
