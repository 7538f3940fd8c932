// Decodes calls, logs and revert reasons with known interfaces: those of native contracts, verified contracts and widespread
// standards. A contract's own interface comes first. The others are guesses, so they must match exactly.
import type { Abi } from 'abitype'
import { type Address, fromHex, type Hash, type Hex, toHex } from '../lib/hex.ts'
import { keccakHash } from '../lib/keccak.ts'
import { precompilesOf } from '../precompiles/index.ts'
import type { Shape, Strictness } from '../primitives/abi-decoder.ts'
import type { Log } from '../primitives/types.ts'
import { type ChainSpec, FORKS } from '../spec/chain-spec.ts'
import { FACTORIES, systemContracts } from '../spec/preinstalls.ts'
import type { KvReader, StateView } from '../state/types.ts'
import { type DecodedValue, decodeAs, decodeEvent, shown } from './abi-decoding.ts'
import { type AbiEntry, type AbiIndex, indexOf, typeOf } from './abi-index.ts'
import type { EnumNames } from './enum-members.ts'
import type { ForeignContract, ForeignContracts, ForeignSources } from './foreign-contracts.ts'
import { knownAbi } from './known-abis.ts'
import type { LocalContract, LocalContracts } from './local-contracts.ts'
import { allNativeContracts, nativeAt, nativeSources, nativeTitle } from './native-sources.ts'
import { type ProxyOf, proxyIn } from './proxy.ts'
import type { VerifiedContract, VerifiedContracts, VerifiedEntry, VerifiedSources } from './verified-contracts.ts'

/** What a node knows of contracts beside the chain. */
export type KnownContracts = {
  /** Left out: no contract is verified. */
  readonly verification?: { readonly contracts: VerifiedContracts } | undefined
  /** The developer's builds; left out: none can be named. */
  readonly artifacts?: LocalContracts | undefined
  /** Left out: sources that other servers have are not known. */
  readonly forkSources?: ForeignContracts
}

/** What lookups of contracts need. */
export type ContractsContext = KnownContracts & {
  readonly view: StateView
  readonly spec: ChainSpec
  /** Words have the members of these enums by their names; left out: by their numbers. */
  readonly enums?: EnumNames
  /** Collects the contracts whose sources are asked for and not known. */
  readonly wantedSources?: Set<Address>
}

export type DecodedInput = {
  /** First four bytes of the selector (of a log: of its first topic), without `0x`. */
  readonly method_id: string
  /** `transfer(address to, uint256 value)` */
  readonly method_call: string
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly value: DecodedValue }[]
}
export type DecodedLog = Omit<DecodedInput, 'parameters'> & {
  readonly parameters: readonly (DecodedInput['parameters'][number] & { readonly indexed: boolean })[]
}

const SELECTOR = 4

// --- lookups of a contract

/** The interface of a native, verified or local contract, or of a proxy's implementation; not a twin's. */
export function contractAbi(known: ContractsContext, address: Address): Abi | undefined {
  return (
    publishedAbi(known, address) ??
    localContract(known, address)?.abi ??
    implementationsOf(known, address).find((abi) => abi !== undefined)
  )
}

/** All that is known of a contract's interface, with that of what it is a proxy of, and a twin's. */
export const wholeAbi = (known: ContractsContext, address: Address): Abi =>
  [ownAbi(known, address), ...implementationsOf(known, address)].flatMap((abi) => abi ?? [])

/** The kind and implementation of a proxy; undefined for other contracts. */
export const proxyOf = ({ view }: ContractsContext, address: Address): ProxyOf | undefined => proxyIn(view, address)

/** Whether the sources of a contract are known, as those of native contracts are. */
export const isVerified = (known: ContractsContext, address: Address): boolean =>
  nativeAt(known.spec, address) !== undefined || verified(known, address) !== undefined

/** The name of a verified, native, preinstalled or local contract, or of a twin of a verified one. */
export function contractName(known: ContractsContext, address: Address): string | undefined {
  const native = nativeAt(known.spec, address)
  const named = (native && nativeTitle(native.name)) ?? verified(known, address)?.name ?? preinstalled(known, address)
  return named ?? twinOf(known, address)?.name ?? localContract(known, address)?.name
}

/** The contract of the developer's own build with the code of an account. */
export const localContract = ({ artifacts, view }: ContractsContext, address: Address): LocalContract | undefined =>
  artifacts?.get(view, address)

