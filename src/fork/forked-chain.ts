// The chain that is forked, at the block of the fork: fetches accounts, codes, slots and hashes of blocks, and foresees what calls
// read. Parts that several runs miss are fetched once. With `verify` an answer counts only if a proof shows that it follows from the
// state root of the fork's block.
import { LRUCache } from 'lru-cache'
import type { z } from 'zod'
import { ChainError } from '../lib/errors.ts'
import { type Address, bigToBytes, bigToWord, equalBytes, fromHex, type Hash, toHash, toQuantity } from '../lib/hex.ts'
import { keccak256, keccakHash } from '../lib/keccak.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { SealedHeader } from '../primitives/types.ts'
import { EMPTY_CODE_HASH } from '../state/accounts.ts'
import { type Found, type FoundAccount, nameOfWanted, type StateSource } from '../state/partial-state.ts'
import type { ForeseenCall, Wanted } from '../state/types.ts'
import { FalseProof, provenValue } from '../state/verify-proof.ts'
import { isUnknownMethod, RemoteError, RemoteFailure, UnknownMethod } from './errors.ts'
import type { Remote, RemoteCounts } from './remote.ts'
import { accessList, block, bytes, feeHistory, type Proof, place, proof, quantity, word } from './wire.ts'

/** The block at which a chain leaves another one. */
export type ForkBlock = {
  /** Of the forked chain. */
  readonly chainId: bigint
  readonly number: bigint
  readonly hash: Hash
  readonly stateRoot: Hash
  /** Whether the remote takes the hash of a block in place of its number (EIP-1898). */
  readonly byHash: boolean
  /** Whether everything is compared with proofs. */
  readonly isVerified: boolean
  /** As the forked chain writes it, with hashes of its transactions; undefined: the fork was begun by a program that did not keep it. */
  readonly block?: unknown
}

/** Fetched parts by name, kept for other forks of the same block. */
export type PartCache = {
  get(name: string): Found | undefined
  add(found: readonly Found[]): void
  close(): void
}

export type ForkedChainOptions = {
  /** undefined: only what was fetched earlier is there. */
  readonly remote: Remote | undefined
  readonly at: ForkBlock
  readonly cache?: PartCache | undefined
}

/** Slots of an account that are read one after the other before those that follow are fetched too. */
const IN_ORDER = 3
/** Most slots that are fetched ahead. */
const MOST_AHEAD = 64
/** Accounts whose last slot is remembered. */
const MOST_RUNS = 1_000
/** Parts that one call may be foreseen to read. */
const MOST_FORESEEN = 3_000
/** Milliseconds that the forked chain may take to foresee a call. */
const FORESEEING = 3_000
/** Milliseconds in which it is not asked to after a failure. */
const UNFORESEEN = 60_000
/** Slots of one proof. */
const SLOTS_PER_PROOF = 100

/** Answers of the remote that are kept; they are about blocks that do not change. */
const KEPT_LENGTH = 32_000_000
const KEPT_PLACES = 20_000
/** Milliseconds; a server may lag behind another one. */
const PLACES_KEPT = 60_000

