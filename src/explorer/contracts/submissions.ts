// Submitted sources for verification: the compiler's standard JSON input, or files with the main settings. Both are converted
// to the compiler's input.
import { z } from 'zod'
import { type CompilerInput, compilerInput } from '../../contracts/compiler-output.ts'
import { LICENCES, type Licence } from '../../contracts/verified-contracts.ts'
import { boundedParser } from '../../lib/bounded-json.ts'
import { ChainError } from '../../lib/errors.ts'
import { type Address, hexToAddress } from '../../lib/hex.ts'

/** EVM versions that Vyper accepts, newest first. */
export const VYPER_EVM_VERSIONS = ['prague', 'cancun', 'shanghai', 'paris', 'london', 'berlin', 'istanbul'] as const

/** EVM versions that compilers of Solidity accept, newest first. */
export const EVM_VERSIONS = [
  ...['osaka', 'prague', 'cancun', 'shanghai', 'paris', 'london', 'berlin', 'istanbul', 'petersburg'],
  ...['constantinople', 'byzantium', 'spuriousDragon', 'tangerineWhistle', 'homestead'],
] as const

/** Reads standard JSON of Solidity or Vyper. Throws ChainError `invalid-params`. */
export function inputFromJson(text: string): CompilerInput {
  let json: unknown
  try {
    json = boundedParser()(text)
  } catch {
    throw new ChainError('invalid-params', 'the standard JSON input is no JSON')
  }
  const parsed = compilerInput.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ChainError('invalid-params', `standard JSON input: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** The optimizer's runs if the submission has none. */
const DEFAULT_RUNS = 200

export type PlainSettings = {
  readonly isYul?: boolean | undefined
  readonly isOptimized: boolean
  readonly runs: number | undefined
  /** `default`, empty or undefined: the compiler's own default. */
  readonly evmVersion: string | undefined
  readonly viaIR?: boolean | undefined
}

/** The input from files by path. Addresses of libraries are not needed: they are read from the contract's code. */
export function inputFromFiles(files: Readonly<Record<string, string>>, settings: PlainSettings): CompilerInput {
  const { isYul = false, isOptimized, runs = DEFAULT_RUNS, evmVersion = 'default', viaIR = false } = settings
  return {
    language: isYul ? 'Yul' : 'Solidity',
    sources: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }])),
    settings: {
      optimizer: { enabled: isOptimized, runs },
      ...(evmVersion !== 'default' && evmVersion !== '' && { evmVersion }),
      ...(viaIR && { viaIR }),
    },
  }
}

/** The input from Vyper's files by path; `interfaces` are only imported. */
export function vyperInput(
  files: Readonly<Record<string, string>>,
  interfaces: Readonly<Record<string, string>>,
  evmVersion: string | undefined,
): CompilerInput {
  const given = evmVersion === undefined || evmVersion === '' || evmVersion === 'default' ? {} : { evmVersion }
  const ofInterface = (path: string, content: string) =>
    path.endsWith('.json') ? { abi: abiFromJson(content) } : { content }
  return {
    language: 'Vyper',
    sources: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { content }])),
    ...(Object.keys(interfaces).length > 0 && {
      interfaces: Object.fromEntries(
        Object.entries(interfaces).map(([path, content]) => [path, ofInterface(path, content)]),
      ),
    }),
    settings: given,
  }
}

function abiFromJson(text: string): unknown {
  try {
    return boundedParser()(text)
  } catch {
    throw new ChainError('invalid-params', 'an interface is no JSON')
  }
}

const shown = z.object({
  /** Vyper's. */
  optimize: z.union([z.boolean(), z.string()]).optional().catch(undefined),
  optimizer: z
    .object({ enabled: z.boolean().catch(false), runs: z.number().int().catch(DEFAULT_RUNS) })
    .catch({ enabled: false, runs: DEFAULT_RUNS }),
  evmVersion: z.string().catch('default'),
  libraries: z.record(z.string(), z.record(z.string(), z.string())).catch({}),
})

/** The settings of an input in the explorer's form. */
export function settingsOf({ language, settings }: CompilerInput) {
  const { optimizer, optimize, evmVersion, libraries } = shown.parse(settings)
  // Vyper optimizes by default.
  const isOptimized = language === 'Vyper' ? optimize !== false && optimize !== 'none' : optimizer.enabled
  return { isOptimized, runs: optimizer.runs, evmVersion, libraries: librariesIn(libraries) }
}

type Library = { readonly name: string; readonly address: Address }

const librariesIn = (byFile: Readonly<Record<string, Readonly<Record<string, string>>>>): Library[] =>
  Object.values(byFile)
    .flatMap((inFile) => Object.entries(inFile))
    .filter(([, address]) => /^0x[0-9a-fA-F]{40}$/.test(address))
    .map(([name, address]) => ({ name, address: hexToAddress(address) }))

/** A licence by name or number; an unknown one is `none`. */
export function licenceOf(given: string | number | undefined): Licence {
  const named = LICENCES.find((licence) => licence === given)
  return named ?? LICENCES[Number(given ?? 1) - 1] ?? 'none'
}
