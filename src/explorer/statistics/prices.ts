// Prices from a file of the operator. Without the file every price in an answer is null.
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ChainError } from '../../lib/errors.ts'
import type { Address } from '../../lib/hex.ts'
import { addressParam, wire } from '../codec.ts'

const schema = z.strictObject({
  /** Current price of one coin. */
  coin: wire.number.optional(),
  /** Current price of one whole token, by address. */
  tokens: z.record(z.string(), wire.number).optional(),
  /** Closing prices of the coin by day. */
  history: z
    .array(z.strictObject({ date: wire.day, closing_price: wire.number, market_cap: wire.number.optional() }))
    .optional(),
})

export type CoinPrices = {
  readonly coin: string | undefined
  readonly tokens: ReadonlyMap<Address, string>
  /** Newest day first. */
  readonly history: readonly {
    readonly date: string
    readonly closing_price: string
    readonly market_cap?: string | undefined
  }[]
}

/** Reads a JSON file `{coin, tokens: {address: price}, history: [{date, closing_price, market_cap}]}`. Throws ChainError. */
export async function readPrices(file: string): Promise<CoinPrices> {
  const parsed = schema.safeParse(await readJson(file))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new ChainError('invalid-params', `${file}: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { coin, tokens = {}, history = [] } = parsed.data
  return {
    coin,
    tokens: new Map(Object.entries(tokens).map(([address, price]) => [addressParam.parse(address), price])),
    history: [...history].sort((a, b) => (a.date < b.date ? 1 : -1)),
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new ChainError(
      'invalid-params',
      `cannot read prices from ${file}: ${error instanceof Error ? error.message : error}`,
    )
  }
}
