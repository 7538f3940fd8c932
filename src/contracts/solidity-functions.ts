// Finds the definitions in a Solidity source: which contract, function, modifier or getter a place belongs to. A scanner of
// tokens instead of a parser, since only names and extents are needed: it reads every version from 0.4 on, takes time in
// proportion to the source, and does not fail on what is no Solidity.

/** A definition. Offsets are bytes of UTF-8. */
export type Definition = {
  /** `Vault.take`, `Vault.constructor`, a free function's own name. */
  readonly name: string
  readonly kind: 'function' | 'modifier' | 'constructor' | 'fallback' | 'receive' | 'getter'
  readonly start: number
  /** Where its body begins; its end, if it has none. */
  readonly body: number
  /** Behind its last byte. */
  readonly end: number
}

/** A contract, library or interface. */
export type ContractDefinition = { readonly name: string; readonly start: number; readonly end: number }

export type Definitions = {
  /** In order; none is within another. */
  readonly functions: readonly Definition[]
  readonly contracts: readonly ContractDefinition[]
}

/** Words, punctuation that matters here, and what hides both: comments and strings. Code points beyond ASCII are in the latter only. */
const TOKENS =
  /\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|[A-Za-z_$][\w$]*|[{}()[\];=]/g

const CONTRACTS = new Set(['contract', 'library', 'interface'])
const KINDS = ['function', 'modifier', 'constructor', 'fallback', 'receive'] as const
const kindOf = (word: string): Definition['kind'] | undefined => KINDS.find((kind) => kind === word)

type Token = { readonly text: string; readonly at: number }

/** `bytes`: the source in UTF-8. */
export function definitionsIn(bytes: Buffer): Definitions {
  // One character for each byte, so that offsets are those of bytes.
  const scanner = new Scanner(bytes.toString('latin1'))
  scanner.readFile()
  return scanner
}

class Scanner implements Definitions {
  readonly functions: Definition[] = []
  readonly contracts: ContractDefinition[] = []
  readonly #source: string
  readonly #tokens: RegExp
  #next: Token | undefined

  constructor(source: string) {
    this.#source = source
    this.#tokens = new RegExp(TOKENS)
    this.#advance()
  }

  readFile(): void {
    for (let token = this.#take(); token !== undefined; token = this.#take()) {
      if (CONTRACTS.has(token.text)) this.#readContract(token.at)
      else if (token.text === 'function') this.#readDefinition(token, '')
      else if (token.text === '{') this.#skipTo('}')
    }
  }

  #readContract(start: number): void {
    const name = this.#take()?.text ?? ''
    for (let token = this.#take(); token !== undefined && token.text !== '{'; token = this.#take()) {
      if (token.text === ';') return
      if (token.text === '(') this.#skipTo(')')
    }
    let end = this.#source.length
    for (let token = this.#take(); token !== undefined; token = this.#take()) {
      if (token.text === '}') {
        end = token.at + 1
        break
      }
      this.#readMember(token, name)
    }
    this.contracts.push({ name, start, end })
  }

  #readMember(token: Token, contract: string): void {
    const { text } = token
    // `function` may begin a variable's type, too: `function (uint) external callback;`
    if (kindOf(text) !== undefined && (text === 'function' || this.#next?.text === '(' || text === 'modifier'))
      this.#readDefinition(token, contract)
    else if (text === 'struct' || text === 'enum') {
      while (this.#next !== undefined && this.#next.text !== '{') this.#take()
      this.#take()
      this.#skipTo('}')
    } else if (text !== ';') this.#readVariable(token, contract)
  }

  /** From the keyword to the end of the body, or to the semicolon of one without a body. */
  #readDefinition({ text, at }: Token, contract: string): void {
    const named =
      this.#next?.text !== '(' && (text === 'function' || text === 'modifier') ? (this.#take()?.text ?? '') : ''
    let end = this.#source.length
    let body = end
    for (let token = this.#take(); token !== undefined; token = this.#take()) {
      if (token.text === '(') this.#skipTo(')')
      else if (token.text === ';') {
        body = end = token.at + 1
        break
      } else if (token.text === '{') {
        body = token.at
        end = this.#skipTo('}')
        break
      }
    }
    // Up to 0.4 a constructor has the contract's name, and up to 0.5 the fallback function has none.
    const keyword = kindOf(text) ?? 'function'
    const isFormer = text === 'function' && named !== '' && named === contract
    const kind: Definition['kind'] = isFormer
      ? 'constructor'
      : text === 'function' && named === ''
        ? 'fallback'
        : keyword
    const own = named === '' || isFormer ? kind : named
    this.functions.push({ name: contract === '' ? own : `${contract}.${own}`, kind, start: at, body, end })
  }

  /** A variable, or another statement. Public variables have getters. */
  #readVariable(first: Token, contract: string): void {
    let name = ''
    let isPublic = false
    let hasValue = false
    for (let token: Token | undefined = first; token !== undefined; token = this.#take()) {
      const { text, at } = token
      if (text === ';' || text === '}') {
        if (isPublic)
          this.functions.push({ name: `${contract}.${name}`, kind: 'getter', start: first.at, body: at, end: at })
        return
      }
      if (text === '(') this.#skipTo(')')
      else if (text === '[') this.#skipTo(']')
      else if (text === '{') this.#skipTo('}')
      else if (text === '=') hasValue = true
      else if (text === 'public') isPublic = true
      else if (!hasValue && /^[\w$]/.test(text)) name = text
    }
  }

  /** Reads up to the bracket that closes an opened one; the offset behind it. */
  #skipTo(close: string): number {
    const open = close === '}' ? '{' : close === ')' ? '(' : '['
    let depth = 1
    for (let token = this.#take(); token !== undefined; token = this.#take()) {
      if (token.text === open) depth++
      else if (token.text === close && --depth === 0) return token.at + 1
    }
    return this.#source.length
  }

  #take(): Token | undefined {
    const token = this.#next
    // At the end the expression would begin anew.
    if (token !== undefined) this.#advance()
    return token
  }

  #advance(): void {
    for (;;) {
      const found = this.#tokens.exec(this.#source)
      this.#next = found === null ? undefined : { text: found[0], at: found.index }
      if (found === null) return
      const [first] = found[0]
      if (first !== '"' && first !== "'" && !found[0].startsWith('//') && !found[0].startsWith('/*')) return
    }
  }
}
