// The parts of a block other than its transactions: system calls, withdrawals, rewards, requests. None pays gas or has a
// receipt.
import { createHash } from 'node:crypto'
import { forkGas } from '../evm/gas/fork-gas.ts'
import type { Machine } from '../evm/machine.ts'
import type { Result } from '../evm/result.ts'
import type { StateAccesses } from '../evm/state-accesses.ts'
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
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { withdrawnWei } from '../primitives/block.ts'
import type { Header, Receipt, Withdrawal } from '../primitives/types.ts'
import { SYSTEM_ADDRESS, SYSTEM_CONTRACT } from '../spec/addresses.ts'
import type { ChainSpec, Fork } from '../spec/chain-spec.ts'
import { forkRules } from '../spec/fork-rules.ts'
import { systemContracts } from '../spec/preinstalls.ts'
import type { StateView, Wanted } from '../state/types.ts'
import type { BlockEnv } from './block-env.ts'
import { requireBlockRule } from './require-block-rule.ts'

const SYSTEM_CALL_GAS = 30_000_000n
const ETHER = 10n ** 18n
/** Contracts that every block calls at its end from a fork on, in the order of their request types, 1 to 4. */
const REQUEST_CONTRACTS = [
  { address: SYSTEM_CONTRACT.withdrawalRequests, eip: 'EIP-7002', since: 'prague' },
  { address: SYSTEM_CONTRACT.consolidationRequests, eip: 'EIP-7251', since: 'prague' },
  { address: SYSTEM_CONTRACT.builderDeposits, eip: 'EIP-8282', since: 'amsterdam' },
  { address: SYSTEM_CONTRACT.builderExits, eip: 'EIP-8282', since: 'amsterdam' },
] as const
/** DepositEvent(bytes,bytes,bytes,bytes,bytes) of the deposit contract (EIP-6110). */
const DEPOSIT_TOPIC = hexToHash('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')

/** Slots of each of them: excess, count, head and tail of the queue. A call reads all; while all are zero it changes nothing. */
const QUEUE_SLOTS = [0n, 1n, 2n, 3n]

/** What blocks read of the system contracts, for a fork of a chain to fetch once. */
export const firstParts = (spec: ChainSpec | undefined): readonly Wanted[] => [
  { account: ZERO_ADDRESS },
  // The library's engine reads the caller of system calls.
  { account: SYSTEM_ADDRESS },
  { account: SYSTEM_CONTRACT.beaconRoots },
  { account: SYSTEM_CONTRACT.history },
  ...REQUEST_CONTRACTS.filter(
    ({ since }) => since === 'prague' || (spec !== undefined && hasInSchedule(spec, since)),
  ).flatMap(({ address: account }) => [
    { account },
    ...QUEUE_SLOTS.map((slot) => ({ account, slot: bigToWord(slot) })),
  ]),
]

const hasInSchedule = ({ forks }: ChainSpec, wanted: Fork): boolean => forks.some(({ fork }) => forkRules(fork)[wanted])

/** The code that the EIPs give for the system contracts, by its hash. What a call of it does is known without running it. */
const KNOWN_CODES: ReadonlyMap<Address, Hash> = new Map(
  systemContracts('amsterdam').map(({ address, code }) => [address, keccakHash(code)]),
)

/** Whether a system call may be replaced by its known effect. The reference engine always runs the code, to compare the two. */
const hasKnownCode = ({ view, isReference }: Machine, address: Address): boolean =>
  !isReference && view.account(address)?.codeHash === KNOWN_CODES.get(address)

/** Length of the ring buffers of EIP-4788 (HISTORY_BUFFER_LENGTH) and EIP-2935 (HISTORY_SERVE_WINDOW). */
const RING = 8191n

/**
 * Runs one step of a block outside of its transactions. From Amsterdam on what the step accesses and changes is recorded for the block
 * access list, `accesses` receives what it reads; a step that throws is not recorded.
 */
export type RunStep = <T>(step: (accesses: StateAccesses | undefined) => MaybePromise<T>) => Promise<T>

/**
 * EIP-4788 and EIP-2935: stores the parent's beacon root and hash before the first transaction. By both EIPs a failed call has
 * no effect.
 */