/** The sources of a native or verified contract. */
export function contractSources(
  known: ContractsContext & { readonly rows: KvReader },
  address: Address,
): VerifiedSources | ForeignSources | undefined {
  const native = nativeSources(known, address)
  if (native !== undefined || verified(known, address) === undefined) return native
  const { rows, view, verification, forkSources } = known
  return verification?.contracts.sources(rows, view, address) ?? forkSources?.sources(view, address)
}

/** The server that has verified a contract, by scheme and host; null: this node has, or none. */
export function verifiedBy(known: ContractsContext, address: Address): string | null {
  const found = verified(known, address)
  return found !== undefined && 'verifiedBy' in found ? found.verifiedBy : null
}

/** Native and verified contracts, newest first, whose name has a word with each of the prefixes, ignoring case. */
export function verifiedByName(
  known: ContractsContext,
  prefixes: readonly string[],
): readonly (VerifiedContract & { readonly address: Address })[] {
  const sought = prefixes.map((prefix) => prefix.toLowerCase())
  const all = [...(known.verification?.contracts.all(known.view) ?? []), ...allNativeContracts(known)]
  return all.filter(({ name }) => {
    const words = name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
    return sought.every((prefix) => words.some((word) => word.startsWith(prefix)))
  })
}

function verified(known: ContractsContext, address: Address): VerifiedContract | ForeignContract | undefined {
  const { verification, forkSources, wantedSources, view } = known
  const found = verification?.contracts.get(view, address) ?? forkSources?.get(view, address)
  if (found === undefined) wantedSources?.add(address)
  return found
}

/** The verified contract with the same code as an unverified one. */
export function twinOf(known: ContractsContext, address: Address): VerifiedEntry | undefined {
  const { verification, forkSources, view, spec } = known
  const twin = nativeAt(spec, address) === undefined ? verification?.contracts.twin(view, address) : undefined
  return twin !== undefined && forkSources?.get(view, address) === undefined ? twin : undefined
}

const publishedAbi = (known: ContractsContext, address: Address): Abi | undefined =>
  nativeAt(known.spec, address)?.abi ?? verified(known, address)?.abi

const ownAbi = (known: ContractsContext, address: Address): Abi | undefined =>
  publishedAbi(known, address) ?? twinOf(known, address)?.abi ?? localContract(known, address)?.abi

const implementationsOf = (known: ContractsContext, address: Address): (Abi | undefined)[] =>
  (proxyOf(known, address)?.implementations ?? []).map((implementation) => ownAbi(known, implementation))

let preinstalls: ReadonlyMap<Address, { readonly name: string; readonly codeHash: Hash }> | undefined

/** The name of a preinstalled contract. Compares its code, because this chain may have another contract at the address. */
function preinstalled({ view }: ContractsContext, address: Address): string | undefined {
  preinstalls ??= new Map(
    [...FACTORIES, ...FORKS.flatMap(systemContracts)].map(({ name, address, code }) => [
      address,
      { name, codeHash: keccakHash(code) },
    ]),
  )
  const found = preinstalls.get(address)
  return found !== undefined && view.account(address)?.codeHash === found.codeHash ? found.name : undefined
}

// --- decoding

/** Decodes a call by its input; null if no known interface matches. */
export function decodeInput(known: ContractsContext, to: Address, input: Uint8Array): DecodedInput | null {
  return firstDecoded(known, to, 'functions', input)
}

/** Decodes a revert reason: an error of Solidity, of the contract, or of a widespread standard. */
export function decodeRevert(known: ContractsContext, to: Address | undefined, data: Uint8Array): DecodedInput | null {
  return firstDecoded(known, to, 'errors', data)
}

/** The name of a function by its selector; if there are several, the first. */
export function methodName(known: ContractsContext, to: Address, selector: Hex): string | undefined {
  const [first] = matchingEntries(known, to, 'functions', fromHex(selector))
  return first?.entry.name
}

/** The selectors of all functions with a name. A selector is returned unchanged. */
export function selectorsByName(known: ContractsContext, name: string): readonly Hex[] {
  if (/^0x[0-9a-fA-F]{8}$/.test(name)) return [name.toLowerCase() as Hex]
  const found = searchedAbis(known).flatMap((abi) =>
    [...indexOf(abi).functions].filter(([, list]) => list.some((described) => described.name === name)),
  )
  return [...new Set(found.map(([selector]) => selector))]
}

