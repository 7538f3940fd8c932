// Verified contracts: one row of the store for each, separate from the index because they are not part of blocks. A row is
// valid while the account has the code that was verified, so a rewound chain or another contract at the same address never
// shows wrong sources. Other contracts with that code are its twins.
import type { Abi } from 'abitype'
import { LRUCache } from 'lru-cache'
import { type Address, equalBytes, type Hash, toAddress } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { KEY, RANGE } from '../state/keyspace.ts'
import type { KvReader, KvStore, StateView } from '../state/types.ts'
import { blanked, isForeignLibrary, type MatchKind, skeletonOf } from './bytecode-match.ts'
import type { CompilerInput, ContractOutput, SourceSpan } from './compiler-output.ts'

/** Licences in the numbering of Blockscout and Etherscan, from 1. */
export const LICENCES = [
  ...['none', 'unlicense', 'mit', 'gnu_gpl_v2', 'gnu_gpl_v3', 'gnu_lgpl_v2_1', 'gnu_lgpl_v3', 'bsd_2_clause'],
  ...['bsd_3_clause', 'mpl_2_0', 'osl_3_0', 'apache_2_0', 'gnu_agpl_v3', 'bsl_1_1'],
] as const
export type Licence = (typeof LICENCES)[number]

export const CONTRACT_LANGUAGES = ['solidity', 'vyper', 'yul'] as const
export type ContractLanguage = (typeof CONTRACT_LANGUAGES)[number]
/** By the name in the compiler's input. */
export const LANGUAGE_OF = { Solidity: 'solidity', Vyper: 'vyper', Yul: 'yul' } as const

export type VerifiedContract = {
  readonly codeHash: Hash
  /** Hash of the code's skeleton; like `variable` undefined in rows of older versions. */
  readonly skeleton?: Hash
  /** Spans of its code that may differ in a twin. */
  readonly variable?: readonly SourceSpan[]
  /** exact: the metadata hash is equal, too, so not even a comment differs. */
  readonly match: MatchKind
  readonly runtimeMatch?: MatchKind
  readonly creationMatch?: MatchKind | undefined
  /** Number of the verification, counted from 1. */
  readonly matchId?: number
  readonly isViaSourcify?: boolean
  readonly name: string
  /** File in the sources. */
  readonly path: string
  readonly language: ContractLanguage
  /** `v0.8.37+commit.f401782d` */
  readonly compilerVersion: string
  readonly isOptimized: boolean
  readonly runs: number
  readonly evmVersion: string
  readonly abi: Abi
  readonly licence: Licence
  /** Linked libraries. */
  readonly libraries: readonly { readonly name: string; readonly address: Address }[]
  /** Bytes of the creation code. In the creation's input the constructor's arguments follow it. */
  readonly creationSize: number | undefined
  /** Unix seconds. */
  readonly verifiedAt: number
}

/** With the compiler's input and output for this contract, which may be large and stay on disk. */
export type VerifiedSources = VerifiedContract & {
  readonly input: CompilerInput
  /** undefined in rows of older versions. */
  readonly output?: ContractOutput
  /** The ids that the compiler gave the sources. */
  readonly sourceIds?: Readonly<Record<string, { readonly id: number }>>
}

export type VerifiedEntry = VerifiedContract & { readonly address: Address; readonly matchId: number }

/** Number of codes whose skeletons are cached. */
const REMEMBERED_CODES = 10_000

export class VerifiedContracts {
  readonly #store: KvStore
  /** In order of verification. */
  #entries: readonly VerifiedEntry[] = []
  #byAddress = new Map<Address, VerifiedEntry>()
  /** By hash of the code and by hash of its skeleton. */
  #byCode: ReadonlyMap<Hash, readonly VerifiedEntry[]> = new Map()
  readonly #skeletons = new LRUCache<Hash, Hash>({ max: REMEMBERED_CODES })
  #abi: Abi | undefined

  private constructor(store: KvStore) {
    this.#store = store
  }

