// Files that compilers and build tools write: outputs of standard JSON (alone, or with their input as in Hardhat's and Foundry's
// build-info), one contract as Foundry, Hardhat and Truffle write it, and Vyper's `combined_json`. A file may say anything: names,
// interfaces and code are bounded here, and all else is left out.
import { z } from 'zod'
import { type Artifact, codeKey, codeOf, zeroWords } from '../bytecode-match.ts'
import { compiledCode } from '../compiler-output.ts'
import { publishedAbi } from '../published-abi.ts'
import type { ContractLanguage } from '../verified-contracts.ts'

/** A contract as threads send it. */
export type ReadContract = Omit<Artifact, 'abi'> & {
  readonly language: ContractLanguage
  /** JSON, because few of a build's interfaces are ever used. */
  readonly abi: string
  readonly creationKey: string
  readonly runtimeKey: string
}

export type BuildFile = {
  /** Those that have code. */
  readonly contracts: readonly ReadContract[]
  /** Functions, events and errors of all, interfaces too, each as JSON. */
  readonly declarations: readonly string[]
  /** Why a contract was left out. */
  readonly problem: string | undefined
}

/** Hardhat 3 gives the compiler other paths than its users have: `project/contracts/Vault.sol`. By the path of the compiler. */
export function userPaths(companion: unknown): ReadonlyMap<string, string> {
  const { data } = z.object({ userSourceNameMap: z.record(z.string(), z.string()) }).safeParse(companion)
  return new Map(Object.entries(data?.userSourceNameMap ?? {}).map(([user, compiler]) => [compiler, user]))
}

/** Hardhat 3 has the compiler's input in a file beside the output. */
export const companionOf = (file: string): string | undefined =>
  file.endsWith('.output.json') ? file.replace(/\.output\.json$/, '.json') : undefined

const identifier = z
  .string()
  .max(256)
  .regex(/^[\w$.-]+$/)
const path = z
  .string()
  .max(1024)
  .regex(/^\P{Cc}*$/u)
const code = compiledCode.prefault({})

/** A contract of any of the formats. */
const contractSchema = z.object({
  path,
  name: identifier,
  language: z.string().optional(),
  abi: publishedAbi.default([]),
  creation: code,
  runtime: code,
  /** Whether the file says where immutables are. */
  namesImmutables: z.boolean().default(true),
})
type Found = z.input<typeof contractSchema>

const links = compiledCode.shape.linkReferences

/** An output of standard JSON. */
const standardOutput = z.object({
  compiler: z.string().optional(),
  contracts: z.record(z.string(), z.record(z.string(), z.unknown())),
})
const standardContract = z.object({
  abi: z.unknown().optional(),
  evm: z.object({ bytecode: z.unknown().optional(), deployedBytecode: z.unknown().optional() }).prefault({}),
})
const build = z.object({ output: standardOutput, input: z.object({ language: z.string().optional() }).optional() })
/** Foundry's, of one contract. */
export const foundryArtifact = z.object({
  abi: z.unknown(),
  bytecode: compiledCode,
  deployedBytecode: compiledCode,
  rawMetadata: z.string().optional(),
  id: z.number().int().nonnegative().optional(),
  storageLayout: z.unknown().optional(),
})
/** Hardhat's and Truffle's, of one contract. */
const plainArtifact = z.object({
  contractName: z.string(),
  sourceName: z.string().optional(),
  sourcePath: z.string().optional(),
  language: z.string().optional(),
  abi: z.unknown(),
  bytecode: z.string(),
  deployedBytecode: z.string(),
  linkReferences: links,
  deployedLinkReferences: links,
  immutableReferences: compiledCode.shape.immutableReferences.removeDefault().optional(),
  buildInfoId: z.string().optional(),
})
const combinedContract = z.object({ abi: z.unknown(), bytecode: z.string(), bytecode_runtime: z.string() })
const combined = z.record(z.string(), z.unknown()).transform((all) =>
  Object.entries(all).flatMap(([file, contract]) => {
    const { data } = combinedContract.safeParse(contract)
    return data === undefined ? [] : [{ file, ...data }]
  }),
)

/** The metadata of Solidity: whose compilation it was, with which compiler. */
export const metadataSchema = z.object({
  compiler: z.object({ version: z.string() }).optional(),
  language: z.string().optional(),
  settings: z.record(z.string(), z.unknown()).default({}),
  sources: z
    .record(z.string(), z.object({ keccak256: z.string().optional(), content: z.string().optional() }))
    .default({}),
})

/**
 * Reads a file. `hasBuild`: the contract of this file is in a build-info too, which says more. Throws nothing: what is no build has no
 * contracts.
 */
export function readBuildFile(
  json: unknown,
  file: string,
  { companion, hasBuild = false }: { companion?: unknown; hasBuild?: boolean } = {},
): BuildFile {
  const paths = userPaths(companion)
  const contracts: ReadContract[] = []
  const declarations = new Set<string>()
  let problem: string | undefined
  for (const found of foundIn(json, file, companion, hasBuild)) {
    const parsed = contractSchema.safeParse({ ...found, path: paths.get(found.path) ?? found.path })
    const { data } = parsed
    if (data === undefined) {
      problem ??= `${found.name}: ${issueOf(parsed.error)}`
      continue
    }
    for (const item of data.abi) if ('name' in item) declarations.add(JSON.stringify(item))
    try {
      const contract = contractOf(data)
      if (contract !== undefined) contracts.push(contract)
    } catch {
      problem ??= `${data.name}: the code is not hex`
    }
  }
  return { contracts, declarations: [...declarations], problem }
}

