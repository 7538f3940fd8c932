// The rules of imports: every import in src/ is checked against one table, floor by floor. Also limits the size of files and
// functions, and forbids import cycles, barrels other than the registries, and meaningless names.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseAst } from 'vitest/node'

/** The rooms of a node without its faces. */
const ROOMS = [
  ...['lib', 'primitives', 'ibc', 'spec', 'state', 'wallet', 'evm', 'pool', 'modules', 'cip', 'precompiles', 'runtime'],
  ...['fork', 'chain', 'consensus', 'tables', 'indexer', 'js-tracers', 'contracts'],
]

/** The rooms that each room may import; `(types)`: only by `import type`. Imports within a room are free. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protobuf: [],
  ibc: ['lib', 'protobuf'],
  primitives: ['lib'],
  spec: ['lib', 'primitives'],
  state: ['lib', 'primitives'],
  wallet: ['lib', 'primitives'],
  http: ['lib'],
  evm: ['lib', 'primitives', 'spec', 'state'],
  pool: ['lib', 'primitives', 'spec', 'state'],
  modules: ['lib', 'primitives', 'protobuf', 'spec', 'state', 'ibc'],
  tables: ['lib', 'state'],
  cip: ['lib', 'spec', 'evm'],
  precompiles: ['lib', 'primitives', 'ibc', 'spec', 'state', 'evm', 'modules'],
  runtime: ['lib', 'primitives', 'protobuf', 'ibc', 'spec', 'state', 'evm', 'modules', 'precompiles', 'cip'],
  fork: ['lib', 'primitives', 'spec', 'state'],
  chain: ['lib', 'primitives', 'ibc', 'spec', 'state', 'pool', 'cip', 'runtime', 'fork'],
  consensus: ['lib', 'primitives', 'protobuf', 'ibc', 'spec', 'chain', 'runtime', 'pool (types)'],
  // Precompiles for the logs of IBC.
  indexer: ['lib', 'primitives', 'spec', 'state', 'modules', 'precompiles', 'tables', 'runtime', 'chain'],
  'js-tracers': ['lib', 'primitives', 'spec', 'state', 'evm', 'cip', 'runtime', 'chain'],
  // Precompiles for their ABIs. It explains what a tracer has recorded.
  contracts: ['lib', 'primitives', 'spec', 'state', 'precompiles', 'runtime (types)', 'chain (types)'],
  rpc: [
    ...['lib', 'http', 'primitives', 'spec', 'wallet', 'tables', 'chain', 'indexer', 'fork', 'contracts'],
    ...['state (types)', 'runtime (types)', 'pool (types)', 'consensus (types)'],
  ],
  // A chain and JSON-RPC in worker threads.
  readers: [
    ...[
      'lib',
      'http',
      'primitives',
      'spec',
      'state',
      'wallet',
      'evm',
      'cip',
      'runtime',
      'chain',
      'consensus',
      'indexer',
      'rpc',
      'monitoring',
    ],
  ],
  // Modules for data that only their state has.
  explorer: [
    ...['lib', 'http', 'primitives', 'spec', 'state', 'modules', 'precompiles', 'tables', 'chain', 'indexer', 'fork'],
    'contracts',
    ...['runtime (types)', 'pool (types)', 'consensus (types)'],
  ],
  // It watches lower rooms, and faces report their requests to it.
  monitoring: ['lib', 'chain (types)', 'consensus (types)', 'fork (types)'],
  'faces.ts': ['lib', 'http', 'rpc', 'explorer', 'monitoring'],
  'server.ts': ['lib', 'http', 'rpc', 'faces.ts'],
  'node.ts': [...ROOMS, 'rpc', 'readers', 'explorer', 'monitoring', 'server.ts', 'faces.ts (types)'],
  // A process beside the nodes: it asks them by JSON-RPC and shares only what is pure with them.
  relay: ['lib', 'protobuf', 'ibc', 'spec', 'fork', 'modules', 'precompiles'],
  cli: [...ROOMS, 'http', 'rpc', 'relay', 'explorer', 'server.ts', 'node.ts'],
  'library.ts': ['lib', 'cli'],
}

/** Folders whose index.ts may re-export the folder, one line for each thing; the last holds a WebAssembly module's exports. */
const REGISTRIES = ['modules', 'precompiles', 'cip', 'rpc/methods', 'explorer/routes', 'evm/wasm/assembly'].map(
  (folder) => `${folder}/index.ts`,
)
const LONGEST_FILE = 500
const LONGEST_FUNCTION = 65
/** Written by scripts/generate.ts. */
const GENERATED = '/generated/'
/** Longer functions, by file and name, with the reason why splitting them would not help. */
const LONG_FUNCTIONS: Readonly<Record<string, string>> = {
  'evm/wasm/assembly/run.ts runFrame':
    'the interpreter: one switch with a case for each opcode; a call for each would halve its speed',
  'evm/wasm/assembly/divide.ts divide': 'long division by Möller and Granlund, on local variables',
  'evm/wasm/assembly/keccak.ts permute': 'a round of Keccak-f, written out on 25 local variables',
  'state/sorted-hashes.ts sortedHashes': 'functions over one layout, which they share',
  'state/sorted-hashes.ts open': 'functions over the slots of one contract, which they share',
  'precompiles/authorization.ts authorizationOf': 'the handlers of one interface, each of a few lines',
}
/** The room of the reference implementation, whose types, fork switches (`Common`) and prices are used nowhere else. */
const LIBRARY_ROOM = 'evm/ethereumjs/'
const LIBRARY = /from '(@ethereumjs\/(?!wallet')[^']*)'/g
/** The only imports from that room: the precompiled contracts and the engine. */
const LIBRARY_USERS = [
  'evm/builtin-contracts.ts imports evm/ethereumjs/precompiles.ts',
  'evm/machine.ts imports evm/ethereumjs/engine.ts',
]
const ASSEMBLY = 'evm/wasm/assembly/'
/** Files shared by the AssemblyScript and the TypeScript of the engine: plain integers. */
const NUMBERS = ['evm/wasm/layout.ts', 'evm/gas/gas-rules.ts']
const EMPTY_NAMES = /(^|[-_.])(utils?|helpers?|managers?|services?)([-_.]|$)/i

type Import = { readonly path: string; readonly isType: boolean; readonly isExport: boolean }

/** Relative imports and re-exports of a source text. */
function importsOf(source: string): Import[] {
  const statement = /^(import|export)\s+(type\s)?\s*(?:([\w*\s{},$]+?)\s*from\s*)?['"](\.[^'"]+)['"]/gm
  const dynamic = /\bimport\(\s*['"](\.[^'"]+)['"]\s*\)/g
  const statics = [...source.matchAll(statement)].map(([, keyword, type, names = '', path = '']) => ({
    path,
    isType: type !== undefined || namesAreTypes(names),
    isExport: keyword === 'export',
  }))
  const dynamics = [...source.matchAll(dynamic)].map(([, path = '']) => ({ path, isType: false, isExport: false }))
  return [...statics, ...dynamics]
}

/** Whether all names of `{ type A, type B }` are types, so that the import is erased. */
function namesAreTypes(names: string): boolean {
  const braces = /^\{([^}]*)\}$/.exec(names.trim())?.[1]
  const listed = (braces ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  return listed.length > 0 && listed.every((name) => name.startsWith('type '))
}

/** The files below a folder of the repository, and the contents of TypeScript files. */
function filesIn(folder: string): { files: string[]; sources: Map<string, string> } {
  const root = join(import.meta.dirname, '..', folder)
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
  const typescript = files.filter((file) => /\.tsx?$/.test(file))
  return { files, sources: new Map(typescript.map((file) => [file, readFileSync(join(root, file), 'utf8')])) }
}

const { files, sources } = filesIn('src')
const edges = [...sources].flatMap(([from, source]) =>
  importsOf(source).map((of) => ({ ...of, from, to: resolved(from, of.path) })),
)
/** The file that an import names. AssemblyScript omits `.ts`. */
function resolved(from: string, path: string): string {
  const to = posix.join(dirname(from), path)
  return sources.has(`${to}.ts`) ? `${to}.ts` : to
}

const roomOf = (file: string): string => file.split('/')[0] ?? ''

describe('imports of src', () => {
  it('are all found by the parser', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from '../b/b.ts'",
      "import { type C, type D } from './c.ts'",
      "import {\n  type E,\n  f,\n} from './e.ts'",
      "import * as g from './g.ts'",
      "import './h.ts'",
      "export { i } from './i.ts'",
      "export * as j from './j.ts'",
      "const k = await import('./k.ts')",
      "import l from 'package'",
    ].join('\n')
    expect(importsOf(text).map(({ path, isType, isExport }) => [path, isType, isExport])).toEqual([
      ['./a.ts', false, false],
      ['../b/b.ts', true, false],
      ['./c.ts', true, false],
      ['./e.ts', false, false],
      ['./g.ts', false, false],
      ['./h.ts', false, false],
      ['./i.ts', false, true],
      ['./j.ts', false, true],
      ['./k.ts', false, false],
    ])
    expect(edges).toContainEqual(
      expect.objectContaining({ from: 'modules/bank.ts', to: 'spec/addresses.ts', isType: false }),
    )
    expect(edges).toContainEqual(
      expect.objectContaining({ from: `${ASSEMBLY}run.ts`, to: 'evm/wasm/layout.ts', isType: false }),
    )
  })

  it('name existing files', () => {
    expect(edges.filter(({ to }) => !files.includes(to)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([])
  })

  // Both compilers must be able to compile whatever the AssemblyScript imports.
  it("of the engine's AssemblyScript stay within it, except for two files of numbers", () => {
    const offenders = edges
      .filter(({ from, to }) => from.startsWith(ASSEMBLY) && !to.startsWith(ASSEMBLY) && !NUMBERS.includes(to))
      .map(({ from, to }) => `${from} imports ${to}`)
    expect(offenders).toEqual([])
    const intruders = edges
      .filter(({ from, to }) => to.startsWith(ASSEMBLY) && !from.startsWith(ASSEMBLY))
      .map(({ from, to }) => `${from} imports ${to}`)
    expect(intruders).toEqual([])
  })

  it('go downward, as in the table', () => {
    const offenders = edges
      .filter(({ from, to, isType }) => {
        const room = roomOf(from)
        const target = roomOf(to)
        const allowed = LAYERS[room] ?? []
        return room !== target && !allowed.includes(target) && !(isType && allowed.includes(`${target} (types)`))
      })
      .map(({ from, to, isType }) => `${from} imports ${isType ? 'types of ' : ''}${to}`)
    expect(offenders).toEqual([])
  })

  it('have a row in the table for every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => !(room in LAYERS))).toEqual([])
  })

  // In a cycle the order of loading decides whether a value is defined.
  it('make no cycle', () => {
    const next = new Map<string, string[]>()
    for (const { from, to, isType } of edges) if (!isType) next.set(from, [...(next.get(from) ?? []), to])
    expect(cycles(next)).toEqual([])
  })

  // A cycle of types works, because types are erased, but no file of it can be understood without the others.
  it('make no cycle of types', () => {
    const next = new Map<string, string[]>()
    for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to])
    expect(strongComponents(next)).toEqual([])
  })

  it('of the reference implementation stay in its room', () => {
    const found = [...sources]
      .filter(([file]) => !file.startsWith(LIBRARY_ROOM))
      .flatMap(([file, source]) => [...source.matchAll(LIBRARY)].map(([, name = '']) => `${file}: ${name}`))
    expect(found.toSorted()).toEqual([])
    const users = edges
      .filter(({ from, to }) => to.startsWith(LIBRARY_ROOM) && !from.startsWith(LIBRARY_ROOM))
      .map(({ from, to }) => `${from} imports ${to}`)
    expect(users.toSorted()).toEqual(LIBRARY_USERS)
  })

  it('name the defining file: the registries are the only barrels', () => {
    const barrels = [...sources]
      .filter(([file, source]) => {
        const passesOn = importsOf(source).some(({ isExport }) => isExport)
        const hasOwn = /^export (async |const|function|class|type|interface|default)/m.test(source)
        return file.endsWith('/index.ts') || /^export \*/m.test(source) || (passesOn && !hasOwn)
      })
      .map(([file]) => file)
    expect(barrels.filter((file) => !REGISTRIES.includes(file))).toEqual([])
  })
})

