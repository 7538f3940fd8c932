// Accounts after a block: balance, nonce, code, storage, proofs. Every method reads a view of the block's state (`chain.at`),
// so historical states need no code here.
import { z } from 'zod'
import { BeforeFork } from '../../chain/fork.ts'
import type { Chain } from '../../chain/types.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, bigToWord, type Hash, type Hex, toHex, toQuantity } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import type { SealedHeader } from '../../primitives/types.ts'
import type { AccountProof, StateView } from '../../state/types.ts'
import { address, atBlock, data, hash, mapOf, quantity, type StorageKey, storageKey } from '../codec.ts'
import { rpcMethod } from '../define.ts'
import { RpcError } from '../errors.ts'

const MAX_SLOTS = 1024
/** geth's code for a request with too many slots. */
const CLIENT_LIMIT_EXCEEDED = -38026

const EMPTY_CODE_HASH = keccakHash(new Uint8Array(0))

export const eth_getBalance = rpcMethod({
  summary: 'The balance of an account after a block, in wei.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: quantity,
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    const { view } = await chain.at(ref)
    return view.balance(accountAddress)
  },
})

export const eth_getTransactionCount = rpcMethod({
  summary: 'The nonce of an account after a block; `pending` counts its transactions in the pool too.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: quantity,
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    if (ref === 'pending') return chain.pool.nextNonce(accountAddress)
    const { view } = await chain.at(ref)
    return view.nonce(accountAddress)
  },
})

export const eth_getCode = rpcMethod({
  summary: 'The code of an account after a block.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: data,
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    const { view } = await chain.at(ref)
    return view.code(accountAddress)
  },
})

export const eth_getStorageAt = rpcMethod({
  summary: 'One storage slot of an account after a block, as 32 bytes.',
  params: [address, storageKey, atBlock],
  names: ['address', 'slot', 'block'],
  result: hash,
  committed: true,
  async handler([accountAddress, { slot }, ref], { chain }) {
    const { view } = await chain.at(ref)
    return bigToWord(view.storage(accountAddress, slot))
  },
})

export const eth_getStorageValues = rpcMethod({
  summary: 'Storage slots of several accounts after a block.',
  params: [mapOf<Address, readonly Hash[]>(address, z.array(hash)), atBlock],
  names: ['slots', 'block'],
  result: mapOf<Address, readonly Hash[]>(address, z.array(hash)),
  committed: true,
  async handler([wanted, ref], { chain }) {
    const slots = [...wanted.values()].reduce((sum, keys) => sum + keys.length, 0)
    if (slots > MAX_SLOTS) throw tooManySlots()
    if (slots === 0) throw new ChainError('invalid-params', 'empty request')
    const { view } = await chain.at(ref)
    const read = (accountAddress: Address) => (key: Hash) => bigToWord(view.storage(accountAddress, BigInt(key)))
    return new Map([...wanted].map(([accountAddress, keys]) => [accountAddress, keys.map(read(accountAddress))]))
  },
})

const tooManySlots = () => new RpcError(CLIENT_LIMIT_EXCEEDED, `too many slots (max ${MAX_SLOTS})`)

export const eth_getProof = rpcMethod({
  summary: 'An account and some of its slots with their Merkle proofs (EIP-1186); on a fork for blocks before it only.',
  params: [address, z.array(storageKey, { error: 'expected a list of storage keys' }), atBlock],
  names: ['address', 'slots', 'block'],
  result: wireProof,
  heavy: true,
  committed: true,
  async handler([accountAddress, keys, ref], { chain }, signal) {
    if (keys.length > MAX_SLOTS) throw tooManySlots()
    const { header, view } = await chain.at(ref)
    requireTrie(chain, header)
    return { accountAddress, keys, proof: await prove(view, accountAddress, keys, signal) }
  },
})

/** A fork's trie has only what was changed on it. Throws `state-not-available`, or BeforeFork for the block of the fork. */
function requireTrie({ forked }: Chain, { number }: SealedHeader): void {
  if (forked === undefined) return
  const { at } = forked
  if (number === at.number) throw new BeforeFork(`the state of block ${number}`)
  throw new ChainError('state-not-available', `a fork has no complete state trie after block ${at.number}`)
}

/** Slots that are proved before yielding to other work. */
const SLOTS_PER_STEP = 32

async function prove(
  view: StateView,
  accountAddress: Address,
  keys: readonly StorageKey[],
  signal: AbortSignal,
): Promise<AccountProof> {
  const slots = keys.map(({ slot }) => slot)
  const pause = yieldToEventLoop('heavy', signal)
  const proof = view.prove(accountAddress, slots.slice(0, SLOTS_PER_STEP))
  for (let at = SLOTS_PER_STEP; at < slots.length; at += SLOTS_PER_STEP) {
    await pause()
    proof.storageProofs.push(...view.prove(accountAddress, slots.slice(at, at + SLOTS_PER_STEP)).storageProofs)
  }
  return proof
}

function wireProof({
  accountAddress,
  keys,
  proof,
}: {
  accountAddress: Address
  keys: readonly StorageKey[]
  proof: AccountProof
}) {
  return {
    address: accountAddress,
    accountProof: proof.accountProof,
    balance: toQuantity(proof.account?.balance ?? 0n),
    codeHash: proof.account?.codeHash ?? EMPTY_CODE_HASH,
    nonce: toQuantity(proof.account?.nonce ?? 0n),
    storageHash: proof.storageRoot,
    storageProof: proof.storageProofs.map((slot, position) => ({
      key: storageKey.encode(keys[position] ?? { slot: slot.key, full: true }),
      value: toQuantity(slot.value),
      proof: slot.proof,
    })),
  }
}

export const eth_getAccount = rpcMethod({
  summary:
    'The balance, nonce, storage root and code hash of an account; null when it does not exist. On a fork an error for accounts with storage on the forked chain.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: (account: Record<string, Hex> | null) => account,
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    const { header, view } = await chain.at(ref)
    const account = view.account(accountAddress)
    if (account === undefined) return null
    if (view.hasForkedStorage(accountAddress)) requireTrie(chain, header)
    return {
      balance: toQuantity(account.balance),
      nonce: toQuantity(account.nonce),
      storageRoot: view.storageRoot(accountAddress),
      codeHash: account.codeHash,
    }
  },
})

export const eth_getAccountInfo = rpcMethod({
  summary: 'The balance, nonce and code of an account.',
  params: [address, atBlock],
  names: ['address', 'block'],
  result: ({ view, accountAddress }: { view: StateView; accountAddress: Address }) => ({
    balance: toQuantity(view.balance(accountAddress)),
    nonce: toQuantity(view.nonce(accountAddress)),
    code: toHex(view.code(accountAddress)),
  }),
  committed: true,
  async handler([accountAddress, ref], { chain }) {
    const { view } = await chain.at(ref)
    return { view, accountAddress }
  },
})
