// Compares compiled code with the code of an account: byte by byte, except for parts that deployment fills in (immutables,
// addresses of libraries, a library's own address) and the compiler's hash of the sources (metadata). The match is exact if
// that hash is equal, too: then the sources are the same, including comments.
import type { Abi } from 'abitype'
import { ADDRESS_BYTES, type Address, equalBytes, fromHex, toAddress, toHex } from '../lib/hex.ts'
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

/** A contract on the chain. */
export type DeployedContract = {
  readonly address: Address
  readonly code: Uint8Array
  /** The message that created it: creation code and arguments; undefined if there was none, as in genesis. */
  readonly creation: Uint8Array | undefined
}

export type MatchKind = 'exact' | 'partial'

export type Match = {
  readonly artifact: Artifact
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
export function bestMatch(artifacts: readonly Artifact[], deployed: DeployedContract): Match | undefined {
  const matches = artifacts.flatMap((artifact) => matchOf(artifact, deployed) ?? [])
  return matches.find(({ match }) => match === 'exact') ?? matches[0]
}

function matchOf(artifact: Artifact, { address, code, creation }: DeployedContract): Match | undefined {
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

type Compared = { readonly isExact: boolean; readonly libraries: ReadonlyMap<string, Address> }

/** undefined: the codes differ outside of the parts that deployment fills in and the metadata. */
function compare(compiled: Code, code: Uint8Array, filled: readonly SourceSpan[]): Compared | undefined {
  const libraries = new Map<string, Address>()
  for (const { library, start } of compiled.links) {
    if (start + ADDRESS_BYTES > code.length) return undefined
    const linked = toAddress(code.subarray(start, start + ADDRESS_BYTES))
    if ((libraries.get(library) ?? linked) !== linked) return undefined
    libraries.set(library, linked)
  }
  const links = compiled.links.map(({ start }) => ({ start, length: ADDRESS_BYTES }))
  const spans = [...links, ...compiled.immutables, ...compiled.metadata, ...filled]
  if (!equalBytes(blanked(compiled.bytes, spans), blanked(code, spans))) return undefined
  const isExact =
    compiled.metadata.length > 0 &&
    compiled.metadata.every((at) => equalBytes(part(compiled.bytes, at), part(code, at)))
  return { isExact, libraries }
}

const part = (bytes: Uint8Array, { start, length }: SourceSpan): Uint8Array => bytes.subarray(start, start + length)

/** The bytes, with zeros in the spans. */
export function blanked(bytes: Uint8Array, spans: readonly SourceSpan[]): Uint8Array {
  const blank = Uint8Array.from(bytes)
  for (const { start, length } of spans) blank.fill(0, start, start + length)
  return blank
}

/** The beginning of a library's code: PUSH20 of its own address, filled in at creation; ADDRESS, EQ. */
const LIBRARY = { push: 0x73, behind: [0x30, 0x14] } as const

const OWN_ADDRESS: SourceSpan = { start: 1, length: ADDRESS_BYTES }

/** The span of a library's own address in its code; empty for other contracts. */
function ownAddress(compiled: Uint8Array, code: Uint8Array, address: Address): SourceSpan[] {
  const isFilled = isLibrary(compiled) && part(compiled, OWN_ADDRESS).every((byte) => byte === 0)
  return isFilled && equalBytes(part(code, OWN_ADDRESS), fromHex(address)) ? [OWN_ADDRESS] : []
}

const isLibrary = (code: Uint8Array): boolean =>
  code[0] === LIBRARY.push && LIBRARY.behind.every((byte, i) => code[1 + ADDRESS_BYTES + i] === byte)

/** Whether the code of an account begins like a library's, but with another address than the account's. */
export const isForeignLibrary = (code: Uint8Array, address: Address): boolean =>
  isLibrary(code) && !equalBytes(part(code, OWN_ADDRESS), fromHex(address))

const PUSH1 = 0x60
const PUSH32 = 0x7f

/**
 * Runtime code without the parts that may differ in contracts of the same sources: operands of PUSH32, which include
 * immutables, metadata, a library's own address. Equal skeletons only mean that comparing the codes is worthwhile.
 */
export function skeletonOf(code: Uint8Array): Uint8Array {
  const spans: SourceSpan[] = [...metadataSpans(toHex(code).slice(2)), ...(isLibrary(code) ? [OWN_ADDRESS] : [])]
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] ?? 0
    if (opcode < PUSH1 || opcode > PUSH32) continue
    const length = opcode - PUSH1 + 1
    if (opcode === PUSH32) spans.push({ start: at + 1, length })
    at += length
  }
  return blanked(code, spans)
}

function codeOf({ object, linkReferences, immutableReferences }: CompiledCode): Code {
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
