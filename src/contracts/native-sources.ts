// The native contracts in the form of verified ones. Their sources are their Solidity interfaces, which the build puts next to
// the program. The implementation is TypeScript, so there is no compiler.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { builtFile } from '../lib/built-files.ts'
import type { Address } from '../lib/hex.ts'
import type { Precompile } from '../precompiles/define.ts'
import { precompilesOf } from '../precompiles/index.ts'
import type { ChainSpec, NativeSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import type { EnumNames } from './enum-members.ts'
import { enumsIn } from './enum-names.ts'
import type { VerifiedContract, VerifiedSources } from './verified-contracts.ts'

const byAddress = new WeakMap<NativeSpec, ReadonlyMap<Address, Precompile>>()

/** The native contract at an address of this chain. */
export function nativeAt({ native }: Pick<ChainSpec, 'native'>, address: Address): Precompile | undefined {
  if (native === undefined) return undefined
  const known = byAddress.get(native) ?? new Map(precompilesOf(native).map((of) => [of.address, of]))
  byAddress.set(native, known)
  return known.get(address)
}

/** The name of a native contract's Solidity interface. */
export const nativeTitle = (name: string): string =>
  name === 'ics20' || name === 'ibc' ? name.toUpperCase() : name.charAt(0).toUpperCase() + name.slice(1)

type Known = { readonly spec: ChainSpec; readonly view: StateView }
type Entry = VerifiedContract & { readonly address: Address }

/** A native contract with all fields of a verified one except its sources; undefined for other addresses. */
export function nativeContract({ spec, view }: Known, address: Address): Entry | undefined {
  const native = nativeAt(spec, address)
  const codeHash = native && view.account(address)?.codeHash
  if (native === undefined || codeHash === undefined) return undefined
  const name = nativeTitle(native.name)
  return {
    address,
    codeHash,
    match: 'exact',
    name,
    path: pathOf(native),
    language: 'solidity',
    compilerVersion: 'native',
    isOptimized: false,
    runs: 0,
    evmVersion: 'default',
    abi: native.abi,
    licence: 'mit',
    libraries: [],
    creationSize: undefined,
    verifiedAt: Number(spec.genesis.timestamp),
  }
}

/** The interface's file in `solidity/`. */
const pathOf = ({ folder, name }: Precompile): string => posix.join(folder, `${nativeTitle(name)}.sol`)

/** Every native contract of the chain. */
export const allNativeContracts = (known: Known): readonly Entry[] =>
  precompilesOf(known.spec.native).flatMap(({ address }) => nativeContract(known, address) ?? [])

/** As `nativeContract`, with the interface's file and its imports. */
export function nativeSources(known: Known, address: Address): VerifiedSources | undefined {
  const contract = nativeContract(known, address)
  if (contract === undefined) return undefined
  const sources: Record<string, { content: string }> = {}
  const add = (path: string): void => {
    const file = builtFile(`solidity/${path}`)
    if (file === undefined || path in sources) return
    const content = readFileSync(file, 'utf8')
    sources[path] = { content }
    for (const [, imported = ''] of content.matchAll(/^import "(\.[\w./]+)";$/gm))
      add(posix.join(posix.dirname(path), imported))
  }
  add(contract.path)
  return { ...contract, input: { language: 'Solidity', sources, settings: {} } }
}

/** By the file of the interface. */
const enums = new Map<string, EnumNames>()

/** The enums in a native contract's interface, which never change. */
export function nativeEnums(known: Known, address: Address): EnumNames {
  const native = nativeAt(known.spec, address)
  const path = native === undefined ? '' : pathOf(native)
  const { input } = (enums.has(path) ? undefined : nativeSources(known, address)) ?? {}
  const texts = Object.entries(input?.sources ?? {}).map(([path, { content }]) => [path, content] as const)
  const found = enums.get(path) ?? enumsIn(Object.fromEntries(texts))
  enums.set(path, found)
  return found
}
