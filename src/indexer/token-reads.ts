// Tokens asked on the state after a block. What a block's index may ask is bounded by numbers that follow from the block
// alone, so that it asks the same wherever and whenever it is made. No answer is an answer: tokens may say anything.
import { type Address, bigToFixed, bytesToBig, fromHex } from '../lib/hex.ts'
import type { ReadContract } from '../runtime/read-contract.ts'
import { textIn } from './token-names.ts'

const MOST_READS = 5_000
const MOST_GAS = 150_000_000n
/** What every block may use, however small it is. */
const LEAST_GAS = 10_000_000n
/** For each unit of gas that it used itself: enough if every log of it were a new item with metadata. */
const GAS_PER_GAS = 3n
const READ_GAS = 200_000n
/** EIP-165: `supportsInterface` uses less than 30,000. */
const INTERFACE_GAS = 30_000n
/** Bytes of an answer; longer ones are none. */
const LONGEST_ANSWER = 4_096
const LONGEST_NAME = 256

/** First four bytes of calls. */
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
  tokenUri: '0xc87b56dd',
  uri: '0x0e89341c',
} as const
type Question = keyof typeof SELECTOR

const SELECTORS = Object.fromEntries(Object.entries(SELECTOR).map(([name, hex]) => [name, fromHex(hex)])) as Readonly<
  Record<Question, Uint8Array>
>
const ADDRESS_PADDING = new Uint8Array(12)
const INTERFACE_PADDING = new Uint8Array(28)
/** EIP-165: what nobody may claim to support. */
const NO_INTERFACE = '0xffffffff'

export class TokenReads {
  readonly #read: ReadContract
  #reads = MOST_READS
  #gas: bigint

  /** `gasUsed`: what the block used. Genesis used none, and everything in it is new. */
  constructor(read: ReadContract, { number, gasUsed }: { readonly number: bigint; readonly gasUsed: bigint }) {
    const allowed = LEAST_GAS + GAS_PER_GAS * gasUsed
    this.#read = read
    this.#gas = number === 0n || allowed > MOST_GAS ? MOST_GAS : allowed
  }

  /** Nothing more will be answered. */
  get isSpent(): boolean {
    return this.#reads === 0 || this.#gas === 0n
  }

  name(token: Address): Promise<string | undefined> {
    return this.#text(token, 'name', LONGEST_NAME)
  }

  symbol(token: Address): Promise<string | undefined> {
    return this.#text(token, 'symbol', LONGEST_NAME)
  }

  async decimals(token: Address): Promise<number | undefined> {
    const decimals = await this.#word(token, 'decimals')
    return decimals === undefined || decimals > 255n ? undefined : Number(decimals)
  }

  totalSupply(token: Address): Promise<bigint | undefined> {
    return this.#word(token, 'totalSupply')
  }

  balanceOf(token: Address, holder: Address): Promise<bigint | undefined> {
    return this.#word(token, 'balanceOf', ADDRESS_PADDING, fromHex(holder))
  }

  balanceOfId(token: Address, holder: Address, id: bigint): Promise<bigint | undefined> {
    return this.#word(token, 'balanceOfId', ADDRESS_PADDING, fromHex(holder), bigToFixed(id, 32))
  }

  /** Where an item's metadata is: `tokenURI` of ERC-721, `uri` of ERC-1155. */
  uri(token: Address, question: 'tokenUri' | 'uri', id: bigint): Promise<string | undefined> {
    return this.#text(token, question, LONGEST_ANSWER, bigToFixed(id, 32))
  }

  /** EIP-165; a contract that claims everything supports nothing. */
  async supports(contract: Address, interfaceId: string): Promise<boolean> {
    return (await this.#claims(contract, interfaceId)) && !(await this.#claims(contract, NO_INTERFACE))
  }

  async #claims(contract: Address, interfaceId: string): Promise<boolean> {
    const parts = [fromHex(interfaceId), INTERFACE_PADDING]
    const answer = await this.#ask(contract, 'supportsInterface', parts, INTERFACE_GAS)
    return answer !== undefined && answer.length >= 32 && bytesToBig(answer.subarray(0, 32)) === 1n
  }

  async #word(token: Address, question: Question, ...parts: readonly Uint8Array[]): Promise<bigint | undefined> {
    const answer = await this.#ask(token, question, parts, READ_GAS)
    return answer === undefined || answer.length < 32 ? undefined : bytesToBig(answer.subarray(0, 32))
  }

  async #text(token: Address, question: Question, limit: number, ...parts: readonly Uint8Array[]) {
    const answer = await this.#ask(token, question, parts, READ_GAS)
    return answer && textIn(answer, limit)
  }

  async #ask(
    to: Address,
    question: Question,
    parts: readonly Uint8Array[],
    gas: bigint,
  ): Promise<Uint8Array | undefined> {
    if (this.isSpent) return undefined
    const limit = gas < this.#gas ? gas : this.#gas
    const { output, gasUsed } = await this.#read(to, Buffer.concat([SELECTORS[question], ...parts]), limit)
    this.#reads--
    this.#gas -= gasUsed < this.#gas ? gasUsed : this.#gas
    return output !== undefined && output.length <= LONGEST_ANSWER ? output : undefined
  }
}
