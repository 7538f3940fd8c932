// Calls of token contracts and the decoding of their answers, without a chain: calls and limits by the specifications, texts
// by hand.
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { decodeText, searchTermsOf, setSearchTerms } from '../../src/indexer/token-names.ts'
import { SELECTOR, TokenReads } from '../../src/indexer/token-reads.ts'
import { bigToFixed, EMPTY_BYTES, fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import type { ContractAnswer } from '../../src/runtime/read-contract.ts'
import { RANGE } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { Overlay } from '../../src/tables/overlay.ts'

const TOKEN = hexToAddress(`0x${'aa'.repeat(20)}`)
const HOLDER = hexToAddress(`0x${'bb'.repeat(20)}`)
const block = { gasUsed: 21_000n }
type Of = { readonly gasUsed: bigint; readonly isBeginning?: boolean }

type RecordedCall = { readonly input: Hex; readonly gas: bigint }

/** Reads of a contract with the same answer to every call, and a record of the calls. */
function reads(answer: Partial<ContractAnswer> | ((input: Hex) => Partial<ContractAnswer>), of: Of = block) {
  const calls: RecordedCall[] = []
  const tokenReads = new TokenReads(
    async (to, input, gas) => {
      expect(to).toBe(TOKEN)
      calls.push({ input: toHex(input), gas })
      const given = typeof answer === 'function' ? answer(toHex(input)) : answer
      return { output: undefined, gasUsed: 3_000n, ...given }
    },
    of,
    of.isBeginning,
  )
  return { tokenReads, calls }
}
const output = (types: string, ...values: readonly unknown[]): Partial<ContractAnswer> => ({
  output: fromHex(encodeAbiParameters(parseAbiParameters(types), values as never)),
})

describe('calls of token contracts', () => {
  it('have the selectors of the standards', () => {
    expect(SELECTOR).toEqual({
      name: toFunctionSelector('name()'),
      symbol: toFunctionSelector('symbol()'),
      decimals: toFunctionSelector('decimals()'),
      totalSupply: toFunctionSelector('totalSupply()'),
      balanceOf: toFunctionSelector('balanceOf(address)'),
      balanceOfId: toFunctionSelector('balanceOf(address,uint256)'),
      supportsInterface: toFunctionSelector('supportsInterface(bytes4)'),
    })
  })

  it('are encoded by the ABI', async () => {
    const { tokenReads, calls } = reads(output('uint256', 7n))
    const abi = parseAbi([
      'function balanceOf(address) view returns (uint256)',
      'function supportsInterface(bytes4) view returns (bool)',
    ])
    const pair = parseAbi(['function balanceOf(address, uint256) view returns (uint256)'])
    expect(await tokenReads.balanceOf(TOKEN, HOLDER)).toBe(7n)
    expect(await tokenReads.balanceOfId(TOKEN, HOLDER, 2n ** 256n - 1n)).toBe(7n)
    await tokenReads.supports(TOKEN, '0x80ac58cd')
    await tokenReads.name(TOKEN)
    expect(calls).toEqual([
      { input: encodeFunctionData({ abi, functionName: 'balanceOf', args: [HOLDER] }), gas: 200_000n },
      { input: encodeFunctionData({ abi: pair, args: [HOLDER, 2n ** 256n - 1n] }), gas: 200_000n },
      { input: encodeFunctionData({ abi, functionName: 'supportsInterface', args: ['0x80ac58cd'] }), gas: 30_000n },
      { input: toFunctionSelector('name()'), gas: 1_000_000n },
    ])
  })
})

describe('answers of token contracts', () => {
  it.each([
    ['a failure', undefined],
    ['nothing', EMPTY_BYTES],
    ['less than a word', new Uint8Array(31)],
    ['more than 4 KB', new Uint8Array(4_097)],
  ])('%s is none', async (_, given) => {
    const { tokenReads } = reads({ output: given })
    expect(await tokenReads.totalSupply(TOKEN)).toBeUndefined()
    expect(await tokenReads.supports(TOKEN, '0x80ac58cd')).toBe(false)
  })

  it('to decimals() are one byte', async () => {
    expect(await reads(output('uint256', 255n)).tokenReads.decimals(TOKEN)).toBe(255)
    expect(await reads(output('uint256', 256n)).tokenReads.decimals(TOKEN)).toBeUndefined()
  })

  it('to supportsInterface() are booleans, and a contract that claims every interface has none (EIP-165)', async () => {
    const only = (id: Hex, answer: bigint) => (input: Hex) =>
      output('uint256', input.slice(10, 18) === id.slice(2) ? answer : 0n)
    expect(await reads(only('0x80ac58cd', 1n)).tokenReads.supports(TOKEN, '0x80ac58cd')).toBe(true)
    expect(await reads(only('0x80ac58cd', 1n)).tokenReads.supports(TOKEN, '0xd9b67a26')).toBe(false)
    expect(await reads(only('0x80ac58cd', 2n)).tokenReads.supports(TOKEN, '0x80ac58cd')).toBe(false)
    expect(await reads(output('uint256', 1n)).tokenReads.supports(TOKEN, '0x80ac58cd')).toBe(false)
  })
})

describe('the calls of token contracts in a block', () => {
  const count = async (of: Of, gasUsed: bigint) => {
    const { tokenReads, calls } = reads({ ...output('uint256', 1n), gasUsed }, of)
    for (let i = 0; i < 6_000; i++) {
      const isSpent = tokenReads.isSpent
      expect(await tokenReads.balanceOf(TOKEN, HOLDER)).toBe(isSpent ? undefined : 1n)
    }
    return { reads: calls.length, last: calls.at(-1)?.gas }
  }

  it('are limited to 5,000', async () => {
    expect(await count({ gasUsed: 0n }, 100n)).toEqual({ reads: 5_000, last: 200_000n })
  })

  it('are limited to 10 million gas plus three times the gas of the block, at most 150 million', async () => {
    expect(await count({ gasUsed: 0n }, 200_000n)).toEqual({ reads: 50, last: 200_000n })
    expect(await count({ gasUsed: 30_000_000n }, 200_000n)).toEqual({ reads: 500, last: 200_000n })
    expect(await count({ gasUsed: 60_000_000n }, 200_000n)).toEqual({ reads: 750, last: 200_000n })
    // 10,063,000 is 50 times 200,000 and 63,000.
    expect(await count(block, 200_000n)).toEqual({ reads: 51, last: 63_000n })
  })

  it('have the maximum limits in the genesis, in which every token is new', async () => {
    expect(await count({ gasUsed: 0n, isBeginning: true }, 200_000n)).toEqual({ reads: 750, last: 200_000n })
  })
})

describe('names and symbols of tokens', () => {
  const ofString = (text: string): Uint8Array => fromHex(encodeAbiParameters(parseAbiParameters('string'), [text]))
  const padded = (text: string): Uint8Array => Buffer.concat([Buffer.from(text), new Uint8Array(32)]).subarray(0, 32)
  const raw = (bytes: readonly number[]): Uint8Array =>
    fromHex(encodeAbiParameters(parseAbiParameters('bytes'), [toHex(Uint8Array.from(bytes))]))

  it.each([
    ['a string', ofString('Wrapped Ether'), 'Wrapped Ether'],
    ['32 bytes', padded('MKR'), 'MKR'],
    ['32 bytes to the last', padded('x'.repeat(32)), 'x'.repeat(32)],
    ['letters of many bytes', ofString('Ünïcødé 🍣 代币'), 'Ünïcødé 🍣 代币'],
    ['zeros and control characters', ofString('A\u0000B\u0007C\nD\u007f\u0085'), 'ABCD'],
    // Readers remove invisible characters (`visibleText`) and flag them.
    ['marks that turn the direction', ofString('USD\u202eCDS\u2066'), 'USD\u202eCDS\u2066'],
    ['zero-width characters', ofString('K\u200bUSD'), 'K\u200bUSD'],
    ['bytes that are no UTF-8', raw([0x41, 0xff, 0xc3, 0x42, 0xed, 0xa0, 0x80]), 'AB'],
    ['spaces around', ofString('  DAI '), 'DAI'],
    ['an empty string', ofString(''), undefined],
    ['nothing that can be shown', ofString('\u0000\u0001'), undefined],
    ['32 zeros', new Uint8Array(32), undefined],
    [
      'a length beyond the end',
      Buffer.concat([bigToFixed(32n, 32), bigToFixed(33n, 32), new Uint8Array(32)]),
      undefined,
    ],
    ['an offset beyond the end', Buffer.concat([bigToFixed(64n, 32), bigToFixed(0n, 32)]), undefined],
    ['an offset beyond all', Buffer.concat([bigToFixed(2n ** 256n - 1n, 32), bigToFixed(0n, 32)]), undefined],
  ])('may be %s', (_, output, text) => {
    expect(decodeText(output, 256)).toBe(text)
  })

  it('are truncated, however long they are', async () => {
    const long = `Long ${'n'.repeat(20_000)}`
    const { tokenReads } = reads(output('string', long))
    expect(await tokenReads.name(TOKEN)).toBe(long.slice(0, 256))
    // The limit is within a character, which is then omitted.
    expect(decodeText(ofString(`ab${'代'.repeat(2_000)}`), 5_000)).toBe(`ab${'代'.repeat(1_364)}`)
  })

  it('are truncated between characters', () => {
    expect(decodeText(ofString('🍣'.repeat(300)), 256)).toBe('🍣'.repeat(256))
  })

  it('are split into distinct words in lower case', () => {
    expect(searchTermsOf('The Wrapped-ETHER (weth) wETH ﬁat 2.0')).toEqual([
      'the',
      'wrapped',
      'ether',
      'weth',
      'fiat',
      '2',
      '0',
    ])
    expect(searchTermsOf('Kest\u200b\u200brel D\u202eollar')).toEqual(['kestrel', 'dollar'])
    expect(searchTermsOf('🍣 -- ')).toEqual([])
    expect(searchTermsOf('Ünïcødé 代币')).toEqual(['ünïcødé', '代币'])
    expect(searchTermsOf('x'.repeat(100))).toEqual(['x'.repeat(64)])
  })

  it('are found by their present words', async () => {
    const overlay = new Overlay(await openMemoryStore())
    const words = async () =>
      (await overlay.keys(RANGE.nameWords(''))).map((key) => Buffer.from(key.subarray(1, -21)).toString()).sort()
    const before = { name: 'Old Name', symbol: 'X' }
    setSearchTerms(overlay, TOKEN, undefined, before)
    expect(await words()).toEqual(['name', 'old', 'x'])
    setSearchTerms(overlay, TOKEN, before, { name: 'New Name', symbol: undefined })
    expect(await words()).toEqual(['name', 'new'])
  })
})
