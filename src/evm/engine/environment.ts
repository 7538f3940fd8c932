// What opcodes read of the block and of the transaction, written where the interpreter looks for it.
import type { Address as LibAddress } from '@ethereumjs/util'
import { type Address, bytesToBig } from '../../lib/hex.ts'
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
  readonly header: {
    readonly number: bigint
    readonly coinbase: LibAddress
    readonly timestamp: bigint
    readonly difficulty: bigint
    readonly prevRandao: Uint8Array
    readonly gasLimit: bigint
    readonly baseFeePerGas?: bigint | undefined
    getBlobGasPrice(): bigint | undefined
  }
}

export function setEnvironment(
  engine: Instance,
  rules: Rules,
  { origin, gasPrice, chainId, header }: Environment,
): void {
  const set = (offset: number, value: bigint): void => engine.setWord(ENVIRONMENT + offset, value)
  engine.setAddress(ENVIRONMENT + ENV_ORIGIN, origin)
  engine.setAddress(ENVIRONMENT + ENV_COINBASE, header.coinbase.toString() as Address)
  set(ENV_GAS_PRICE, gasPrice)
  set(ENV_TIMESTAMP, header.timestamp)
  set(ENV_NUMBER, header.number)
  set(ENV_DIFFICULTY, rules.random ? bytesToBig(header.prevRandao) : header.difficulty)
  set(ENV_GAS_LIMIT, header.gasLimit)
  set(ENV_CHAIN_ID, chainId)
  set(ENV_BASE_FEE, header.baseFeePerGas ?? 0n)
  set(ENV_BLOB_BASE_FEE, header.getBlobGasPrice() ?? 0n)
}
