// Makes the chunks of a state snapshot from the rows of a database. The database may be at a later block: each row is read as
// of the snapshot's version.
import { ChainError } from '../../lib/errors.ts'
import { ADDRESS_BYTES, type Address, bigToWord, bytesToBig, equalBytes, type Hash } from '../../lib/hex.ts'
import type { Pause } from '../../lib/scheduler.ts'
import { encodeBlock } from '../../primitives/block.ts'
import { encodeHeader } from '../../primitives/header.ts'
import { concatBytes } from '../../primitives/rlp.ts'
import { commitsToIbc, ibcRoot } from '../../runtime/app-hash.ts'
import { NATIVE_CONTRACT } from '../../spec/addresses.ts'
import type { ChainSpec } from '../../spec/chain-spec.ts'
import { decodeAccount, EMPTY_CODE_HASH } from '../../state/accounts.ts'
import { decodeRow, rowAsOf } from '../../state/history.ts'
import { KEY, ownerOfRow, RANGE } from '../../state/keyspace.ts'
import { verifyCode } from '../../state/row-checksum.ts'
import { EMPTY_ROOT_BYTES } from '../../state/trie.ts'
import type { KvReader } from '../../state/types.ts'
import { decodeStoredBlock, decodeStoredHeader } from '../blocks.ts'
import { readStateVersion } from '../open.ts'
import type { Indexer } from '../types.ts'
import { encodeAccountRow, encodeHead, encodeKnownRow, encodeSlotRow, HASHES } from './format.ts'

/**
 * The chunks of the state snapshot of block `height`, which must not be block 0. Throws ChainError `header-not-found` if the
 * block, or the state version before it, is missing, and `pause`'s error if the work is cancelled.
 */
export async function* snapshotChunks(
  reader: KvReader,
  { spec, indexer }: { readonly spec: Pick<ChainSpec, 'native'>; readonly indexer: Pick<Indexer, 'addresses'> },
  height: bigint,
  chunkSize: number,
  pause: Pause,
): AsyncGenerator<Uint8Array> {
  yield headOf(reader, spec, height)
  const version = readStateVersion(reader, height - 1n) ?? missing(`the state before block ${height}`)
  let gathered: Uint8Array[] = []
  let size = 0
  for await (const row of stateRows(reader, version, indexer.addresses(reader, height))) {
    if (size > 0 && size + row.length > chunkSize) {
      yield concatBytes(gathered)
      gathered = []
      size = 0
    }
    gathered.push(row)
    size += row.length
    const rest = pause()
    if (rest !== undefined) await rest
  }
  if (size > 0) yield concatBytes(gathered)
}

function headOf(reader: KvReader, spec: Pick<ChainSpec, 'native'>, height: bigint): Uint8Array {
  const header = reader.get(KEY.header(height))
  const body = reader.get(KEY.body(height))
  if (header === undefined || body === undefined) throw missing(`block ${height}`)
  const headers: Uint8Array[] = []
  for (let number = height > HASHES ? height - HASHES : 0n; number < height; number++) {
    const row = reader.get(KEY.header(number)) ?? missing(`the header of block ${number}`)
    headers.push(encodeHeader(decodeStoredHeader(row)))
  }
  const root = commitsToIbc(spec) ? ibcRootAfter(reader, height) : undefined
  return encodeHead(encodeBlock(decodeStoredBlock(header, body)), headers, root)
}

function ibcRootAfter(reader: KvReader, height: bigint): Hash {
  const version = readStateVersion(reader, height) ?? missing(`the state after block ${height}`)
  return ibcRoot({
    load(slot) {
      const key = KEY.slot(NATIVE_CONTRACT.ibc, bigToWord(slot))
      const row = reader.get(key)
      const word = row && rowAsOf(reader, key, decodeRow(row), version)?.value
      return word === undefined ? 0n : bytesToBig(word)
    },
    store: () => missing('the right to write'),
  })
}

/** The encoded rows of a state version: accounts with their slots, and the `known` addresses without an account. */
async function* stateRows(
  reader: KvReader,
  version: number,
  known: AsyncIterable<Address>,
): AsyncGenerator<Uint8Array> {
  const codes = new Set<Hash>()
  const others = known[Symbol.asyncIterator]()
  let other = await others.next()
  for await (const [key, row] of reader.scan(RANGE.accounts())) {
    const value = rowAsOf(reader, key, decodeRow(row), version)?.value
    if (value === undefined) continue
    const address = ownerOfRow(key)
    for (; other.done !== true && other.value <= address; other = await others.next())
      if (other.value !== address) yield encodeKnownRow(other.value)
    const account = decodeAccount(value)
    const { codeHash, storageRoot } = account
    const isNew = codeHash !== EMPTY_CODE_HASH && !codes.has(codeHash)
    if (isNew) codes.add(codeHash)
    yield encodeAccountRow(address, account, isNew ? readCode(reader, codeHash) : undefined)
    if (equalBytes(storageRoot, EMPTY_ROOT_BYTES)) continue
    for await (const [slot, latest] of reader.scan(RANGE.slots(address))) {
      const word = rowAsOf(reader, slot, decodeRow(latest), version)?.value
      if (word !== undefined) yield encodeSlotRow(slot.subarray(1 + ADDRESS_BYTES), word)
    }
  }
  for (; other.done !== true; other = await others.next()) yield encodeKnownRow(other.value)
}

function readCode(reader: KvReader, hash: Hash): Uint8Array {
  return verifyCode(reader.get(KEY.code(hash)) ?? missing(`code ${hash}`), hash)
}

function missing(what: string): never {
  throw new ChainError('header-not-found', `${what} is missing`)
}
