// Compilers of Solidity and Vyper: the bundled one, and those found on this machine. All sources are in the input; imports of
// other files fail. Each run is a separate process.
import { basename } from 'node:path'
import { type CompilerInput, type CompilerOutput, compilerOutput } from '../../contracts/compiler-output.ts'
import { ChainError } from '../../lib/errors.ts'
import { type CompilerFile, compilersIn, vyperAt } from './compiler-files.ts'
import { bundledCompiler, type CompilerLimits, defaultCompilerLimits, runCompiler } from './compiler-process.ts'

export type Compiler = CompilerFile & {
  /** `v0.8.37+commit.f401782d` */
  readonly version: string
}

export type CompilerLanguage = CompilerFile['language']

/** Old versions of Vyper have seven digits of the commit. */
const VERSION = /\d+\.\d+\.\d+(?:-?[a-z][\w.]*)?\+commit\.[0-9a-f]{7,8}/

export type CompilerPlaces = {
  /** Folders that are searched for compilers, with subfolders. */
  readonly folders: readonly string[]
  /** A Vyper compiler. */
  readonly vyper?: string | undefined
}

export class Compilers {
  readonly #places: CompilerPlaces
  readonly #limits: CompilerLimits
  readonly #versions = new Map<string, Promise<string | undefined>>()
  readonly #closing = new AbortController()

  constructor(places: CompilerPlaces, limits: Partial<CompilerLimits> = {}) {
    this.#places = places
    this.#limits = { ...defaultCompilerLimits, ...limits }
  }

  /**
   * Installed compilers of both languages, newest first, one for each version: the native one if there is one, because it is
   * faster. Reads the folders on each call, so that a new file is found at once.
   */
  async installed(): Promise<readonly Compiler[]> {
    const { folders, vyper } = this.#places
    const inFolders = await Promise.all(folders.map((folder) => compilersIn(folder)))
    const named = vyper === undefined ? [] : [vyperAt(vyper)]
    const bundled: CompilerFile = { file: bundledCompiler(), language: 'solidity', kind: 'javascript' }
    const found = new Map<string, Compiler>()
    // One at a time: running all compilers whose name lacks the version would use the whole machine.
    for (const compiler of [bundled, ...named, ...inFolders.flat()]) {
      const version = await this.#version(compiler)
      if (version === undefined) continue
      const key = `${compiler.language} ${version}`
      const known = found.get(key)
      if (known === undefined || (known.kind === 'javascript' && compiler.kind === 'native')) {
        found.set(key, { ...compiler, version })
      }
    }
    return [...found.values()].sort((a, b) => b.version.localeCompare(a.version, 'en', { numeric: true }))
  }

  /** The compiler of a version: `v0.8.37+commit.f401782d`, or shorter. Throws ChainError `invalid-params`. */
  async find(wanted: string, language: CompilerLanguage = 'solidity'): Promise<Compiler> {
    const version = `v${wanted.replace(/^(vyper:)?v?/, '').replace(/\.Emscripten.*$/, '')}`
    const installed = (await this.installed()).filter((compiler) => compiler.language === language)
    const found = installed.find((one) => one.version === version || one.version.startsWith(`${version}+`))
    if (found !== undefined) return found
    const there = installed.map((one) => one.version).join(', ') || 'none'
    const what = language === 'vyper' ? 'Vyper compiler' : 'compiler'
    throw new ChainError('invalid-params', `${what} ${wanted} is not installed here; there is ${there}`)
  }

  /** Compiles; errors of the sources are in the output. Throws ChainError `limit-exceeded`. */
  async compile(compiler: CompilerFile, { settings, ...input }: CompilerInput): Promise<CompilerOutput> {
    // Neither changes the compiled code: `modelChecker` costs time, and `stopAfter` removes the code from the output.
    const { stopAfter: _, modelChecker: __, ...deciding } = settings
    const outputSelection = { '*': compiler.language === 'vyper' ? WANTED_OF_VYPER : { '*': WANTED } }
    const text = await this.#run(compiler, JSON.stringify({ ...input, settings: { ...deciding, outputSelection } }))
    return compilerOutput.parse(JSON.parse(text))
  }

  /** Ends running compilers; later runs fail. */
  close(): void {
    this.#closing.abort()
  }

  /** undefined for a file that is not a compiler. */
  #version(compiler: CompilerFile): Promise<string | undefined> {
    const known = this.#versions.get(compiler.file) ?? this.#readVersion(compiler)
    this.#versions.set(compiler.file, known)
    return known
  }

  async #readVersion(compiler: CompilerFile): Promise<string | undefined> {
    // A native file may be for another platform, so run it even if its name has the version.
    const named = compiler.kind === 'javascript' ? VERSION.exec(basename(compiler.file)) : null
    const version = named ?? VERSION.exec(await this.#run(compiler, null).catch(() => ''))
    // The failure may be temporary, so the next request tries again.
    if (version === null) this.#versions.delete(compiler.file)
    return version ? `v${version[0]}` : undefined
  }

  #run(compiler: CompilerFile, input: string | null): Promise<string> {
    return runCompiler(compiler, input, { limits: this.#limits, signal: this.#closing.signal })
  }
}

const WANTED = [
  ...['abi', 'metadata', 'userdoc', 'devdoc', 'storageLayout', 'transientStorageLayout'],
  ...['evm.bytecode', 'evm.deployedBytecode'],
]
const WANTED_OF_VYPER = [
  ...['abi', 'userdoc', 'devdoc', 'evm.bytecode.object'],
  ...['evm.deployedBytecode.object', 'evm.deployedBytecode.sourceMap'],
]
