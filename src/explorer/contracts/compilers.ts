// Solidity compilers: the bundled one, and those in a folder of the operator. All sources are in the input; imports of other
// files fail. Each run is a process of its own.
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import { bundledCompiler, type CompilerLimits, defaultCompilerLimits, runCompiler } from './compiler-process.ts'

/** Solidity's standard JSON, with the sources in it. */
export const compilerInput = z.object({
  language: z.enum(['Solidity', 'Yul']),
  sources: z.record(z.string(), z.object({ content: z.string() })),
  settings: z.record(z.string(), z.unknown()).default({}),
})
export type CompilerInput = z.output<typeof compilerInput>

const span = z.object({ start: z.number(), length: z.number() })
export type SourceSpan = z.output<typeof span>

const compiledCode = z.object({
  /** Without `0x`; with placeholders where libraries are linked. */
  object: z.string().default(''),
  linkReferences: z.record(z.string(), z.record(z.string(), z.array(span))).default({}),
  immutableReferences: z.record(z.string(), z.array(span)).default({}),
})
export type CompiledCode = z.output<typeof compiledCode>

const compilerOutput = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          abi: z.array(z.unknown()).default([]),
          evm: z.object({ bytecode: compiledCode, deployedBytecode: compiledCode }),
        }),
      ),
    )
    .default({}),
})
export type CompilerOutput = z.output<typeof compilerOutput>

export type Compiler = {
  /** `v0.8.37+commit.f401782d` */
  readonly version: string
  /** Its JavaScript build. */
  readonly file: string
}

const VERSION = /\d+\.\d+\.\d+(?:-[\w.]+)?\+commit\.[0-9a-f]{8}/

export class Compilers {
  readonly #folder: string | undefined
  readonly #limits: CompilerLimits
  readonly #versions = new Map<string, Promise<string | undefined>>()
  readonly #closing = new AbortController()

  constructor(folder: string | undefined, limits: Partial<CompilerLimits> = {}) {
    this.#folder = folder
    this.#limits = { ...defaultCompilerLimits, ...limits }
  }

  /** Installed compilers, newest first. The folder is read each time, so that a new file is found at once. */
  async installed(): Promise<readonly Compiler[]> {
    const files = [bundledCompiler(), ...(await compilersIn(this.#folder))]
    const compilers = await Promise.all(files.map(async (file) => ({ file, version: await this.#version(file) })))
    return compilers
      .filter((compiler): compiler is Compiler => compiler.version !== undefined)
      .sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
  }

  /** The compiler of a version: `v0.8.37+commit.f401782d`, or shorter. Throws ChainError `invalid-params`. */
  async find(wanted: string): Promise<Compiler> {
    const version = `v${wanted.replace(/^v/, '').replace(/\.Emscripten.*$/, '')}`
    const installed = await this.installed()
    const found = installed.find((one) => one.version === version || one.version.startsWith(`${version}+`))
    if (found !== undefined) return found
    const there = installed.map((one) => one.version).join(', ')
    throw new ChainError('invalid-params', `compiler ${wanted} is not installed here; there is ${there}`)
  }

  /** Compiles; errors of the sources are in the output. Throws ChainError `limit-exceeded`. */
  async compile({ file }: Compiler, { settings, ...input }: CompilerInput): Promise<CompilerOutput> {
    // Neither changes the compiled code: `modelChecker` costs time, and `stopAfter` leaves the code out of the output.
    const { stopAfter: _, modelChecker: __, ...deciding } = settings
    const text = await this.#run(file, JSON.stringify({ ...input, settings: { ...deciding, ...WANTED } }))
    return compilerOutput.parse(JSON.parse(text))
  }

  /** Ends running compilers; later runs fail. */
  close(): void {
    this.#closing.abort()
  }

  /** undefined for a file that is no compiler. */
  #version(file: string): Promise<string | undefined> {
    const known = this.#versions.get(file) ?? this.#readVersion(file)
    this.#versions.set(file, known)
    return known
  }

  async #readVersion(file: string): Promise<string | undefined> {
    const named = VERSION.exec(basename(file)) ?? VERSION.exec(await this.#run(file, null).catch(() => ''))
    // The failure may be temporary: the next request tries again.
    if (named === null) this.#versions.delete(file)
    return named ? `v${named[0]}` : undefined
  }

  #run(soljson: string, input: string | null): Promise<string> {
    return runCompiler(soljson, input, { limits: this.#limits, signal: this.#closing.signal })
  }
}

const WANTED = {
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode', 'evm.deployedBytecode'] } },
}

/** JavaScript builds in a folder: `soljson-v0.8.20+commit.a1b79de6.js`, or packages such as `solc-0.8.20`. */
async function compilersIn(folder: string | undefined): Promise<string[]> {
  if (folder === undefined) return []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith('solc'))
  const inPackages = await Promise.all(
    folders.map(async ({ name }) =>
      (await readdir(join(folder, name))).includes('soljson.js') ? [join(folder, name, 'soljson.js')] : [],
    ),
  )
  const files = entries
    .filter(({ name }) => /^(soljson|solc).*\.c?js$/.test(name))
    .map(({ name }) => join(folder, name))
  return [...files, ...inPackages.flat()]
}
