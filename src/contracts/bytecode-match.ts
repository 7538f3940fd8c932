// Compares compiled code with the code of an account: byte by byte, except for parts that deployment fills in (immutables,
// addresses of libraries, a library's own address) and the compiler's hash of the sources (metadata). The match is exact if
// that hash is equal, too: then the sources are the same, including comments.
import type { Abi } from 'abitype'
import { ADDRESS_BYTES, type Address, equalBytes, fromHex, hexDigits, toAddress, toHex, toLatin1 } from '../lib/hex.ts'
import type { CompiledCode, CompilerOutput, SourceSpan } from './compiler-output.ts'

type Link = { readonly library: string; readonly start: number }

/** Compiled code, with zeros in the parts that deployment fills in. */
export type Code = {
  readonly bytes: Uint8Array
  readonly links: readonly Link[]
  readonly immutables: readonly SourceSpan[]
  readonly metadata: readonly SourceSpan[]
}

export type Artifact = {
  /** Vyper writes no hash of the sources into runtime code, and appends immutables to it. */
  readonly isVyper: boolean
  readonly path: string
  readonly name: string
  readonly abi: Abi
  readonly creation: Code
  readonly runtime: Code
}

/** What is compared of an artifact. */
type Compared = Pick<Artifact, 'isVyper' | 'creation' | 'runtime'>

/** A contract on the chain. */
export type DeployedContract = {
  readonly address: Address
  readonly code: Uint8Array
  /** The message that created it: creation code and arguments; undefined if there was none, as in genesis. */
  readonly creation: Uint8Array | undefined
}

export type MatchKind = 'exact' | 'partial'

export type Match<A = Artifact> = {
  readonly artifact: A
  readonly match: MatchKind
  readonly runtimeMatch: MatchKind
  /** undefined: the creation code is unknown or differs from the compiled one. */
  readonly creationMatch: MatchKind | undefined
  readonly libraries: readonly { readonly name: string; readonly address: Address }[]
  /** Bytes of the creation code; undefined if it is unknown or differs from the compiled one. */
  readonly creationSize: number | undefined
  /** Spans of the runtime code that may differ in another contract with the same sources. */
  readonly variable: readonly SourceSpan[]
}

/** Every contract of a compiler's output that has code. */
export function artifactsOf({ contracts }: CompilerOutput, isVyper = false): Artifact[] {
  const artifacts = Object.entries(contracts).flatMap(([path, inFile]) =>
    Object.entries(inFile).map(([name, { abi, evm }]) => ({
      isVyper,
      path,
      name,
      abi: abi as Abi,
      creation: codeOf(evm.bytecode),
      runtime: codeOf(evm.deployedBytecode),
    })),
  )
  return artifacts.filter(({ runtime }) => runtime.bytes.length > 0)
}

/** The best match: an exact one before any other. */
export function bestMatch<A extends Compared>(
  artifacts: readonly A[],
  deployed: DeployedContract,
): Match<A> | undefined {
  const matches = artifacts.flatMap((artifact) => matchOf(artifact, deployed) ?? [])
  return matches.find(({ match }) => match === 'exact') ?? matches[0]
}

function matchOf<A extends Compared>(artifact: A, { address, code, creation }: DeployedContract): Match<A> | undefined {
  const { runtime, isVyper } = artifact
  // Code cannot jump past its end, so data appended to Vyper's code cannot change its behaviour.
  const appended = isVyper ? Math.max(0, code.length - runtime.bytes.length) : 0
  if (runtime.bytes.length + appended !== code.length) return undefined
  const own = ownAddress(runtime.bytes, code, address)
  const compared = compare(runtime, code.subarray(0, runtime.bytes.length), own)
  if (compared === undefined) return undefined
  const created = creation && compare(artifact.creation, creation.subarray(0, artifact.creation.bytes.length), [])
  // Another creation code may return the same runtime code, with a constructor that is not in the sources.
  const isExact = (isVyper || compared.isExact) && (creation === undefined ? !isVyper : created?.isExact === true)
  return {
    artifact,
    match: kindOf(isExact),
    runtimeMatch: kindOf(compared.isExact),
    creationMatch: created && kindOf(created.isExact),
    variable: [
      ...[...runtime.immutables, ...runtime.metadata, ...own],
      ...(appended > 0 ? [{ start: runtime.bytes.length, length: appended }] : []),
    ],
    libraries: [...new Map([...compared.libraries, ...(created?.libraries ?? [])])].map(([name, linked]) => ({
      name,
      address: linked,
    })),
    creationSize: created && artifact.creation.bytes.length,
  }
}

