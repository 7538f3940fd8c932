// Declarations in a Solidity source: contracts with their bases, variables, structs, enums, value types, and imports. A parser of our
// own, because sources are text of strangers: general parsers of Solidity take seconds for some lines of brackets, this one takes
// time in proportion to the source. Bodies of functions are skipped. Reads all versions from 0.4 on.

/** A word, number, string or sign. Offsets are bytes of UTF-8. */
export type Token = {
  readonly text: string
  readonly at: number
  /** The comment before it. */
  readonly comment: string
}

export type TypeName =
  /** `uint256` in its full form, `address payable`, `bytes`. */
  | { readonly kind: 'elementary'; readonly name: string }
  /** `Vault.Entry` */
  | { readonly kind: 'named'; readonly path: readonly string[] }
  | { readonly kind: 'mapping'; readonly key: TypeName; readonly value: TypeName }
  /** `length` left out: dynamic. */
  | { readonly kind: 'array'; readonly of: TypeName; readonly length?: readonly Token[] }
  | { readonly kind: 'function'; readonly isExternal: boolean }

export type VariableDeclaration = {
  readonly name: string
  readonly type: TypeName
  /** Where its value is, if it is not in storage. */
  readonly attributes: ReadonlySet<string>
  /** What it is set to: of constants. */
  readonly value: readonly Token[]
}
export type StructDeclaration = {
  readonly kind: 'struct'
  readonly name: string
  readonly members: readonly { readonly name: string; readonly type: TypeName }[]
  /** The namespace of ERC-7201 at which it is stored. */
  readonly namespace: string | undefined
}
export type EnumDeclaration = { readonly kind: 'enum'; readonly name: string; readonly names: readonly string[] }
export type ValueTypeDeclaration = { readonly kind: 'value'; readonly name: string; readonly of: TypeName }
export type TypeDeclaration = StructDeclaration | EnumDeclaration | ValueTypeDeclaration

export type ContractDeclaration = {
  readonly kind: 'contract' | 'library' | 'interface'
  readonly name: string
  readonly bases: readonly (readonly string[])[]
  /** The first slot; empty: 0. */
  readonly layoutAt: readonly Token[]
  readonly types: ReadonlyMap<string, TypeDeclaration>
  readonly variables: readonly VariableDeclaration[]
}
export type ImportDeclaration = {
  readonly path: string
  /** `import "a.sol" as alias`: the name of all. */
  readonly alias?: string
  /** `import { name as alias }`: names by alias; left out: all. */
  readonly names?: ReadonlyMap<string, string>
}
export type SourceDeclarations = {
  readonly contracts: ReadonlyMap<string, ContractDeclaration>
  readonly types: ReadonlyMap<string, TypeDeclaration>
  readonly variables: readonly VariableDeclaration[]
  readonly imports: readonly ImportDeclaration[]
}

/** A source that is not understood. */
export class UnknownSyntax extends Error {}

/** Throws UnknownSyntax. */
export function declarationsIn(source: string): SourceDeclarations {
  const parser = new DeclarationParser(tokensOf(source))
  parser.readFile()
  return parser
}

const TOKENS =
  /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[A-Za-z_$][\w$]*|0[xX][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]+)?(?:[eE]-?\d+)?|=>|\*\*|<<|>>|\S/g

/** The tokens of a source without its comments. */
export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let comment = ''
  // One character for each byte, so that offsets are those of bytes.
  for (const { 0: text, index } of Buffer.from(source).toString('latin1').matchAll(TOKENS)) {
    if (text.startsWith('//') || text.startsWith('/*')) comment += `${text}\n`
    else {
      tokens.push({ text, at: index, comment })
      comment = ''
    }
  }
  return tokens
}

const CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])
const WORD = /^[A-Za-z_$][\w$]*$/
const ELEMENTARY = /^(?:address|bool|string|bytes\d*|byte|u?int\d*|u?fixed[\dx]*)$/
const FULL_NAMES = new Map([
  ['uint', 'uint256'],
  ['int', 'int256'],
  ['byte', 'bytes1'],
])
const FUNCTION_WORDS = new Set(['internal', 'external', 'pure', 'view', 'payable', 'constant'])
const ATTRIBUTES = new Set(['public', 'private', 'internal', 'constant', 'immutable', 'transient', 'override'])
/** Definitions with a body, if a bracket follows. */
const CALLABLE = new Set(['constructor', 'fallback', 'receive'])
/** Up to the semicolon. */
const STATEMENTS = new Set(['using', 'pragma', 'event', 'error'])
/** Most types within types. */
const DEEPEST = 64

