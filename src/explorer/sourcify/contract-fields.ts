// The fields of a verified contract in version 2 of the Sourcify API, in addition to its match. Each is computed only on
// request: the creation code may require executing the transaction again.

import { contractName, proxyOf } from '../../contracts/abi.ts'
import { indexOf } from '../../contracts/abi-index.ts'
import type { ProxyType } from '../../contracts/proxy.ts'
import type { VerifiedSources } from '../../contracts/verified-contracts.ts'
import { checksummed } from '../../lib/checksummed.ts'
import type { Address } from '../../lib/hex.ts'
import { keccakHash } from '../../lib/keccak.ts'
import type { ExplorerContext } from '../context.ts'
import { creationOf } from '../contracts/creation.ts'
import { creationCode } from '../shapes/smart-contract.ts'
import { creationBytecode, metadataOf, runtimeBytecode } from './bytecode.ts'

type Field = (sources: VerifiedSources, address: Address, context: ExplorerContext) => unknown | Promise<unknown>

const FIELDS: Readonly<Record<string, { readonly parts?: readonly string[]; readonly make: Field }>> = {
  creationBytecode: {
    parts: [
      ...['onchainBytecode', 'recompiledBytecode', 'sourceMap', 'linkReferences', 'cborAuxdata'],
      ...['transformations', 'transformationValues'],
    ],
    make: async (sources, address, context) => creationBytecode(sources, await creationCode(context, address)),
  },
  runtimeBytecode: {
    parts: [
      ...['onchainBytecode', 'recompiledBytecode', 'sourceMap', 'linkReferences', 'cborAuxdata'],
      ...['immutableReferences', 'transformations', 'transformationValues'],
    ],
    make: (sources, address, { view }) => runtimeBytecode(sources, view.code(address), address),
  },
  deployment: { parts: ['transactionHash', 'blockNumber', 'transactionIndex', 'deployer'], make: deployment },
  sources: { make: ({ input }) => input.sources },
  compilation: {
    parts: ['language', 'compiler', 'compilerVersion', 'compilerSettings', 'name', 'fullyQualifiedName'],
    make: ({ input, language, compilerVersion, name, path }) => ({
      language: input.language,
      compiler: language === 'vyper' ? 'vyper' : 'solc',
      compilerVersion: compilerVersion.replace(/^v/, ''),
      compilerSettings: input.settings,
      name,
      fullyQualifiedName: `${path}:${name}`,
    }),
  },
  abi: { make: ({ abi }) => abi },
  metadata: { make: (sources) => metadataOf(sources)?.json ?? null },
  storageLayout: { make: ({ output }) => output?.storageLayout ?? null },
  transientStorageLayout: { make: ({ output }) => output?.transientStorageLayout ?? null },
  userdoc: { make: ({ output }) => output?.userdoc ?? null },
  devdoc: { make: ({ output }) => output?.devdoc ?? null },
  sourceIds: { make: ({ sourceIds }) => sourceIds ?? null },
  stdJsonInput: { make: ({ input }) => input },
  stdJsonOutput: {
    make: ({ sourceIds = {}, output, path, name }) => ({
      sources: sourceIds,
      contracts: output === undefined ? {} : { [path]: { [name]: output } },
    }),
  },
  signatures: { parts: ['function', 'event', 'error'], make: signatures },
  proxyResolution: { parts: ['isProxy', 'proxyType', 'implementations'], make: proxyResolution },
}

/** The field names, with their parts if they have any. */
export const FIELD_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(FIELDS).map(([name, { parts = [] }]) => [name, parts]),
)
export const CONTRACT_FIELDS: readonly (readonly [string, Field])[] = Object.entries(FIELDS).map(([name, { make }]) => [
  name,
  make,
])

async function deployment(_: VerifiedSources, address: Address, { chain, rows }: ExplorerContext) {
  const creation = await creationOf(chain, rows, address)
  const mined = creation && chain.transaction(creation.transaction.hash)
  return {
    transactionHash: creation?.transaction.hash ?? null,
    blockNumber: creation?.number.toString() ?? null,
    transactionIndex: mined?.index.toString() ?? null,
    deployer: creation ? checksummed(creation.creator) : null,
  }
}

function signatures({ abi }: VerifiedSources) {
  const { functions, events, errors } = indexOf(abi)
  const shown = (entries: ReadonlyMap<string, readonly { readonly signature: string }[]>) => {
    const all = [...new Set([...entries.values()].flat().map(({ signature }) => signature))]
    return all.map((signature) => {
      const signatureHash32 = keccakHash(Buffer.from(signature))
      return { signature, signatureHash32, signatureHash4: signatureHash32.slice(0, 10) }
    })
  }
  return { function: shown(functions), event: shown(events), error: shown(errors) }
}

const PROXY_TYPES: Readonly<Record<ProxyType, string | null>> = {
  eip1167: 'EIP1167Proxy',
  eip1967: 'EIP1967Proxy',
  eip1822: 'PROXIABLEProxy',
  master_copy: 'GnosisSafeProxy',
  // Sourcify has no name for EIP-7702 delegations.
  eip7702: null,
}

function proxyResolution(_: VerifiedSources, address: Address, context: ExplorerContext) {
  const proxy = proxyOf(context, address)
  return {
    isProxy: proxy !== undefined,
    proxyType: proxy === undefined ? null : PROXY_TYPES[proxy.type],
    implementations: (proxy?.implementations ?? []).map((implementation) => {
      const name = contractName(context, implementation)
      return { address: checksummed(implementation), ...(name !== undefined && { name }) }
    }),
  }
}
