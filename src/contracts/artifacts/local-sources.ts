// Sources and source maps of a contract, read from its build again when somebody asks for them. Texts that are not in the build are
// read from the project's folder, and only if they have the hash that the compiler has seen: so a build can name no other file.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { toHex } from '../../lib/hex.ts'
import { keccak256 } from '../../lib/keccak.ts'
import type { LocalSources, SourceMapped } from '../local-contracts.ts'
import { foundryArtifact, metadataOf, type metadataSchema, targetOf, userPaths } from './build-file.ts'

type Metadata = z.output<typeof metadataSchema>
/** A contract of a file. The path is its user's. */
export type Sought = { readonly file: string; readonly path: string; readonly name: string }

const sourceMapped = z
  .object({
    /** Vyper's is an object. */
    sourceMap: z.string().optional().catch(undefined),
    generatedSources: z
      .array(z.object({ id: z.number(), name: z.string(), contents: z.string() }))
      .default([])
      .catch([]),
  })
  .prefault({})
  .transform(
    ({ sourceMap, generatedSources }): SourceMapped => ({
      sourceMap,
      generatedSources: Object.fromEntries(generatedSources.map(({ id, ...source }) => [id, source])),
    }),
  )

const input = z.object({
  sources: z.record(z.string(), z.object({ content: z.string() })).catch({}),
  settings: z.record(z.string(), z.unknown()).default({}),
})
const output = z.object({
  compiler: z.string().optional(),
  sources: z.record(z.string(), z.object({ id: z.number() })).default({}),
  contracts: z.record(z.string(), z.record(z.string(), z.unknown())),
})
const build = z.object({ output, input: input.optional(), solcLongVersion: z.string().optional() })
const companionBuild = build
  .omit({ output: true })
  .extend({ userSourceNameMap: z.record(z.string(), z.string()).default({}) })
const contractOutput = z.object({
  metadata: z.unknown().optional(),
  storageLayout: z.unknown().optional(),
  evm: z.object({ bytecode: sourceMapped, deployedBytecode: sourceMapped }),
})
/** Foundry's, of what compiled one contract: always with the ids of its sources. */
const foundryBuild = z.object({ source_id_to_path: z.record(z.string(), z.string()), input: input.optional() })

/** The sources of a contract; undefined if the file has none. `readJson` throws for a file that cannot be read. */
export function sourcesIn(
  json: unknown,
  sought: Sought,
  companion: unknown,
  buildInfos: () => Iterable<unknown>,
): LocalSources | undefined {
  const foundry = foundryArtifact.safeParse(json).data
  if (foundry !== undefined) return foundrySources(json, foundry, sought, buildInfos)
  const whole = build.safeParse(json).data
  const out = whole?.output ?? output.safeParse(json).data
  if (out === undefined) return undefined
  const beside = companionBuild.safeParse(companion).data
  const contract = contractOutput.safeParse(
    out.contracts[beside?.userSourceNameMap[sought.path] ?? sought.path]?.[sought.name],
  ).data
  if (contract === undefined) return undefined
  const metadata = metadataOf(contract.metadata)
  const given = whole?.input ?? beside?.input
  const names = userPaths(companion)
  const userPath = (path: string) => names.get(path) ?? path
  const isUsed = (path: string) => metadata === undefined || path in metadata.sources
  const texts = Object.entries(given?.sources ?? {}).filter(([path]) => isUsed(path))
  return {
    compilerVersion: whole?.solcLongVersion ?? beside?.solcLongVersion ?? metadata?.compiler?.version ?? out.compiler,
    settings: given?.settings ?? metadata?.settings ?? {},
    sources:
      given === undefined
        ? projectSources(sought.file, metadata)
        : Object.fromEntries(texts.map(([path, { content }]) => [userPath(path), content])),
    sourceIds: Object.fromEntries(Object.entries(out.sources).map(([path, { id }]) => [id, userPath(path)])),
    creation: contract.evm.bytecode,
    runtime: contract.evm.deployedBytecode,
    storageLayout: contract.storageLayout,
  }
}

function foundrySources(
  json: unknown,
  artifact: z.output<typeof foundryArtifact>,
  { file }: Sought,
  buildInfos: () => Iterable<unknown>,
): LocalSources {
  const metadata = metadataOf(artifact.rawMetadata)
  const { path } = targetOf(artifact.rawMetadata, file)
  const needed = Object.keys(metadata?.sources ?? { [path]: {} })
  let found: z.output<typeof foundryBuild> | undefined
  for (const info of buildInfos()) {
    const { data } = foundryBuild.safeParse(info)
    const ids = data?.source_id_to_path ?? {}
    const known = new Set(Object.values(ids))
    if (ids[String(artifact.id)] !== path || !needed.every((source) => known.has(source))) continue
    found = data
    break
  }
  const maps = z.object({ bytecode: sourceMapped, deployedBytecode: sourceMapped }).parse(json)
  const { sources: given = {} } = found?.input ?? {}
  const texts = needed.flatMap((source) => (given[source] === undefined ? [] : [[source, given[source].content]]))
  return {
    compilerVersion: metadata?.compiler?.version,
    settings: metadata?.settings ?? {},
    sources: { ...projectSources(file, metadata), ...Object.fromEntries(texts) },
    sourceIds: found?.source_id_to_path ?? {},
    creation: maps.bytecode,
    runtime: maps.deployedBytecode,
    storageLayout: artifact.storageLayout,
  }
}

/** Files that are in the folder of a project only. */
const PROJECT_FILES = ['foundry.toml', 'hardhat.config.ts', 'hardhat.config.js', 'hardhat.config.cjs', 'package.json']
/** Bytes of a source. */
const LONGEST_SOURCE = 4_000_000

/** The texts of a contract's sources, from its project's folder. */
function projectSources(file: string, metadata: Metadata | undefined): Record<string, string> {
  const root = projectOf(dirname(resolve(file)))
  const texts = Object.entries(metadata?.sources ?? {}).flatMap(([path, { keccak256: hash, content }]) => {
    const text = content ?? (root === undefined ? undefined : sourceWithHash(join(root, path), hash))
    return text === undefined ? [] : [[path, text] as const]
  })
  return Object.fromEntries(texts)
}

function projectOf(folder: string): string | undefined {
  if (PROJECT_FILES.some((name) => existsSync(join(folder, name)))) return folder
  return dirname(folder) === folder ? undefined : projectOf(dirname(folder))
}

function sourceWithHash(file: string, hash: string | undefined): string | undefined {
  try {
    if (statSync(file).size > LONGEST_SOURCE) return undefined
    const bytes = readFileSync(file)
    return toHex(keccak256(bytes)) === hash ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}

/** The folder with the build-infos of a file that Foundry wrote: `out/build-info` of `out/Vault.sol/Vault.json`. */
export function buildInfoFolder(file: string): string | undefined {
  for (let at = dirname(resolve(file)); dirname(at) !== at; at = dirname(at)) {
    const folder = join(at, 'build-info')
    if (existsSync(folder)) return folder
    if (existsSync(join(at, 'foundry.toml'))) return undefined
  }
  return undefined
}