/** Reads types and variables from tokens. */
export class DeclarationParser implements SourceDeclarations {
  readonly contracts = new Map<string, ContractDeclaration>()
  readonly types = new Map<string, TypeDeclaration>()
  readonly variables: VariableDeclaration[] = []
  readonly imports: ImportDeclaration[] = []
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  readFile(): void {
    while (this.#at < this.#tokens.length) {
      const { text } = this.#peek()
      if (text === 'import') this.imports.push(this.#import())
      else if (text === 'abstract' || text === ';') this.#at++
      else if (text === 'contract' || text === 'library' || text === 'interface') {
        const contract = this.#contract(text)
        this.contracts.set(contract.name, contract)
      } else this.#member(this.types, this.variables)
    }
  }

  #contract(kind: ContractDeclaration['kind']): ContractDeclaration {
    this.#at++
    const name = this.#word()
    const bases: (readonly string[])[] = []
    let layoutAt: readonly Token[] = []
    while (!this.#takes('{')) {
      if (this.#takes('layout')) {
        this.#expect('at')
        layoutAt = this.#until(new Set(['{', 'is']))
      } else {
        this.#at++
        bases.push(this.#path())
        if (this.#peek().text === '(') this.#skipBrackets()
      }
    }
    const types = new Map<string, TypeDeclaration>()
    const variables: VariableDeclaration[] = []
    while (!this.#takes('}')) this.#member(types, variables)
    return { kind, name, bases, layoutAt, types, variables }
  }

  #member(types: Map<string, TypeDeclaration>, variables: VariableDeclaration[]): void {
    const { text } = this.#peek()
    const next = this.#peek(1).text
    const add = (type: TypeDeclaration) => types.set(type.name, type)
    if (text === ';') this.#at++
    else if (text === 'struct') add(this.#struct())
    else if (text === 'enum') add(this.#enum())
    else if (text === 'type' && this.#peek(2).text === 'is') add(this.#valueType())
    else if (STATEMENTS.has(text) && (text !== 'error' || this.#peek(2).text === '(')) this.#skipDefinition(true)
    else if (text === 'modifier' || (text === 'function' && next !== '(') || (CALLABLE.has(text) && next === '('))
      this.#skipDefinition(false)
    else this.#variable(variables)
  }

  /** Up to the end of its body, or the semicolon. */
  #skipDefinition(isStatement: boolean): void {
    for (;;) {
      const { text } = this.#peek()
      if (CLOSING.has(text)) {
        this.#skipBrackets()
        if (text === '{' && !isStatement) return
      } else {
        this.#at++
        if (text === ';') return
      }
    }
  }

  #struct(): StructDeclaration {
    const [, namespace] = /@custom:storage-location\s+erc7201:([^\s*]+)/.exec(this.#take().comment) ?? []
    const name = this.#word()
    const members: { name: string; type: TypeName }[] = []
    this.#expect('{')
    while (!this.#takes('}')) {
      const type = this.typeName()
      members.push({ name: this.#word(), type })
      this.#expect(';')
    }
    return { kind: 'struct', name, members, namespace }
  }

  #enum(): EnumDeclaration {
    this.#at++
    const name = this.#word()
    const names: string[] = []
    this.#expect('{')
    while (!this.#takes('}')) {
      names.push(this.#word())
      this.#takes(',')
    }
    return { kind: 'enum', name, names }
  }

  #valueType(): ValueTypeDeclaration {
    this.#at++
    const name = this.#word()
    this.#expect('is')
    const of = this.typeName()
    this.#expect(';')
    return { kind: 'value', name, of }
  }

  #variable(variables: VariableDeclaration[]): void {
    const isFunction = this.#peek().text === 'function'
    const type = this.typeName()
    const attributes = new Set<string>()
    // A variable may have the name of an attribute of later versions.
    for (let next = this.#peek(1).text; ATTRIBUTES.has(this.#peek().text) && !/^[;=]$/.test(next); ) {
      attributes.add(this.#take().text)
      if (this.#peek().text === '(') this.#skipBrackets()
      next = this.#peek(1).text
    }
    // A fallback function of old versions: `function() public payable { }`.
    if (isFunction && !/^[;=]$/.test(this.#peek(1).text)) {
      this.#skipDefinition(false)
      return
    }
    const name = this.#word()
    const value = this.#takes('=') ? this.#until(new Set([';'])) : []
    this.#expect(';')
    variables.push({ name, type, attributes, value })
  }

  /** A type, of a variable or parameter. Throws UnknownSyntax if there is none. */
  typeName(depth = 0): TypeName {
    if (depth > DEEPEST) throw new UnknownSyntax('types within types')
    let type = this.#plainType(depth)
    for (let count = 0; this.#peek().text === '['; count++) {
      if (count > DEEPEST) throw new UnknownSyntax('types within types')
      const start = this.#at + 1
      this.#skipBrackets()
      const length = this.#tokens.slice(start, this.#at - 1)
      type = { kind: 'array', of: type, ...(length.length > 0 && { length }) }
    }
    return type
  }

  #plainType(depth: number): TypeName {
    if (this.#takes('mapping')) {
      this.#expect('(')
      const key = this.typeName(depth + 1)
      if (!this.#takes('=>')) {
        this.#word()
        this.#expect('=>')
      }
      const value = this.typeName(depth + 1)
      if (!this.#takes(')')) {
        this.#word()
        this.#expect(')')
      }
      return { kind: 'mapping', key, value }
    }
    if (this.#takes('function')) return this.#functionType()
    const { text } = this.#peek()
    if (!ELEMENTARY.test(text)) return { kind: 'named', path: this.#path() }
    this.#at++
    if (text === 'address' && this.#takes('payable')) return { kind: 'elementary', name: 'address payable' }
    return { kind: 'elementary', name: FULL_NAMES.get(text) ?? text }
  }

  #functionType(): TypeName {
    this.#skipBrackets()
    let isExternal = false
    for (;;) {
      const { text } = this.#peek()
      if (text === 'returns') {
        this.#at++
        this.#skipBrackets()
      } else if (FUNCTION_WORDS.has(text) && !/^[;=]$/.test(this.#peek(1).text)) {
        isExternal ||= text === 'external'
        this.#at++
      } else return { kind: 'function', isExternal }
    }
  }

  #import(): ImportDeclaration {
    this.#at++
    const names = new Map<string, string>()
    let alias: string | undefined
    let path = ''
    while (!this.#takes(';')) {
      const { text } = this.#take()
      if (/^["']/.test(text)) path = Buffer.from(text.slice(1, -1), 'latin1').toString('utf8')
      else if (text === 'as') alias = this.#word()
      else if (text === '{') {
        while (!this.#takes('}')) {
          const name = this.#word()
          names.set(this.#takes('as') ? this.#word() : name, name)
          this.#takes(',')
        }
      }
    }
    return { path, ...(alias !== undefined && { alias }), ...(names.size > 0 && { names }) }
  }

  #path(): readonly string[] {
    const path = [this.#word()]
    while (this.#takes('.')) path.push(this.#word())
    return path
  }

  /** The tokens before one of these, outside of brackets. */
  #until(ends: ReadonlySet<string>): readonly Token[] {
    const start = this.#at
    while (!ends.has(this.#peek().text)) {
      if (CLOSING.has(this.#peek().text)) this.#skipBrackets()
      else this.#at++
    }
    return this.#tokens.slice(start, this.#at)
  }

  /** From an opening bracket to behind the one that closes it. */
  #skipBrackets(): void {
    const open = this.#peek().text
    const close = CLOSING.get(open)
    if (close === undefined) throw this.#unknown()
    let depth = 0
    do {
      const { text } = this.#take()
      if (text === open) depth++
      else if (text === close) depth--
    } while (depth > 0)
  }

  #word(): string {
    if (!WORD.test(this.#peek().text)) throw this.#unknown()
    return this.#take().text
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw this.#unknown()
  }

  #takes(text: string): boolean {
    if (this.#peek().text !== text) return false
    this.#at++
    return true
  }

  #take(): Token {
    const token = this.#peek()
    this.#at++
    return token
  }

  #peek(ahead = 0): Token {
    const token = this.#tokens[this.#at + ahead]
    if (token !== undefined) return token
    if (ahead > 0) return { text: '', at: -1, comment: '' }
    throw new UnknownSyntax('the source ends too early')
  }

  #unknown(): UnknownSyntax {
    const { text, at } = this.#peek()
    return new UnknownSyntax(`${text.slice(0, 32)} at ${at}`)
  }
}