export async function beginSystemCalls(
  machine: Machine,
  env: BlockEnv,
  run: RunStep,
  parentHash: Hash,
  parentBeaconBlockRoot: Hash | undefined,
): Promise<void> {
  const { beaconRoots, history } = SYSTEM_CONTRACT
  const write = (to: Address, data: Hash, words: readonly (readonly [slot: bigint, word: bigint])[]) =>
    run((accesses) => {
      const slots = accesses?.account(to)
      if (!hasKnownCode(machine, to)) return notify(machine, env, to, fromHex(data))
      for (const [slot, word] of words) {
        slots?.add(bigToWord(slot))
        if (slots === undefined) machine.view.overwriteStorage(to, slot, word)
        else machine.view.setStorage(to, slot, word)
      }
    })
  if (env.rules.cancun && parentBeaconBlockRoot !== undefined) {
    const slot = env.timestamp % RING
    const words = [
      [slot, env.timestamp],
      [slot + RING, BigInt(parentBeaconBlockRoot)],
    ] as const
    await write(beaconRoots, parentBeaconBlockRoot, words)
  }
  if (env.rules.prague) await write(history, parentHash, [[(env.number - 1n) % RING, BigInt(parentHash)]])
}

/**
 * EIP-6110, EIP-7002, EIP-7251 and EIP-8282 requests in type order, each as type byte and data; empty ones are left out.
 * Throws ChainError `invalid-block` when a contract that the fork calls has no code or its call fails.
 */
export async function collectRequests(
  machine: Machine,
  env: BlockEnv,
  run: RunStep,
  spec: ChainSpec,
  receipts: readonly Receipt[],
): Promise<Uint8Array[]> {
  const deposits = receipts.flatMap(({ logs }) =>
    logs.filter(({ address, topics }) => address === spec.depositContract && topics[0] === DEPOSIT_TOPIC),
  )
  const data: Uint8Array[] = [Buffer.concat(deposits.map((log) => depositRequest(log.data)))]
  for (const contract of REQUEST_CONTRACTS)
    if (env.rules[contract.since]) data.push(await run((accesses) => queuedRequests(machine, env, accesses, contract)))
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
export function payWithdrawals(
  machine: Machine,
  withdrawals: readonly Withdrawal[],
  accesses: StateAccesses | undefined,
): bigint {
  let total = 0n
  for (const withdrawal of withdrawals) {
    const wei = withdrawnWei(withdrawal)
    accesses?.account(withdrawal.address)
    machine.view.addBalance(withdrawal.address, wei)
    machine.touch(withdrawal.address)
    total += wei
  }
  machine.accessJournal.clear()
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
  accesses: StateAccesses | undefined,
  { address, eip, since }: (typeof REQUEST_CONTRACTS)[number],
): Promise<Uint8Array> {
  const { view } = machine
  const slots = accesses?.account(address)
  if (hasKnownCode(machine, address) && QUEUE_SLOTS.every((slot) => view.storage(address, slot) === 0n)) {
    for (const slot of QUEUE_SLOTS) slots?.add(bigToWord(slot))
    return EMPTY_BYTES
  }
  const isThere = view.code(address).length > 0
  // Other chains have the rules of the fork without these contracts.
  if (!isThere && view.missing !== undefined) return EMPTY_BYTES
  requireBlockRule(
    isThere,
    `empty system contract: no code at ${address} (${eip}; from ${nameOf(since)} on every block calls it)`,
  )
  const { output, failure } = await systemCall(machine, env, address, EMPTY_BYTES)
  requireBlockRule(failure === undefined, `system call failed to execute: ${address} (${eip}): ${failure?.message}`)
  return output
}

/** Warnings for a chain whose state lacks a request contract of a fork in its schedule. */
export function missingRequestContracts(spec: ChainSpec, view: StateView): string[] {
  return REQUEST_CONTRACTS.filter(
    ({ address, since }) => hasInSchedule(spec, since) && view.code(address).length === 0,
  ).map(
    ({ address, eip, since }) =>
      `there is no code at ${address} (${eip}): from ${nameOf(since)} on no block can be made without it. Put it into the ` +
      `genesis file, whose "alloc" \`kestrel genesis --hardfork ${since}\` shows how, or deploy it before ${nameOf(since)} begins`,
  )
}

const nameOf = (fork: 'prague' | 'amsterdam'): string => (fork === 'prague' ? 'Prague' : 'Amsterdam')

/** A system call: no account pays for it, and its gas does not count in the block. */
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
