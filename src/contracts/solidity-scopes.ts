// Resolves names in Solidity sources: in files with their imports, in contracts with their bases. Evaluates constant expressions.
import {
  type ContractDeclaration,
  declarationsIn,
  type SourceDeclarations,
  type Token,
  type TypeDeclaration,
  UnknownSyntax,
  type VariableDeclaration,
} from './solidity-declarations.ts'

/** A contract with the file that declares it. */
export type ScopedContract = ContractDeclaration & { readonly file: string }
/** Where a name is used. */
export type Scope = { readonly file: string; readonly contract?: ScopedContract | undefined }

type Named =
  | { readonly is: 'contract'; readonly contract: ScopedContract }
  | { readonly is: 'type'; readonly type: TypeDeclaration; readonly scope: Scope }
  | { readonly is: 'variable'; readonly variable: VariableDeclaration; readonly scope: Scope }
  | { readonly is: 'file'; readonly file: string }

/** Most brackets within brackets, and constants that refer to others. */
const DEEPEST = 64
/** Most bits of a constant. */
const MOST_BITS = 512n

export class SolidityScopes {
  readonly #sources: Readonly<Record<string, string>>
  readonly #remappings: readonly { readonly context: string; readonly prefix: string; readonly target: string }[]
  readonly #files = new Map<string, SourceDeclarations>()
  readonly #contracts = new Map<ContractDeclaration, ScopedContract>()
  readonly #linearized = new Map<ScopedContract, readonly ScopedContract[] | null>()