/** undefined: an interface, or an abstract contract. */
function contractOf(data: z.output<typeof contractSchema>): ReadContract | undefined {
  const runtime = codeOf(data.runtime)
  if (runtime.bytes.length === 0) return undefined
  const creation = codeOf(data.creation)
  // A buffer of its own, because it is handed to another thread.
  const bytes = Uint8Array.from(creation.bytes)
  const language = languageOf(data.language, data.path)
  return {
    isVyper: language === 'vyper',
    path: data.path,
    name: data.name,
    language,
    abi: JSON.stringify(data.abi),
    creation: { ...creation, bytes },
    runtime: {
      ...runtime,
      bytes: withinCode(bytes, runtime.bytes),
      immutables: data.namesImmutables ? runtime.immutables : zeroWords(runtime.bytes),
    },
    creationKey: codeKey(creation.bytes),
    runtimeKey: codeKey(runtime.bytes),
  }
}

/** Runtime code as a part of the creation code, so that it takes no memory of its own. */
function withinCode(creation: Uint8Array, runtime: Uint8Array): Uint8Array {
  const at = Buffer.from(creation.buffer).indexOf(runtime)
  return at < 0 ? Uint8Array.from(runtime) : creation.subarray(at, at + runtime.length)
}

function languageOf(language: string | undefined, file: string): ContractLanguage {
  if (language?.toLowerCase() === 'vyper' || /\.vyi?$/.test(file)) return 'vyper'
  return language?.toLowerCase() === 'yul' || file.endsWith('.yul') ? 'yul' : 'solidity'
}

function* foundIn(json: unknown, file: string, companion: unknown, hasBuild: boolean): Generator<Found> {
  const whole = build.safeParse(json).data
  const output = whole?.output ?? standardOutput.safeParse(json).data
  if (output !== undefined) {
    const input = whole?.input ?? build.pick({ input: true }).safeParse(companion).data?.input
    yield* contractsOf(output, input?.language)
    return
  }
  const foundry = foundryArtifact.safeParse(json).data
  if (foundry !== undefined) {
    const { abi, bytecode, deployedBytecode, rawMetadata } = foundry
    yield { ...targetOf(rawMetadata, file), abi: abi as Found['abi'], creation: bytecode, runtime: deployedBytecode }
    return
  }
  const plain = plainArtifact.safeParse(json).data
  if (plain !== undefined) {
    if (!hasBuild && plain.buildInfoId === undefined) yield plainContract(plain)
    return
  }
  for (const { file: of, abi, bytecode, bytecode_runtime } of combined.safeParse(json).data ?? [])
    yield {
      path: of,
      name: stemOf(of),
      language: 'vyper',
      abi: abi as Found['abi'],
      creation: { object: bytecode },
      runtime: { object: bytecode_runtime },
    }
}

function* contractsOf({ compiler, contracts }: z.output<typeof standardOutput>, language?: string): Generator<Found> {
  const named = language ?? (compiler?.startsWith('vyper') ? 'vyper' : undefined)
  for (const [of, inFile] of Object.entries(contracts)) {
    for (const [name, contract] of Object.entries(inFile)) {
      const { data } = standardContract.safeParse(contract)
      if (data === undefined) continue
      // Checked by the schema of all contracts.
      const { abi, evm } = data as {
        abi?: Found['abi']
        evm: { bytecode?: Found['creation']; deployedBytecode?: Found['runtime'] }
      }
      yield { path: of, name, language: named, abi, creation: evm.bytecode, runtime: evm.deployedBytecode }
    }
  }
}

function plainContract(plain: z.output<typeof plainArtifact>): Found {
  const { contractName, sourceName, sourcePath, language, abi, immutableReferences } = plain
  return {
    path: sourceName ?? sourcePath ?? '',
    name: contractName,
    language,
    abi: abi as Found['abi'],
    creation: { object: plain.bytecode, linkReferences: plain.linkReferences },
    runtime: {
      object: plain.deployedBytecode,
      linkReferences: plain.deployedLinkReferences,
      immutableReferences,
    },
    namesImmutables: immutableReferences !== undefined,
  }
}

/** Path, name and language of the contract that a file of Foundry is about: `out/Vault.sol/Vault.json`. */
export function targetOf(rawMetadata: string | undefined, file: string): Pick<Found, 'path' | 'name' | 'language'> {
  const parts = file.split(/[\\/]/)
  const metadata = metadataOf(rawMetadata)
  const [[path, name] = []] = Object.entries(metadata?.settings['compilationTarget'] ?? {})
  return {
    path: path ?? parts.at(-2) ?? '',
    name: typeof name === 'string' ? name : stemOf(file),
    language: metadata?.language,
  }
}

/** Solidity's metadata; undefined if they are none. */
export function metadataOf(text: unknown): z.output<typeof metadataSchema> | undefined {
  try {
    return metadataSchema.safeParse(JSON.parse(String(text))).data
  } catch {
    return undefined
  }
}

/** `Vault` of `out/Vault.sol/Vault.0.8.20.json`. */
const stemOf = (file: string): string => /([^\\/.]*)[^\\/]*$/.exec(file)?.[1] ?? ''

function issueOf(error: z.ZodError | undefined): string {
  const issue = error?.issues[0]
  return issue === undefined ? 'not a contract' : `${issue.path.join('.')}: ${issue.message}`
}
