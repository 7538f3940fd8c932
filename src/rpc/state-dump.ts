// The state at the head as a file in anvil's format (anvil_dumpState, --dump-state): JSON, compressed with gzip or not. A dump has all
// accounts and the head's header; the file of a flag has the chain's blocks, too.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGzip, gunzip } from 'node:zlib'
import { z } from 'zod'
import { history, type KnownBlock, knownBlocks } from '../chain/known-blocks.ts'
import type { Chain, DevControl, DumpedAccount } from '../chain/types.ts'
import { ChainError } from '../lib/errors.ts'
import { type Address, toHex, toQuantity } from '../lib/hex.ts'
import type { SealedHeader } from '../primitives/types.ts'
import type { ChainSpec } from '../spec/chain-spec.ts'
import type { StateView } from '../state/types.ts'
import { address, data, looseQuantity, looseUint64, mapOf, word } from './codec.ts'
import { wireHeader } from './shapes/block.ts'
import { wireFileBlock, wireOutcome } from './state-history.ts'

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
const environment = z.object({
  number: looseQuantity,
  timestamp: looseQuantity,
  gas_limit: looseQuantity,
  basefee: looseQuantity,
})
const chainDump = dump.extend({ block: environment.nullish(), ...history })

/** What a new chain begins with. `blocks`: oldest first; empty if the file has none that is whole. */
export type LoadedChain = {
  readonly accounts: Dump
  readonly head: z.output<typeof environment> | undefined
  readonly blocks: readonly KnownBlock[]
}

/** Writes a dump of the accounts, compressed with gzip. */
export async function writeDump(head: SealedHeader, accounts: AsyncIterable<DumpedAccount>): Promise<Uint8Array> {
  const gzip = createGzip()
  const { hash: _, ...header } = wireHeader(head)
  const json = jsonOf(head, [[{ header, transactions: [], ommers: [] }], []], accounts)
  const [compressed] = await Promise.all([buffer(gzip), pipeline(Readable.from(json), gzip)])
  return compressed
}

/** The JSON of a dump with all blocks of the chain, in chunks. */
export function chainJson(
  chain: DevControl & Pick<Chain, 'head' | 'base' | 'block' | 'receipts'>,
): AsyncIterable<string> {
  const { head, base } = chain
  const numbers = function* () {
    for (let number = base; number <= head.number; number++) yield number
  }
  const blockAt = async (number: bigint) => {
    const block = await chain.block({ number })
    if (block === undefined) throw new ChainError('header-not-found', `block ${number} is gone`)
    return block
  }
  const blocks = async function* () {
    for (const number of numbers()) yield wireFileBlock(await blockAt(number))
  }
  const outcomes = async function* () {
    for (const number of numbers()) {
      const block = await blockAt(number)
      const receipts = chain.receipts(block.header.hash) ?? []
      for (const [index, transaction] of block.transactions.entries()) {
        const receipt = receipts[index]
        if (receipt !== undefined) yield wireOutcome(block, transaction, receipt, index)
      }
    }
  }
  return jsonOf(head, [blocks(), outcomes()], chain.accounts())
}

type Items = Iterable<object> | AsyncIterable<object>

/** The JSON in chunks, so that a large state is never one string. */
async function* jsonOf(
  head: SealedHeader,
  [blocks, transactions]: readonly [Items, Items],
  accounts: AsyncIterable<DumpedAccount>,
): AsyncGenerator<string> {
  const frame = { block: blockEnvironment(head), best_block_number: Number(head.number), historical_states: null }
  yield JSON.stringify(frame).slice(0, -1)
  yield* list(',"blocks":[', blocks, JSON.stringify)
  yield* list('],"transactions":[', transactions, JSON.stringify)
  yield* list('],"accounts":{', accounts, accountMember)
  yield '}}'
}

/** Items with commas between them, after the text that begins their list. */
async function* list<T>(begin: string, items: Iterable<T> | AsyncIterable<T>, write: (item: T) => string) {
  yield begin
  let comma = ''
  for await (const item of items) {
    yield comma + write(item)
    comma = ','
  }
}

function accountMember({ address, nonce, balance, code, storage }: DumpedAccount): string {
  const record = {
    nonce: Number(nonce),
    balance: toQuantity(balance),
    code: toHex(code),
    storage: Object.fromEntries(storage),
  }
  return `"${address}":${JSON.stringify(record)}`
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
export const readDump = async (bytes: Uint8Array): Promise<Dump> => (await parse(dump, bytes)).accounts

/** As `readDump`, with the blocks, which were made by the rules of `spec`. */
export async function readChain(bytes: Uint8Array, spec: ChainSpec): Promise<LoadedChain> {
  const { accounts, block, ...history } = await parse(chainDump, bytes)
  return { accounts, head: block ?? undefined, blocks: knownBlocks(history, spec) }
}

async function parse<S extends z.ZodType>(schema: S, bytes: Uint8Array): Promise<z.output<S>> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const text = isCompressed ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_DUMP }) : Buffer.from(bytes)
    return schema.parse(JSON.parse(text.toString()))
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error).split('\n')[0] : (error as Error).message
    throw new ChainError('invalid-params', `not a state dump: ${reason}`)
  }
}

/**
 * Loads the accounts into a new chain that has begun with the first block, and adds the other blocks without executing them. Only the state
 * after the last one can be read.
 */
export async function loadChain(
  chain: DevControl & Pick<Chain, 'missing' | 'at' | 'commit' | 'beginAtHead'>,
  { accounts, blocks }: LoadedChain,
): Promise<void> {
  await loadDump(chain, accounts)
  for (const known of blocks.slice(1)) {
    const { view } = await chain.at('latest')
    await chain.commit({ ...known, requests: [], diffs: [], refused: [], view })
  }
  await chain.beginAtHead()
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
