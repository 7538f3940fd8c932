// Solidity's metadata of a contract (docs.soliditylang.org/en/latest/metadata.html): the compiler writes it for each contract;
// it has the compiler, the settings and the hash of each source. Together with the sources it gives the compiler's input.
import { z } from 'zod'
import type { CompilerInput } from '../../contracts/compiler-output.ts'
import { boundedParser } from '../../lib/bounded-json.ts'
import { ChainError } from '../../lib/errors.ts'
import { keccakHash } from '../../lib/keccak.ts'
import { forEachYielding } from '../../lib/scheduler.ts'

const source = z.looseObject({ keccak256: z.string().optional(), content: z.string().optional() })

export const solidityMetadata = z.looseObject({
  compiler: z.looseObject({ version: z.string().min(1) }),
  language: z.enum(['Solidity', 'Yul']),
  settings: z.looseObject({
    compilationTarget: z.record(z.string(), z.string()),
    libraries: z.record(z.string(), z.string()).optional(),
  }),
  sources: z.record(z.string(), source),
})
export type SolidityMetadata = z.output<typeof solidityMetadata>

/** The parts of a contract's metadata and sources that a verification needs. */
export type MetadataSubmission = {
  readonly compilerVersion: string
  readonly contractName: string
  readonly input: CompilerInput
}

/** The metadata in the texts of a submission. */
export function metadataAmong(texts: readonly string[]): SolidityMetadata[] {
  const parse = boundedParser()
  return texts.flatMap((text) => {
    try {
      const json = parse(text)
      // Tools also send it as a JSON string, as in the compiler's output.
      return solidityMetadata.safeParse(typeof json === 'string' ? parse(json) : json).data ?? []
    } catch {
      return []
    }
  })
}

/**
 * The compiler's input. Sources are identified by their hashes, because tools change paths. Throws ChainError `invalid-params`
 * if one is missing or the metadata does not name exactly one contract. Yields after each hash: each takes 0.1 s for the
 * largest submission.
 */
export async function inputFromMetadata(
  { compiler, language, settings, sources }: SolidityMetadata,
  files: Readonly<Record<string, string>>,
): Promise<MetadataSubmission> {
  const { compilationTarget, libraries, ...deciding } = settings
  const [target, ...others] = Object.entries(compilationTarget)
  if (target === undefined || others.length > 0) {
    throw new ChainError('invalid-params', 'the metadata has no single compilationTarget')
  }
  const byHash = new Map<string, string>()
  const wanted = new Set(Object.values(sources).map(({ keccak256 }) => keccak256?.toLowerCase()))
  await forEachYielding(variants(files), (text) => {
    const hash = keccakHash(Buffer.from(text))
    if (wanted.has(hash)) byHash.set(hash, text)
  })
  const missing: string[] = []
  const found = Object.entries(sources).flatMap(([path, { keccak256, content }]): [string, { content: string }][] => {
    const text = content ?? (keccak256 === undefined ? files[path] : byHash.get(keccak256.toLowerCase()))
    if (text === undefined) missing.push(path)
    return text === undefined ? [] : [[path, { content: text }]]
  })
  if (missing.length > 0) {
    const words = `sources are mentioned in the metadata but are missing or other ones: ${missing.join(', ')}`
    throw new ChainError('invalid-params', words)
  }
  return {
    compilerVersion: compiler.version,
    contractName: target.join(':'),
    input: {
      language,
      sources: Object.fromEntries(found),
      settings: { ...deciding, ...(libraries && { libraries: librariesByFile(libraries) }) },
    },
  }
}

/** The texts of files, each also with other line endings, and with trailing white space removed or replaced by one line ending. */
function* variants(files: Readonly<Record<string, string>>): Generator<string> {
  for (const content of Object.values(files)) {
    const unix = content.replaceAll('\r\n', '\n')
    yield* new Set([content, unix, unix.replaceAll('\n', '\r\n'), unix.trimEnd(), `${unix.trimEnd()}\n`])
  }
}

/** `{ "path:Name": address }` in the form of standard JSON: by file. Old compilers omit the file. */
function librariesByFile(libraries: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
  const byFile: Record<string, Record<string, string>> = {}
  for (const [name, address] of Object.entries(libraries)) {
    const at = name.lastIndexOf(':')
    const file = at < 0 ? '' : name.slice(0, at)
    byFile[file] = { ...byFile[file], [name.slice(at + 1)]: address }
  }
  return byFile
}
