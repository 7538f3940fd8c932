// Decoded values of former versions are kept within a bound, also those of versions from which nothing was read.
import { expect, it } from 'vitest'
import { hexToAddress } from '../../src/lib/hex.ts'
import { NEW_ACCOUNT } from '../../src/state/accounts.ts'
import { DecodedVersions } from '../../src/state/decoded-values.ts'

const account = { ...NEW_ACCOUNT, storageRoot: new Uint8Array(32) }
const address = hexToAddress('0x00000000000000000000000000000000000000a1')

it('former versions are dropped, oldest first, even if nothing was read from them', () => {
  const versions = new DecodedVersions(0)
  versions.of(0)?.addAccount(address, account)
  for (let version = 1; version <= 100; version++) versions.moveTo(version)
  expect(versions.of(0)?.accounts.get(address)).toBe(account)
  for (let version = 101; version <= 100_000; version++) versions.moveTo(version)
  expect(versions.of(0)).toBeUndefined()
  expect(versions.of(90_000)).toBeUndefined()
  expect(versions.of(99_999)).toBeDefined()
})
