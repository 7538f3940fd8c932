// Conversion of addresses to bech32 and back. Expected texts: the specification's table of Evmos' local accounts, and the test
// vectors of BIP-173.
import {
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  hexToBytes,
  parseAbi,
  toFunctionSelector,
  toHex,
} from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import type { NativeResult } from '../../src/evm/native-call.ts'
import { bech32 } from '../../src/precompiles/bech32.ts'
import { nativeContracts } from '../../src/precompiles/index.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import type { StateView } from '../../src/state/types.ts'
import { emptyView, nativeCall, nativeSpec, runNow } from '../support/native.ts'

const abi = parseAbi([
  'function hexToBech32(address addr, string prefix) view returns (string bech32Address)',
  'function bech32ToHex(string bech32Address) view returns (address addr)',
])
const contract = nativeContracts(nativeSpec, 0n).get(NATIVE_CONTRACT.bech32)

let view: StateView
beforeAll(async () => {
  view = await emptyView()
})

function run(data: `0x${string}`): NativeResult {
  return runNow(contract, nativeCall(view, hexToBytes(data), { isStatic: true }))
}
const toText = (addr: `0x${string}`, prefix: string) =>
  run(encodeFunctionData({ abi, functionName: 'hexToBech32', args: [addr, prefix] }))
const toAddress = (text: string) => run(encodeFunctionData({ abi, functionName: 'bech32ToHex', args: [text] }))
const refusal = (result: NativeResult) => {
  expect(result.error).toBe('revert')
  return decodeErrorResult({ abi: parseAbi(['error Error(string)']), data: toHex(result.output) }).args[0]
}

const MYKEY = '0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E'
const ZERO = `0x${'0'.repeat(40)}` as const

it('has the selectors of the published interface', () => {
  const published = ['bech32ToHex(string)', 'hexToBech32(address,string)'].map((signature) =>
    toFunctionSelector(signature),
  )
  expect(bech32.abi.map((entry) => entry.type === 'function' && toFunctionSelector(entry))).toEqual(published)
  expect(bech32.address).toBe(`0x${'400'.padStart(40, '0')}`)
})

describe('hexToBech32', () => {
  it.each([
    [MYKEY, 'evmos', 'evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky'],
    [MYKEY, 'evmosvaloper', 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'],
    [MYKEY, 'cosmos', 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv'],
    ['0x498B5AeC5D439b733dC2F58AB489783A23FB26dA', 'evmos', 'evmos1fx944mzagwdhx0wz7k9tfztc8g3lkfk6rrgv6l'],
  ] as const)('encodes %s with prefix %s', (addr, prefix, text) => {
    const { output } = toText(addr, prefix)
    expect(decodeFunctionResult({ abi, functionName: 'hexToBech32', data: toHex(output) })).toBe(text)
  })

  it('refuses an invalid bech32 prefix', () => {
    expect(refusal(toText(MYKEY, ' '))).toBe(
      'invalid bech32 human readable prefix (HRP): expected one such as kest, kestvaloper, kestvalcons',
    )
    for (const prefix of ['', 'käst', 'a b', 'x'.repeat(52)]) {
      expect(refusal(toText(MYKEY, prefix))).toMatch(/^invalid bech32 human readable prefix \(HRP\): /)
    }
    expect(toText(MYKEY, 'x'.repeat(51)).error).toBeUndefined()
  })

  it('costs 6,000 gas on top of its input', () => {
    // 1000 + 3 * 128: an address, an offset, a length, one word of text.
    expect(toText(ZERO, 'kest').gasUsed).toBe(7_384n)
  })
})

describe('bech32ToHex', () => {
  it.each([
    ['evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky', MYKEY],
    ['EVMOSVALOPER10JMP6SGH4CC6ZT3E8GW05WAVVEJGR5PWLAWGHE', MYKEY],
    ['cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv', MYKEY],
  ] as const)('decodes %s with any prefix', (text, addr) => {
    const { output } = toAddress(text)
    expect(decodeFunctionResult({ abi, functionName: 'bech32ToHex', data: toHex(output) })).toBe(addr)
  })

  it('refuses malformed bech32', () => {
    expect(refusal(toAddress(''))).toBe('invalid bech32 address: ')
    expect(refusal(toAddress('kest'))).toBe('invalid bech32 address: kest')
    for (const text of [
      'kest1',
      // A changed character; mixed case.
      'evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpckz',
      'Evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky',
      // BIP-173: invalid checksum calculated with the upper-case prefix; empty prefix.
      'A1G7SGD8',
      '1qzzfhee',
    ]) {
      expect(refusal(toAddress(text))).toMatch(/^decoding bech32 failed: /)
    }
  })

  it('refuses data that is not an address', () => {
    // Valid in BIP-173, without data.
    expect(refusal(toAddress('A12UEL5L'))).toBe('incorrect address length (expected: 20, actual: 0)')
  })
})
