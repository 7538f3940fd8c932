// Comparison of compiled code with the code of an account: byte by byte, except where deployment fills something in
// (immutables, addresses of libraries, a library's own address) and where the compiler writes a hash of the sources
// (metadata). A match is exact if that hash is equal too: then the sources are the same, to the last comment.
import type { Abi } from 'abitype'
import { ADDRESS_BYTES, type Address, equalBytes, fromHex, toAddress } from '../../lib/hex.ts'
import type { CompiledCode, CompilerOutput, SourceSpan } from './compilers.ts'

type Link = { readonly library: string; readonly start: number }

/** Compiled code, with zeros where deployment fills something in. */
export type Code = {
  readonly bytes: Uint8Array
  readonly links: readonly Link[]
  readonly immutables: readonly SourceSpan[]
  readonly metadata: readonly SourceSpan[]
}

export type Artifact = {
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
  /** The message that created it: creation code and arguments; undefined: there was none, as in genesis. */
  readonly creation: Uint8Array | undefined
}

export type Match = {
  readonly artifact: Artifact
  readonly match: 'exact' | 'partial'
  readonly libraries: readonly { readonly name: string; readonly address: Address }[]
  /** Bytes of the creation code; undefined when it is unknown or another code made the account's. */
  readonly creationSize: number | undefined
}

/** Every contract of an output that has code. */
export function artifactsOf({ contracts }: CompilerOutput): Artifact[] {
  const artifacts = Object.entries(contracts).flatMap(([path, inFile]) =>
    Object.entries(inFile).map(([name, { abi, evm }]) => ({
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
  const { runtime } = artifact
  if (runtime.bytes.length !== code.length) return undefined
  const compared = compare(runtime, code, ownAddress(runtime, code, address))
  if (compared === undefined) return undefined
  const created = creation && compare(artifact.creation, creation.subarray(0, artifact.creation.bytes.length), [])
  // Another creation code may return the same runtime code, with a constructor that the sources do not show.
  const isExact = compared.isExact && (creation === undefined || created?.isExact === true)
  return {
    artifact,
    match: isExact ? 'exact' : 'partial',
    libraries: [...new Map([...compared.libraries, ...(created?.libraries ?? [])])].map(([name, linked]) => ({
      name,
      address: linked,
    })),
    creationSize: created && artifact.creation.bytes.length,
  }
}

type Compared = { readonly isExact: boolean; readonly libraries: ReadonlyMap<string, Address> }

/** undefined: the codes differ outside the bytes that deployment fills in and the metadata. */
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

function blanked(bytes: Uint8Array, spans: readonly SourceSpan[]): Uint8Array {
  const blank = Uint8Array.from(bytes)
  for (const { start, length } of spans) blank.fill(0, start, start + length)
  return blank
}

/** How a library's code begins: PUSH20 of its own address, filled in when it is created; ADDRESS, EQ. */
const LIBRARY = { push: 0x73, behind: [0x30, 0x14] } as const

function ownAddress(compiled: Code, code: Uint8Array, address: Address): SourceSpan[] {
  const { bytes } = compiled
  const at = { start: 1, length: ADDRESS_BYTES }
  const isLibrary =
    bytes[0] === LIBRARY.push &&
    LIBRARY.behind.every((byte, i) => bytes[1 + ADDRESS_BYTES + i] === byte) &&
    part(bytes, at).every((byte) => byte === 0)
  return isLibrary && equalBytes(part(code, at), fromHex(address)) ? [at] : []
}

function codeOf({ object, linkReferences, immutableReferences }: CompiledCode): Code {
  const links = Object.values(linkReferences).flatMap((inFile) =>
    Object.entries(inFile).flatMap(([library, places]) => places.map(({ start }) => ({ library, start }))),
  )
  let digits = object
  for (const { start } of links) {
    const [from, to] = [start * 2, (start + ADDRESS_BYTES) * 2]
    digits = digits.slice(0, from) + '0'.repeat(to - from) + digits.slice(to)
  }
  return {
    bytes: fromHex(`0x${digits}`),
    links,
    immutables: Object.values(immutableReferences).flat(),
    metadata: metadataIn(digits),
  }
}

/**
 * Metadata as compilers append it to code: a CBOR map of the sources' hash (`ipfs`, before 0.6 Swarm's `bzzr`), the
 * word `experimental`, the version, and the length of it all. Code that creates contracts has theirs within itself.
 */
const METADATA =
  /a[1-4](?:64697066735822[0-9a-f]{68}|65627a7a723[01]5820[0-9a-f]{64})(?:6c6578706572696d656e74616cf5)?(?:64736f6c6343[0-9a-f]{6})?00[0-9a-f]{2}/g

function metadataIn(digits: string): SourceSpan[] {
  return [...digits.matchAll(METADATA)]
    .map((found) => ({ start: found.index / 2, length: found[0].length / 2 }))
    .filter(({ start }) => Number.isInteger(start))
}
