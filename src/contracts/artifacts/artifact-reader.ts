// Reads the files of builds and reports what lookups need of them; runs in a thread of its own (`worker.ts`). A file is read
// again when its time or size changes. The folders are looked through again and again: what systems tell of changes differs
// between them, comes late or not at all from shared disks and containers, and a build replaces whole folders.
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Compilation, LocalSources } from '../local-contracts.ts'
import { type BuildFile, companionOf, type ReadContract, readBuildFile } from './build-file.ts'
import { buildInfoFolder, type Sought, sourcesIn } from './local-sources.ts'
import type { ReaderReport } from './messages.ts'

export type ReaderLimits = {
  /** Bytes of one file. V8 has no longer strings than 512 MB. */
  readonly fileSize: number
  /** Bytes of code and interfaces of all files. */
  readonly memory: number
  /** Files in all folders. */
  readonly files: number
  /** Functions, events and errors that decode what unknown contracts do. */
  readonly declarations: number
  /** Builds of `hardhat_addCompilationResult`. */
  readonly added: number
}
export const readerLimits: ReaderLimits = {
  fileSize: 256 << 20,
  memory: 512 << 20,
  files: 100_000,
  declarations: 5_000,
  added: 16,
}

/** Milliseconds that a file may be broken, because somebody is writing it, before that is reported. */
const WRITING = 1_500
/** Folders within folders. */
const DEEPEST = 16
/** Contracts of one message. */
const BATCH = 32
/** Bytes at the beginning of a file that tell Foundry's build-info. */
const HEAD = 4_096
const NOT_READ = /^(?:node_modules|\..*)$/

type Known = {
  readonly stamp: string
  readonly modified: number
  readonly weight: number
  readonly declarations: readonly string[]
}
type Listed = { readonly stats: Stats; readonly hasBuild: boolean }

export class ArtifactReader {
  readonly #roots: readonly string[]
  readonly #send: (report: ReaderReport, owned?: readonly ArrayBuffer[]) => void
  readonly #limits: ReaderLimits
  readonly #known = new Map<string, Known>()
  /** Files that are broken, with the time when that was seen first. */
  readonly #broken = new Map<string, { readonly stamp: string; readonly since: number }>()
  /** JSON of the builds of `hardhat_addCompilationResult`, by the name that stands for a file. */
  readonly #added = new Map<string, string>()
  readonly #warned = new Set<string>()
  #lastAdded = 0
  /** Of all files. */
  #weight = 0

  constructor(
    roots: readonly string[],
    send: (report: ReaderReport, owned?: readonly ArrayBuffer[]) => void,
    limits: Partial<ReaderLimits> = {},
  ) {
    this.#roots = roots
    this.#send = send
    this.#limits = { ...readerLimits, ...limits }
  }

