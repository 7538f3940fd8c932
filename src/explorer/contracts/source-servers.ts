// Servers that publish sources of contracts: Sourcify's API (version 2), and Etherscan's `getsourcecode`. What they answer was
// written by others and is bounded; nothing of it is compiled here.
import { z } from 'zod'
import { type CompilerInput, compilerInput } from '../../contracts/compiler-output.ts'
import type { PublishedSources } from '../../contracts/foreign-contracts.ts'
import { publishedAbi } from '../../contracts/published-abi.ts'
import { LANGUAGE_OF } from '../../contracts/verified-contracts.ts'
import { boundedParser } from '../../lib/bounded-json.ts'
import { checksummed } from '../../lib/checksummed.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, hexToAddress, toHex } from '../../lib/hex.ts'
import { visibleText } from '../../lib/visible-text.ts'
import { NoDocument } from '../metadata/document-request.ts'
import { inputFromFiles, inputFromJson, licenceOf, settingsOf, vyperInput } from './submissions.ts'

export type SourceServer = {
  /** Scheme and host: the rest of the URL may hold a key. */
  readonly name: string
  /** The URL of a contract. */
  urlOf(chainId: bigint, address: Address): string
  /** Reads an answer with status 200; undefined: the contract is not verified there. Throws NoDocument. */
  read(text: string, code: Uint8Array): PublishedSources | undefined
}

/** A URL whose path ends in `/api` is Etherscan's or one like it, any other one Sourcify's. */
export function sourceServer(url: URL): SourceServer {
  const { urlOf, read } = /\/api\/?$/.test(url.pathname) ? ofEtherscan(url) : ofSourcify(url)
  return {
    name: url.origin,
    urlOf,
    read(text, code) {
      try {
        return read(boundedParser()(text), code)
      } catch (error) {
        // Words of libraries may quote the answer, so they are left out.
        if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof ChainError)
          throw new NoDocument('an answer of another form', OK)
        throw error
      }
    },
  }
}

const OK = 200

type Reader = Pick<SourceServer, 'urlOf'> & {
  /** Throws SyntaxError, ZodError, ChainError. */
  read(answer: unknown, code: Uint8Array): PublishedSources | undefined
}

const text = z.string().max(256)
const visible = text.transform((given) => visibleText(given)).pipe(z.string())

type Told = Omit<PublishedSources, keyof ReturnType<typeof settingsOf> | 'language' | 'creationSize'> &
  Pick<PublishedSources, 'libraries'>

/** With what follows from the compiler's input. */
function completed(told: Told): PublishedSources {
  const { libraries, ...settings } = settingsOf(told.input)
  const language = LANGUAGE_OF[told.input.language]
  return { ...told, ...settings, language, creationSize: undefined, libraries: [...told.libraries, ...libraries] }
}

// --- Sourcify: docs.sourcify.dev/docs/api

const sourcifyFields = ['abi', 'sources', 'compilation', 'runtimeBytecode.onchainBytecode']

const sourcifyAnswer = z.object({
  match: z.enum(['exact_match', 'match']),
  verifiedAt: z.iso.datetime({ offset: true }).optional(),
  abi: publishedAbi.nullish(),
  sources: z.unknown(),
  compilation: z.object({
    language: z.unknown(),
    compilerVersion: text,
    compilerSettings: z.unknown(),
    name: visible,
    fullyQualifiedName: z.string().max(2_048),
  }),
  runtimeBytecode: z.object({ onchainBytecode: z.string().nullish() }).nullish(),
})

const ofSourcify = (url: URL): Reader => ({
  urlOf(chainId, address) {
    const at = new URL(url)
    at.pathname = `${url.pathname.replace(/\/$/, '')}/v2/contract/${chainId}/${checksummed(address)}`
    at.searchParams.set('fields', sourcifyFields.join())
    return at.href
  },
  read(answer, code) {
    if (z.object({ match: z.null() }).safeParse(answer).success) return undefined
    const { match, verifiedAt, abi, sources, compilation, runtimeBytecode } = sourcifyAnswer.parse(answer)
    const { language, compilerVersion, compilerSettings, name, fullyQualifiedName } = compilation
    // The contract may have been another one when it was verified (CREATE2).
    const verifiedCode = runtimeBytecode?.onchainBytecode?.toLowerCase() ?? undefined
    if (verifiedCode !== undefined && verifiedCode !== toHex(code)) return undefined
    const settings = compilerSettings ?? {}
    return completed({
      match: match === 'exact_match' ? 'exact' : 'partial',
      verifiedAt: verifiedAt === undefined ? undefined : Math.floor(Date.parse(verifiedAt) / 1000),
      name,
      path: fullyQualifiedName.slice(0, Math.max(0, fullyQualifiedName.lastIndexOf(':'))),
      compilerVersion: `v${compilerVersion.replace(/^v/, '')}`,
      licence: 'none',
      libraries: [],
      abi: abi ?? [],
      input: compilerInput.parse({ language, sources, settings }),
    })
  },
})