const kindOf = (isExact: boolean): MatchKind => (isExact ? 'exact' : 'partial')

/** The artifact that creates a contract with this input, creation code and arguments; one with the same metadata before any other. */
export function createdFrom<A extends Pick<Artifact, 'creation'>>(
  artifacts: readonly A[],
  input: Uint8Array,
): A | undefined {
  const matches = artifacts.flatMap((artifact) => {
    const { creation } = artifact
    const compared = creation.bytes.length > 0 && compare(creation, input.subarray(0, creation.bytes.length), [])
    return compared ? [{ artifact, ...compared }] : []
  })
  return (matches.find(({ isExact }) => isExact) ?? matches[0])?.artifact
}

type Comparison = { readonly isExact: boolean; readonly libraries: ReadonlyMap<string, Address> }

/** undefined: the codes differ outside of the parts that deployment fills in and the metadata. */
function compare(compiled: Code, code: Uint8Array, filled: readonly SourceSpan[]): Comparison | undefined {
  const libraries = new Map<string, Address>()
  for (const { library, start } of compiled.links) {
    if (start + ADDRESS_BYTES > code.length) return undefined
    const linked = toAddress(code.subarray(start, start + ADDRESS_BYTES))
    if ((libraries.get(library) ?? linked) !== linked) return undefined
    libraries.set(library, linked)
  }
  const links = compiled.links.map(({ start }) => ({ start, length: ADDRESS_BYTES }))
  const spans = [...links, ...compiled.immutables, ...compiled.metadata, ...filled]
  if (!areEqualOutside(spans, compiled.bytes, code)) return undefined
  const isExact =
    compiled.metadata.length > 0 &&
    compiled.metadata.every((at) => equalBytes(part(compiled.bytes, at), part(code, at)))
  return { isExact, libraries }
}

const part = (bytes: Uint8Array, { start, length }: SourceSpan): Uint8Array => bytes.subarray(start, start + length)

/** Copies nothing, because it is asked of many codes of which few are equal. */
function areEqualOutside(spans: readonly SourceSpan[], a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let from = 0
  for (const { start, length } of spans.toSorted((one, other) => one.start - other.start)) {
    if (start > from && !equalBytes(a.subarray(from, start), b.subarray(from, start))) return false
    from = Math.max(from, start + length)
  }
  return equalBytes(a.subarray(from), b.subarray(from))
}

/** The bytes, with zeros in the spans. */
export function blanked(bytes: Uint8Array, spans: readonly SourceSpan[]): Uint8Array {
  const blank = Uint8Array.from(bytes)
  for (const { start, length } of spans) blank.fill(0, start, start + length)
  return blank
}

const PUSH1 = 0x60
const PUSH20 = 0x73
const PUSH32 = 0x7f

/** The beginning of a library's code: PUSH20 of its own address, filled in at creation; ADDRESS, EQ. */
const LIBRARY = { push: PUSH20, behind: [0x30, 0x14] } as const

const OWN_ADDRESS: SourceSpan = { start: 1, length: ADDRESS_BYTES }

/** The span of a library's own address in its code; empty for other contracts. */
function ownAddress(compiled: Uint8Array, code: Uint8Array, address: Address): SourceSpan[] {
  const isFilled = isLibrary(compiled) && part(compiled, OWN_ADDRESS).every((byte) => byte === 0)
  return isFilled && equalBytes(part(code, OWN_ADDRESS), fromHex(address)) ? [OWN_ADDRESS] : []
}

/** Whether code begins as a library's, with its own address behind the first opcode. */
export const isLibrary = (code: Uint8Array): boolean =>
  code[0] === LIBRARY.push && LIBRARY.behind.every((byte, i) => code[1 + ADDRESS_BYTES + i] === byte)

