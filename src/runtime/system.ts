// The parts of a block other than its transactions: system calls, withdrawals, rewards, requests. None pays gas or has a
// receipt.
import { createHash } from 'node:crypto'
import { forkGas } from '../evm/gas/fork-gas.ts'
import type { Machine } from '../evm/machine.ts'
import type { Result } from '../evm/result.ts'
import { ChainError } from '../lib/errors.ts'
import {
  type Address,
  bigToWord,
  bytesToBig,
  EMPTY_BYTES,
  fromHex,
  type Hash,
  hexToHash,
  toHash,
  ZERO_ADDRESS,
} from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { withdrawnWei } from '../primitives/block.ts'
import type { Header, Receipt, Withdrawal } from '../primitives/types.ts'
import { SYSTEM_ADDRESS, SYSTEM_CONTRACT } from '../spec/addresses.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { systemContracts } from '../spec/preinstalls.ts'
import type { StateView, Wanted } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'
import { requireBlockRule } from './require-block-rule.ts'

const SYSTEM_CALL_GAS = 30_000_000n
const ETHER = 10n ** 18n
/** Contracts that every block calls from Prague on, in the order of their request types, 1 and 2. */
const REQUEST_CONTRACTS = [
  { address: SYSTEM_CONTRACT.withdrawalRequests, eip: 'EIP-7002' },
  { address: SYSTEM_CONTRACT.consolidationRequests, eip: 'EIP-7251' },
] as const
/** DepositEvent(bytes,bytes,bytes,bytes,bytes) of the deposit contract (EIP-6110). */
const DEPOSIT_TOPIC = hexToHash('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')

/** What blocks read of the system contracts, for a fork to fetch once. */
export const FIRST_PARTS: readonly Wanted[] = [
  { account: ZERO_ADDRESS },
  // The library's engine reads the caller of system calls.
  { account: SYSTEM_ADDRESS },
  ...Object.values(SYSTEM_CONTRACT).map((account) => ({ account })),
  ...REQUEST_CONTRACTS.flatMap(({ address: account }) =>
    [0n, 1n, 2n, 3n].map((slot) => ({ account, slot: bigToWord(slot) })),
  ),
]

/** The code that the EIPs give for the system contracts, by its hash. What a call of it does is known without running it. */
const KNOWN_CODES: ReadonlyMap<Address, Hash> = new Map(
  systemContracts('prague').map(({ address, code }) => [address, keccakHash(code)]),
)

/** Whether a system call may be replaced by its known effect. The reference engine always runs the code, to compare the two. */
const hasKnownCode = ({ view, isReference }: Machine, address: Address): boolean =>
  !isReference && view.account(address)?.codeHash === KNOWN_CODES.get(address)

/** Length of the ring buffers of EIP-4788 (HISTORY_BUFFER_LENGTH) and EIP-2935 (HISTORY_SERVE_WINDOW). */
const RING = 8191n
/** Slots of EIP-7002 and EIP-7251: excess, count, head and tail of the queue. While all are zero a call changes nothing. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n]

/**
 * EIP-4788 and EIP-2935: stores the parent's beacon root and hash before the first transaction. By both EIPs a failed call has
 * no effect.
 */
export async function beginSystemCalls(
  machine: Machine,
  env: BlockEnv,
  parentHash: Hash,
  parentBeaconBlockRoot: Hash | undefined,
): Promise<void> {
  const { beaconRoots, history } = SYSTEM_CONTRACT
  if (env.rules.cancun && parentBeaconBlockRoot !== undefined) {
    const slot = env.timestamp % RING
    if (hasKnownCode(machine, beaconRoots)) {
      machine.view.overwriteStorage(beaconRoots, slot, env.timestamp)
      machine.view.overwriteStorage(beaconRoots, slot + RING, BigInt(parentBeaconBlockRoot))
    } else await notify(machine, env, beaconRoots, fromHex(parentBeaconBlockRoot))
  }
  if (env.rules.prague) {
    if (hasKnownCode(machine, history))
      machine.view.overwriteStorage(history, (env.number - 1n) % RING, BigInt(parentHash))
    else await notify(machine, env, history, fromHex(parentHash))
  }
}

/**
 * EIP-6110, EIP-7002 and EIP-7251 requests in type order, each as type byte and data; empty ones are left out.
 * Throws ChainError `invalid-block` when a contract of EIP-7002 or EIP-7251 has no code or its call fails.
 */
export async function collectRequests(
  machine: Machine,
  env: BlockEnv,
  spec: ChainSpec,
  receipts: readonly Receipt[],
): Promise<Uint8Array[]> {
  const deposits = receipts.flatMap(({ logs }) =>
    logs.filter(({ address, topics }) => address === spec.depositContract && topics[0] === DEPOSIT_TOPIC),
  )
  const data: Uint8Array[] = [Buffer.concat(deposits.map((log) => depositRequest(log.data)))]
  for (const contract of REQUEST_CONTRACTS) data.push(await queuedRequests(machine, env, contract))
  return data.flatMap((bytes, type) => (bytes.length === 0 ? [] : [Buffer.concat([Uint8Array.of(type), bytes])]))
}

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest()
/** The hash of an empty list, which most blocks have. */
const NO_REQUESTS_HASH = toHash(sha256(EMPTY_BYTES))