  /** Contents by path; remappings of imports as solc has them, `context:prefix=target`. */
  constructor(sources: Readonly<Record<string, string>>, remappings: readonly string[] = []) {
    this.#sources = sources
    this.#remappings = remappings.flatMap((text) => {
      const [, context = '', prefix = '', target = ''] = /^(?:([^=]*?):)?([^=]+)=(.*)$/.exec(text) ?? []
      return prefix === '' ? [] : [{ context, prefix, target }]
    })
  }

  /** undefined: there is none. Throws UnknownSyntax, as all here. */
  contract(file: string, name: string): ScopedContract | undefined {
    const found = this.file(file)?.contracts.get(name)
    return found && this.#scoped(found, file)
  }

  file(path: string): SourceDeclarations | undefined {
    const known = this.#files.get(path)
    const source = Object.hasOwn(this.#sources, path) ? this.#sources[path] : undefined
    if (known !== undefined || source === undefined) return known
    const read = declarationsIn(source)
    this.#files.set(path, read)
    return read
  }

  /** Libraries of all files. */
  get libraries(): readonly ScopedContract[] {
    return Object.keys(this.#sources).flatMap((path) =>
      [...(this.file(path)?.contracts.values() ?? [])]
        .filter(({ kind }) => kind === 'library')
        .map((found) => this.#scoped(found, path)),
    )
  }

  /** A contract and its bases by C3, the most derived first. */
  linearized(contract: ScopedContract): readonly ScopedContract[] {
    const known = this.#linearized.get(contract)
    if (known === null) throw new UnknownSyntax(`${contract.name} is its own base`)
    if (known !== undefined) return known
    this.#linearized.set(contract, null)
    // Solidity names bases from the most general one on; C3 wants the reverse.
    const bases = contract.bases.map((path) => this.#base(path, contract)).reverse()
    const found = [contract, ...merge([...bases.map((base) => this.linearized(base)), bases])]
    this.#linearized.set(contract, found)
    return found
  }

  #base(path: readonly string[], { file }: ScopedContract): ScopedContract {
    const found = this.resolve(path, { file })
    if (found.is !== 'contract') throw new UnknownSyntax(`${path.join('.')} is no contract`)
    return found.contract
  }

  /** What `A.B` stands for. */
  resolve([first = '', ...rest]: readonly string[], scope: Scope): Named {
    let found =
      (scope.contract && this.#inContract(scope.contract, first)) ??
      this.#inFile(scope.file, first, new Set()) ??
      this.#anywhere(first)
    for (const name of rest) {
      if (found?.is === 'contract') found = this.#inContract(found.contract, name)
      else found = found?.is === 'file' ? this.#inFile(found.file, name, new Set()) : undefined
    }
    if (found === undefined) throw new UnknownSyntax(`${[first, ...rest].join('.')} is not declared`)
    return found
  }

  #inContract(contract: ScopedContract, name: string): Named | undefined {
    for (const of of this.linearized(contract)) {
      const found = declared(of, name, { file: of.file, contract: of })
      if (found !== undefined) return found
    }
    return undefined
  }

  #inFile(file: string, name: string, seen: Set<string>): Named | undefined {
    const declarations = this.file(file)
    if (declarations === undefined || seen.has(`${file}\0${name}`)) return undefined
    seen.add(`${file}\0${name}`)
    const own = this.#declaredIn(file, name)
    if (own !== undefined) return own
    for (const { path, alias, names } of declarations.imports) {
      const target = this.#imported(file, path)
      if (target === undefined) continue
      if (alias === name) return { is: 'file', file: target }
      const original = names === undefined ? name : names.get(name)
      const found = original === undefined || alias !== undefined ? undefined : this.#inFile(target, original, seen)
      if (found !== undefined) return found
    }
    return undefined
  }

  #declaredIn(file: string, name: string): Named | undefined {
    const declarations = this.file(file)
    const contract = declarations?.contracts.get(name)
    if (contract !== undefined) return { is: 'contract', contract: this.#scoped(contract, file) }
    return declarations && declared(declarations, name, { file })
  }

  /** The only declaration of a name, where the paths of imports are not those of the sources: build tools change them. */
  #anywhere(name: string): Named | undefined {
    const found = Object.keys(this.#sources).flatMap((file) => this.#declaredIn(file, name) ?? [])
    return found.length === 1 ? found[0] : undefined
  }

  /** The path of an imported source; undefined: it is not among the sources. */
  #imported(from: string, path: string): string | undefined {
    let target = path
    if (path.startsWith('.')) target = joined(from, path)
    else {
      const fitting = this.#remappings.filter(
        ({ context, prefix }) => from.startsWith(context) && path.startsWith(prefix),
      )
      fitting.sort((a, b) => b.context.length - a.context.length || b.prefix.length - a.prefix.length)
      const [best] = fitting
      if (best !== undefined) target = best.target + path.slice(best.prefix.length)
    }
    return Object.hasOwn(this.#sources, target) ? target : undefined
  }

  #scoped(contract: ContractDeclaration, file: string): ScopedContract {
    const scoped = this.#contracts.get(contract) ?? { ...contract, file }
    this.#contracts.set(contract, scoped)
    return scoped
  }

  /** The value of a constant expression of integers. */
  constant(tokens: readonly Token[], scope: Scope, depth = 0): bigint {
    return new Evaluation(tokens, depth, (name) => {
      const found = this.resolve([name], scope)
      if (found.is !== 'variable' || !found.variable.attributes.has('constant'))
        throw new UnknownSyntax(`${name} is no constant`)
      return this.constant(found.variable.value, found.scope, depth + 1)
    }).value()
  }
}

const declared = (
  { types, variables }: Pick<SourceDeclarations, 'types' | 'variables'>,
  name: string,
  scope: Scope,
): Named | undefined => {
  const type = types.get(name)
  if (type !== undefined) return { is: 'type', type, scope }
  const variable = variables.find((one) => one.name === name)
  return variable && { is: 'variable', variable, scope }
}

/** C3: takes the first head that is in no other list's tail. */
function merge(lists: readonly (readonly ScopedContract[])[]): readonly ScopedContract[] {
  const merged: ScopedContract[] = []
  let rest = lists.filter((list) => list.length > 0)
  while (rest.length > 0) {
    const next = rest.map(([head]) => head).find((head) => rest.every((list) => list.indexOf(head as never) <= 0))
    if (next === undefined) throw new UnknownSyntax('bases have no order')
    merged.push(next)
    rest = rest.map((list) => (list[0] === next ? list.slice(1) : list)).filter((list) => list.length > 0)
  }
  return merged
}

