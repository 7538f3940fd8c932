import { describe, expect, it } from 'vitest'
import { bytesToBech32, decodeBech32, fromBech32, readAddress, toBech32 } from '../../src/lib/bech32.ts'
import { ChainError } from '../../src/lib/errors.ts'
import { hexToAddress } from '../../src/lib/hex.ts'
import { operatorPrefix } from '../../src/spec/addresses.ts'

// Account and operator of Evmos' local_node.sh, and the address of the authorization contract.
const operator = hexToAddress('0x7cb61d4117ae31a12e393a1cfa3bac666481d02e')
const valoper = 'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawghe'

const refusal = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    if (error instanceof ChainError) return error.message
    throw error
  }
  return undefined
}

describe('bech32', () => {
  it('encodes accounts and operators as Evmos does', () => {
    expect(toBech32('evmos', operator)).toBe('evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky')
    expect(toBech32(operatorPrefix('evmos'), operator)).toBe(valoper)
    expect(toBech32('evmos', hexToAddress('0x0000000000000000000000000000000000000a00'))).toBe(
      'evmos1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqzsqnn9gjh',
    )
  })

  it('decodes both cases, and hex where an address may be either', () => {
    expect(fromBech32('evmosvaloper', valoper)).toBe(operator)
    expect(fromBech32('evmosvaloper', valoper.toUpperCase())).toBe(operator)
    expect(readAddress('evmosvaloper', '0x7cB61D4117AE31a12E393a1Cfa3BaC666481D02E')).toBe(operator)
    expect(readAddress('evmosvaloper', valoper)).toBe(operator)
  })

  it("accepts BIP-173's valid strings", () => {
    expect(decodeBech32('A12UEL5L')).toEqual({ prefix: 'a', bytes: new Uint8Array(0) })
    expect(decodeBech32('split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w').prefix).toBe('split')
    const program = decodeBech32('abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw')
    expect(bytesToBech32('abcdef', program.bytes)).toBe('abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw')
  })

  it("refuses with the SDK's messages", () => {
    expect(refusal(() => fromBech32('evmosvaloper', 'evmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwjnpcky'))).toBe(
      'invalid Bech32 prefix; expected evmosvaloper, got evmos',
    )
    expect(refusal(() => fromBech32('evmos', ''))).toBe('empty address string is not allowed')
    expect(refusal(() => fromBech32('a', 'A12UEL5L'))).toBe('incorrect address length (expected: 20, actual: 0)')
    const bad = [
      valoper.slice(0, -1),
      valoper.replace('10j', '10k'),
      // Bech32m's checksum, mixed case, a character outside the alphabet, BIP-173's invalid strings.
      'a1lqfn3a',
      'evmosvaloper10jmp6sgh4cc6zt3e8gw05wavvejgr5pwlawgHE',
      'evmos1b',
      'pzry9x0s0muk',
      '1pzry9x0s0muk',
      'de1lg7wt\u{ff}',
      'A1G7SGD8',
      '10a06t8',
      'no bech32 at all',
      '0x7cb61d4117ae31a12e393a1cfa3bac666481d02e',
    ]
    for (const text of bad)
      expect(
        refusal(() => fromBech32('evmos', text)),
        text,
      ).toMatch(/^decoding bech32 failed: /)
  })
})
