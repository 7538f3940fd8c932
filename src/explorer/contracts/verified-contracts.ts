// Verified contracts: one row of the store for each, apart from the index because no block contains it. A row is valid while
// the account has the code that it was written for, so that neither a rewound chain nor another contract at the same
// address ever shows the wrong sources.
import type { Abi } from 'abitype'
import { type Address, type Hash, toAddress } from '../../lib/hex.ts'
import { KEY, RANGE } from '../../state/keyspace.ts'
import { verifyChecksum, withChecksum } from '../../state/row-checksum.ts'
import type { KvReader, KvStore, StateView } from '../../state/types.ts'
import type { CompilerInput } from './compilers.ts'

/** Licences as Blockscout and Etherscan number them, from 1. */
export const LICENCES = [
  ...['none', 'unlicense', 'mit', 'gnu_gpl_v2', 'gnu_gpl_v3', 'gnu_lgpl_v2_1', 'gnu_lgpl_v3', 'bsd_2_clause'],
  ...['bsd_3_clause', 'mpl_2_0', 'osl_3_0', 'apache_2_0', 'gnu_agpl_v3', 'bsl_1_1'],
] as const
export type Licence = (typeof LICENCES)[number]

export type VerifiedContract = {
  readonly codeHash: Hash
  /** exact: the metadata hash is equal too, so that not even a comment differs. */
  readonly match: 'exact' | 'partial'
  readonly name: string
  /** File within the sources. */
  readonly path: string
  readonly language: 'solidity' | 'yul'
  /** `v0.8.37+commit.f401782d` */
  readonly compilerVersion: string
  readonly isOptimized: boolean
  readonly runs: number
  readonly evmVersion: string
  readonly abi: Abi
  readonly licence: Licence
  /** Linked libraries. */
  readonly libraries: readonly { readonly name: string; readonly address: Address }[]
  /** Bytes of the creation code. The constructor's arguments follow it in the creation's input. */
  readonly creationSize: number | undefined
  /** Unix seconds. */
  readonly verifiedAt: number
}

/** With the compiler's input, which may be large and stays on disk. */
export type VerifiedSources = VerifiedContract & { readonly input: CompilerInput }

type Entry = VerifiedContract & { readonly address: Address }

export class VerifiedContracts {
  readonly #store: KvStore
  /** In order of verification. */
  #entries: readonly Entry[] = []
  #byAddress = new Map<Address, Entry>()
  #abi: Abi | undefined

  private constructor(store: KvStore) {
    this.#store = store
  }

  static async load(store: KvStore): Promise<VerifiedContracts> {
    const contracts = new VerifiedContracts(store)
    const entries: Entry[] = []
    for await (const [key, row] of store.scan(RANGE.verified())) {
      const { input: _, ...contract } = decode(row)
      entries.push({ ...contract, address: toAddress(key.subarray(1)) })
    }
    contracts.#set(entries.sort((a, b) => a.verifiedAt - b.verifiedAt))
    return contracts
  }

  /** The verified contract at an address, if its code is still the verified one. */
  get(view: StateView, address: Address): VerifiedContract | undefined {
    const entry = this.#byAddress.get(address)
    return entry !== undefined && isCurrent(view, entry) ? entry : undefined
  }

  /** The same with its sources. */
  sources(rows: Pick<KvReader, 'get'>, view: StateView, address: Address): VerifiedSources | undefined {
    const row = this.get(view, address) && rows.get(KEY.verified(address))
    return row && decode(row)
  }

  /** All valid ones, newest first. */
  all(view: StateView): readonly Entry[] {
    return this.#entries.filter((entry) => isCurrent(view, entry)).reverse()
  }

  /** Functions, events and errors of all of them together. */
  get abi(): Abi {
    this.#abi ??= this.#entries.flatMap(({ abi }) => abi)
    return this.#abi
  }

  /** Writes a contract; it replaces an earlier one at the address. */
  async add(address: Address, sources: VerifiedSources): Promise<void> {
    await this.#store.write([{ type: 'put', key: KEY.verified(address), value: encode(sources) }])
    const { input: _, ...contract } = sources
    this.#set([...this.#entries.filter((entry) => entry.address !== address), { ...contract, address }])
  }

  #set(entries: readonly Entry[]): void {
    this.#entries = entries
    this.#byAddress = new Map(entries.map((entry) => [entry.address, entry]))
    this.#abi = undefined
  }
}

const isCurrent = (view: StateView, { address, codeHash }: Entry): boolean =>
  view.account(address)?.codeHash === codeHash

const encode = (sources: VerifiedSources): Uint8Array => withChecksum(Buffer.from(JSON.stringify(sources)))
/** Decodes a row that `encode` has written. Throws ChainError `storage` for a damaged one. */
function decode(row: Uint8Array): VerifiedSources {
  const text = Buffer.from(verifyChecksum(row, 'a row of verified sources')).toString('utf8')
  return JSON.parse(text) as VerifiedSources
}
