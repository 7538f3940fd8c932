// geth's old personal_ namespace, which Evmos scripts use (development mode). Accounts have no passwords here: every client of
// this node may use them. The dispatcher does not log the parameters of these methods.
import { randomBytes } from 'node:crypto'
import { hashMessage } from 'viem'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { bytesToBig, fromHex } from '../../lib/hex.ts'
import { recoverAddress } from '../../primitives/signature.ts'
import { address, bool, data, hash, string } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { sendTransaction } from '../sends/send-transaction.ts'
import { callObject } from '../shapes/call.ts'
import { eth_accounts, eth_signTransaction } from './wallet.ts'

const password = string.optional().describe('password (ignored)')
/** 32 bytes, with or without `0x`. */
const privateKey = string.regex(/^(0x)?[0-9a-fA-F]{64}$/, { error: 'expected a private key of 32 bytes' })

export const personal_listAccounts = { ...eth_accounts, gate: 'development' as const }

export const personal_newAccount = rpcMethod({
  summary: 'Makes a private key and returns its account, which the node holds until it stops.',
  params: [password],
  names: ['password'],
  result: address,
  gate: 'development',
  handler: (_, { wallet }) => wallet.add(randomBytes(32)),
})

export const personal_importRawKey = rpcMethod({
  summary: 'Takes a private key and returns its account, which the node holds until it stops.',
  params: [privateKey, password],
  names: ['privateKey', 'password'],
  result: address,
  gate: 'development',
  handler: ([key], { wallet }) => wallet.add(fromHex(key.startsWith('0x') ? key : `0x${key}`)),
})

export const personal_unlockAccount = rpcMethod({
  summary: 'True if the node holds the account: its accounts are always unlocked.',
  params: [address, password, z.unknown()],
  names: ['address', 'password', 'duration'],
  result: bool,
  gate: 'development',
  handler([account], { wallet }) {
    if (wallet.has(account)) return true
    throw new ChainError('unknown-account', 'unknown account')
  },
})

export const personal_lockAccount = rpcMethod({
  summary: 'False: accounts stay unlocked until the node stops.',
  params: [address],
  names: ['address'],
  result: bool,
  gate: 'development',
  handler: () => false,
})

export const personal_sendTransaction = rpcMethod({
  summary: 'As eth_sendTransaction; a password is ignored.',
  params: [callObject, password],
  names: ['transaction', 'password'],
  result: hash,
  gate: 'development',
  sends: true,
  handler: ([call], context, signal) => sendTransaction(call, context, signal),
})

export const personal_signTransaction = {
  ...eth_signTransaction,
  params: [callObject, password],
  names: ['transaction', 'password'],
  gate: 'development' as const,
}

export const personal_ecRecover = rpcMethod({
  summary: 'The account that signed data as a personal message (EIP-191).',
  params: [data, data],
  names: ['data', 'signature'],
  result: address,
  handler([bytes, signature]) {
    const v = bytesToBig(signature.subarray(64))
    if (signature.length !== 65) throw new ChainError('invalid-params', 'signature must be 65 bytes long')
    if (v !== 27n && v !== 28n) {
      throw new ChainError('invalid-params', 'invalid Ethereum signature (V is not 27 or 28)')
    }
    const digest = fromHex(hashMessage({ raw: bytes }))
    const r = bytesToBig(signature.subarray(0, 32))
    const s = bytesToBig(signature.subarray(32, 64))
    const signer = recoverAddress(digest, r, s, v - 27n)
    if (signer === undefined) throw new ChainError('invalid-params', 'invalid signature')
    return signer
  },
})
