// Signs with the keys of this node: transactions, messages (EIP-191) and typed data (EIP-712).
import { hashMessage, hashTypedData } from 'viem'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToFixed, fromHex, toHex } from '../../lib/hex.ts'
import type { Transaction } from '../../primitives/types.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { address, data, hash, looseQuantity, string } from '../codec.ts'
import { type RpcContext, rpcMethod } from '../define.ts'
import { fillAndSign, sendTransaction, sendUnsigned } from '../sends/send-transaction.ts'
import { waitForReceipt } from '../sends/wait-for-receipt.ts'
import { callObject } from '../shapes/call.ts'
import { wireReceipt } from '../shapes/receipt.ts'
import { wireBareTransaction } from '../shapes/transaction.ts'

export const eth_accounts = rpcMethod({
  summary: 'The accounts that this node signs for, and in development mode the impersonated ones.',
  params: [],
  result: (accounts: readonly Address[]) => accounts,
  handler: (_, { wallet, development }: RpcContext) => [
    ...new Set([...wallet.addresses(), ...development.impersonated]),
  ],
})

/** The name in browser wallets (EIP-1102). */
export const eth_requestAccounts = eth_accounts

export const eth_sendTransaction = rpcMethod({
  summary:
    'Fills, signs and sends a transaction of an account that this node holds or impersonates, and returns its hash.',
  params: [callObject],
  names: ['transaction'],
  result: hash,
  sends: true,
  handler: ([call], context, signal) => sendTransaction(call, context, signal),
})

export const eth_sendTransactionSync = rpcMethod({
  summary: 'As eth_sendTransaction; returns the receipt when it is mined. The timeout is in milliseconds.',
  params: [callObject, looseQuantity.optional()],
  names: ['transaction', 'timeout'],
  result: wireReceipt,
  handler([call, timeout], context, signal) {
    const { chain, options } = context
    const unsettled = { ...context, settled: async () => undefined }
    return waitForReceipt(chain, () => sendTransaction(call, unsettled, signal), timeout, options.syncTimeout)
  },
})

export const eth_sendUnsignedTransaction = rpcMethod({
  summary: 'Fills and sends a transaction of any account without a signature, and returns its hash.',
  params: [callObject],
  names: ['transaction'],
  result: hash,
  gate: 'development',
  sends: true,
  handler: ([call], context, signal) => sendUnsigned(call, context, signal),
})

export const eth_signTransaction = rpcMethod({
  summary: 'Fills and signs a transaction without sending it; returns its encoding and its fields.',
  params: [callObject],
  names: ['transaction'],
  result: (transaction: Transaction) => ({ raw: toHex(transaction.raw), tx: wireBareTransaction(transaction) }),
  handler: ([call], context, signal) => fillAndSign(call, context, signal),
})

export const eth_sign = rpcMethod({
  summary: 'Signs data as a personal message (EIP-191).',
  params: [address, data],
  names: ['address', 'data'],
  result: data,
  handler: ([account, bytes], { wallet }) => signMessage(wallet, account, bytes),
})

export const personal_sign = rpcMethod({
  summary: 'As eth_sign, with the data first; a password is ignored.',
  params: [data, address, string.optional()],
  names: ['data', 'address', 'password'],
  result: data,
  handler: ([bytes, account], { wallet }) => signMessage(wallet, account, bytes),
})

const typeMembers = z.array(z.object({ name: z.string(), type: z.string() }))
const record = z.record(z.string(), z.unknown())

const typedDataObject = z.object({
  types: z.record(z.string(), typeMembers),
  primaryType: z.string(),
  domain: record.default({}),
  message: record,
})

const typedData = z
  .union([z.string(), typedDataObject], { error: 'expected typed data (EIP-712) as an object or a JSON string' })
  .describe('EIP-712 typed data')

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

/** The domain's fields in EIP-712's order. Those that are present are its type, when the request does not give one. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/** The hash to sign (EIP-712). Throws `invalid-params` when the data does not match its types. */
function typedDataHash(data: z.output<typeof typedData>): Uint8Array {
  const { types, primaryType, domain, message } = typeof data === 'string' ? parseTypedData(data) : data
  const domainType = types.EIP712Domain ?? DOMAIN_FIELDS.filter(({ name }) => name in domain)
  try {
    return fromHex(
      hashTypedData<Record<string, unknown>, string>({
        types: { ...types, EIP712Domain: domainType },
        primaryType,
        domain,
        message,
      }),
    )
  } catch (error) {
    throw invalidTypedData((error as Error).message.split('\n')[0]?.slice(0, 200) ?? '')
  }
}

function parseTypedData(text: string): z.output<typeof typedDataObject> {
  try {
    return typedDataObject.parse(JSON.parse(text))
  } catch {
    throw invalidTypedData('not an EIP-712 object')
  }
}

const invalidTypedData = (reason: string) => new ChainError('invalid-params', `invalid typed data: ${reason}`)
