// The records of the accounts that a block touches, read once and written once. An address is listed with its first record.
import type { Address } from '../lib/hex.ts'
import { type Overlay, type OverlayRow, writeRow } from '../tables/overlay.ts'
import { type AccountRecord, NEW_ACCOUNT, RECORD } from './records.ts'
import { firstSeenEntry, LIST } from './tables.ts'

/** Lists an address that appears for the first time, and writes its first record. */
export function registerAddress(overlay: Overlay, address: Address, number: number): void {
  accountRow(overlay, address, number)
}

/** The row of an account's record; it is created when the address is new. */
function accountRow(overlay: Overlay, address: Address, number: number): OverlayRow {
  const row = overlay.row(RECORD.account.key(address))
  if (row.now === undefined) {
    writeRow(row, NEW_ACCOUNT_ROW)
    overlay.append(LIST.addresses, firstSeenEntry.encode({ number, address }))
  }
  return row
}
const NEW_ACCOUNT_ROW = RECORD.account.encode(NEW_ACCOUNT)

type Changing = { -readonly [N in keyof AccountRecord]: AccountRecord[N] }

/** The account records of a version while it is indexed: each is read once and written once, however often it changes. */
export class AccountRecords {
  /** Number of the block that the version belongs to. */
  readonly number: number
  readonly #overlay: Overlay
  readonly #facts = new Map<Address, { readonly row: OverlayRow; readonly fact: Changing }>()

  constructor(overlay: Overlay, number: number) {
    this.#overlay = overlay
    this.number = number
  }

  /** An address's record, to be changed in place; the address is listed if it is new. */
  of(address: Address): Changing {
    const known = this.#facts.get(address)
    if (known !== undefined) return known.fact
    const row = accountRow(this.#overlay, address, this.number)
    const fact: Changing = RECORD.account.decode(row.now ?? NEW_ACCOUNT_ROW)
    this.#facts.set(address, { row, fact })
    return fact
  }

  /** Writes all records that `of` returned. */
  write(): void {
    for (const { row, fact } of this.#facts.values()) writeRow(row, RECORD.account.encode(fact))
  }
}