/** Whether the code of an account begins like a library's, but with another address than the account's. */
export const isForeignLibrary = (code: Uint8Array, address: Address): boolean =>
  isLibrary(code) && !equalBytes(part(code, OWN_ADDRESS), fromHex(address))

/** The operands of PUSH opcodes before an offset. */
function* operands(code: Uint8Array, end = code.length): Generator<SourceSpan> {
  for (let at = 0; at < end; at++) {
    const opcode = code[at] ?? 0
    if (opcode < PUSH1 || opcode > PUSH32) continue
    const length = opcode - PUSH1 + 1
    yield { start: at + 1, length }
    at += length
  }
}

/** The operands of PUSH32 that are zero: in the compiler's output immutables, if it does not say where they are. */
export const zeroWords = (code: Uint8Array): SourceSpan[] =>
  [...operands(code)].filter((span) => span.length === 32 && part(code, span).every((byte) => byte === 0))

/** Bytes of code that its key is made of. */
const KEY_SIZE = 96
const LONGEST_METADATA = 96

/**
 * What the beginnings of two codes have in common if deployment alone made them different: all but operands of PUSH32 and PUSH20
 * (immutables, libraries) and metadata. Equal keys only mean that comparing the codes is worthwhile.
 */
export function codeKey(code: Uint8Array): string {
  const spans = [...operands(code, KEY_SIZE)].filter(({ length }) => length === 32 || length === ADDRESS_BYTES)
  const metadata = metadataSpans(hexDigits(code, 0, Math.min(code.length, KEY_SIZE + LONGEST_METADATA)))
  return toLatin1(blanked(code.subarray(0, KEY_SIZE), [...metadata, ...spans]))
}

/**
 * Runtime code without the parts that may differ in contracts of the same sources: operands of PUSH32, which include
 * immutables, metadata, a library's own address. Equal skeletons only mean that comparing the codes is worthwhile.
 */
export function skeletonOf(code: Uint8Array): Uint8Array {
  const spans: SourceSpan[] = [...metadataSpans(toHex(code).slice(2)), ...(isLibrary(code) ? [OWN_ADDRESS] : [])]
  for (const span of operands(code)) if (span.length === 32) spans.push(span)
  return blanked(code, spans)
}

export function codeOf({ object, linkReferences, immutableReferences }: CompiledCode): Code {
  const links = Object.values(linkReferences).flatMap((inFile) =>
    Object.entries(inFile).flatMap(([library, places]) => places.map(({ start }) => ({ library, start }))),
  )
  // Vyper's output has the prefix, Solidity's does not.
  let digits = object.replace(/^0x/, '')
  for (const { start } of links) {
    const from = start * 2
    const to = (start + ADDRESS_BYTES) * 2
    digits = digits.slice(0, from) + '0'.repeat(to - from) + digits.slice(to)
  }
  return {
    bytes: fromHex(`0x${digits}`),
    links,
    immutables: Object.values(immutableReferences).flat(),
    metadata: metadataSpans(digits),
  }
}

/**
 * Metadata that compilers append to code: a CBOR map of the sources' hash (`ipfs`, before 0.6 Swarm's `bzzr`), the word
 * `experimental` and the version, then its length. Code that creates contracts contains their metadata.
 */
const METADATA =
  /a[1-4](?:64697066735822[0-9a-f]{68}|65627a7a723[01]5820[0-9a-f]{64})(?:6c6578706572696d656e74616cf5)?(?:64736f6c6343[0-9a-f]{6})?00[0-9a-f]{2}/g

/**
 * Data that Vyper appends to creation code since 0.4.1: a CBOR list of the sources' hash, sizes of code, data and immutables,
 * and the version; then its length.
 */
const VYPER_METADATA = /855820[0-9a-f]{64}(?:[0-9a-f]{2}){3,60}a165767970657283[0-9a-f]{6}00[0-9a-f]{2}$/g

/** The spans of metadata in code, by its hex digits. */
export function metadataSpans(digits: string): SourceSpan[] {
  return [...digits.matchAll(METADATA), ...digits.matchAll(VYPER_METADATA)]
    .map((found) => ({ start: found.index / 2, length: found[0].length / 2 }))
    .filter(({ start }) => Number.isInteger(start))
}
