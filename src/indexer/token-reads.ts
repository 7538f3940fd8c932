// Calls of token contracts on the state after a block. Their gas is bounded by a budget that follows from the block alone, so
// that every node and every reindex makes the same calls. A call without an answer is a valid outcome.

import { type Address, bigToWord, bytesToBig, fromHex } from '../lib/hex.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import { decodeText } from './token-names.ts'

const MOST_READS = 5_000
const MOST_GAS = 150_000_000n
/** Gas budget of every block, however small. */
const LEAST_GAS = 10_000_000n
/** Additional budget for each unit of gas that the block used: enough if every log were a new token. */
const GAS_PER_GAS = 3n
const READ_GAS = 200_000n
/** EIP-165: `supportsInterface` uses less than 30,000. */
const INTERFACE_GAS = 30_000n
/** A name is read once; from storage, a kilobyte costs 70,000 gas. */
const NAME_GAS = 1_000_000n
/** Maximum bytes of a result with a number; longer ones are ignored. */
const LONGEST_ANSWER = 4_096
/** Maximum characters of a name or symbol; the rest is cut off. */
const LONGEST_NAME = 256

/** Function selectors. */
export const SELECTOR = {
  name: '0x06fdde03',
  symbol: '0x95d89b41',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
  /** `balanceOf(address)` */
  balanceOf: '0x70a08231',
  /** `balanceOf(address,uint256)` */
  balanceOfId: '0x00fdd58e',
  supportsInterface: '0x01ffc9a7',
} as const
type Question = keyof typeof SELECTOR

/** ABI arguments as hex digits: words of 32 bytes. */
const ADDRESS_PADDING = '00'.repeat(12)
const INTERFACE_PADDING = '00'.repeat(28)
const wordOf = (value: bigint): string => bigToWord(value).slice(2)
/** EIP-165: the interface id that no contract may claim to support. */
const NO_INTERFACE = '0xffffffff'

export class TokenReads {
  readonly #read: ReadContract
  #reads = MOST_READS
  #gas: bigint

  /** `gasUsed`: gas of the block. A chain's initial state (`isBeginning`) gets the maximum budget. */
  constructor(read: ReadContract, { gasUsed }: { readonly gasUsed: bigint }, isBeginning = false) {
    const allowed = LEAST_GAS + GAS_PER_GAS * gasUsed
    this.#read = read
    this.#gas = isBeginning || allowed > MOST_GAS ? MOST_GAS : allowed
  }

  /** Whether the budget is used up. */
  get isSpent(): boolean {
    return this.#reads === 0 || this.#gas === 0n
  }

  name(token: Address): MaybePromise<string | undefined> {
    return this.#text(token, 'name')
  }

  symbol(token: Address): MaybePromise<string | undefined> {
    return this.#text(token, 'symbol')
  }

  async decimals(token: Address): Promise<number | undefined> {
    const decimals = await this.#word(token, 'decimals')
    return decimals === undefined || decimals > 255n ? undefined : Number(decimals)
  }

  totalSupply(token: Address): MaybePromise<bigint | undefined> {
    return this.#word(token, 'totalSupply')
  }

  balanceOf(token: Address, holder: Address): MaybePromise<bigint | undefined> {
    return this.#word(token, 'balanceOf', `${ADDRESS_PADDING}${holder.slice(2)}`)
  }

  balanceOfId(token: Address, holder: Address, id: bigint): MaybePromise<bigint | undefined> {
    return this.#word(token, 'balanceOfId', `${ADDRESS_PADDING}${holder.slice(2)}${wordOf(id)}`)
  }

  /** EIP-165; a contract that claims every interface supports none. */
  async supports(contract: Address, interfaceId: string): Promise<boolean> {
    return (await this.#claims(contract, interfaceId)) && !(await this.#claims(contract, NO_INTERFACE))
  }

  async #claims(contract: Address, interfaceId: string): Promise<boolean> {
    const id = `${interfaceId.slice(2)}${INTERFACE_PADDING}`
    const answer = await this.#ask(contract, 'supportsInterface', id, INTERFACE_GAS)
    return answer !== undefined && answer.length >= 32 && bytesToBig(answer.subarray(0, 32)) === 1n
  }

  #word(token: Address, question: Question, args = ''): MaybePromise<bigint | undefined> {
    return andThen(this.#ask(token, question, args, READ_GAS), (answer) =>
      answer === undefined || answer.length < 32 || answer.length > LONGEST_ANSWER
        ? undefined
        : bytesToBig(answer.length === 32 ? answer : answer.subarray(0, 32)),
    )
  }

  #text(token: Address, question: Question): MaybePromise<string | undefined> {
    return andThen(this.#ask(token, question, '', NAME_GAS), (answer) => answer && decodeText(answer, LONGEST_NAME))
  }

  #ask(to: Address, question: Question, args: string, gas: bigint): MaybePromise<Uint8Array | undefined> {
    if (this.isSpent) return undefined
    const limit = gas < this.#gas ? gas : this.#gas
    return andThen(this.#read(to, fromHex(`${SELECTOR[question]}${args}`), limit), ({ output, gasUsed }) => {
      this.#reads--
      this.#gas -= gasUsed < this.#gas ? gasUsed : this.#gas
      return output
    })
  }
}