describe('imports of web', () => {
  it('make no cycle, types included', () => {
    const next = new Map(
      [...filesIn('web').sources].map(([from, source]) => [
        from,
        importsOf(source).map(({ path }) => posix.join(dirname(from), path)),
      ]),
    )
    expect(next.get('pages.ts')).toContain('pages/home.tsx')
    expect(strongComponents(next)).toEqual([])
  })
})

describe('functions of src', () => {
  it('are measured in every form, and identified by name', () => {
    const body = '\n'.repeat(LONGEST_FUNCTION)
    const text = [
      `function a() {${body}}`,
      `const b = () => {${body}}`,
      `class C { d(): void {${body}} }`,
      `export const e = { f() {${body}} }`,
      `function g() {${body.slice(1)}}`,
    ].join('\n')
    expect(longFunctions(text)).toEqual(['a', 'b', 'd', 'f'])
  })
})

describe('files of src', () => {
  it('begin with a comment', () => {
    const offenders = [...sources]
      .filter(([, source]) => !/^(#![^\n]*\n)?(\/\/|\/\*)/.test(source))
      .map(([file]) => file)
    expect(offenders).toEqual([])
  })

  it(`have at most ${LONGEST_FILE} lines`, () => {
    const offenders = [...sources]
      .filter(([file]) => !file.includes(GENERATED))
      .map(([file, source]) => [file, source.trimEnd().split('\n').length] as const)
      .filter(([, lines]) => lines > LONGEST_FILE)
      .map(([file, lines]) => `${file}: ${lines} lines`)
    expect(offenders).toEqual([])
  })

  it(`have functions of at most ${LONGEST_FUNCTION} lines, except those listed with a reason`, () => {
    const found = [...sources].flatMap(([file, source]) => longFunctions(source).map((name) => `${file} ${name}`))
    expect(found.toSorted()).toEqual(Object.keys(LONG_FUNCTIONS).toSorted())
  })

  it('have meaningful names', () => {
    expect(files.filter((file) => file.split('/').some((name) => EMPTY_NAMES.test(name)))).toEqual([])
  })
})

/** One import cycle for each file at which a depth-first search finds a back edge. */
function cycles(next: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = []
  const done = new Set<string>()
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' -> '))
    if (path.includes(file) || done.has(file)) return
    for (const to of next.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}

/** The groups of files that reach each other, sorted: the strongly connected components of more than one file. */
function strongComponents(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const reached = new Map([...next.keys()].map((file) => [file, reachableFrom(file, next)]))
  const groups = [...next.keys()].map((file) =>
    [...(reached.get(file) ?? [])].filter((other) => reached.get(other)?.has(file)).toSorted(),
  )
  const distinct = new Map(groups.filter((group) => group.length > 1).map((group) => [group.join(' '), group]))
  return [...distinct.keys()].toSorted().map((key) => distinct.get(key) ?? [])
}

function reachableFrom(file: string, next: ReadonlyMap<string, readonly string[]>): Set<string> {
  const reached = new Set(next.get(file))
  // Iterating over a set includes elements that are added meanwhile.
  for (const each of reached) for (const to of next.get(each) ?? []) reached.add(to)
  return reached
}

/** Names of the functions of a source text that exceed the limit; an anonymous function has its variable's name. */
function longFunctions(source: string): string[] {
  const found: string[] = []
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, start, end, id, key } = node as Partial<Node>
    const own = id?.name ?? key?.name ?? name
    if (/^(Function|ArrowFunction)/.test(type ?? '') && source.slice(start, end).split('\n').length > LONGEST_FUNCTION)
      found.push(own)
    for (const child of Object.values(node)) visit(child, own)
  }
  visit(parseAst(source, { lang: 'ts' }), 'anonymous')
  return found
}

/** The used fields of a syntax tree node (ESTree). */
type Node = { type: string; start: number; end: number; id: { name?: string } | null; key: { name?: string } }
