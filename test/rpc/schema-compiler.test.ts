// Compiled decoders and encoders against their schemas: every parameter of every method, with many values.
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { address, amount, atBlock, blockRef, data, index, quantity, uint64 } from '../../src/rpc/codec.ts'
import { methods } from '../../src/rpc/methods/index.ts'
import { compileDecoder, compileEncoder, REJECTED } from '../../src/rpc/schema-compiler.ts'

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
  const read = compileDecoder(schema)
  for (const value of VALUES) {
    const parsed = schema.safeParse(value)
    expect(read(value), JSON.stringify(value)).toEqual(parsed.success ? parsed.data : REJECTED)
  }
}

describe('a compiled decoder accepts what its schema accepts, with the same result', () => {
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

it('a compiled encoder encodes as its schema', () => {
  const bytes = Uint8Array.of(0, 1, 255)
  expect(compileEncoder(quantity)(26n)).toBe(quantity.encode(26n))
  expect(compileEncoder(uint64)(0n)).toBe(uint64.encode(0n))
  expect(compileEncoder(index)(7)).toBe(index.encode(7))
  expect(compileEncoder(amount)(10n)).toBe(amount.encode(10n))
  expect(compileEncoder(data)(bytes)).toBe(data.encode(bytes))
  expect(compileEncoder(data.nullable())(null)).toBeNull()
  expect(compileEncoder(data.nullable())(bytes)).toBe('0x0001ff')
  expect(compileEncoder(blockRef)('latest')).toBe('latest')
  expect(compileEncoder(z.boolean())(true)).toBe(true)
})
