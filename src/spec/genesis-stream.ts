// Reads a genesis file of any size: its text is parsed as it arrives, and `alloc` account by account. A small allocation is
// kept in memory; a larger one is read from the file each time it is needed.
import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'
import type { Address } from '../lib/hex.ts'
import type { GenesisAccount, GenesisAllocation, GenesisEntry, GenesisSpec } from './chain-spec.ts'
import { noAllocation, notJson, parseAccount, parseSpec, repeatedAddress } from './genesis-file.ts'

/**
 * Maximum accounts of an allocation that is kept in memory: far more than a genesis file written by hand has, and below 10 MB.
 */
const KEPT = 10_000

/** Opens the file from its beginning; may be called repeatedly. */
export type OpenFile = () => AsyncIterable<Uint8Array>

/**
 * A genesis from its file, completely checked, except that a large allocation has no duplicate address: its writer checks that.
 * Throws ChainError `invalid-genesis` as `parseGenesisText`, and the error of the file.
 */
export async function streamGenesis(open: OpenFile, kept = KEPT): Promise<GenesisSpec<GenesisAllocation>> {
  const file: Record<string, unknown> = {}
  const accounts = new Map<Address, GenesisAccount>()
  let bad: unknown
  const take = ({ key, value, isAccount }: Member): void => {
    if (!isAccount) file[key] = value
    else if (bad === undefined) {
      try {
        const [address, account] = parseAccount(key, value)
        if (accounts.has(address)) throw repeatedAddress(key)
        if (accounts.size <= kept) accounts.set(address, account)
      } catch (error) {
        // Errors of the other fields are reported first, as for a file that is read at once.
        bad = error
      }
    }
  }
  for await (const part of membersOf(open)) for (const member of part) take(member)
  const spec = parseSpec(file)
  const { alloc } = file
  if (typeof alloc !== 'object' || alloc === null || Array.isArray(alloc)) throw noAllocation()
  if (bad !== undefined) throw bad
  return { ...spec, genesis: { ...spec.genesis, alloc: accounts.size <= kept ? accounts : streamed(open) } }
}

const streamed = (open: OpenFile): GenesisAllocation => ({
  async *[Symbol.asyncIterator](): AsyncGenerator<GenesisEntry> {
    for await (const part of membersOf(open))
      for (const { key, value, isAccount } of part) if (isAccount) yield parseAccount(key, value)
  },
})

/** A member of the file, with `alloc` as an empty object, or a member of its `alloc`. */
type Member = { readonly key: string; readonly value: unknown; readonly isAccount: boolean }

/** The members of the file in parts. */
async function* membersOf(open: OpenFile): AsyncGenerator<readonly Member[]> {
  let found: Member[] = []
  const parser = new TokenParser({ paths: ['$.*', '$.alloc.*'], keepStack: false })
  parser.onValue = ({ key, value, stack }) => found.push({ key: String(key), value, isAccount: stack.length === 2 })
  const tokenizer = new ExactNumbers(parser)
  try {
    for await (const bytes of open()) {
      tokenizer.write(bytes)
      yield found
      found = []
    }
    tokenizer.end()
    if (!parser.isEnded) throw new SyntaxError('Unexpected end of JSON input')
  } catch (error) {
    throw isOfText(error) ? notJson(error) : error
  }
}

/** The parser's errors have no code, errors of the file have one. */
const isOfText = (error: unknown): boolean => error instanceof Error && !('code' in error)

/** Passes numbers of 16 and more digits on as strings, because JavaScript would round them. */
class ExactNumbers extends Tokenizer {
  #digits = ''

  constructor(parser: TokenParser) {
    super()
    this.onToken = (token) => {
      const isLarge = token.token === TokenType.NUMBER && /^\d{16,}$/.test(this.#digits)
      parser.write(isLarge ? { ...token, token: TokenType.STRING, value: this.#digits } : token)
    }
  }

  override parseNumber(digits: string): number {
    this.#digits = digits
    return super.parseNumber(digits)
  }
}