  static async load(store: KvStore): Promise<VerifiedContracts> {
    const contracts = new VerifiedContracts(store)
    const found: (VerifiedContract & { readonly address: Address })[] = []
    for await (const [key, row] of store.scan(RANGE.verified())) {
      found.push({ ...withoutSources(decode(row)), address: toAddress(key.subarray(1)) })
    }
    // Rows without a number are older than those with one.
    const order = ({ matchId = 0 }: VerifiedContract) => matchId
    found.sort((a, b) => order(a) - order(b) || a.verifiedAt - b.verifiedAt)
    contracts.#set(found.map((contract, i) => ({ ...contract, matchId: contract.matchId ?? i + 1 })))
    return contracts
  }

  /** The verified contract at an address, if its code is still the verified one. */
  get(view: StateView, address: Address): VerifiedContract | undefined {
    const entry = this.#byAddress.get(address)
    return entry !== undefined && isCurrent(view, entry) ? entry : undefined
  }

  /** As `get`, with its sources. */
  sources(rows: Pick<KvReader, 'get'>, view: StateView, address: Address): VerifiedSources | undefined {
    const row = this.get(view, address) && rows.get(KEY.verified(address))
    return row && decode(row)
  }

  /**
   * A verified contract with the same sources as the contract at an address: their codes differ at most in immutables, metadata
   * and a library's own address. undefined for a contract that is itself verified.
   */
  twin(view: StateView, address: Address): VerifiedEntry | undefined {
    if (this.#byCode.size === 0 || this.get(view, address) !== undefined) return undefined
    const codeHash = view.account(address)?.codeHash
    if (codeHash === undefined) return undefined
    const same = this.#byCode.get(codeHash)?.find((entry) => isCurrent(view, entry))
    if (same !== undefined) return same
    const skeleton = this.#skeletonOf(view, address, codeHash)
    return this.#byCode.get(skeleton)?.find((entry) => isCurrent(view, entry) && isTwin(view, entry, address))
  }

  #skeletonOf(view: StateView, address: Address, codeHash: Hash): Hash {
    const known = this.#skeletons.get(codeHash)
    if (known !== undefined) return known
    const skeleton = keccakHash(skeletonOf(view.code(address)))
    this.#skeletons.set(codeHash, skeleton)
    return skeleton
  }

  /** All valid verified contracts, newest first. */
  all(view: StateView): readonly VerifiedEntry[] {
    return this.#entries.filter((entry) => isCurrent(view, entry)).reverse()
  }

  /** Functions, events and errors of all verified contracts. */
  get abi(): Abi {
    this.#abi ??= this.#entries.flatMap(({ abi }) => abi)
    return this.#abi
  }

  /** Stores a contract and replaces an earlier one at the address. */
  async add(address: Address, sources: VerifiedSources): Promise<void> {
    const matchId = 1 + (this.#entries.at(-1)?.matchId ?? 0)
    const numbered = { ...sources, matchId }
    await this.#store.write([{ type: 'put', key: KEY.verified(address), value: encode(numbered) }])
    const entry = { ...withoutSources(numbered), address, matchId }
    this.#set([...this.#entries.filter((other) => other.address !== address), entry])
  }

  #set(entries: readonly VerifiedEntry[]): void {
    const byCode = new Map<Hash, VerifiedEntry[]>()
    for (const entry of entries) {
      for (const hash of new Set([entry.codeHash, entry.skeleton ?? entry.codeHash])) {
        byCode.set(hash, [...(byCode.get(hash) ?? []), entry])
      }
    }
    this.#byCode = byCode
    this.#entries = entries
    this.#byAddress = new Map(entries.map((entry) => [entry.address, entry]))
    this.#abi = undefined
  }
}

function withoutSources({ input: _, output: __, sourceIds: ___, ...contract }: VerifiedSources): VerifiedContract {
  return contract
}

const isCurrent = (view: StateView, { address, codeHash }: VerifiedEntry): boolean =>
  view.account(address)?.codeHash === codeHash

function isTwin(view: StateView, { address, variable = [] }: VerifiedEntry, other: Address): boolean {
  const code = view.code(address)
  const otherCode = view.code(other)
  const areEqual = code.length === otherCode.length && equalBytes(blanked(code, variable), blanked(otherCode, variable))
  return areEqual && !isForeignLibrary(otherCode, other)
}

const encode = (sources: VerifiedSources): Uint8Array => Buffer.from(JSON.stringify(sources))
const decode = (row: Uint8Array): VerifiedSources => JSON.parse(Buffer.from(row).toString('utf8')) as VerifiedSources
