// A contract with its code, and its sources if they are verified.
import type { Abi, AbiParameter } from 'abitype'
import { z } from 'zod'
import { contractSources, localContract, proxyOf, twinOf, verifiedBy } from '../../contracts/abi.ts'
import { decodeValues } from '../../contracts/abi-decoding.ts'
import { typeOf } from '../../contracts/abi-index.ts'
import type { ForeignSources } from '../../contracts/foreign-contracts.ts'
import {
  CONTRACT_LANGUAGES,
  LICENCES,
  type VerifiedContract,
  type VerifiedSources,
} from '../../contracts/verified-contracts.ts'
import { RECORD } from '../../indexer/records.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, toHex } from '../../lib/hex.ts'
import { componentsOf } from '../../primitives/abi-decoder.ts'
import { lengthOfAll } from '../../tables/list.ts'
import { isoTime, wire } from '../codec.ts'
import type { ExplorerContext } from '../context.ts'
import { creationInput, creationOf } from '../contracts/creation.ts'
import { transactionsOf } from '../pagination/address-lists.ts'
import { addressSchema, showAddress } from './address.ts'
import { decodedValue } from './decoded.ts'

const flag = z.boolean()
const file = z.strictObject({ file_path: z.string(), source_code: z.string() })
const library = z.strictObject({ name: z.string(), address_hash: wire.address })
const argument = z.tuple([
  decodedValue,
  z.strictObject({ name: z.string(), type: z.string(), internalType: z.string().optional() }),
])

export const verifiedBySchema = z
  .string()
  .nullable()
  .describe('another server that has verified it (--fork-sources); this node has not')

export const smartContractSchema = z.strictObject({
  ...addressSchema.pick({ proxy_type: true, implementations: true }).shape,
  deployed_bytecode: wire.hex,
  creation_bytecode: wire.hex.nullable().describe('with the arguments; null when no message created it'),
  creation_status: z.enum(['success', 'selfdestructed']),
  is_self_destructed: flag,
  is_verified: flag,
  is_fully_verified: flag,
  is_partially_verified: flag,
  is_verified_via_sourcify: flag,
  is_verified_via_eth_bytecode_db: flag,
  is_verified_via_verifier_alliance: flag,
  verified_by: verifiedBySchema,
  is_changed_bytecode: flag,
  is_blueprint: flag.describe('ERC-5202'),
  is_vyper_contract: flag,
  certified: flag,
  can_be_visualized_via_sol2uml: flag,
  verified_twin_address_hash: wire.address
    .nullable()
    .describe('a verified contract with this code, whose sources are shown when the contract is not verified itself'),
  from_local_artifacts: flag.describe(
    "name, interface and sources are those of the developer's own build (--artifacts), and not verified",
  ),
  minimal_proxy_address_hash: wire.address.nullable(),
  conflicting_implementations: z.null(),
  sourcify_repo_url: z.string().nullable(),
  name: z.string().nullable(),
  language: z.enum(CONTRACT_LANGUAGES).nullable(),
  license_type: z.enum(LICENCES).nullable(),
  compiler_version: z.string().nullable(),
  evm_version: z.string().nullable(),
  optimization_enabled: flag.nullable(),
  optimization_runs: z.number().int().nullable(),
  compiler_settings: z.record(z.string(), z.unknown()).nullable(),
  verified_at: wire.time.nullable(),
  abi: z.array(z.unknown()).readonly().nullable(),
  file_path: z.string().nullable(),
  source_code: z.string().nullable(),
  additional_sources: z.array(file),
  external_libraries: z.array(library),
  constructor_args: wire.hex.nullable(),
  decoded_constructor_args: z.array(argument).nullable(),
})
z.globalRegistry.add(smartContractSchema, { id: 'SmartContract' })
export type SmartContract = z.infer<typeof smartContractSchema>

