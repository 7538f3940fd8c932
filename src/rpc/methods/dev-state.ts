// Development: sets balances, nonces, code and storage of accounts, and impersonates accounts. Each change is made to the state
// at the head, outside any block.
import { encodeFunctionData, erc20Abi } from 'viem'
import { z } from 'zod'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToWord, bytesToBig, fromHex } from '../../lib/hex.ts'
import { ECRECOVER, SIGNATURE_LENGTH, slotOfSignature } from '../../primitives/impersonated-signature.ts'
import type { StateView } from '../../state/types.ts'
import { address, bool, data, looseQuantity, looseUint64, noResult, string, word } from '../codec.ts'
import { answeringTrue, rpcMethod } from '../define.ts'

/** Most accounts of a list. */
const MAX_ACCOUNTS = 1_000
const MAX_BALANCE = 2n ** 256n - 1n
/** The highest nonce with which an account can still send (EIP-2681). */
const MAX_NONCE = 2n ** 64n - 2n

export const anvil_setBalance = rpcMethod({
  summary: 'Sets an account’s balance.',
  params: [address, looseQuantity],
  names: ['address', 'balance'],
  result: noResult,
  gate: 'development',
  handler: ([account, balance], { chain }) => chain.edit((view) => view.setBalance(account, balance)),
})
export const hardhat_setBalance = answeringTrue(anvil_setBalance)
export const evm_setAccountBalance = hardhat_setBalance

export const anvil_addBalance = rpcMethod({
  summary: 'Adds an amount to an account’s balance.',
  params: [address, looseQuantity],
  names: ['address', 'amount'],
  result: noResult,
  gate: 'development',
  handler: ([account, amount], { chain }) => chain.edit((view) => addTo(view, account, amount)),
})
export const hardhat_addBalance = anvil_addBalance

/** Adds up to the greatest balance. */
function addTo(view: StateView, account: Address, amount: bigint): void {
  const sum = view.balance(account) + amount
  view.setBalance(account, sum > MAX_BALANCE ? MAX_BALANCE : sum)
}

const oneOrMore = z.union([address, z.array(address).max(MAX_ACCOUNTS)], {
  error: `expected an address or a list of at most ${MAX_ACCOUNTS} addresses`,
})

export const tenderly_setBalance = rpcMethod({
  summary: 'Sets the balance of an account, or of each account of a list.',
  params: [oneOrMore, looseQuantity],
  names: ['addresses', 'balance'],
  result: noResult,
  gate: 'development',
  handler: ([accounts, balance], { chain }) =>
    chain.edit((view) => {
      for (const account of [accounts].flat()) view.setBalance(account, balance)
    }),
})

export const tenderly_addBalance = rpcMethod({
  summary: 'Adds an amount to the balance of an account, or of each account of a list.',
  params: [oneOrMore, looseQuantity],
  names: ['addresses', 'amount'],
  result: noResult,
  gate: 'development',
  handler: ([accounts, amount], { chain }) =>
    chain.edit((view) => {
      for (const account of [accounts].flat()) addTo(view, account, amount)
    }),
})

export const anvil_setNonce = rpcMethod({
  summary: 'Sets an account’s nonce; it may be lower than before.',
  params: [address, looseUint64],
  names: ['address', 'nonce'],
  result: noResult,
  gate: 'development',
  handler([account, nonce], { chain }) {
    if (nonce > MAX_NONCE) throw new ChainError('invalid-params', 'nonce has max value')
    return chain.edit((view) => view.setNonce(account, nonce))
  },
})
export const hardhat_setNonce = answeringTrue(anvil_setNonce)
export const evm_setAccountNonce = hardhat_setNonce

export const anvil_setCode = rpcMethod({
  summary: 'Sets an account’s runtime code (not the code of a deployment).',
  params: [address, data],
  names: ['address', 'code'],
  result: noResult,
  gate: 'development',
  handler: ([account, code], { chain }) => chain.edit((view) => view.setCode(account, code)),
})
export const hardhat_setCode = answeringTrue(anvil_setCode)
export const evm_setAccountCode = hardhat_setCode

export const anvil_setStorageAt = rpcMethod({
  summary: 'Sets a storage slot of an account.',
  params: [address, looseQuantity, word],
  names: ['address', 'slot', 'value'],
  result: bool,
  gate: 'development',
  async handler([account, slot, value], { chain }) {
    await chain.edit((view) => {
      // The state has no slots of an account that does not exist.
      if (view.account(account) === undefined) view.setBalance(account, 0n)
      view.setStorage(account, slot, value)
    })
    return true
  },
})
export const hardhat_setStorageAt = anvil_setStorageAt
export const evm_setAccountStorageAt = anvil_setStorageAt

// --- ERC-20 balances and allowances

const balanceCall = (account: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [account] }))

