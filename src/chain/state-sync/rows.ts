// Reads the rows of the chunks into the first state version. Only the canonical sequence of rows is accepted: ascending,
// each code once, with the first account that has it.
import { ChainError } from '../../lib/errors.ts'
import type { Address, Hash } from '../../lib/hex.ts'
import { yieldToEventLoop } from '../../lib/scheduler.ts'
import { Malformed } from '../../primitives/rlp.ts'
import { accountOf, EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { RestoredState } from '../../state/restored-state.ts'
import type { KvStore } from '../../state/types.ts'
import { type AccountRow, decodeRows, type KnownRow, type SlotRow } from './format.ts'

export class RowReader {
  readonly #state: RestoredState
  readonly #codes = new Set<Hash>([EMPTY_CODE_HASH])
  #address: Address | undefined
  #slot: Hash | undefined
  /** Whether the last address has an account. */
  #hasAccount = false

  constructor(store: Pick<KvStore, 'write'>) {
    this.#state = new RestoredState(store)
  }

  /** Adds the rows of the next chunk. Throws ChainError `invalid-block`. */
  async take(chunk: Uint8Array): Promise<void> {
    const pause = yieldToEventLoop('light')
    try {
      for (const row of decodeRows(chunk)) {
        if ('slot' in row) await this.#takeSlot(row)
        else if ('known' in row) await this.#takeKnown(row)
        else await this.#takeAccount(row)
        await pause()
      }
    } catch (error) {
      if (error instanceof Malformed) throw new ChainError('invalid-block', error.message)
      throw error
    }
  }

  /** Writes the remaining rows. Returns the state root. */
  finish(): Promise<Hash> {
    return this.#state.finish()
  }

  async #takeAccount({ address, account: { nonce, balance }, codeHash: named, code }: AccountRow): Promise<void> {
    this.#advance(address)
    const codeHash = code === undefined ? named : this.#state.code(code)
    if (this.#codes.has(codeHash) === (code !== undefined))
      throw new Malformed(`code ${codeHash} does not come with the first account that has it`)
    this.#codes.add(codeHash)
    this.#hasAccount = true
    await this.#state.account(address, accountOf(nonce, balance, codeHash))
  }

  async #takeKnown({ known }: KnownRow): Promise<void> {
    this.#advance(known)
    this.#hasAccount = false
    await this.#state.known(known)
  }

  #advance(address: Address): void {
    if (this.#address !== undefined && address <= this.#address)
      throw new Malformed(`address ${address} is not in its place`)
    this.#address = address
    this.#slot = undefined
  }

  async #takeSlot({ slot, word }: SlotRow): Promise<void> {
    if (!this.#hasAccount) throw new Malformed('a slot without an account')
    if (this.#slot !== undefined && slot <= this.#slot)
      throw new Malformed(`slot ${slot} of ${this.#address} is not in its place`)
    this.#slot = slot
    await this.#state.slot(slot, word)
  }
}