/** A contract, verified or not; undefined for an address that never had code. */
export async function showSmartContract(context: ExplorerContext, of: Address): Promise<SmartContract | undefined> {
  const { rows, view } = context
  const code = view.code(of)
  const isDestroyed = code.length === 0 && RECORD.account.get(rows, of)?.isDestroyed === true
  if (code.length === 0 && !isDestroyed) return undefined
  const creation = await creationCode(context, of)
  const { proxy_type, implementations } = showAddress(context, of)
  const proxy = proxyOf(context, of)
  const [implementation] = proxy?.implementations ?? []
  return {
    proxy_type,
    implementations,
    deployed_bytecode: toHex(code),
    creation_bytecode: creation === undefined ? null : toHex(creation),
    creation_status: isDestroyed ? 'selfdestructed' : 'success',
    is_self_destructed: isDestroyed,
    is_blueprint: code[0] === 0xfe && code[1] === 0x71,
    conflicting_implementations: null,
    minimal_proxy_address_hash:
      proxy?.type === 'eip1167' && implementation !== undefined ? checksummed(implementation) : null,
    ...UNVERIFIED,
    verified_by: verifiedBy(context, of),
    ...showSources(contractSources(context, of), creation),
    ...(context.verification?.contracts.get(view, of)?.isViaSourcify === true && {
      is_verified_via_sourcify: true,
      sourcify_repo_url: repositoryUrl(context, of),
    }),
    ...showTwin(context, of),
    ...(await showLocal(context, of, creation)),
  }
}

/** URL of a verified contract's files on this node, with the host of the request. */
function repositoryUrl({ headers, spec, verification, view }: ExplorerContext, of: Address): string {
  const { host = 'localhost', 'x-forwarded-proto': protocol = 'http' } = headers
  const match = verification?.contracts.get(view, of)?.match === 'exact' ? 'full_match' : 'partial_match'
  return `${protocol}://${host}/sourcify/repository/contracts/${match}/${spec.chainId}/${checksummed(of)}/`
}

/** The sources of the verified contract with the same code. The constructor's arguments are this contract's. */
function showTwin(context: ExplorerContext, of: Address): Partial<SmartContract> {
  const twin = twinOf(context, of)
  const sources = twin && context.verification?.contracts.sources(context.rows, context.view, twin.address)
  if (twin === undefined || sources === undefined) return {}
  return {
    ...showSources(sources, undefined),
    is_verified: false,
    is_fully_verified: false,
    is_partially_verified: false,
    is_verified_via_sourcify: false,
    sourcify_repo_url: null,
    verified_twin_address_hash: checksummed(twin.address),
  }
}

/** What a build of the developer says of a contract that is not known otherwise. */
async function showLocal(
  context: ExplorerContext,
  of: Address,
  creation: Uint8Array | undefined,
): Promise<Partial<SmartContract>> {
  const isKnown = contractSources(context, of) !== undefined || twinOf(context, of) !== undefined
  const local = isKnown ? undefined : localContract(context, of)
  if (local === undefined) return {}
  const { name, language, path, abi } = local
  const { compilerVersion, settings, sources } = (await context.artifacts?.details(local)) ?? {}
  const version = compilerVersion?.replace(/^(?!v|vyper)/, 'v') ?? null
  return {
    from_local_artifacts: true,
    name,
    language,
    is_vyper_contract: language === 'vyper',
    compiler_version: version,
    compiler_settings: settings ?? null,
    abi,
    file_path: path,
    ...(sources?.[path] !== undefined && showFiles(path, sources)),
    ...showArguments(abi, local.creationSize, creation),
  }
}

/** The input of the message that created a contract: creation code and constructor arguments. */
export async function creationCode(
  { chain, rows, heavy }: ExplorerContext,
  of: Address,
): Promise<Uint8Array | undefined> {
  try {
    const creation = await creationOf(chain, rows, of)
    return creation && (await heavy(() => creationInput(chain, creation, of)))
  } catch (error) {
    // The transaction had to be executed again, which took too long.
    if (error instanceof ChainError && error.code !== 'overloaded') return undefined
    throw error
  }
}

const UNVERIFIED = {
  is_verified: false,
  is_fully_verified: false,
  is_partially_verified: false,
  is_verified_via_sourcify: false,
  is_verified_via_eth_bytecode_db: false,
  is_verified_via_verifier_alliance: false,
  is_changed_bytecode: false,
  is_vyper_contract: false,
  certified: false,
  can_be_visualized_via_sol2uml: false,
  verified_twin_address_hash: null,
  from_local_artifacts: false,
  sourcify_repo_url: null,
  name: null,
  language: null,
  license_type: null,
  compiler_version: null,
  evm_version: null,
  optimization_enabled: null,
  optimization_runs: null,
  compiler_settings: null,
  verified_at: null,
  abi: null,
  file_path: null,
  source_code: null,
  additional_sources: [],
  external_libraries: [],
  constructor_args: null,
  decoded_constructor_args: null,
} satisfies Partial<SmartContract>

