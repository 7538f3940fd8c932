// How a transaction's method is called: its name, the bare selector where nobody knows it, nothing where none was called.
import { type Address, type Hex, toHex } from '../../lib/hex.ts'
import { methodName } from '../contracts/abi.ts'
import type { ExplorerContext } from '../define.ts'
import type { Place } from './place.ts'

const SELECTOR_SIZE = 4

/** A mined transaction's method. */
export function methodOf(
  context: ExplorerContext,
  { row, transaction }: Pick<Place, 'row' | 'transaction'>,
): string | null {
  if (transaction.to === null || row.selector.length < SELECTOR_SIZE) return null
  return nameOf(context, transaction.to, toHex(row.selector))
}

/** The method that input would call now. */
export function methodOfInput(context: ExplorerContext, to: Address | null, input: Uint8Array): string | null {
  if (to === null || input.length < SELECTOR_SIZE || context.view.code(to).length === 0) return null
  return nameOf(context, to, toHex(input.subarray(0, SELECTOR_SIZE)))
}

const nameOf = (context: ExplorerContext, to: Address, selector: Hex): string =>
  methodName(context, to, selector) ?? selector
