// Schemas of the fields that Ethereum's test formats share: padded numbers, words, byte strings, accounts. A text that does
// not parse causes ChainError `invalid-params`, which names the first wrong field.
import { z } from 'zod'
import { ChainError } from '../../src/lib/errors.ts'
import { bigToFixed, fromHex, hexToAddress, toHash } from '../../src/lib/hex.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'

/** Hex numbers may be padded, and `0x` is zero. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .transform((hex) => (hex === '0x' ? 0n : BigInt(hex)))

/** 32 bytes; leading zeros may be missing. */
export const word = quantity.refine((value) => value < 2n ** 256n).transform((value) => toHash(bigToFixed(value, 32)))

/** Any number of bytes. The pattern has no group, because a repeated group overflows the stack at some megabytes. */
export const bytes = z
  .string()
  .regex(/^0x[0-9a-f]*$/i)
  .refine((hex) => hex.length % 2 === 0, 'expected whole bytes')
  .transform(fromHex)

/** 20 bytes. */
export const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/i)
  .transform(hexToAddress)

/** An object as a map with parsed keys and values. */
export const mapOf = <K extends string, V>(key: z.ZodType<K, string>, value: z.ZodType<V>) =>
  // Object.entries loses the keys' type.
  z.record(key, value).transform((record): ReadonlyMap<K, V> => new Map(Object.entries(record) as [K, V][]))

const account = z.object({ balance: quantity, nonce: quantity, code: bytes, storage: mapOf(word, word) })

/** The accounts of a state, by address. */
export const accounts = mapOf(address, account)
export type Accounts = z.infer<typeof accounts>

/** Reads a file of named tests. `what` is the format's name in errors. Throws ChainError `invalid-params`. */
export function parseTests<T>(text: string, test: z.ZodType<T>, what: string): Record<string, T> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ChainError('invalid-params', 'not JSON')
  }
  const parsed = z.record(z.string(), test).safeParse(json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new ChainError('invalid-params', `not a ${what}: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Writes the accounts as the only version of a new store in memory; each reader opens a view of it. */
export async function storeAccounts(world: Accounts): Promise<{ state: StateStore; version: number }> {
  const store = await openMemoryStore()
  const state = new StateStore(store, -1)
  const view = state.at(-1)
  for (const [of, { balance, nonce, code, storage }] of world) {
    view.setBalance(of, balance)
    view.setNonce(of, nonce)
    view.setCode(of, code)
    for (const [key, value] of storage) view.setWord(of, key, fromHex(value))
  }
  const { rows, codes } = await view.changes()
  const { ops, version, afterWrite } = state.stage(rows, codes)
  await store.write(ops)
  afterWrite()
  return { state, version }
}

/** The text of an exception that is not a ChainError, thus a bug of this node, with its stack. */
export const faultOf = (error: unknown): string => `fault: ${error instanceof Error ? error.stack : error}`