function showSources(
  sources: VerifiedSources | ForeignSources | undefined,
  creation: Uint8Array | undefined,
): Partial<SmartContract> {
  if (sources === undefined) return {}
  const { match, path, abi, input, creationSize } = sources
  const texts = Object.entries(input.sources).map(([file, { content }]) => [file, content])
  return {
    is_verified: true,
    is_fully_verified: match === 'exact',
    is_partially_verified: match === 'partial',
    name: sources.name,
    language: sources.language,
    license_type: sources.licence,
    compiler_version: sources.compilerVersion,
    evm_version: sources.evmVersion,
    optimization_enabled: sources.isOptimized,
    optimization_runs: sources.language === 'vyper' ? null : sources.runs,
    is_vyper_contract: sources.language === 'vyper',
    compiler_settings: input.settings,
    verified_at: sources.verifiedAt === undefined ? null : isoTime(sources.verifiedAt),
    abi,
    ...showFiles(path, Object.fromEntries(texts)),
    external_libraries: sources.libraries.map(({ name, address }) => ({ name, address_hash: checksummed(address) })),
    ...showArguments(abi, creationSize, creation),
  }
}

const showFiles = (path: string, sources: Readonly<Record<string, string>>) => ({
  file_path: path,
  source_code: sources[path] ?? '',
  additional_sources: Object.entries(sources)
    .filter(([other]) => other !== path)
    .map(([other, text]) => ({ file_path: other, source_code: text })),
})

/** The constructor's arguments, which follow the creation code. */
function showArguments(abi: Abi, creationSize: number | undefined, creation: Uint8Array | undefined) {
  const args = creationSize === undefined ? undefined : creation?.subarray(creationSize)
  const isEmpty = args === undefined || args.length === 0
  return {
    constructor_args: isEmpty ? null : toHex(args),
    decoded_constructor_args: isEmpty ? null : decodedArguments(abi, args),
  }
}

function decodedArguments(abi: Abi, args: Uint8Array): SmartContract['decoded_constructor_args'] {
  const inputs: readonly AbiParameter[] = abi.find((item) => item.type === 'constructor')?.inputs ?? []
  const values = decodeValues(inputs, args, 'lenient')
  if (values === undefined) return null
  return inputs.map((input, i) => [
    values[i] ?? '',
    {
      name: input.name ?? '',
      type: componentsOf(input).length > 0 ? typeOf(input) : input.type,
      ...(input.internalType !== undefined && { internalType: String(input.internalType) }),
    },
  ])
}

// --- rows of lists

export const verifiedContractSchema = z.strictObject({
  address: addressSchema,
  name: z.string(),
  coin_balance: wire.decimal,
  compiler_version: z.string(),
  language: z.enum(CONTRACT_LANGUAGES),
  has_constructor_args: flag,
  optimization_enabled: flag,
  license_type: z.enum(LICENCES).nullable(),
  transactions_count: z.number().int(),
  transaction_count: z.number().int(),
  verified_at: wire.time,
  market_cap: z.null(),
  certified: flag,
  reputation: z.literal('ok'),
})
z.globalRegistry.add(verifiedContractSchema, { id: 'VerifiedContract' })

export function showVerifiedContract(
  context: ExplorerContext,
  contract: VerifiedContract & { readonly address: Address },
) {
  const { address, name, compilerVersion, language, isOptimized, licence, verifiedAt, abi } = contract
  const transactions = lengthOfAll(context.rows, transactionsOf(address))
  const parameters = abi.find((item) => item.type === 'constructor')?.inputs ?? []
  return {
    address: showAddress(context, address),
    name,
    coin_balance: context.view.balance(address).toString(),
    compiler_version: compilerVersion,
    language,
    has_constructor_args: parameters.length > 0,
    optimization_enabled: isOptimized,
    license_type: licence,
    transactions_count: transactions,
    transaction_count: transactions,
    verified_at: isoTime(verifiedAt),
    market_cap: null,
    certified: false,
    reputation: 'ok',
  } satisfies z.infer<typeof verifiedContractSchema>
}
