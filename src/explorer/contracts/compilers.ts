// Solidity compilers: the one that comes with the program and those in a folder of the operator's. Compiling takes seconds
// and may take any memory, so that each run is a process of its own with a time limit, which reads no file but the
// compiler itself: sources come in with the input, and imports of anything else fail.
import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'

/** Solidity's standard JSON, with the sources in it. */
export const compilerInput = z.object({
  language: z.enum(['Solidity', 'Yul']),
  sources: z.record(z.string(), z.object({ content: z.string() })),
  settings: z.record(z.string(), z.unknown()).default({}),
})
export type CompilerInput = z.output<typeof compilerInput>

const span = z.object({ start: z.number(), length: z.number() })
export type Span = z.output<typeof span>

const compiledCode = z.object({
  /** Without `0x`; placeholders stand where libraries are to be linked. */
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

/** Milliseconds for one run. */
const TIME_LIMIT = 120_000
const LARGEST_OUTPUT = 256 * 1024 * 1024
const VERSION = /\d+\.\d+\.\d+(?:-[\w.]+)?\+commit\.[0-9a-f]{8}/

/** Where the packages of this program are. */
const packages = createRequire(import.meta.url)

export class Compilers {
  readonly #folder: string | undefined
  readonly #versions = new Map<string, Promise<string | undefined>>()
  readonly #running = new Set<AbortController>()

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** What is installed, newest first; a compiler that is put into the folder is there at once. */
  async installed(): Promise<readonly Compiler[]> {
    const files = [packages.resolve('solc/soljson.js'), ...(await compilersIn(this.#folder))]
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

  /** Compiles. What the compiler has to say against the sources is in the output. Throws ChainError `limit-exceeded`. */
  async compile({ file }: Compiler, { settings, ...input }: CompilerInput): Promise<CompilerOutput> {
    // What may only be asked of a compiler, and changes nothing in the code.
    const { stopAfter: _, modelChecker: __, ...deciding } = settings
    const text = await this.#run(file, JSON.stringify({ ...input, settings: { ...deciding, ...WANTED } }))
    return compilerOutput.parse(JSON.parse(text))
  }

  /** Ends what is running. */
  close(): void {
    for (const run of this.#running) run.abort()
  }

  /** undefined for a file that is no compiler. */
  #version(file: string): Promise<string | undefined> {
    const known = this.#versions.get(file) ?? this.#readVersion(file)
    this.#versions.set(file, known)
    return known
  }

  async #readVersion(file: string): Promise<string | undefined> {
    const named = VERSION.exec(basename(file)) ?? VERSION.exec(await this.#run(file, null).catch(() => ''))
    // What went wrong may have passed when it is asked for again.
    if (named === null) this.#versions.delete(file)
    return named ? `v${named[0]}` : undefined
  }

  /** The compiler's answer to an input, or with none its version. */
  async #run(soljson: string, input: string | null): Promise<string> {
    const run = new AbortController()
    this.#running.add(run)
    const timer = setTimeout(() => run.abort(), TIME_LIMIT)
    try {
      const request = JSON.stringify({ wrapper: packages.resolve('solc/wrapper'), soljson, input })
      return await answerOf(request, run.signal)
    } finally {
      clearTimeout(timer)
      this.#running.delete(run)
    }
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

/** What the process runs; it has no module of its own, so that a bundled program need not bring one. */
const SCRIPT = `
let text = ''
process.stdin.setEncoding('utf8').on('data', (part) => { text += part }).on('end', () => {
  const { wrapper, soljson, input } = JSON.parse(text)
  const solc = require(wrapper)(require(soljson))
  process.stdout.write(input === null ? solc.version() : solc.compile(input))
})`

function answerOf(request: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--input-type=commonjs', '--eval', SCRIPT], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: undefined },
      signal,
      killSignal: 'SIGKILL',
    })
    const parts: Buffer[] = []
    let [size, complaint] = [0, '']
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part)
      size += part.length
      if (size > LARGEST_OUTPUT) child.kill('SIGKILL')
    })
    child.stderr.on('data', (part: Buffer) => {
      complaint = `${complaint}${part}`.slice(-500)
    })
    // A compiler that ends early does not read on.
    child.stdin.on('error', () => undefined)
    child.stdin.end(request)
    child.on('error', (error) => {
      const took = new ChainError('limit-exceeded', 'the compiler was stopped: it took too long')
      reject(signal.aborted ? took : error)
    })
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(parts).toString('utf8'))
      reject(new ChainError('limit-exceeded', `the compiler broke down: ${lastLine(complaint) || 'out of memory'}`))
    })
  })
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? ''
