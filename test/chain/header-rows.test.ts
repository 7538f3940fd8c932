// How headers are stored: without the bloom if the block has no logs, and in the format of older databases.
import { expect, test } from 'vitest'
import { blockRows, decodeStoredHeader } from '../../src/chain/blocks.ts'
import { toHex } from '../../src/lib/hex.ts'
import { encodeHeader, sealHeader } from '../../src/primitives/header.ts'
import { EMPTY_BLOOM } from '../../src/primitives/receipt.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { testChain } from '../support/chain.ts'

/** A block, the bytes of its header's row, and the header's RLP. */
async function stored(logsBloom: Uint8Array) {
  const { node } = await testChain()
  const { header, ...rest } = (await node.chain.block('latest')) ?? expect.fail('no block')
  const sealed = sealHeader({ ...header, logsBloom })
  const name = toHex(KEY.header(sealed.number))
  const row = blockRows({ header: sealed, ...rest }, []).find(({ key }) => toHex(key) === name)
  if (row?.type !== 'put') return expect.fail('no row')
  return { sealed, row: row.value, rlp: encodeHeader(sealed) }
}

test('the row of a header without logs has no bloom, and yields the same hash when read', async () => {
  const { sealed, row, rlp } = await stored(EMPTY_BLOOM)
  // One marker byte instead of the bloom's 256.
  expect(row.length).toBe(rlp.length + 1 - 256)
  expect(decodeStoredHeader(row)).toEqual(sealed)
})

test('the row of a header with logs, and a row of an older database, are the RLP', async () => {
  const { sealed, row, rlp } = await stored(Uint8Array.from(EMPTY_BLOOM).fill(1, 255))
  expect(row).toEqual(rlp)
  expect(decodeStoredHeader(row)).toEqual(sealed)
  const older = await stored(EMPTY_BLOOM)
  expect(decodeStoredHeader(older.rlp)).toEqual(older.sealed)
})