/** The name of the first known function with a selector. */
export function nameOfSelector(known: ContractsContext, selector: Hex): string | undefined {
  for (const abi of searchedAbis(known)) {
    const [first] = indexOf(abi).functions.get(selector) ?? []
    if (first !== undefined) return first.name
  }
  return undefined
}

/** Interfaces in which functions are found without a contract. */
const searchedAbis = (known: ContractsContext): readonly Abi[] => [
  ...precompilesOf(known.spec.native).map(({ abi }) => abi),
  ...wellKnownAbis(known),
]

/** Decodes a log by its first topic; null if no known interface matches. */
export function decodeLog(known: ContractsContext, log: Log): DecodedLog | null {
  const found = decodedEvent(known, log, shown)
  if (found === undefined) return null
  const { entry, values } = found
  const parameters = parametersOf(entry, values).map((parameter, i) => ({
    ...parameter,
    indexed: entry.inputs[i]?.indexed === true,
  }))
  const [topic = ''] = log.topics
  return { method_id: topic.slice(2, 2 + 2 * SELECTOR), method_call: entry.declaration, parameters }
}

/** The event of a log, and its values; undefined if no known interface matches. */
export function decodedEvent<T>(
  known: ContractsContext,
  log: Log,
  shape: Shape<T>,
): { readonly entry: AbiEntry; readonly values: readonly T[] } | undefined {
  const [topic] = log.topics
  if (topic === undefined) return undefined
  for (const { index, strictness } of interfaces(known, log.address)) {
    for (const entry of index.events.get(topic) ?? []) {
      const values = decodeEvent(shape, entry.inputs, log, strictness)
      if (values !== undefined) return { entry, values }
    }
  }
  return undefined
}

/** The function or error of input or revert data, and its values; undefined if no known interface matches. */
export function decodedData<T>(
  known: ContractsContext,
  to: Address | undefined,
  kind: 'functions' | 'errors',
  data: Uint8Array,
  shape: Shape<T>,
): { readonly entry: AbiEntry; readonly values: readonly T[] } | undefined {
  for (const { entry, strictness } of matchingEntries(known, to, kind, data)) {
    const values = decodeAs(shape, entry.inputs, data.subarray(SELECTOR), strictness)
    if (values !== undefined) return { entry, values }
  }
  return undefined
}

/** Functions or errors with the selector at the beginning of the data. */
function* matchingEntries(
  known: ContractsContext,
  to: Address | undefined,
  kind: 'functions' | 'errors',
  data: Uint8Array,
): Generator<{ readonly entry: AbiEntry; readonly strictness: Strictness }> {
  if (data.length < SELECTOR) return
  const selector = toHex(data.subarray(0, SELECTOR))
  for (const { index, strictness } of interfaces(known, to)) {
    for (const entry of index[kind].get(selector) ?? []) yield { entry, strictness }
  }
}

function firstDecoded(
  known: ContractsContext,
  to: Address | undefined,
  kind: 'functions' | 'errors',
  data: Uint8Array,
): DecodedInput | null {
  const found = decodedData(known, to, kind, data, shown)
  if (found === undefined) return null
  return {
    method_id: toHex(data.subarray(0, SELECTOR)).slice(2),
    method_call: found.entry.declaration,
    parameters: parametersOf(found.entry, found.values),
  }
}

/** Interfaces in the order of lookup: the contract's own, then those that must match exactly. */
function* interfaces(
  known: ContractsContext,
  address: Address | undefined,
): Generator<{ readonly index: AbiIndex; readonly strictness: Strictness }> {
  if (address !== undefined) {
    const own = ownAbi(known, address)
    if (own !== undefined) yield { index: indexOf(own), strictness: 'lenient' }
    for (const abi of implementationsOf(known, address)) {
      if (abi !== undefined) yield { index: indexOf(abi), strictness: 'lenient' }
    }
  }
  for (const abi of wellKnownAbis(known)) yield { index: indexOf(abi), strictness: 'exact' }
}

const wellKnownAbis = ({ verification, artifacts }: ContractsContext): readonly Abi[] =>
  [artifacts?.abi, knownAbi(), verification?.contracts.abi].filter((abi) => abi !== undefined)

const parametersOf = ({ inputs }: AbiEntry, values: readonly DecodedValue[]): DecodedInput['parameters'] =>
  inputs.map((input, i) => ({ name: input.name || `arg${i}`, type: typeOf(input), value: values[i] ?? '' }))