export class ForkedChain implements StateSource {
  readonly at: ForkBlock
  /** The name of the request for the block of the fork. */
  readonly #atName: string
  #remote: Remote | undefined
  readonly #cache: PartCache | undefined
  /** Parts that are being fetched. */
  readonly #running = new Map<string, Promise<Found>>()
  /** The last slot of an account that was asked for, and how many slots before it were too. */
  readonly #runs = new Map<Address, { last: bigint; length: number }>()
  /** When the remote may be asked to foresee calls again, in time of `performance.now()`. */
  #mayForesee = 0
  #isClosed = false
  #hits = 0
  readonly #answers = new LRUCache<string, { readonly result: unknown }>({
    maxSize: KEPT_LENGTH,
    maxEntrySize: KEPT_LENGTH / 10,
  })
  /** Numbers of the blocks of hashes; -1: the forked chain has none up to the fork. */
  readonly #places = new LRUCache<Hash, bigint>({ max: KEPT_PLACES, ttl: PLACES_KEPT })

  constructor({ remote, at, cache }: ForkedChainOptions) {
    remote?.expect(at)
    this.#remote = remote
    this.at = at
    this.#atName = JSON.stringify(['eth_getBlockByNumber', [toQuantity(at.number), false]])
    this.#cache = cache
  }

  /** undefined: no server was named. */
  get remote(): Remote | undefined {
    return this.#remote
  }

  /** Counts since the start. `hits`: parts that the cache had. */
  get counts(): RemoteCounts & { readonly hits: number } {
    return { ...(this.#remote?.counts ?? NO_COUNTS), hits: this.#hits }
  }

  /** Asks another server of the same chain from now on. */
  useRemote(remote: Remote): void {
    remote.expect(this.at)
    this.#remote?.close()
    this.#remote = remote
    this.#mayForesee = 0
  }

  /** Nothing that is fetched afterwards is returned: it might be stored in another chain. */
  close(): void {
    this.#isClosed = true
    this.#remote?.close()
    this.#cache?.close()
  }

  /** `remote`. Throws ChainError `state-not-available` if no server was named. */
  get connected(): Remote {
    if (this.#remote !== undefined) return this.#remote
    const { chainId, number } = this.at
    throw new ChainError(
      'state-not-available',
      `this was not fetched from block ${number} of chain ${chainId} before: start with --fork-url to fetch it`,
    )
  }

  // --- blocks before the fork

  /** The remote's answer to a request about blocks up to the fork. Throws RemoteError with its refusal, and RemoteFailure. */
  async answer(method: string, params: readonly unknown[]): Promise<unknown> {
    const name = JSON.stringify([method, params])
    // Clients ask for the newest block before they send, also on a fork without a server that has no block of its own.
    if (this.at.block !== undefined && name === this.#atName) return this.at.block
    const known = this.#answers.get(name)
    if (known !== undefined) return known.result
    const result = await this.connected.request(method, params)
    const size = name.length + (JSON.stringify(result) ?? '').length
    if (result !== null) this.#answers.set(name, { result }, { size })
    return result
  }

  /** As `answer`, read by a schema. Throws ChainError. */
  async ask<T>(schema: z.ZodType<T>, method: string, params: readonly unknown[]): Promise<T> {
    const answer = await this.answer(method, params).catch((error) => this.explain(error))
    return this.connected.read(schema, method, answer)
  }

  /** The number of the block with a hash, or with the transaction of this hash; undefined: there is none up to the fork. */
  async locate(hash: Hash): Promise<bigint | undefined> {
    const known = this.#places.get(hash)
    const number = known ?? (await this.#numberOf(hash).catch((error) => this.explain(error)))
    this.#places.set(hash, number)
    return number < 0n ? undefined : number
  }

  async #numberOf(hash: Hash): Promise<bigint> {
    const places = await Promise.all([
      this.connected.ask(place, 'eth_getTransactionByHash', [hash]),
      this.connected.ask(place, 'eth_getBlockByHash', [hash, false]),
    ])
    const number = places.map((found) => found?.blockNumber ?? found?.number).find((each) => each != null)
    return number === undefined || number === null || number > this.at.number ? -1n : number
  }

  /** The fees of the `count` blocks up to the fork, or of as many as there are. */
  async feeHistory(count: number, percentiles: readonly number[] = []) {
    const params = [toQuantity(count), toQuantity(this.at.number), percentiles]
    const found = await this.ask(feeHistory, 'eth_feeHistory', params)
    const { oldestBlock, gasUsedRatio, baseFeePerGas, baseFeePerBlobGas, blobGasUsedRatio, reward } = found
    const blocks = gasUsedRatio.length
    const isWhole =
      blocks <= count && oldestBlock === this.at.number - BigInt(blocks) + 1n && baseFeePerGas.length >= blocks
    if (!isWhole) throw new RemoteFailure(`${this.connected.name} answers eth_feeHistory for other blocks`)
    // The last base fee is that of the block after the fork, which is this chain's own.
    const fees = (list: readonly bigint[]) => Array.from({ length: blocks }, (_, index) => list[index] ?? 0n)
    const ratios = Array.from({ length: blocks }, (_, index) => blobGasUsedRatio[index] ?? 0)
    return {
      oldestBlock,
      gasUsedRatio,
      baseFeePerGas: fees(baseFeePerGas),
      baseFeePerBlobGas: fees(baseFeePerBlobGas),
      blobGasUsedRatio: ratios,
      reward,
    }
  }

  // --- the state

  async fetch(wanted: readonly Wanted[]): Promise<readonly Found[]> {
    const all = [...wanted, ...wanted.flatMap((part) => this.#following(part))]
    const fresh = all.filter((part) => {
      const name = nameOfWanted(part)
      return !this.#running.has(name) && this.#cache?.get(name) === undefined
    })
    this.#begin(fresh)
    const names = [...new Set(all.map(nameOfWanted))]
    this.#hits += names.filter((name) => this.#cache?.get(name) !== undefined).length
    const found = await Promise.all(names.flatMap((name) => this.#cache?.get(name) ?? this.#running.get(name) ?? []))
    if (this.#isClosed) throw new ChainError('cancelled', 'the chain was closed')
    return found
  }

  isFar(wanted: readonly Wanted[]): boolean {
    return wanted.some((part) => this.#cache?.get(nameOfWanted(part)) === undefined)
  }

  async foresee({ from, to, data, value }: ForeseenCall): Promise<readonly Wanted[]> {
    if (performance.now() < this.#mayForesee || this.#remote === undefined) return []
    const call = {
      ...(from && { from }),
      ...(to && { to }),
      ...(data && { data: `0x${Buffer.from(data).toString('hex')}` }),
      ...(value && { value: toQuantity(value) }),
    }
    try {
      const { accessList: list } = await this.#remote.ask(
        accessList,
        'eth_createAccessList',
        [call, this.#ref],
        FORESEEING,
      )
      const parts: Wanted[] = [from, to].flatMap((account) => (account ? [{ account }] : []))
      for (const { address, storageKeys } of list) {
        parts.push({ account: address })
        for (const slot of storageKeys) parts.push({ account: address, slot })
      }
      return parts.slice(0, MOST_FORESEEN)
    } catch (error) {
      // It is only a guess; what the call needs is fetched anyway, and that failure is told.
      if (error instanceof RemoteError && isUnknownMethod(error)) this.#mayForesee = Number.POSITIVE_INFINITY
      if (error instanceof RemoteFailure) this.#mayForesee = performance.now() + UNFORESEEN
      if (error instanceof RemoteError || error instanceof RemoteFailure) return []
      throw error
    }
  }

  /** The block as the requests name it. */
  get #ref(): unknown {
    return this.at.byHash ? { blockHash: this.at.hash, requireCanonical: false } : toQuantity(this.at.number)
  }

  #begin(parts: readonly Wanted[]): void {
    const begin = (part: Wanted, found: Promise<Found>): void => {
      const name = nameOfWanted(part)
      this.#running.set(name, found)
      found
        .then((each) => {
          if (!this.#isClosed) this.#cache?.add([each])
        })
        .catch(() => undefined)
        .finally(() => this.#running.delete(name))
    }
    const explained = <T>(work: Promise<T>): Promise<T> => work.catch((error) => this.explain(error))
    const isSame = this.at.byHash || parts.length === 0 ? undefined : this.#requireSame()
    isSame?.catch(() => undefined)
    const slots = new Map<Address, Hash[]>()
    for (const part of parts) {
      if ('block' in part) begin(part, explained(this.#hashOf(part.block)))
      else if (this.at.isVerified) {
        const known = slots.get(part.account) ?? []
        slots.set(part.account, part.slot === undefined ? known : [...known, part.slot])
      } else {
        const found = part.slot === undefined ? this.#account(part.account) : this.#slot(part.account, part.slot)
        begin(part, explained(Promise.all([found, isSame]).then(([each]) => each)))
      }
    }
    const asked = new Set(parts.flatMap((part) => ('block' in part || part.slot !== undefined ? [] : [part.account])))
    for (const [account, keys] of slots) {
      for (let first = 0; first === 0 || first < keys.length; first += SLOTS_PER_PROOF) {
        const some = keys.slice(first, first + SLOTS_PER_PROOF)
        const withCode = first === 0 && asked.has(account)
        const proven = explained(this.#proven(account, some, withCode))
        if (withCode)
          begin(
            { account },
            proven.then(({ state }) => ({ account, state })),
          )
        for (const [index, slot] of some.entries())
          begin(
            { account, slot },
            proven.then(({ words }) => ({ account, slot, word: words[index] ?? NO_BYTES })),
          )
      }
    }
  }

  async #account(account: Address): Promise<Found> {
    const params = [account, this.#ref]
    const [balance, nonce, code] = await Promise.all([
      this.connected.ask(quantity, 'eth_getBalance', params),
      this.connected.ask(quantity, 'eth_getTransactionCount', params),
      this.connected.ask(bytes, 'eth_getCode', params),
    ])
    return { account, state: accountOf(nonce, balance, code) }
  }

  async #slot(account: Address, slot: Hash): Promise<Found> {
    return { account, slot, word: await this.connected.ask(word, 'eth_getStorageAt', [account, slot, this.#ref]) }
  }

  async #hashOf(number: bigint): Promise<Found> {
    const { hash } = await this.connected.ask(block, 'eth_getBlockByNumber', [toQuantity(number), false])
    return { block: number, hash }
  }

  /** Throws ChainError unless the remote still has the fork's block. */
  async #requireSame(): Promise<void> {
    const { number, hash } = this.at
    const found = await this.connected.ask(block.nullable(), 'eth_getBlockByNumber', [toQuantity(number), false])
    if (found?.hash !== hash) throw reorganized(this.connected.name, this.at, found ?? undefined)
  }

  // --- proofs

  async #proven(account: Address, slots: readonly Hash[], withCode: boolean) {
    const [answer, code] = await Promise.all([
      this.connected.ask(proof, 'eth_getProof', [account, slots, this.#ref]),
      withCode ? this.connected.ask(bytes, 'eth_getCode', [account, this.#ref]) : NO_BYTES,
    ])
    const lie = (what: string) =>
      new ChainError('state-not-available', `${this.connected.name} gives a false ${what} of block ${this.at.number}`)
    if (!isProven(this.at.stateRoot, account, answer)) throw lie(`account ${account}`)
    const isCode = code.length === 0 ? isEmptyCode(answer.codeHash) : keccakHash(code) === answer.codeHash
    if (withCode && !isCode) throw lie(`code of account ${account}`)
    const words = slots.map((slot, index) => {
      const stored = answer.storageProof[index]
      if (stored === undefined || !isProvenWord(answer.storageHash, slot, stored))
        throw lie(`slot ${slot} of account ${account}`)
      return stored.value
    })
    return { state: accountOf(answer.nonce, answer.balance, code), words }
  }

  // --- slots in order

  /** The slots after one that continues a row of slots, more the longer it is. */
  #following(part: Wanted): Wanted[] {
    if ('block' in part || part.slot === undefined) return []
    const { account } = part
    const slot = BigInt(part.slot)
    const run = this.#runs.get(account)
    const length = run !== undefined && slot === run.last + 1n ? run.length + 1 : 0
    const ahead = length < IN_ORDER ? 0 : Math.min(2 ** (length - IN_ORDER + 1), MOST_AHEAD)
    if (this.#runs.size >= MOST_RUNS) this.#runs.clear()
    this.#runs.set(account, { last: slot + BigInt(ahead), length })
    return Array.from({ length: ahead }, (_, index) => {
      return { account, slot: bigToWord(BigInt.asUintN(256, slot + 1n + BigInt(index))) }
    })
  }

  // --- errors

  /** Throws ChainError for an error of a request about the fork or what is before it. */
  async explain(error: unknown): Promise<never> {
    if (!(error instanceof RemoteError)) throw error
    const { name } = this.connected
    if (isUnknownBlock(error)) await this.#requireSame()
    if (isUnknownBlock(error) || isPruned(error))
      throw new ChainError(
        'state-not-available',
        `${name}: no state of block ${this.at.number}: use an archive node or a newer block (${error.message})`,
      )
    const Failure = isUnknownMethod(error) ? UnknownMethod : RemoteFailure
    throw new Failure(`${name} refuses: ${error.message}`)
  }
}

const NO_COUNTS: RemoteCounts = { requests: 0, exchanges: 0, failures: 0, bytes: 0, seconds: 0 }

const NO_BYTES = new Uint8Array(0)

const accountOf = (nonce: bigint, balance: bigint, code: Uint8Array): FoundAccount | undefined =>
  nonce === 0n && balance === 0n && code.length === 0 ? undefined : { nonce, balance, code }

/** The error of a fork whose block is no longer part of the chain. */
export const reorganized = (name: string, { number, hash }: ForkBlock, now: SealedHeader | undefined): ChainError =>
  new ChainError(
    'header-not-found',
    `${name}: block ${number} has another hash now (${now?.hash ?? 'no block'}, was ${hash}): begin a new fork`,
  )

/** Whether the account follows from the state root. One that does not exist has no nonce, balance, code and storage. */
function isProven(
  root: Hash,
  account: Address,
  { nonce, balance, codeHash, storageHash, accountProof }: Proof,
): boolean {
  const leaf = orUndefined(() => provenValue(root, keccak256(fromHex(account)), accountProof))
  if (leaf === FALSE) return false
  if (leaf === undefined) {
    const isEmpty = nonce === 0n && balance === 0n && isEmptyCode(codeHash) && isEmptyRoot(storageHash)
    return isEmpty
  }
  return equalBytes(leaf, encodeRlp([bigToBytes(nonce), bigToBytes(balance), fromHex(storageHash), fromHex(codeHash)]))
}

function isProvenWord(root: Hash, slot: Hash, { value, proof: nodes }: Proof['storageProof'][number]): boolean {
  const leaf = orUndefined(() => provenValue(root, keccak256(fromHex(slot)), nodes))
  if (leaf === FALSE) return false
  return leaf === undefined ? value.length === 0 : equalBytes(leaf, encodeRlp(value))
}

const FALSE = Symbol('false proof')

function orUndefined(prove: () => Uint8Array | undefined): Uint8Array | undefined | typeof FALSE {
  try {
    return prove()
  } catch (error) {
    if (error instanceof FalseProof || error instanceof ChainError || error instanceof RangeError) return FALSE
    throw error
  }
}

/** For an account that does not exist some servers answer zero hashes. */
const isEmptyCode = (hash: Hash): boolean => hash === EMPTY_CODE_HASH || BigInt(hash) === 0n
const EMPTY_ROOT = toHash(keccak256(Uint8Array.of(0x80)))
const isEmptyRoot = (hash: Hash): boolean => hash === EMPTY_ROOT || BigInt(hash) === 0n

const isUnknownBlock = ({ message }: RemoteError): boolean =>
  /header not found|unknown block|block .*not found|could not find block|hash .*not/i.test(message)
const isPruned = ({ message }: RemoteError): boolean =>
  /missing trie node|historical state|state .*not available|state .*unavailable|pruned|archive|no state|distance to target/i.test(
    message,
  )
