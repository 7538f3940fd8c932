// The variables that a function's source declares, in the order in which the compiler gives them slots on the stack, with the part
// of the source in which each has its value. Works on tokens and reads only what declares something, in one pass.
import { DeclarationParser, type Token, type TypeName, UnknownSyntax } from '../solidity-declarations.ts'
import type { Definition } from '../solidity-functions.ts'

export type DeclaredVariable = {
  /** Empty: unnamed. */
  readonly name: string
  readonly type: TypeName
  /** As it is written: `Order memory`. */
  readonly text: string
  readonly location: 'memory' | 'storage' | 'calldata' | undefined
}

/** A variable in a body. Offsets are bytes of the source. */
type LocalVariable = DeclaredVariable & {
  /** The end of its declaration, from where on it has its value. */
  readonly from: number
  /** The end of its scope. */
  readonly until: number
}

export type FunctionVariables = {
  readonly parameters: readonly DeclaredVariable[]
  readonly returns: readonly DeclaredVariable[]
  /** In order of declaration. */
  readonly locals: readonly LocalVariable[]
}

const NOTHING: FunctionVariables = { parameters: [], returns: [], locals: [] }

/** `tokens`: of the source. Throws UnknownSyntax. */
export function variablesIn(tokens: readonly Token[], { start, kind }: Definition): FunctionVariables {
  const first = indexAt(tokens, start)
  if (kind === 'getter' || first < 0) return NOTHING
  return new FunctionReader(tokens, first).read()
}

function indexAt(tokens: readonly Token[], offset: number): number {
  let [low, high] = [0, tokens.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((tokens[middle]?.at ?? 0) < offset) low = middle + 1
    else high = middle
  }
  return tokens[low]?.at === offset ? low : -1
}

const CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
])
const WORD = /^[A-Za-z_$][\w$]*$/
const LOCATIONS = new Set(['memory', 'storage', 'calldata'])
/** Words before an expression that could be taken for a type, and what is no name behind one. */
const STATEMENTS = new Set(['return', 'delete', 'emit', 'throw', 'new', 'break', 'continue', 'revert'])
const NO_NAMES = new Set([...LOCATIONS, 'payable', 'external', 'internal', 'pure', 'view'])
/** Most statements within statements. */
const DEEPEST = 64

class FunctionReader {
  readonly #tokens: readonly Token[]
  #at: number
  readonly #locals: LocalVariable[] = []

  constructor(tokens: readonly Token[], first: number) {
    this.#tokens = tokens
    this.#at = first + 1
  }

