// Expected values: ethers, and the examples of EIP-1014.
import { getCreate2Address, getCreateAddress, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { fromHex, hexToAddress } from '../../src/lib/hex.ts'
import { create2Address, createAddress } from '../../src/primitives/create-address.ts'

const creator = hexToAddress('0x00000000000000000000000000000000deadbeef')

test.each([0n, 1n, 127n, 128n, 255n, 256n, 2n ** 64n - 2n])('of nonce %i', (nonce) => {
  expect(createAddress(creator, nonce)).toBe(getCreateAddress({ from: creator, nonce }).toLowerCase())
})

test.each([
  ['none', '0x'],
  ['a zero', '0x00'],
  ['four bytes', '0xdeadbeef'],
  ['20,000 bytes', `0x${'5b'.repeat(20_000)}`],
])('of a salt and init code: %s', (_, code) => {
  for (const salt of [0n, 0xcafebaben].map((value) => toBeHex(value, 32))) {
    const expected = getCreate2Address(creator, salt, keccak256(code)).toLowerCase()
    expect(create2Address(creator, fromHex(salt), fromHex(code))).toBe(expected)
  }
})

test('EIP-1014, example 5', () => {
  const salt = fromHex(toBeHex(0xcafebaben, 32))
  expect(create2Address(creator, salt, fromHex('0xdeadbeef'))).toBe('0x60f3f640a8508fc6a86d45df051962668e1e8ac7')
})
