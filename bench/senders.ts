// The accounts that both chains begin with, and transactions signed by them beforehand. Signing is not what is measured,
// so that it is done by the node's own native curve; what is sent is made by viem.
import { type Hex, hexToBytes, keccak256, numberToHex, serializeTransaction } from 'viem'
import { hexToAddress } from '../src/lib/hex.ts'
import { Wallet } from '../src/wallet/wallet.ts'

export const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 125
/** Of a block: large, so that it bounds neither node. */
export const GAS_LIMIT = 1_000_000_000
const SENDERS = 50
/** The first one deploys contracts, the others send. */
export const ACCOUNTS = SENDERS + 1

const wallet = Wallet.fromMnemonic(MNEMONIC, ACCOUNTS)
const [first = hexToAddress('0x'), ...others] = wallet.addresses()
export const deployer: Hex = first
export const senders: readonly Hex[] = others

export type Call = {
  readonly to?: Hex | undefined
  readonly data?: Hex | undefined
  readonly value?: bigint
  readonly gas: bigint
}

/** A signed EIP-1559 transaction that pays more than either chain asks. */
export function sign(from: Hex, nonce: number, call: Call): Hex {
  const fees = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
  const transaction = { ...call, ...fees, type: 'eip1559', chainId: CHAIN_ID, nonce } as const
  const hash = hexToBytes(keccak256(serializeTransaction(transaction)))
  const { r, s, yParity } = wallet.sign(hexToAddress(from), hash)
  const signature = { r: numberToHex(r, { size: 32 }), s: numberToHex(s, { size: 32 }), yParity: Number(yParity) }
  return serializeTransaction(transaction, signature)
}

/** Of a fixed row of accounts that nobody has a key of. */
export const recipient = (index: number): Hex => numberToHex((0xbe9c4n << 140n) + BigInt(index), { size: 20 })
