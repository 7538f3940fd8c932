// Parameters of methods that run or sign: the call (or transaction) object, state overrides and block overrides. Every field
// may be absent or null; unknown fields are ignored, as in geth.
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { type Address, equalBytes, type Hash } from '../../lib/hex.ts'
import type { AccessList } from '../../primitives/types.ts'
import type { AccountOverride, BlockOverrides, CallRequest, StateOverrides } from '../../runtime/types.ts'
import { address, amount, amount64, data, hash, mapOf, word } from '../codec.ts'

export const accessList = z.array(
  z.object({ address, storageKeys: z.array(hash).nullish() }, { error: 'expected an access list entry' }),
  { error: 'expected an access list' },
)

const authorization = z.object(
  { chainId: amount, address, nonce: amount64, yParity: amount, r: word, s: word },
  { error: 'expected an authorization' },
)

/** The call object (eth_call, eth_estimateGas, …) and the transaction object (eth_sendTransaction, …). */
export const callObject = z.object(
  {
    from: address.nullish(),
    to: address.nullish(),
    gas: amount64.nullish(),
    gasPrice: amount.nullish(),
    maxFeePerGas: amount.nullish(),
    maxPriorityFeePerGas: amount.nullish(),
    value: amount.nullish(),
    nonce: amount64.nullish(),
    data: data.nullish(),
    input: data.nullish(),
    accessList: accessList.nullish(),
    chainId: amount.nullish(),
    type: amount64.nullish(),
    maxFeePerBlobGas: amount.nullish(),
    blobVersionedHashes: z.array(hash).nullish(),
    blobs: z.array(data).nullish(),
    commitments: z.array(data).nullish(),
    proofs: z.array(data).nullish(),
    authorizationList: z.array(authorization).nullish(),
  },
  { error: 'expected a call object' },
)
export type CallObject = z.output<typeof callObject>

/**
 * A call object as the runtime takes it. Throws `invalid-params` when `data` and `input` differ, when both kinds of fee are
 * given, or when a chain id is another chain's.
 */
export function toCallRequest(call: CallObject, chainId: bigint): CallRequest {
  if (call.data && call.input && !equalBytes(call.data, call.input)) {
    throw new ChainError('invalid-params', 'both "data" and "input" are set and not equal')
  }
  if (call.gasPrice != null && (call.maxFeePerGas != null || call.maxPriorityFeePerGas != null)) {
    throw new ChainError('invalid-params', 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (call.chainId != null && call.chainId !== chainId) {
    throw new ChainError('invalid-params', `chainId does not match node's (have=${call.chainId}, want=${chainId})`)
  }
  return {
    from: call.from ?? undefined,
    to: call.to,
    gas: call.gas ?? undefined,
    gasPrice: call.gasPrice ?? undefined,
    maxFeePerGas: call.maxFeePerGas ?? undefined,
    maxPriorityFeePerGas: call.maxPriorityFeePerGas ?? undefined,
    value: call.value ?? undefined,
    data: call.input ?? call.data ?? undefined,
    nonce: call.nonce ?? undefined,
    accessList: call.accessList ? toAccessList(call.accessList) : undefined,
    blobVersionedHashes: call.blobVersionedHashes ?? undefined,
    maxFeePerBlobGas: call.maxFeePerBlobGas ?? undefined,
    authorizationList: call.authorizationList ?? undefined,
  }
}

/** Entries may omit their storage keys. */
export const toAccessList = (list: z.output<typeof accessList>): AccessList =>
  list.map((entry) => ({ address: entry.address, storageKeys: entry.storageKeys ?? [] }))

const accountOverride = z.object(
  {
    balance: amount.nullish(),
    nonce: amount64.nullish(),
    code: data.nullish(),
    state: mapOf<Hash, Hash>(hash, hash).nullish(),
    stateDiff: mapOf<Hash, Hash>(hash, hash).nullish(),
    movePrecompileToAddress: address.nullish(),
  },
  { error: 'expected an account override' },
)

/** Overrides by account. */
export const stateOverrides = mapOf<Address, z.output<typeof accountOverride>>(address, accountOverride)

/** Throws `invalid-params` when an account has both `state` and `stateDiff`. */
export function toStateOverrides(overrides: z.output<typeof stateOverrides>): StateOverrides {
  const accounts = new Map<Address, AccountOverride>()
  for (const [address, account] of overrides) {
    if (account.state && account.stateDiff) {
      throw new ChainError('invalid-params', `account ${address} has both 'state' and 'stateDiff'`)
    }
    accounts.set(address, {
      balance: account.balance ?? undefined,
      nonce: account.nonce ?? undefined,
      code: account.code ?? undefined,
      state: account.state ?? undefined,
      stateDiff: account.stateDiff ?? undefined,
      movePrecompileTo: account.movePrecompileToAddress ?? undefined,
    })
  }
  return accounts
}

/** Header fields that replace the block's in a call. */
export const blockOverrides = z.object(
  {
    number: amount.nullish(),
    time: amount64.nullish(),
    gasLimit: amount64.nullish(),
    feeRecipient: address.nullish(),
    prevRandao: hash.nullish(),
    baseFeePerGas: amount.nullish(),
    blobBaseFee: amount.nullish(),
  },
  { error: 'expected block overrides' },
)

export const toBlockOverrides = (overrides: z.output<typeof blockOverrides>): BlockOverrides => ({
  number: overrides.number ?? undefined,
  time: overrides.time ?? undefined,
  gasLimit: overrides.gasLimit ?? undefined,
  feeRecipient: overrides.feeRecipient ?? undefined,
  prevRandao: overrides.prevRandao ?? undefined,
  baseFeePerGas: overrides.baseFeePerGas ?? undefined,
  blobBaseFee: overrides.blobBaseFee ?? undefined,
})
