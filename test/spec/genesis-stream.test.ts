// Genesis files that are read in parts give the same result as files that are read at once, whatever their size and faults.
import { expect, test } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import type { GenesisAllocation } from '../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { type OpenFile, streamGenesis } from '../../src/spec/genesis-stream.ts'

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

const FORKS = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium'],
  ...['constantinople', 'petersburg', 'istanbul', 'berlin', 'london'],
]

/** A genesis file with these texts as members of `alloc`. */
const text = (...alloc: readonly string[]) =>
  `{"config": {"chainId": 7, ${FORKS.map((fork) => `"${fork}Block": 0`)}, "terminalTotalDifficulty": 58750000000000000000000}, "gasLimit": "0x5000",
    "difficulty": "0x1", "alloc": {${alloc.join(',\n')}}, "extraData": "0xc3a9"}\n`

/** The text in parts of this length, so that names, numbers and escapes are split. */
const inParts = (whole: string, length: number): OpenFile =>
  async function* () {
    const bytes = Buffer.from(whole)
    for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
  }

async function entriesOf(alloc: GenesisAllocation) {
  const entries = []
  for await (const entry of alloc) entries.push(entry)
  return entries
}

const THREE = [
  `"${address(1)}": {"balance": 123456789012345678901234567890}`,
  `"${address(2)}": {"balance": "0x10", "nonce": "2", "code": "0x6001", "storage": {"0x01": "0x02"}}`,
  `"${address(3).slice(2)}": {}`,
]

test.each([1, 2, 3, 7, 64, 10_000])(
  'a genesis file in parts of %i bytes gives the same result as in one part',
  async (length) => {
    const whole = text(...THREE)
    const expected = parseGenesisText(whole)
    const kept = await streamGenesis(inParts(whole, length))
    expect(kept).toEqual(expected)
    expect(kept.terminalTotalDifficulty).toBe(58_750_000_000_000_000_000_000n)
    const read = await streamGenesis(inParts(whole, length), 2)
    const { alloc, ...header } = read.genesis
    expect({ ...expected.genesis, ...header }).toEqual(expected.genesis)
    expect(alloc.get).toBeUndefined()
    // The accounts can be read more than once.
    for (let i = 0; i < 2; i++) expect(new Map(await entriesOf(alloc))).toEqual(expected.genesis.alloc)
    expect((await entriesOf(alloc))[0]).toEqual([
      hexToAddress(address(1)),
      { balance: 123_456_789_012_345_678_901_234_567_890n, nonce: 0n, code: new Uint8Array(0), storage: new Map() },
    ])
  },
)

test.each([
  ['an entry after the buffered ones', text(...THREE, `"0x12": {}`), 'alloc.0x12: expected an address of 20 bytes'],
  [
    'a bad balance',
    text(`"${address(1)}": {"balance": "1.5"}`),
    `alloc.${address(1)}.balance: expected a whole number`,
  ],
  [
    'an account twice',
    text(THREE[0] ?? '', `"${address(1).toUpperCase().replace('X', 'x')}": {}`),
    `alloc.${address(1)}: expected each address once`,
  ],
  ['no accounts', text().replace('"alloc"', '"allok"'), 'alloc: expected an object'],
  ['accounts in a list', text().replace('"alloc": {}', '"alloc": [{}]'), 'alloc: expected an object'],
  ['an earlier fault', text(`"0x12": {}`).replace('"0x5000"', '"x"'), 'gasLimit: expected a'],
  ['truncated text', text(...THREE).slice(0, -20), 'genesis: expected JSON: '],
  ['text that is not JSON', '{"config": nothing}', 'genesis: expected JSON: '],
  ['extra text after the end', `${text()}{}`, 'genesis: expected JSON: '],
  ['an empty file', '', 'genesis: expected JSON: '],
])('a genesis in parts is refused with the field: %s', async (_, whole, words) => {
  await expect(streamGenesis(inParts(whole, 11), 3)).rejects.toMatchObject({ code: 'invalid-genesis' })
  await expect(streamGenesis(inParts(whole, 11), 3)).rejects.toThrow(words)
})

test('a read error of the file is passed on unchanged', async () => {
  const lost: OpenFile = async function* () {
    yield Buffer.from(text().slice(0, 50))
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' })
  }
  await expect(streamGenesis(lost)).rejects.toMatchObject({ code: 'EIO' })
})
