// Compiled readers and writers against the schemas they were made of: every parameter of every method, a crowd of values.
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { address, amount, atBlock, blockRef, data, index, quantity, uint64 } from '../../src/rpc/codec.ts'
import { readerOf, UNREAD, writerOf } from '../../src/rpc/compile.ts'
import { methods } from '../../src/rpc/methods/index.ts'

const ADDRESS = `0x${'aB'.repeat(20)}`
const HASH = `0x${'Cd'.repeat(32)}`
const SCALARS: readonly unknown[] = [
  ...[undefined, null, true, false, 0, 1, -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, '', ' ', 'latest', 'nonsense'],
  ...[
    '0x',
    '0X1',
    '0x0',
    '0x00',
    '0x1',
    '0xabc',
    '0xABCD',
    'abcd',
    '0xg',
    '12',
    `0x${'f'.repeat(64)}`,
    `0x1${'0'.repeat(64)}`,
  ],
  ...[ADDRESS, ADDRESS.toLowerCase(), `${ADDRESS}0`, HASH, HASH.slice(2), `0x${'é'.repeat(20)}`, '0x12\n'],
]
const FIELDS = [
  'address',
  'topics',
  'blockHash',
  'blockNumber',
  'from',
  'to',
  'data',
  'input',
  'value',
  'accessList',
  'gas',
]
const VALUES: readonly unknown[] = [
  ...SCALARS,
  ...SCALARS.map((scalar) => [scalar]),
  ...SCALARS.map((scalar) => [ADDRESS, scalar]),
  ...FIELDS.flatMap((name) =>
    [...SCALARS, [ADDRESS], [HASH], [{}], [{ address: ADDRESS, storageKeys: [HASH] }]].map((scalar) => ({
      [name]: scalar,
    })),
  ),
  ...[{}, [], [[]], [[null]], { unknown: 1 }, JSON.parse('{"__proto__":{"to":"0x1"}}')],
  { from: ADDRESS, to: ADDRESS, data: '0x1234', gas: 21000, value: '0x1', unknown: true },
  { from: ADDRESS, to: ADDRESS, data: '0x1234', gas: 21000, value: '0x01' },
  { [ADDRESS]: { balance: '0x1', stateDiff: { [HASH]: HASH } } },
  { fromBlock: 'earliest', toBlock: '0x10', address: [ADDRESS, ADDRESS], topics: [null, [HASH, null], HASH] },
  { blockHash: HASH, fromBlock: '0x1' },
]

function expectSame(schema: z.ZodType): void {
  const read = readerOf(schema)
  for (const value of VALUES) {
    const parsed = schema.safeParse(value)
    expect(read(value), JSON.stringify(value)).toEqual(parsed.success ? parsed.data : UNREAD)
  }
}

describe('a compiled reader takes what its schema takes, and gives the same', () => {
  test.each([...methods].filter(([, { params }]) => params.length > 0))('%s', (_name, { params }) =>
    params.forEach(expectSame),
  )

  test.each([
    ['a list with a check', z.array(quantity).max(1)],
    ['an object with a check', z.object({ to: address.nullish() }).refine(({ to }) => to !== null)],
    ['a strict object', z.strictObject({ to: address.optional() })],
    ['a default within an object', z.object({ blockNumber: atBlock, to: address.optional() })],
    ['a nullable', quantity.nullable()],
    ['a number', z.number()],
  ])('%s', (_name, schema) => expectSame(schema))
})

it('a compiled writer writes what its schema writes', () => {
  const bytes = Uint8Array.of(0, 1, 255)
  expect(writerOf(quantity)(26n)).toBe(quantity.encode(26n))
  expect(writerOf(uint64)(0n)).toBe(uint64.encode(0n))
  expect(writerOf(index)(7)).toBe(index.encode(7))
  expect(writerOf(amount)(10n)).toBe(amount.encode(10n))
  expect(writerOf(data)(bytes)).toBe(data.encode(bytes))
  expect(writerOf(data.nullable())(null)).toBeNull()
  expect(writerOf(data.nullable())(bytes)).toBe('0x0001ff')
  expect(writerOf(blockRef)('latest')).toBe('latest')
  expect(writerOf(z.boolean())(true)).toBe(true)
})
