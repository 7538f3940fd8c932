// The state at the head as a file in anvil's format (anvil_dumpState, --dump-state): JSON, compressed with gzip or not. A dump
// has all accounts and the head's header, and no history.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import { z } from 'zod'
import type { Chain, DevControl, DumpedAccount } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, toHex, toQuantity } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { StateView } from '../state/types.ts'
import { address, data, looseQuantity, looseUint64, mapOf, word } from './codec.ts'
import { wireHeader } from './shapes/block.ts'

/** Maximum bytes of a decompressed dump. */
const MAX_DUMP = 2 ** 30

/** Accounts by address. */
export type Dump = ReadonlyMap<Address, z.output<typeof account>>

const account = z.object({
  nonce: looseUint64.default(0n),
  balance: looseQuantity,
  code: data.default(new Uint8Array(0)),
  storage: z.record(z.string(), z.string()).default({}),
})
const dump = z.object({ accounts: mapOf<Address, z.output<typeof account>>(address, account) })

/** Writes a dump, compressed with gzip. */
export async function writeDump(head: SealedHeader, accounts: AsyncIterable<DumpedAccount>): Promise<Uint8Array> {
  const gzip = createGzip()
  const [compressed] = await Promise.all([buffer(gzip), pipeline(Readable.from(jsonOf(head, accounts)), gzip)])
  return compressed
}

/** The JSON in chunks, so that a large state is never one string. */
async function* jsonOf(head: SealedHeader, accounts: AsyncIterable<DumpedAccount>): AsyncGenerator<string> {
  const { hash: _, ...header } = wireHeader(head)
  const frame = {
    block: blockEnvironment(head),
    best_block_number: Number(head.number),
    blocks: [{ header, transactions: [], ommers: [] }],
    transactions: [],
    historical_states: null,
  }
  yield `${JSON.stringify(frame).slice(0, -1)},"accounts":{`
  let comma = ''
  for await (const { address, nonce, balance, code, storage } of accounts) {
    const record = {
      nonce: Number(nonce),
      balance: toQuantity(balance),
      code: toHex(code),
      storage: Object.fromEntries(storage),
    }
    yield `${comma}"${address}":${JSON.stringify(record)}`
    comma = ','
  }
  yield '}}'
}

/** The block's environment with revm's names. */
const blockEnvironment = (head: SealedHeader) => ({
  number: toQuantity(head.number),
  beneficiary: head.coinbase,
  timestamp: toQuantity(head.timestamp),
  gas_limit: Number(head.gasLimit),
  basefee: Number(head.baseFeePerGas ?? 0n),
  difficulty: toQuantity(head.difficulty),
  prevrandao: head.mixHash,
  blob_excess_gas_and_price: null,
})

/** Reads a dump, compressed or not. Throws `invalid-params` for any other data. */
export async function readDump(bytes: Uint8Array): Promise<Dump> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const text = isCompressed ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_DUMP }) : Buffer.from(bytes)
    return dump.parse(JSON.parse(text.toString())).accounts
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).split('\n')[0] : (error as Error).message
    throw new ChainError('invalid-params', `not a state dump: ${reason}`)
  }
}

/**
 * Replaces the accounts of the dump in the state at the head; other accounts are not changed. A dump of a fork has not all slots, so
 * those that are on the forked chain stay.
 */
export async function loadDump(chain: DevControl & Pick<Chain, 'missing'>, accounts: Dump): Promise<void> {
  const slots = new Map([...accounts].map(([address, { storage }]) => [address, readSlots(storage)]))
  await chain.missing?.fetch(Array.from(accounts.keys(), (account) => ({ account })))
  await chain.edit((view) => {
    for (const [address, { nonce, balance, code }] of accounts) {
      replaceAccount(view, address, { nonce, balance, code, slots: slots.get(address) ?? [] })
    }
  })
}

type Replacement = Pick<DumpedAccount, 'nonce' | 'balance' | 'code'> & { slots: readonly (readonly [bigint, bigint])[] }

function replaceAccount(view: StateView, address: Address, { nonce, balance, code, slots }: Replacement): void {
  if (!view.hasForkedStorage(address)) view.clearStorage(address)
  view.setBalance(address, balance)
  view.setNonce(address, nonce)
  view.setCode(address, code)
  for (const [slot, value] of slots) view.overwriteStorage(address, slot, value)
}

function readSlots(storage: Readonly<Record<string, string>>): [bigint, bigint][] {
  return Object.entries(storage).map(([key, value]) => {
    const slot = word.safeParse(key)
    const content = word.safeParse(value)
    if (slot.success && content.success) return [slot.data, content.data]
    throw new ChainError('invalid-params', `not a state dump: invalid storage entry ${key}: ${value}`)
  })
}