const allowanceCall = (owner: Address, spender: Address): Uint8Array =>
  fromHex(encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] }))

/**
 * The storage slot from which an ERC-20 contract answers a call. It replaces the slots that the call reads, one at a time, by
 * `value`, until the call returns `value`. Throws `not-found` when there is no such slot.
 */
async function findSlot(
  chain: Chain,
  token: Address,
  data: Uint8Array,
  value: bigint,
): Promise<{ readonly contract: Address; readonly slot: bigint }> {
  const request = { to: token, data }
  const { accessList } = await chain.createAccessList(request, 'latest')
  for (const { address: contract, storageKeys } of accessList) {
    for (const key of storageKeys) {
      const stateDiff = new Map([[key, bigToWord(value)]])
      const { error, returnData } = await chain.call(request, 'latest', {
        stateOverrides: new Map([[contract, { stateDiff }]]),
      })
      if (error === undefined && returnData.length === 32 && bytesToBig(returnData) === value) {
        return { contract, slot: BigInt(key) }
      }
    }
  }
  throw new ChainError('not-found', `no storage slot of ${token} holds the value`)
}

export const anvil_dealERC20 = rpcMethod({
  summary:
    'Sets an account’s balance of an ERC-20 token (account, token, amount), if the token keeps it in a storage slot.',
  params: [address, address, looseQuantity],
  names: ['address', 'token', 'amount'],
  result: noResult,
  gate: 'development',
  async handler([account, token, amount], { chain }) {
    const { contract, slot } = await findSlot(chain, token, balanceCall(account), amount)
    await chain.edit((view) => view.setStorage(contract, slot, amount))
  },
})
export const anvil_setERC20Balance = anvil_dealERC20
export const hardhat_dealERC20 = anvil_dealERC20

export const anvil_setERC20Allowance = rpcMethod({
  summary:
    'Sets an allowance of an ERC-20 token (owner, spender, token, amount), if the token keeps it in a storage slot.',
  params: [address, address, address, looseQuantity],
  names: ['owner', 'spender', 'token', 'amount'],
  result: noResult,
  gate: 'development',
  async handler([owner, spender, token, amount], { chain }) {
    const { contract, slot } = await findSlot(chain, token, allowanceCall(owner, spender), amount)
    await chain.edit((view) => view.setStorage(contract, slot, amount))
  },
})

// --- impersonation

export const anvil_impersonateAccount = rpcMethod({
  summary: 'Lets an account send transactions without its key; it may be a contract.',
  params: [address],
  names: ['address'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([account], { development }) {
    development.impersonated.add(account)
  },
})
export const hardhat_impersonateAccount = answeringTrue(anvil_impersonateAccount)

export const anvil_stopImpersonatingAccount = rpcMethod({
  summary: 'Ends anvil_impersonateAccount for an account.',
  params: [address],
  names: ['address'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([account], { development }) {
    development.impersonated.delete(account)
  },
})
export const hardhat_stopImpersonatingAccount = answeringTrue(anvil_stopImpersonatingAccount)

export const anvil_autoImpersonateAccount = rpcMethod({
  summary: 'Lets every account send transactions without its key, or stops that.',
  params: [bool],
  names: ['enabled'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([on], { development }) {
    development.autoImpersonate = on
  },
})
export const hardhat_autoImpersonateAccount = answeringTrue(anvil_autoImpersonateAccount)

const signature = data.refine((bytes) => bytes.length === SIGNATURE_LENGTH, {
  error: 'expected a signature of 65 bytes',
})

export const anvil_impersonateSignature = rpcMethod({
  summary:
    'Lets ecrecover answer an address for a signature (r, s, v), whatever was signed; the zero address ends that. It is a change of the state: `evm_revert` undoes it, and it outlives a restart.',
  params: [signature, address],
  names: ['signature', 'address'],
  result: noResult,
  gate: 'development',
  handler: ([bytes, account], { chain }) =>
    chain.edit((view) => {
      view.setNonce(ECRECOVER, 1n)
      view.setStorage(ECRECOVER, slotOfSignature(bytes), BigInt(account))
    }),
})

export const evm_addAccount = rpcMethod({
  summary: 'Impersonates an account, as in Ganache; false when it could send already. A password is ignored.',
  params: [address, string.optional()],
  names: ['address', 'password'],
  result: bool,
  gate: 'development',
  noted: true,
  handler([account], { development, wallet }) {
    if (wallet.has(account) || development.impersonated.has(account)) return false
    development.impersonated.add(account)
    return true
  },
})

export const evm_removeAccount = rpcMethod({
  summary: 'Ends evm_addAccount for an account; false when it was not impersonated.',
  params: [address, string.optional()],
  names: ['address', 'password'],
  result: bool,
  gate: 'development',
  noted: true,
  handler: ([account], { development }) => development.impersonated.delete(account),
})