function joined(from: string, path: string): string {
  const parts = from.split('/').slice(0, -1)
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Binary operators from the weakest on. */
const LEVELS = [['|'], ['^'], ['&'], ['<<', '>>'], ['+', '-'], ['*', '/', '%']] as const
const UNITS = new Map([
  ['wei', 1n],
  ['gwei', 10n ** 9n],
  ['ether', 10n ** 18n],
  ['seconds', 1n],
  ['minutes', 60n],
  ['hours', 3_600n],
  ['days', 86_400n],
  ['weeks', 604_800n],
  ['years', 31_536_000n],
])

class Evaluation {
  readonly #tokens: readonly Token[]
  readonly #constant: (name: string) => bigint
  #depth: number
  #at = 0

  constructor(tokens: readonly Token[], depth: number, constant: (name: string) => bigint) {
    this.#tokens = tokens
    this.#depth = depth
    this.#constant = constant
  }

  value(): bigint {
    const value = this.#binary(0)
    if (this.#at < this.#tokens.length) throw this.#unknown()
    return value
  }

  #binary(level: number): bigint {
    const operators: readonly string[] | undefined = LEVELS[level]
    if (operators === undefined) return this.#power()
    let value = this.#binary(level + 1)
    for (let text = this.#text; operators.includes(text); text = this.#text) {
      this.#at++
      value = applied(text, value, this.#binary(level + 1))
    }
    return value
  }

  #power(): bigint {
    const base = this.#unary()
    if (this.#text !== '**') return base
    this.#at++
    return applied(
      '**',
      base,
      this.#deeper(() => this.#power()),
    )
  }

  #unary(): bigint {
    const text = this.#text
    this.#at++
    if (text === '-') return -this.#deeper(() => this.#unary())
    if (text === '~') return ~this.#deeper(() => this.#unary())
    if (text === '(') return this.#inBrackets()
    if (/^\d/.test(text)) {
      const unit = UNITS.get(this.#text)
      if (unit !== undefined) this.#at++
      return literal(text) * (unit ?? 1n)
    }
    if (!/^[A-Za-z_$]/.test(text)) throw this.#unknown()
    return this.#deeper(() => this.#constant(text))
  }

  #inBrackets(): bigint {
    const value = this.#deeper(() => this.#binary(0))
    if (this.#text !== ')') throw this.#unknown()
    this.#at++
    return value
  }

  #deeper(read: () => bigint): bigint {
    if (++this.#depth > DEEPEST) throw this.#unknown()
    const value = read()
    this.#depth--
    return value
  }

  get #text(): string {
    return this.#tokens[this.#at]?.text ?? ''
  }

  #unknown(): UnknownSyntax {
    return new UnknownSyntax(`an expression with ${this.#text.slice(0, 32)}`)
  }
}

/** `1_000`, `0x20`, `1e3`, `2.5e1` */
function literal(text: string): bigint {
  const digits = text.replaceAll('_', '')
  if (digits.length > 100) throw new UnknownSyntax('a long number')
  const [, whole = '', fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE](-?\d+))?$/.exec(digits) ?? []
  if (whole === '') return BigInt(digits)
  const power = Number(exponent) - fraction.length
  const value = BigInt(whole + fraction)
  if (power > 100) throw new UnknownSyntax('a large number')
  return power >= 0 ? value * 10n ** BigInt(power) : value / 10n ** BigInt(-power)
}

function applied(operator: string, a: bigint, b: bigint): bigint {
  const isLarge = operator === '<<' || operator === '>>' ? b > 256n : operator === '**' && size(a) * b > MOST_BITS
  if (isLarge || (b < 0n && /<<|>>|\*\*/.test(operator)) || (b === 0n && /[/%]/.test(operator)) || size(a) > MOST_BITS)
    throw new UnknownSyntax(`${operator} of these numbers`)
  if (operator === '+') return a + b
  if (operator === '-') return a - b
  if (operator === '*') return a * b
  if (operator === '/') return a / b
  if (operator === '%') return a % b
  if (operator === '**') return a ** b
  if (operator === '<<') return a << b
  if (operator === '>>') return a >> b
  if (operator === '&') return a & b
  return operator === '|' ? a | b : a ^ b
}

const size = (value: bigint): bigint => BigInt((value < 0n ? -value : value).toString(16).length * 4)
