// A message as it comes to the engine: from outside, or from a native contract that runs within a message.
import type { Message } from '@ethereumjs/evm'
import type { Address } from '../../lib/hex.ts'
import type { OuterMessage } from '../machine-parts.ts'
import { addressOf } from '../state-adapter.ts'

/** An address as the library keeps it in its lists. */
type Hex = `0x${string}`

export type Incoming = {
  readonly caller: Address
  /** undefined: a creation; the creator's nonce has been raised already. */
  readonly to: Address | undefined
  readonly codeAddress: Address | undefined
  readonly isDelegate: boolean
  readonly value: bigint
  readonly gas: number
  readonly data: Uint8Array
  readonly depth: number
  readonly isStatic: boolean
  readonly salt: Uint8Array | undefined
  readonly blobHashes: readonly Hex[]
  /** What the transaction has gathered so far; the lists are added to. undefined: nothing. */
  readonly refund: number
  readonly destroyed: Map<Hex, Hex> | undefined
  readonly created: Set<Hex> | undefined
}

/** A message from outside. */
export const incoming = (message: OuterMessage): Incoming => ({
  caller: message.from,
  to: message.to ?? undefined,
  codeAddress: message.to ?? undefined,
  isDelegate: false,
  value: message.value,
  gas: Number(message.gasLimit),
  data: message.data,
  depth: 0,
  isStatic: message.isStatic,
  salt: undefined,
  blobHashes: message.blobVersionedHashes,
  refund: 0,
  destroyed: undefined,
  created: undefined,
})

/** A message that a native contract sends. */
export const fromLibMessage = (message: Message): Incoming => ({
  caller: addressOf(message.caller),
  to: message.to && addressOf(message.to),
  codeAddress: message.to && addressOf(message.codeAddress),
  isDelegate: message.delegatecall,
  value: message.value,
  gas: Number(message.gasLimit),
  data: message.data,
  depth: message.depth,
  isStatic: message.isStatic,
  salt: message.salt,
  blobHashes: (message.blobVersionedHashes ?? []) as Hex[],
  refund: Number(message.gasRefund),
  destroyed: message.selfdestruct,
  created: message.createdAddresses,
})
