// Sources and source maps of a contract's code, of verified contracts and of local builds. They give a program counter a place
// in a source and a function. Prepared once for each code and kept in bounded
// caches, under the hash of the code, to which it belongs for ever.
import { LRUCache } from 'lru-cache'
import { type Address, type Hash, toHash } from '../lib/hex.ts'
import { keccak256 } from '../lib/keccak.ts'
import type { KvReader } from '../state/types.ts'
import { type ContractsContext, contractSources, localContract, twinOf } from './abi.ts'
import { type Definition, type Definitions, definitionsIn } from './solidity-functions.ts'
import { type CodeMap, JUMP, mapCode, SourceText } from './source-map.ts'

/** A contract's sources and maps, as compilers tell of them. */
export type DebugInfo = {
  /** Contents by path. */
  readonly sources: Readonly<Record<string, string>>
  /** Paths by the ids in source maps. */
  readonly sourceIds: Readonly<Record<number, string>>
  /** `s:l:f:j:m;…`; left out: there is none. */
  readonly creation: { readonly sourceMap?: string | undefined }
  readonly runtime: { readonly sourceMap?: string | undefined }
  /** The compiler's settings, and its version: `0.8.30+commit.73712a01`. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly compilerVersion: string | undefined
}

/** Where to look for debug info. */
export type DebugContext = ContractsContext & {
  readonly rows: Pick<KvReader, 'get' | 'scan'>
}

/** A place in a source. Line and column count from 1, columns in UTF-16 code units. */
export type Location = {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly source: SourceText
}

/** A part of a source, up to but not including its end. */
export type SourceRange = Location & { readonly endLine: number; readonly endColumn: number }

type Source = { readonly path: string; readonly text: SourceText } & Definitions

/** The code of a contract with its sources, by program counter. */
export class DebugCode {
  readonly info: DebugInfo
  readonly #map: CodeMap
  readonly #sources: ReadonlyMap<number, Source>
  /** Numbers of functions by pc, from 1; 0: not looked up, -1: none. */
  readonly #functions: Int32Array
  readonly #found: Definition[] = []
  readonly #numbers = new Map<Definition, number>()
  /** Lines by pc; 0: not looked up, -1: none. */
  readonly #lines: Int32Array
  /** Of `stopAt`, by pc; 0: not looked up. */
  readonly #stops: Int32Array
  readonly #files: readonly Source[]

  constructor(code: Uint8Array, sourceMap: string, info: DebugInfo) {
    const { sources, sourceIds } = info
    this.info = info
    this.#map = mapCode(code, sourceMap)
    this.#functions = new Int32Array(code.length)
    this.#lines = new Int32Array(code.length)
    this.#stops = new Int32Array(code.length)
    const read = new Map<number, Source>()
    const byPath = new Map<string, Source>()
    for (const id of new Set(this.#map.source)) {
      const path = id < 0 || !Object.hasOwn(sourceIds, id) ? undefined : sourceIds[id]
      const content = path !== undefined && Object.hasOwn(sources, path) ? sources[path] : undefined
      if (path === undefined || content === undefined) continue
      const source = byPath.get(path) ?? sourceOf(path, content)
      byPath.set(path, source)
      read.set(id, source)
    }
    this.#sources = read
    this.#files = [...byPath.values()]
  }

  /** Sources that instructions are from. */
  get files(): readonly { readonly path: string; readonly text: SourceText }[] {
    return this.#files
  }

  /** Bytes that it takes, roughly. */
  get size(): number {
    return Object.values(this.info.sources).reduce((sum, { length }) => sum + length, this.#functions.length * 25)
  }

  isInto(pc: number): boolean {
    return this.#map.jump[pc] === JUMP.into
  }

  isOut(pc: number): boolean {
    return this.#map.jump[pc] === JUMP.out
  }

  /** The function, modifier or getter whose source an instruction is from; undefined: none, as of what the compiler adds. */
  functionAt(pc: number): Definition | undefined {
    const known = this.#functions[pc] ?? -1
    if (known !== 0) return known < 0 ? undefined : this.#found[known - 1]
    const found = this.#lookUp(pc)
    this.#functions[pc] = found === undefined ? -1 : this.#numberOf(found)
    return found
  }

  #numberOf(found: Definition): number {
    const number = this.#numbers.get(found) ?? this.#found.push(found)
    this.#numbers.set(found, number)
    return number
  }

  #lookUp(pc: number): Definition | undefined {
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    const [start] = this.#range(pc)
    const { functions = [] } = source ?? {}
    let [low, high] = [0, functions.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((functions[middle]?.start ?? 0) <= start) low = middle + 1
      else high = middle
    }
    const found = functions[low - 1]
    return found !== undefined && start < found.end ? found : undefined
  }

  /** The contract whose source an instruction is from. */
  contractAt(pc: number): string | undefined {
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    const [start, end] = this.#range(pc)
    return source?.contracts.find((contract) => contract.start <= start && end <= contract.end)?.name
  }

  #range(pc: number): readonly [start: number, end: number] {
    const start = this.#map.start[pc] ?? -1
    return [start, start + (this.#map.length[pc] ?? 0)]
  }

  /** The path of the source; undefined: of none. */
  fileAt(pc: number): string | undefined {
    return this.#sources.get(this.#map.source[pc] ?? -1)?.path
  }

  /** Where in the source the instruction's part begins, in bytes; -1: unknown. */
  offsetAt(pc: number): number {
    return this.#map.start[pc] ?? -1
  }

  /** undefined: an instruction of no source, or out of it. */
  locate(pc: number): Location | undefined {
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    const place = source?.text.place(this.#map.start[pc] ?? -1)
    return source && place && { file: source.path, ...place, source: source.text }
  }

  /** Where the only function of a name is defined: `Vault.take`. */
  definition(name: string): Location | undefined {
    const found = [...new Set(this.#sources.values())].flatMap((source) =>
      source.functions.flatMap((each) => (each.name === name ? [{ source, ...each }] : [])),
    )
    const [{ source, start } = { source: undefined, start: 0 }] = found.length === 1 ? found : []
    const place = source?.text.place(start)
    return source && place && { file: source.path, ...place, source: source.text }
  }

  /** The texts of its sources, by path. */
  get texts(): ReadonlyMap<string, SourceText> {
    return new Map([...this.#sources.values()].map(({ path, text }) => [path, text]))
  }

  /** File and number of the line; undefined as `locate`. */
  lineAt(pc: number): readonly [file: string, line: number] | undefined {
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    if (source === undefined) return undefined
    const start = this.#map.start[pc] ?? -1
    if (this.#lines[pc] === 0)
      this.#lines[pc] = start < 0 || start > source.text.bytes.length ? -1 : source.text.lineAt(start)
    const line = this.#lines[pc] ?? -1
    return line < 0 ? undefined : [source.path, line]
  }

  /** The part of the source; undefined as `locate`. */
  rangeAt(pc: number): SourceRange | undefined {
    const begin = this.locate(pc)
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    const end = source?.text.place(Math.min(this.#range(pc)[1], source.text.bytes.length))
    return begin && end && { ...begin, endLine: end.line, endColumn: end.column }
  }

  /**
   * A number for the line of an instruction, as `stopOf` gives it; -1: of no line, or what the compiler has added to a contract or a
   * function, to which it gives the place of the whole of its head or body.
   */
  stopAt(pc: number): number {
    const known = this.#stops[pc] ?? -1
    if (known !== 0) return known
    const place = this.#isAdded(pc) ? undefined : this.lineAt(pc)
    const stop = place === undefined ? -1 : this.stopOf(...place)
    this.#stops[pc] = stop
    return stop
  }

  /** The number of a line; -1: the code is not from that source. */
  stopOf(file: string, line: number): number {
    const at = this.#files.findIndex(({ path }) => path === file)
    return at < 0 || line >= MOST_LINES ? -1 : at * MOST_LINES + line
  }

  #isAdded(pc: number): boolean {
    const found = this.functionAt(pc)
    const source = this.#sources.get(this.#map.source[pc] ?? -1)
    const [start, end] = this.#range(pc)
    // In the head of a function it sets return values to zero, and behind a block as a whole it removes the locals.
    if (found !== undefined && found.kind !== 'getter')
      return start < found.body || source?.text.bytes[start] === OPENING_BRACE
    if (found !== undefined) return false
    return source?.contracts.some((contract) => contract.start === start && end >= contract.end - 1) ?? true
  }

  /** Whether two instructions are of the same part of the source. */
  isSameRange(a: number, b: number): boolean {
    const { source, start, length } = this.#map
    return (source[a] ?? -1) >= 0 && source[a] === source[b] && start[a] === start[b] && length[a] === length[b]
  }

  /** Whether an instruction's part of the source is the whole of a function. */
  isWholeFunction(pc: number): boolean {
    const found = this.functionAt(pc)
    const [start, end] = this.#range(pc)
    return found !== undefined && start === found.start && end >= found.end - 1
  }
}

const OPENING_BRACE = 0x7b
/** Of a source, for the numbers of lines. */
const MOST_LINES = 1 << 20

// --- caches

/** Characters of sources, and bytes of prepared codes with their sources. */
const sources = new LRUCache<string, Source>({ maxSize: 32 << 20 })
const codes = new LRUCache<string, DebugCode>({ maxSize: 64 << 20 })

function sourceOf(path: string, content: string): Source {
  const key = `${path}\0${content}`
  const known = sources.get(key)
  if (known !== undefined) return known
  const text = new SourceText(content)
  const source = { path, text, ...definitionsIn(text.bytes) }
  sources.set(key, source, { size: 3 * key.length + 1 })
  return source
}

/** Code that ran: at an address, or the input of a creation. */
export type RunningCode = { readonly code: Uint8Array; readonly address: Address | null; readonly isCreation: boolean }

/** The debug info of code that ran; undefined: its sources are not known. Reads the state after it. */
export async function debugCodeOf(known: DebugContext, running: RunningCode): Promise<DebugCode | undefined> {
  const { code, isCreation } = running
  if (code.length === 0) return undefined
  const found = withDetails(known, running)
  if (found === undefined) return undefined
  const key = `${isCreation} ${found.key} ${hashOf(code)}`
  const prepared = codes.get(key)
  if (prepared !== undefined) return prepared
  const info = await found.read()
  const map = (isCreation ? info?.creation : info?.runtime)?.sourceMap
  if (info === undefined || map === undefined || map === '') return undefined
  const debug = new DebugCode(code, map, info)
  codes.set(key, debug, { size: debug.size + 1 })
  return debug
}

const numbers = new WeakMap<object, number>()
let lastNumber = 0

/** The number of an object: a new build has other objects. */
function numberOf(of: object): number {
  const number = numbers.get(of) ?? ++lastNumber
  numbers.set(of, number)
  return number
}

const hashes = new WeakMap<Uint8Array, Hash>()

function hashOf(code: Uint8Array): Hash {
  const hash = hashes.get(code) ?? toHash(keccak256(code))
  hashes.set(code, hash)
  return hash
}

type Found = { readonly key: string; readonly read: () => Promise<DebugInfo | undefined> }

/** Who knows the sources: the developer's build before what was verified. */
function withDetails(known: DebugContext, { code, address, isCreation }: RunningCode): Found | undefined {
  const { artifacts, view, rows } = known
  const local = isCreation
    ? artifacts?.created(code)
    : address === null
      ? undefined
      : localContract({ ...known, view: viewWith(view, address, code) }, address)
  if (local !== undefined) return { key: `local ${numberOf(local)}`, read: async () => artifacts?.details(local) }
  if (address === null) return undefined
  const of = twinOf(known, address)?.address ?? address
  const verified = known.verification?.contracts.get(view, of) ?? known.forkSources?.get(view, of)
  return (
    verified && {
      key: `verified ${of} ${numberOf(verified)}`,
      read: async () => infoOf(contractSources({ ...known, rows }, of)),
    }
  )
}

/** A view in which an account has the code that ran: after a failure the account may be gone. */
function viewWith(view: DebugContext['view'], address: Address, code: Uint8Array): DebugContext['view'] {
  if (view.code(address) === code || view.account(address)?.codeHash === hashOf(code)) return view
  const fork = view.fork()
  fork.setCode(address, code)
  return fork
}

function infoOf(verified: ReturnType<typeof contractSources>): DebugInfo | undefined {
  if (verified?.output === undefined || verified.language !== 'solidity') return undefined
  const { input, output, sourceIds = {}, compilerVersion } = verified
  const text = (map: unknown) => (typeof map === 'string' ? map : undefined)
  return {
    sources: Object.fromEntries(Object.entries(input.sources).map(([path, { content }]) => [path, content])),
    sourceIds: Object.fromEntries(Object.entries(sourceIds).map(([path, { id }]) => [id, path])),
    creation: { sourceMap: text(output.evm.bytecode.sourceMap) },
    runtime: { sourceMap: text(output.evm.deployedBytecode.sourceMap) },
    settings: input.settings,
    compilerVersion: compilerVersion.replace(/^v/, ''),
  }
}
