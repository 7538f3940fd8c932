// The funded accounts of both chains and their pre-signed transactions. Signing is not part of the measurement, so the
// node's native curve signs; viem serializes.
import { type Hex, hexToBytes, keccak256, numberToHex, serializeTransaction } from 'viem'
import { hexToAddress } from '../src/lib/hex.ts'
import { walletOfMnemonic } from '../src/wallet/mnemonic.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 125
/** Gas limit of a block: large enough not to limit either node. */
export const GAS_LIMIT = 1_000_000_000
const SENDERS = 50
/** The first account deploys contracts, the others send. */
export const ACCOUNTS = SENDERS + 1

const wallet = walletOfMnemonic(MNEMONIC, ACCOUNTS)
const [first = hexToAddress('0x'), ...others] = wallet.addresses()
export const deployer: Hex = first
export const senders: readonly Hex[] = others

export type Call = {
  readonly to?: Hex | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint
  readonly gas: bigint
}

/** Signs an EIP-1559 transaction whose fees exceed the base fee of both chains. */
export function sign(from: Hex, nonce: number, call: Call): Hex {
  const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const transaction = { ...call, ...fees, type: 'eip1559', chainId: CHAIN_ID, nonce } as const
  const hash = hexToBytes(keccak256(serializeTransaction(transaction)))
  const { r, s, yParity } = wallet.sign(hexToAddress(from), hash)
  const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity: Number(yParity) }
  return serializeTransaction(transaction, signature)
}

/** Address number `index` of a fixed series of accounts without known keys. */
export const recipient = (index: number): Hex => numberToHex((0xbe9c4n << 140n) + BigInt(index), { size: 20 })
