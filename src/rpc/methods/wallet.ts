// Signing with the keys the node holds: transactions, messages (EIP-191) and typed data (EIP-712).
import { hashMessage } from 'viem'
import { type Address, bigToFixed, fromHex, toHex } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { address, data, hash, string } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { sendTransaction, sendUnsigned, signedTransaction } from '../sending.ts'
import { callObject } from '../shapes/call.ts'
import { wireBareTransaction } from '../shapes/transaction.ts'
import { typedData, typedDataHash } from '../typed-data.ts'

export const eth_accounts = rpcMethod({
  summary: 'The accounts the node signs for; in development mode also the impersonated ones.',
  params: [],
  result: (accounts: readonly Address[]) => accounts,
  handler: (_, { wallet, development }: RpcContext) => [
    ...new Set([...wallet.addresses(), ...development.impersonated]),
  ],
})

/** EIP-1102, as browser wallets have it. */
export const eth_requestAccounts = eth_accounts

export const eth_sendTransaction = rpcMethod({
  summary: 'Fills, signs and pools a transaction of an account the node holds or impersonates, and answers its hash.',
  params: [callObject],
  names: ['transaction'],
  result: hash,
  sends: true,
  handler: ([call], context, caller) => sendTransaction(call, context, caller),
})

export const eth_sendUnsignedTransaction = rpcMethod({
  summary: 'Fills and pools a transaction of any account, without a signature.',
  params: [callObject],
  names: ['transaction'],
  result: hash,
  gate: 'development',
  sends: true,
  handler: ([call], context, caller) => sendUnsigned(call, context, caller),
})

export const eth_signTransaction = rpcMethod({
  summary: 'Fills and signs a transaction without sending it: the raw bytes and the fields.',
  params: [callObject],
  names: ['transaction'],
  result: (transaction: Transaction) => ({ raw: toHex(transaction.raw), tx: wireBareTransaction(transaction) }),
  handler: ([call], context, caller) => signedTransaction(call, context, caller),
})

export const eth_sign = rpcMethod({
  summary: 'Signs bytes as a personal message (EIP-191).',
  params: [address, data],
  names: ['address', 'data'],
  result: data,
  handler: ([account, bytes], { wallet }) => signMessage(wallet, account, bytes),
})

export const personal_sign = rpcMethod({
  summary: 'As eth_sign, with the bytes first; a password is not looked at.',
  params: [data, address, string.optional()],
  names: ['data', 'address', 'password'],
  result: data,
  handler: ([bytes, account], { wallet }) => signMessage(wallet, account, bytes),
})

export const eth_signTypedData_v4 = rpcMethod({
  summary: 'Signs typed data (EIP-712), given as an object or as a JSON string.',
  params: [address, typedData],
  names: ['address', 'typedData'],
  result: data,
  handler: ([account, data], { wallet }) => signHash(wallet, account, typedDataHash(data)),
})

export const eth_signTypedData_v3 = eth_signTypedData_v4
export const eth_signTypedData = eth_signTypedData_v4

const signMessage = (wallet: Wallet, account: Address, bytes: Uint8Array): Uint8Array =>
  signHash(wallet, account, fromHex(hashMessage({ raw: bytes })))

/** 65 bytes: r, s, and 27 or 28. */
function signHash(wallet: Wallet, account: Address, hash: Uint8Array): Uint8Array {
  const { r, s, yParity } = wallet.sign(account, hash)
  return Buffer.concat([bigToFixed(r, 32), bigToFixed(s, 32), Uint8Array.of(27 + yParity)])
}
