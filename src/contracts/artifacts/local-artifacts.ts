// The contracts of the developer's builds (`--artifacts`, `hardhat_addCompilationResult`), as far as a thread has read them.
// Lookups are by code: by its hash among those that were asked for, else by the key of its beginning, and then byte by byte.
// Nothing of it is stored, and nothing here decides what the chain does.
import { resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Abi } from 'abitype'
import { LRUCache } from 'lru-cache'
import { threadProgram } from '../../lib/built-files.ts'
import { type Address, type Hash, toAddress, ZERO_ADDRESS } from '../../lib/hex.ts'
import type { Logger } from '../../lib/log.ts'
import type { StateView } from '../../state/types.ts'
import { bestMatch, codeKey, createdFrom, isLibrary } from '../bytecode-match.ts'
import type { Compilation, LocalContract, LocalContracts, LocalSources } from '../local-contracts.ts'
import type { ReadContract } from './build-file.ts'
import type { ReaderData, ReaderOrder, ReaderReport } from './messages.ts'

/** The folders of src/ with the code that the thread runs. */
const ROOMS = ['lib', 'contracts']
/** Codes whose contracts, or that they have none, are remembered. */
const REMEMBERED_CODES = 10_000
/** Contracts whose sources are remembered. */
const REMEMBERED_SOURCES = 16
/** V8's default of a small machine is less than a large build-info takes. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 4_096 }

/** A contract of a file. Its interface is parsed when it is first asked for. */
class Artifact implements LocalContract {
  readonly file: string
  readonly modified: number
  readonly read: ReadContract
  #abi: Abi | undefined

  constructor(file: string, modified: number, read: ReadContract) {
    this.file = file
    this.modified = modified
    this.read = read
  }

  get name() {
    return this.read.name
  }

  get path() {
    return this.read.path
  }

  get language() {
    return this.read.language
  }

  get creationSize() {
    return this.read.creation.bytes.length
  }

  get abi(): Abi {
    // The thread has checked it.
    this.#abi ??= JSON.parse(this.read.abi) as Abi
    return this.#abi
  }
}

export class LocalArtifacts implements LocalContracts {
  readonly #roots: readonly string[]
  readonly #log: Pick<Logger, 'info' | 'warn'>
  #worker: Worker | undefined
  readonly #byFile = new Map<string, Artifact[]>()
  /** By `codeKey`. */
  readonly #byRuntime = new Map<string, Set<Artifact>>()
  readonly #byCreation = new Map<string, Set<Artifact>>()
  readonly #byHash = new LRUCache<Hash, Artifact | false>({ max: REMEMBERED_CODES })
  readonly #sources = new LRUCache<Artifact, Promise<LocalSources | undefined>>({ max: REMEMBERED_SOURCES })
  readonly #asked = new Map<number, (answer: never) => void>()
  #lastId = 0
  #declarations = '[]'
  #abi: Abi = []
  #abiOf = '[]'

  /** Begins to read the folders and files. Throws ChainError `not-found` when the thread's program has not been built. */
  constructor(roots: readonly string[], log: Pick<Logger, 'info' | 'warn'>) {
    this.#roots = roots.map((root) => resolve(root))
    this.#log = log
    if (roots.length > 0) this.#thread()
  }

