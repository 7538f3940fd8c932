// A build of contracts as the node sees one: the compiler's output, from which code on the chain is recognised, with its
// sources and maps.
import { artifactsOf, bestMatch } from '../../src/contracts/bytecode-match.ts'
import { type CompilerOutput, compilerOutput } from '../../src/contracts/compiler-output.ts'
import type { DebugContext } from '../../src/contracts/debug-info.ts'
import type { LocalContract, LocalSources } from '../../src/contracts/local-contracts.ts'
import { toHex } from '../../src/lib/hex.ts'

export type Build = {
  readonly sources: Readonly<Record<string, string>>
  /** Standard JSON. */
  readonly output: unknown
}

export function localBuild({ sources, output: text }: Build): NonNullable<DebugContext['artifacts']> {
  const output = compilerOutput.parse(text)
  const artifacts = artifactsOf(output)
  const contracts = new Map<object, LocalContract>(
    artifacts.map((artifact) => [
      artifact,
      { ...artifact, language: 'solidity', creationSize: artifact.creation.bytes.length },
    ]),
  )
  return {
    abi: artifacts.flatMap(({ abi }) => abi),
    get(view, address) {
      const match = bestMatch(artifacts, { address, code: view.code(address), creation: undefined })
      return match && contracts.get(match.artifact)
    },
    created(input) {
      // Without links and immutables, creation code is at the beginning.
      const found = artifacts.filter(({ creation: { bytes, links } }) => {
        const blank = Uint8Array.from(input.subarray(0, bytes.length))
        for (const { start } of links) blank.fill(0, start, start + 20)
        return bytes.length > 0 && toHex(blank) === toHex(bytes)
      })
      return found[0] && contracts.get(found[0])
    },
    details: async (of) => infoOf(sources, output, of),
    add: async () => false,
  }
}

function infoOf(sources: Build['sources'], output: CompilerOutput, { path, name }: LocalContract): LocalSources {
  const { bytecode, deployedBytecode } = output.contracts[path]?.[name]?.evm ?? {}
  return {
    compilerVersion: undefined,
    settings: {},
    sources,
    sourceIds: Object.fromEntries(Object.entries(output.sources).map(([path, { id }]) => [id, path])),
    creation: { sourceMap: String(bytecode?.sourceMap), generatedSources: {} },
    runtime: { sourceMap: String(deployedBytecode?.sourceMap), generatedSources: {} },
  }
}
