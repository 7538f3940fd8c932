// Reads the layout of a contract's storage and the members of its enums from its sources, which are verified or of the developer's
// builds. A proxy has the variables of its implementation, with its own values.
import { LRUCache } from 'lru-cache'
import type { Address } from '../lib/hex.ts'
import { contractSources, localContract, proxyOf, twinOf } from './abi.ts'
import type { DebugContext } from './debug-info.ts'
import type { EnumNames } from './enum-members.ts'
import { enumsIn, merged } from './enum-names.ts'
import { nativeAt, nativeEnums } from './native-sources.ts'
import { type LayoutSources, storageLayoutOf } from './storage-layout.ts'
import { ContractStorage } from './storage-values.ts'

export type ContractLayout = {
  readonly storage: ContractStorage
  /** The contract with these variables. */
  readonly name: string
  readonly address: Address
}

/** By the contract as it was verified or read: it has other objects after another verification or build. */
const layouts = new LRUCache<object, { readonly storage: ContractStorage | undefined }>({ max: 64 })

/** undefined: the layout of its storage is not known. */
export async function contractLayout(known: DebugContext, of: Address): Promise<ContractLayout | undefined> {
  const [implementation] = proxyOf(known, of)?.implementations ?? []
  const address = implementation ?? of
  // The storage of native contracts is that of their modules, which is not Solidity's code.
  if (nativeAt(known.spec, address) !== undefined) return undefined
  const found = foundSources(known, address)
  if (found === undefined) {
    known.wantedSources?.add(address)
    return undefined
  }
  let layout = layouts.get(found.contract)
  if (layout === undefined) {
    const sources = await found.read()
    const read = sources && storageLayoutOf(sources)
    layout = { storage: read && new ContractStorage(read) }
    layouts.set(found.contract, layout)
  }
  return layout.storage && { storage: layout.storage, name: found.contract.name, address }
}

/** As `layouts`. */
const enums = new LRUCache<object, EnumNames>({ max: 256 })

/** The enums that the sources of a contract declare, and those of what it is a proxy of. */
export async function contractEnums(known: DebugContext, of: Address): Promise<EnumNames> {
  const all: EnumNames[] = []
  for (const address of [of, ...(proxyOf(known, of)?.implementations ?? [])]) {
    if (nativeAt(known.spec, address) !== undefined) all.push(nativeEnums(known, address))
    const found = foundSources(known, address)
    if (found === undefined) continue
    const names = enums.get(found.contract) ?? enumsIn((await found.read())?.sources ?? {})
    enums.set(found.contract, names)
    all.push(names)
  }
  return merged(all)
}

type FoundSources = {
  readonly contract: { readonly name: string }
  readonly read: () => Promise<LayoutSources | undefined>
}

/** Who knows the sources of an account's code: the developer's build before what was verified. */
function foundSources(known: DebugContext, address: Address): FoundSources | undefined {
  const local = localContract(known, address)
  if (local !== undefined) return { contract: local, read: () => localSources(known, local) }
  const twin = twinOf(known, address)?.address ?? address
  const contract = known.verification?.contracts.get(known.view, twin) ?? known.forkSources?.get(known.view, twin)
  return contract && { contract, read: async () => verifiedSources(known, twin) }
}

async function localSources(
  { artifacts }: DebugContext,
  local: NonNullable<ReturnType<typeof localContract>>,
): Promise<LayoutSources | undefined> {
  const details = local.language === 'solidity' ? await artifacts?.details(local) : undefined
  if (details === undefined) return undefined
  const { sources, settings, storageLayout } = details
  return { sources, path: local.path, name: local.name, remappings: remappingsIn(settings), storageLayout }
}

function verifiedSources(known: DebugContext, of: Address): LayoutSources | undefined {
  const verified = contractSources(known, of)
  if (verified?.language !== 'solidity') return undefined
  const { input, output, path, name } = verified
  const sources = Object.fromEntries(Object.entries(input.sources).map(([path, { content }]) => [path, content]))
  return { sources, path, name, remappings: remappingsIn(input.settings), storageLayout: output?.storageLayout }
}

/** solc's remappings in its settings. */
export const remappingsIn = ({ remappings }: Readonly<Record<string, unknown>>): readonly string[] =>
  Array.isArray(remappings) ? remappings.filter((one): one is string => typeof one === 'string') : []