  get(view: StateView, of: Address): LocalContract | undefined {
    if (this.#byRuntime.size === 0) return undefined
    const codeHash = view.account(of)?.codeHash
    if (codeHash === undefined) return undefined
    const known = this.#byHash.get(codeHash)
    if (known !== undefined) return known || undefined
    const found = this.#withCode(view.code(of))
    this.#byHash.set(codeHash, found ?? false)
    return found
  }

  created(input: Uint8Array): LocalContract | undefined {
    if (this.#byCreation.size === 0) return undefined
    const candidates = newestFirst(this.#byCreation.get(codeKey(input)))
    return ofRead(
      candidates,
      createdFrom(
        candidates.map(({ read }) => read),
        input,
      ),
    )
  }

  get abi(): Abi {
    if (this.#abiOf !== this.#declarations) {
      this.#abi = JSON.parse(this.#declarations) as Abi
      this.#abiOf = this.#declarations
    }
    return this.#abi
  }

  async details(of: LocalContract): Promise<LocalSources | undefined> {
    if (!(of instanceof Artifact)) return undefined
    const { file, name, path } = of
    const known = this.#sources.get(of)
    if (known !== undefined) return known
    const sources = this.#ask<LocalSources | undefined>((id) => ({ kind: 'sources', id, sought: { file, name, path } }))
    this.#sources.set(of, sources)
    return sources
  }

  add = (build: Compilation): Promise<boolean> =>
    this.#ask<boolean | undefined>((id) => ({ kind: 'add', id, build })).then((hasContracts) => hasContracts === true)

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #withCode(code: Uint8Array): Artifact | undefined {
    if (code.length === 0) return undefined
    const candidates = newestFirst(this.#byRuntime.get(codeKey(code)))
    // A library's code is the same contract wherever it is.
    const address = isLibrary(code) ? toAddress(code.subarray(1, 21)) : ZERO_ADDRESS
    const match = bestMatch(
      candidates.map(({ read }) => read),
      { address, code, creation: undefined },
    )
    return ofRead(candidates, match?.artifact)
  }

  #thread(): Worker {
    if (this.#worker !== undefined) return this.#worker
    const workerData: ReaderData = { roots: this.#roots }
    const worker = new Worker(threadProgram('artifacts', ROOMS), { workerData, resourceLimits: RESOURCE_LIMITS })
    worker.unref()
    worker.on('message', (report: ReaderReport) => this.#take(report))
    worker.on('error', (error) => this.#log.warn(`artifacts are not read any more: ${error.message}`))
    worker.on('exit', () => {
      for (const settle of this.#asked.values()) settle(undefined as never)
      this.#asked.clear()
    })
    this.#worker = worker
    return worker
  }

  /** The thread's answer; undefined if it has ended. */
  #ask<T>(order: (id: number) => ReaderOrder): Promise<T> {
    return new Promise<T>((settle) => {
      const id = ++this.#lastId
      this.#asked.set(id, settle)
      this.#thread().postMessage(order(id))
    })
  }

  #answer(id: number, answer: unknown): void {
    this.#asked.get(id)?.(answer as never)
    this.#asked.delete(id)
  }

  #take(report: ReaderReport): void {
    if (report.kind === 'warning') this.#log.warn(report.text)
    else if (report.kind === 'info') this.#log.info(report.text)
    else if (report.kind === 'sources') this.#answer(report.id, report.sources)
    else if (report.kind === 'added') this.#answer(report.id, report.hasContracts)
    else if (report.kind === 'declarations') this.#declarations = report.json
    else {
      if (report.kind === 'gone' || report.isFirst) this.#forget(report.file)
      if (report.kind === 'contracts') this.#keep(report)
      this.#byHash.clear()
      this.#sources.clear()
    }
  }

  #keep({ file, modified, contracts }: Extract<ReaderReport, { kind: 'contracts' }>): void {
    const added = contracts.map((read) => new Artifact(file, modified, read))
    this.#byFile.set(file, [...(this.#byFile.get(file) ?? []), ...added])
    for (const artifact of added) {
      insert(this.#byRuntime, artifact.read.runtimeKey, artifact)
      if (artifact.creationSize > 0) insert(this.#byCreation, artifact.read.creationKey, artifact)
    }
  }

  #forget(file: string): void {
    for (const artifact of this.#byFile.get(file) ?? []) {
      remove(this.#byRuntime, artifact.read.runtimeKey, artifact)
      remove(this.#byCreation, artifact.read.creationKey, artifact)
    }
    this.#byFile.delete(file)
  }
}

const ofRead = (artifacts: readonly Artifact[], read: ReadContract | undefined): Artifact | undefined =>
  read && artifacts.find((artifact) => artifact.read === read)

const newestFirst = (artifacts: Iterable<Artifact> = []): Artifact[] =>
  [...artifacts].sort((a, b) => b.modified - a.modified)

function insert(into: Map<string, Set<Artifact>>, key: string, artifact: Artifact): void {
  const same = into.get(key) ?? new Set()
  into.set(key, same.add(artifact))
}

function remove(from: Map<string, Set<Artifact>>, key: string, artifact: Artifact): void {
  const same = from.get(key)
  same?.delete(artifact)
  if (same?.size === 0) from.delete(key)
}