  /** Reads what has changed. Resolves with the milliseconds that looking through the folders took. */
  async scan(): Promise<number> {
    const began = performance.now()
    const listed = this.#list()
    const took = performance.now() - began
    const gone = [...this.#known.keys()].filter((file) => !listed.has(file) && !this.#added.has(file))
    for (const file of gone) this.#forget(file)
    for (const file of this.#broken.keys()) if (!listed.has(file)) this.#broken.delete(file)
    const changed = [...listed].filter(([file, { stats }]) => this.#known.get(file)?.stamp !== stampOf(stats))
    // The newest first: they matter most, if not all are kept.
    changed.sort(([, a], [, b]) => b.stats.mtimeMs - a.stats.mtimeMs)
    let count = 0
    for (const [file, of] of changed) {
      count += this.#read(file, of)
      // Answers what has come while it was read.
      await setImmediate()
    }
    if (gone.length > 0 || count > 0) this.#sendDeclarations()
    if (count > 0) this.#send({ kind: 'info', text: `read ${count} contracts of ${this.#roots.join(', ')}` })
    return took
  }

  /** Adds a build, in place of the oldest if there are many. Returns whether it has contracts. */
  add(build: Compilation): boolean {
    const file = `hardhat_addCompilationResult ${++this.#lastAdded}`
    const read = readBuildFile(build, file)
    this.#added.set(file, JSON.stringify({ ...build, solcLongVersion: build.solcVersion }))
    this.#keep(file, { stamp: '', modified: Date.now() }, read)
    const [oldest] = this.#added.keys()
    if (this.#added.size > this.#limits.added && oldest !== undefined) {
      this.#added.delete(oldest)
      this.#forget(oldest)
    }
    this.#sendDeclarations()
    return read.contracts.length > 0
  }

  /** The sources of a contract; undefined if the file has changed since it was read, or is gone. */
  sources(sought: Sought): LocalSources | undefined {
    const { file } = sought
    try {
      if (!this.#added.has(file) && this.#known.get(file)?.stamp !== stampOf(statSync(file))) return undefined
      return sourcesIn(this.#json(file), sought, this.#companion(file), () => this.#buildInfos(file))
    } catch {
      return undefined
    }
  }

  /** The build-infos of a Foundry project, those first that were written when the file was. */
  *#buildInfos(file: string): Generator<unknown> {
    const folder = buildInfoFolder(file)
    if (folder === undefined) return
    const written = statSync(file).mtimeMs
    const infos = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => ({ name, distance: Math.abs(statSync(join(folder, name)).mtimeMs - written) }))
      .sort((a, b) => a.distance - b.distance)
    for (const { name } of infos) yield this.#json(join(folder, name))
  }

  /** Throws if the file cannot be read, is too large, or no JSON. */
  #json(file: string): unknown {
    const added = this.#added.get(file)
    if (added === undefined && statSync(file).size > this.#limits.fileSize) throw new RangeError('too large')
    return JSON.parse(added ?? readFileSync(file, 'utf8'))
  }

  #companion(file: string): unknown {
    const companion = companionOf(file)
    return companion !== undefined && existsSync(companion) ? this.#json(companion) : undefined
  }

  /** Reads a file and returns the number of its contracts. */
  #read(file: string, { stats, hasBuild }: Listed): number {
    const written = { stamp: stampOf(stats), modified: stats.mtimeMs }
    if (stats.size > this.#limits.fileSize) {
      this.#keep(file, written, NOTHING)
      this.#warn(file, `larger than ${this.#limits.fileSize >> 20} MB`)
      return 0
    }
    try {
      const read = this.#isInOtherFiles(file)
        ? NOTHING
        : readBuildFile(this.#json(file), file, { companion: this.#companion(file), hasBuild })
      this.#broken.delete(file)
      this.#keep(file, written, read)
      return read.contracts.length
    } catch (error) {
      const { stamp } = written
      const before = this.#broken.get(file)
      if (before?.stamp !== stamp) this.#broken.set(file, { stamp, since: performance.now() })
      else if (performance.now() - before.since >= WRITING) {
        this.#broken.delete(file)
        this.#keep(file, written, NOTHING)
        this.#warn(file, error instanceof SyntaxError ? 'not JSON' : 'cannot be read')
      }
      return 0
    }
  }

  /** Foundry writes each contract of a build-info in a file of its own, too. */
  #isInOtherFiles(file: string): boolean {
    const folder = dirname(file)
    if (basename(folder) !== 'build-info' || this.#roots.includes(folder) || this.#roots.includes(file)) return false
    const head = Buffer.alloc(HEAD)
    const opened = openSync(file, 'r')
    try {
      readSync(opened, head)
    } finally {
      closeSync(opened)
    }
    return head.includes('"source_id_to_path"')
  }

  #keep(file: string, { stamp, modified }: Pick<Known, 'stamp' | 'modified'>, read: BuildFile): void {
    const { contracts, declarations, problem } = read
    if (problem !== undefined) this.#warn(file, problem)
    const weight = contracts.reduce((sum, { abi, creation }) => sum + abi.length + creation.bytes.length, 0)
    const others = this.#weight - (this.#known.get(file)?.weight ?? 0)
    const fits = others + weight <= this.#limits.memory
    if (!fits) this.#warnOnce(`more than ${this.#limits.memory >> 20} MB of contracts: older ones are left out`)
    this.#weight = others + (fits ? weight : 0)
    this.#known.set(file, { stamp, modified, weight: fits ? weight : 0, declarations })
    const kept = fits ? contracts : []
    for (let at = 0; at < Math.max(1, kept.length); at += BATCH) {
      const batch = kept.slice(at, at + BATCH)
      this.#send({ kind: 'contracts', file, modified, contracts: batch, isFirst: at === 0 }, buffersOf(batch))
    }
  }

  #forget(file: string): void {
    this.#weight -= this.#known.get(file)?.weight ?? 0
    this.#known.delete(file)
    this.#send({ kind: 'gone', file })
  }

  #sendDeclarations(): void {
    const all = new Set<string>()
    for (const { declarations } of [...this.#known.values()].sort((a, b) => b.modified - a.modified))
      for (const one of declarations) if (all.size < this.#limits.declarations) all.add(one)
    this.#send({ kind: 'declarations', json: `[${[...all].join(',')}]` })
  }

  #warn(file: string, problem: string): void {
    this.#send({ kind: 'warning', text: `${file}: ${problem}` })
  }

  /** The files that may hold builds. What cannot be read is left out: it may come. */
  #list(): Map<string, Listed> {
    const listed = new Map<string, Listed>()
    const add = (file: string, hasBuild: boolean) => {
      const stats = statsOf(file)
      if (stats?.isFile() && listed.size < this.#limits.files) listed.set(file, { stats, hasBuild })
      return stats
    }
    const walk = (folder: string, depth: number) => {
      const entries = this.#entriesOf(folder)
      const names = new Set(entries.map(({ name }) => name))
      for (const entry of entries) {
        const { name } = entry
        const path = join(folder, name)
        // Links to folders are not followed: they may lead back.
        if (entry.isDirectory()) {
          if (depth < DEEPEST && !NOT_READ.test(name)) walk(path, depth + 1)
        } else if (name.endsWith('.json') && !name.endsWith('.dbg.json')) {
          add(path, names.has(name.replace(/\.json$/, '.dbg.json')))
        }
      }
    }
    for (const root of this.#roots) if (add(root, false)?.isDirectory()) walk(root, 0)
    if (listed.size >= this.#limits.files)
      this.#warnOnce(`more than ${this.#limits.files} files: the others are left out`)
    return listed
  }

  #entriesOf(folder: string) {
    try {
      return readdirSync(folder, { withFileTypes: true })
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT') this.#warnOnce(`${folder}: ${code}`)
      return []
    }
  }

  #warnOnce(text: string): void {
    if (this.#warned.has(text)) return
    this.#warned.add(text)
    this.#send({ kind: 'warning', text })
  }
}

const NOTHING: BuildFile = { contracts: [], declarations: [], problem: undefined }

const stampOf = ({ mtimeMs, size, ino }: Stats): string => `${mtimeMs} ${size} ${ino}`

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

/** The buffers of codes, to be handed over. */
const buffersOf = (contracts: readonly ReadContract[]): ArrayBuffer[] => [
  ...new Set(
    contracts.flatMap(({ creation, runtime }) => [creation.bytes.buffer, runtime.bytes.buffer] as ArrayBuffer[]),
  ),
]