  read(): FunctionVariables {
    if (this.#text !== '(' && this.#text !== '{') this.#at++
    const parameters = this.#text === '(' ? this.#list() : []
    let returns: DeclaredVariable[] = []
    while (this.#text !== '{' && this.#text !== ';') {
      if (this.#takes('returns')) returns = this.#list()
      else if (CLOSING.has(this.#text)) this.#skipBrackets()
      else this.#at++
    }
    if (this.#text === '{') this.#block(0)
    return { parameters, returns, locals: this.#locals }
  }

  /** A list of parameters in brackets. */
  #list(): DeclaredVariable[] {
    const inner = this.#inBrackets()
    return inner.length === 0 ? [] : splitAtCommas(inner).map((part) => this.#declared(part))
  }

  #declared(part: readonly Token[]): DeclaredVariable {
    const found = declaration(part)
    if (found === undefined) throw new UnknownSyntax(`a parameter at ${part[0]?.at}`)
    return found
  }

  /** `{ … }`; the names declared in it end with it. */
  #block(depth: number): void {
    const first = this.#locals.length
    this.#at++
    while (this.#text !== '}') this.#statement(depth + 1)
    this.#endScope(first)
    this.#at++
  }

  /** What was declared since then is gone behind the present token. */
  #endScope(first: number): void {
    const until = this.#tokens[this.#at]?.at ?? 0
    for (const [i, local] of this.#locals.entries())
      if (i >= first && local.until === OPEN) this.#locals[i] = { ...local, until }
  }

  #statement(depth: number): void {
    if (depth > DEEPEST) throw new UnknownSyntax('statements within statements')
    const text = this.#text
    if (text === '{') this.#block(depth)
    else if (this.#takes('unchecked')) this.#block(depth)
    else if (text === 'assembly') this.#skipAssembly()
    else if (this.#takes('if')) {
      this.#skipBrackets()
      this.#statement(depth + 1)
      if (this.#takes('else')) this.#statement(depth + 1)
    } else if (this.#takes('while')) {
      this.#skipBrackets()
      this.#statement(depth + 1)
    } else if (this.#takes('do')) {
      this.#statement(depth + 1)
      this.#simple()
    } else if (this.#takes('for')) this.#for(depth)
    else if (this.#takes('try')) this.#try(depth)
    else this.#simple()
  }

  #for(depth: number): void {
    const first = this.#locals.length
    const inner = this.#inBrackets()
    const end = inner.findIndex(({ text }) => text === ';')
    this.#declare(inner.slice(0, Math.max(end, 0)), inner[end]?.at ?? 0)
    this.#statement(depth + 1)
    // Up to what follows it.
    this.#endScope(first)
  }

  #try(depth: number): void {
    for (;;) {
      // The call, then its results or the error, then what is done with them.
      const first = this.#locals.length
      // The options of a call are in curly brackets, too.
      while (this.#text !== '{' || (WORD.test(this.#before) && this.#before !== 'catch')) {
        if (this.#takes('returns') || this.#isCatchList()) this.#clause()
        else if (CLOSING.has(this.#text)) this.#skipBrackets()
        else this.#at++
      }
      this.#block(depth + 1)
      this.#at--
      this.#endScope(first)
      this.#at++
      if (!this.#takes('catch')) return
    }
  }

  /** `catch Error(string memory reason)`, `catch (bytes memory data)` */
  #isCatchList(): boolean {
    return this.#text === '(' && (this.#before === 'catch' || this.#tokens[this.#at - 2]?.text === 'catch')
  }

  #clause(): void {
    for (const variable of this.#list()) {
      const from = this.#tokens[this.#at]?.at ?? 0
      this.#locals.push({ ...variable, from, until: OPEN })
    }
  }

  /** A statement up to its semicolon, which may declare variables. */
  #simple(): void {
    const start = this.#at
    while (this.#text !== ';') {
      // The options of a call are in curly brackets.
      if (CLOSING.has(this.#text)) this.#skipBrackets()
      else this.#at++
    }
    this.#declare(this.#tokens.slice(start, this.#at), this.#tokens[this.#at]?.at ?? 0)
    this.#at++
  }

  #declare(statement: readonly Token[], from: number): void {
    const [first] = statement
    if (first === undefined || STATEMENTS.has(first.text)) return
    const end = equalsSign(statement)
    const left = statement.slice(0, end < 0 ? undefined : end)
    const isTuple = first.text === '(' && end > 0 && left.at(-1)?.text === ')'
    const parts = isTuple ? splitAtCommas(left.slice(1, -1)) : [left]
    for (const part of parts) {
      const found = declaration(part)
      if (found !== undefined && found.name !== '') this.#locals.push({ ...found, from, until: OPEN })
    }
  }

  /** `assembly ("memory-safe") { … }` */
  #skipAssembly(): void {
    while (this.#text !== '{') {
      if (this.#text === '(') this.#skipBrackets()
      else this.#at++
    }
    this.#skipBrackets()
  }

  #inBrackets(): readonly Token[] {
    const start = this.#at + 1
    this.#skipBrackets()
    return this.#tokens.slice(start, this.#at - 1)
  }

  #skipBrackets(): void {
    const open = this.#text
    const close = CLOSING.get(open)
    if (close === undefined) throw new UnknownSyntax(`${open.slice(0, 32)} in place of a bracket`)
    let depth = 0
    do {
      if (this.#text === open) depth++
      else if (this.#text === close) depth--
      this.#at++
    } while (depth > 0)
  }

  #takes(text: string): boolean {
    if (this.#text !== text) return false
    this.#at++
    return true
  }

  get #before(): string {
    return this.#tokens[this.#at - 1]?.text ?? ''
  }

  get #text(): string {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new UnknownSyntax('the source ends too early')
    return token.text
  }
}

/** A scope whose end was not read yet. */
const OPEN = Number.MAX_SAFE_INTEGER

/** The index of `=` outside of brackets, which is no part of another sign; negative: there is none. */
function equalsSign(tokens: readonly Token[]): number {
  let depth = 0
  return tokens.findIndex(({ text, at }, i) => {
    if (CLOSING.has(text)) depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    const next = tokens[i + 1]
    const before = tokens[i - 1]
    const isPart =
      (next?.text === '=' && next.at === at + 1) || (before?.at === at - 1 && /[-+*/%|&^!<>=]/.test(before.text))
    return depth === 0 && text === '=' && !isPart
  })
}

function splitAtCommas(tokens: readonly Token[]): (readonly Token[])[] {
  const parts: Token[][] = [[]]
  let depth = 0
  for (const token of tokens) {
    if (CLOSING.has(token.text)) depth++
    else if (token.text === ')' || token.text === ']' || token.text === '}') depth--
    if (depth === 0 && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

/** `uint256 amount`, `Order memory`; undefined: something else. */
function declaration(part: readonly Token[]): DeclaredVariable | undefined {
  const last = part.at(-1)
  const before = part.at(-2)
  if (last === undefined || !WORD.test(part[0]?.text ?? '')) return undefined
  const hasName = part.length > 1 && WORD.test(last.text) && !NO_NAMES.has(last.text) && before?.text !== '.'
  const typed = hasName ? part.slice(0, -1) : part
  const location = typed.findLast(({ text }) => LOCATIONS.has(text))
  const type = typed.filter((token) => token !== location)
  if (!isType(type)) return undefined
  const end: Token = { text: ';', at: -1, comment: '' }
  return {
    name: hasName ? last.text : '',
    type: new DeclarationParser([...type, end]).typeName(),
    text: textOf(typed),
    location: location?.text as DeclaredVariable['location'],
  }
}

/** Whether tokens may be a type: words with dots between them, and brackets. */
function isType(tokens: readonly Token[]): boolean {
  let depth = 0
  return tokens.every(({ text }, i) => {
    const wasOutside = depth === 0
    if (CLOSING.has(text)) depth++
    else if (text === ')' || text === ']' || text === '}') depth--
    if (!wasOutside) return true
    if (text === '(')
      return (
        tokens[i - 1]?.text === 'mapping' || tokens[i - 1]?.text === 'function' || tokens[i - 1]?.text === 'returns'
      )
    return text === '.' || text === '[' || WORD.test(text)
  })
}

/** Words with spaces between them. */
const textOf = (tokens: readonly Token[]): string =>
  tokens.reduce((text, { text: next }, i) => {
    const isApart = i > 0 && /[\w$)\]]$/.test(text) && /^[A-Za-z_$]/.test(next)
    return text + (isApart ? ' ' : '') + next
  }, '')