// --- Etherscan: docs.etherscan.io/api-reference/endpoint/getsourcecode

const NOT_VERIFIED = 'Contract source code not verified'

const etherscanContract = z.object({
  SourceCode: z.string().default(''),
  ABI: z.string().default(NOT_VERIFIED),
  ContractName: text.default(''),
  CompilerVersion: text.default(''),
  OptimizationUsed: text.default(''),
  Runs: text.default(''),
  EVMVersion: text.default('Default'),
  Library: z.string().default(''),
  LicenseType: text.default(''),
  ContractFileName: z.string().max(2_048).default(''),
})
type EtherscanContract = z.output<typeof etherscanContract>

const etherscanAnswer = z.object({ result: z.union([z.array(etherscanContract), z.string()]) })

const ofEtherscan = (url: URL): Reader => ({
  urlOf(chainId, address) {
    const at = new URL(url)
    const asked = { chainid: chainId.toString(), module: 'contract', action: 'getsourcecode', address }
    for (const [name, value] of Object.entries(asked)) at.searchParams.set(name, value)
    return at.href
  },
  read(answer) {
    const { result } = etherscanAnswer.parse(answer)
    if (result === NOT_VERIFIED) return undefined
    // A wrong key, or too many requests. The words may hold the key.
    if (typeof result === 'string') throw new NoDocument('a refusal')
    const [found] = result
    if (found === undefined || found.ABI === NOT_VERIFIED || found.SourceCode === '') return undefined
    const input = inputOf(found)
    return completed({
      // It does not say whether the metadata are equal.
      match: 'partial',
      name: visible.parse(found.ContractName),
      path: pathOf(found, input),
      compilerVersion: found.CompilerVersion.replace(/^vyper:/, 'v'),
      licence: licenceOf(found.LicenseType.toLowerCase()),
      libraries: librariesIn(found.Library),
      abi: publishedAbi.parse(boundedParser()(found.ABI)),
      input,
    })
  },
})

const isVyper = ({ CompilerVersion }: EtherscanContract): boolean => /^vyper/i.test(CompilerVersion)

/** Double braces are the compiler's whole input, single ones its sources; anything else is one file. */
function inputOf(found: EtherscanContract): CompilerInput {
  const { SourceCode, ContractName, OptimizationUsed, Runs, EVMVersion } = found
  const trimmed = SourceCode.trim()
  if (trimmed.startsWith('{{')) return inputFromJson(trimmed.slice(1, -1))
  const texts = trimmed.startsWith('{')
    ? textsOf(boundedParser()(trimmed))
    : { [found.ContractFileName || `${ContractName}.${isVyper(found) ? 'vy' : 'sol'}`]: SourceCode }
  const evmVersion = EVMVersion === 'Default' ? undefined : EVMVersion
  if (isVyper(found)) return vyperInput(texts, {}, evmVersion)
  const runs = /^\d{1,9}$/.test(Runs) ? Number(Runs) : undefined
  return inputFromFiles(texts, { isOptimized: OptimizationUsed === '1', runs, evmVersion })
}

const files = z.record(z.string(), z.object({ content: z.string() }))

const textsOf = (sources: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(files.parse(sources)).map(([path, { content }]) => [path, content]))

/** The file of the contract, which not every server names. */
function pathOf({ ContractFileName, ContractName }: EtherscanContract, { sources }: CompilerInput): string {
  const paths = Object.keys(sources)
  const isNamed = (path: string) => /([^/]*)\.\w+$/.exec(path)?.[1] === ContractName
  return paths.find((path) => path === ContractFileName) ?? paths.find(isNamed) ?? paths[0] ?? ''
}

/** `Name:address;Name:address`, with `0x` or without. */
const librariesIn = (list: string): { name: string; address: Address }[] =>
  [...list.matchAll(/([\w$]{1,256}):(?:0x)?([0-9a-fA-F]{40})(?:;|$)/g)].map(([, name = '', digits]) => ({
    name,
    address: hexToAddress(`0x${digits}`),
  }))