/** EIP-7685: sha256 over the sha256 of each request. */
export function requestsHash(requests: readonly Uint8Array[]): Hash {
  return requests.length === 0 ? NO_REQUESTS_HASH : toHash(sha256(Buffer.concat(requests.map(sha256))))
}

/** EIP-4895: credits the withdrawals (gwei) as wei, without a message. Returns their sum in wei. */
export function payWithdrawals(machine: Machine, withdrawals: readonly Withdrawal[]): bigint {
  let total = 0n
  for (const withdrawal of withdrawals) {
    const wei = withdrawnWei(withdrawal)
    machine.view.addBalance(withdrawal.address, wei)
    machine.touch(withdrawal.address)
    total += wei
  }
  return total
}

/** A proof-of-work reward in wei, of a block's miner or of an uncle's. */
export type Reward = { readonly kind: 'block' | 'uncle'; readonly author: Address; readonly value: bigint }

/** Block reward of 5, 3 (Byzantium) or 2 (Constantinople) ether, plus 1/32 for each uncle; then the uncles'. None after the merge. */
export function rewardsOf(env: BlockEnv, uncles: readonly Header[]): Reward[] {
  if (env.difficulty === 0n) return []
  const reward = (env.rules.constantinople ? 2n : env.rules.byzantium ? 3n : 5n) * ETHER
  const ofUncle = ({ coinbase, number }: Header): Reward => {
    return { kind: 'uncle', author: coinbase, value: ((number + 8n - env.number) * reward) / 8n }
  }
  const value = reward + (reward / 32n) * BigInt(uncles.length)
  return [{ kind: 'block', author: env.coinbase, value }, ...uncles.map(ofUncle)]
}

/** Pays `rewardsOf`. */
export function payRewards(machine: Machine, env: BlockEnv, uncles: readonly Header[]): void {
  for (const { author, value } of rewardsOf(env, uncles)) machine.view.addBalance(author, value)
}

/** A system call whose result is ignored. A contract without code is not called; a failed call is reverted. */
async function notify(machine: Machine, env: BlockEnv, to: Address, data: Uint8Array): Promise<void> {
  if (machine.view.code(to).length > 0) await systemCall(machine, env, to, data)
}

/** The output of a request contract. By its EIP the block is invalid if the contract has no code or fails. */
async function queuedRequests(
  machine: Machine,
  env: BlockEnv,
  { address, eip }: (typeof REQUEST_CONTRACTS)[number],
): Promise<Uint8Array> {
  const { view } = machine
  const isIdle = hasKnownCode(machine, address) && QUEUE_SLOTS.every((slot) => view.storage(address, slot) === 0n)
  if (isIdle) return EMPTY_BYTES
  const isThere = view.code(address).length > 0
  // Other chains have the rules of Prague without these contracts.
  if (!isThere && view.missing !== undefined) return EMPTY_BYTES
  requireBlockRule(
    isThere,
    `empty system contract: no code at ${address} (${eip}; from Prague on every block calls it)`,
  )
  const { output, failure } = await systemCall(machine, env, address, EMPTY_BYTES)
  requireBlockRule(failure === undefined, `system call failed to execute: ${address} (${eip}): ${failure?.message}`)
  return output
}

/** Warnings for a chain with Prague in its schedule whose state lacks a request contract. */
export function missingRequestContracts(spec: ChainSpec, view: StateView): string[] {
  if (!spec.forks.some(({ fork }) => forkRules(fork).prague)) return []
  return REQUEST_CONTRACTS.filter(({ address }) => view.code(address).length === 0).map(
    ({ address, eip }) =>
      `there is no code at ${address} (${eip}): from Prague on no block can be made without it. Put it into the ` +
      'genesis file, whose "alloc" `kestrel genesis` shows how, or deploy it before Prague begins',
  )
}

/** A system call: no account pays for it, and its 30,000,000 gas do not count in the block. */
async function systemCall(machine: Machine, env: BlockEnv, to: Address, data: Uint8Array): Promise<Result> {
  machine.view.beginTransaction()
  machine.accessJournal.clear()
  const result = await machine.run({
    from: SYSTEM_ADDRESS,
    to,
    data,
    gasLimit: SYSTEM_CALL_GAS,
    reservoir: BigInt(forkGas(env.rules).state.systemCall),
    block: env,
    value: 0n,
    gasPrice: 0n,
    isStatic: false,
    blobVersionedHashes: [],
    refund: 0n,
  })
  machine.accessJournal.clear()
  return result
}

/** Extracts the five byte strings of a deposit log: key 48, credentials 32, amount 8, signature 96, index 8. */
function depositRequest(data: Uint8Array): Uint8Array {
  const sizes = [48, 32, 8, 96, 8]
  const offsets = [160, 256, 320, 384, 512]
  const malformed = () => new ChainError('invalid-block', 'deposit log has an unknown layout')
  if (data.length !== 576) throw malformed()
  const word = (at: number) => bytesToBig(data.subarray(at, at + 32))
  return Buffer.concat(
    sizes.map((size, i) => {
      const offset = offsets[i] ?? 0
      if (word(i * 32) !== BigInt(offset) || word(offset) !== BigInt(size)) throw malformed()
      return data.subarray(offset + 32, offset + 32 + size)
    }),
  )
}
