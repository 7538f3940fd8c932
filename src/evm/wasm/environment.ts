// What opcodes read of the block and of the transaction, written where the interpreter looks for it.
import type { Address } from '../../lib/hex.ts'
import type { BlockContext } from '../message.ts'
import type { Instance } from './instance.ts'
import {
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_DIFFICULTY,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_TIMESTAMP,
  ENVIRONMENT,
} from './layout.ts'
import type { Rules } from './rules.ts'

export type Environment = {
  readonly origin: Address
  readonly gasPrice: bigint
  readonly chainId: bigint
  readonly block: BlockContext
}

export function setEnvironment(engine: Instance, rules: Rules, environment: Environment): void {
  const { origin, gasPrice, chainId, block } = environment
  const set = (offset: number, value: bigint): void => engine.setWord(ENVIRONMENT + offset, value)
  engine.setAddress(ENVIRONMENT + ENV_ORIGIN, origin)
  set(ENV_GAS_PRICE, gasPrice)
  set(ENV_CHAIN_ID, chainId)
  // The next message is mostly told of the same block.
  if (!engine.moveToBlock(block)) return
  engine.setAddress(ENVIRONMENT + ENV_COINBASE, block.coinbase)
  set(ENV_TIMESTAMP, block.timestamp)
  set(ENV_NUMBER, block.number)
  set(ENV_DIFFICULTY, rules.random ? BigInt(block.prevRandao) : block.difficulty)
  set(ENV_GAS_LIMIT, block.gasLimit)
  set(ENV_BASE_FEE, block.baseFeePerGas ?? 0n)
  set(ENV_BLOB_BASE_FEE, block.blobBaseFee ?? 0n)
}
