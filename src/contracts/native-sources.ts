// The native contracts in the form of verified ones. Their sources are their Solidity interfaces, which the build puts next to
// the program. The implementation is TypeScript, so there is no compiler.
import { readFileSync } from 'node:fs'
import { builtFile } from '../lib/built-files.ts'
import type { Address } from '../lib/hex.ts'
import { PRECOMPILES } from '../precompiles/index.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import type { EnumNames } from './enum-members.ts'
import { enumsIn } from './enum-names.ts'
import type { VerifiedContract, VerifiedSources } from './verified-contracts.ts'

const BY_ADDRESS = new Map(PRECOMPILES.map((precompile) => [precompile.address, precompile]))

/** The native contract at an address of this chain. */
export function nativeAt({ native }: Pick<ChainSpec, 'native'>, address: Address) {
  const found = BY_ADDRESS.get(address)
  return native !== undefined && found?.isOn(native) ? found : undefined
}

/** The name of a native contract's Solidity interface. */
export const nativeTitle = (name: string): string =>
  name === 'ics20' ? 'ICS20' : name.charAt(0).toUpperCase() + name.slice(1)

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
    path: `${name}.sol`,
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

/** Every native contract of the chain. */
export const allNativeContracts = (known: Known): readonly Entry[] =>
  PRECOMPILES.flatMap(({ address }) => nativeContract(known, address) ?? [])

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
    for (const [, imported] of content.matchAll(/^import "\.\/([\w.]+)";$/gm)) if (imported !== undefined) add(imported)
  }
  add(contract.path)
  return { ...contract, input: { language: 'Solidity', sources, settings: {} } }
}

const enums = new Map<Address, EnumNames>()

/** The enums in a native contract's interface, which never change. */
export function nativeEnums(known: Known, address: Address): EnumNames {
  const { input } = (enums.has(address) ? undefined : nativeSources(known, address)) ?? {}
  const texts = Object.entries(input?.sources ?? {}).map(([path, { content }]) => [path, content] as const)
  const found = enums.get(address) ?? enumsIn(Object.fromEntries(texts))
  enums.set(address, found)
  return found
}
