// A state restored from a stream of rows has the same rows and root as one written account by account.
import { expect, it } from 'vitest'
import { bigToFixed, bigToWord, type Hash, toAddress, toHash, trimZeros } from '../../src/lib/hex.ts'
import { keccak256, keccakHash } from '../../src/lib/keccak.ts'
import { accountOf, EMPTY_CODE_HASH } from '../../src/state/accounts.ts'
import { FirstState } from '../../src/state/first-state.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { RestoredState } from '../../src/state/restored-state.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { EMPTY_ROOT } from '../../src/state/trie.ts'
import { everyRow } from '../support/stores.ts'

const addressOf = (n: number) => toAddress(keccak256(bigToFixed(BigInt(n), 32)).subarray(12))
const CODE = Uint8Array.of(0x60, 0x00, 0x60, 0x00, 0xfd)

/** Slots of each account: none, one, some, and more than are built at once. */
const SIZES = [0, 1, 37, 12_000, 0, 300]
const accounts = SIZES.map((size, n) => ({
  address: addressOf(n),
  nonce: BigInt(n),
  balance: 10n ** BigInt(n),
  code: n % 2 === 1 ? CODE : new Uint8Array(0),
  storage: new Map<Hash, Hash>(
    Array.from({ length: size }, (_, slot) => [
      toHash(keccak256(bigToFixed(BigInt(slot * 7 + n), 32))),
      bigToWord(BigInt(slot + 1) ** 3n),
    ]),
  ),
}))

it('a restored state equals the state of its accounts, whatever the size of their storage', async () => {
  const whole = await openMemoryStore()
  const streamed = await openMemoryStore()
  const first = new FirstState(whole)
  for (const { address, ...account } of accounts) await first.add(address, account)
  await first.finish()
  const restored = new RestoredState(streamed)
  expect(restored.code(CODE)).toBe(keccakHash(CODE))
  for (const { address, nonce, balance, code, storage } of accounts) {
    await restored.account(address, accountOf(nonce, balance, code.length === 0 ? EMPTY_CODE_HASH : keccakHash(code)))
    for (const [slot, word] of storage) await restored.slot(slot, trimZeros(Buffer.from(word.slice(2), 'hex')))
  }
  const root = await restored.finish()
  expect(await everyRow(streamed)).toEqual(await everyRow(whole))

  // The same accounts, written to a view of an empty state.
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  for (const { address, nonce, balance, code, storage } of accounts) {
    view.setNonce(address, nonce)
    view.setBalance(address, balance)
    if (code.length > 0) view.setCode(address, code)
    for (const [slot, word] of storage) view.setWord(address, slot, Buffer.from(word.slice(2), 'hex'))
  }
  expect(root).toBe(view.root())
})

it('a restored state without accounts is empty, and accepts accounts', async () => {
  const store = await openMemoryStore()
  const restored = new RestoredState(store)
  await restored.known(addressOf(1))
  expect(await restored.finish()).toBe(EMPTY_ROOT)
  await expect(new RestoredState(store).slot(toHash(new Uint8Array(32)), CODE)).rejects.toThrow(
    'before the first account',
  )
  expect([...(await everyRow(store)).keys()]).toContain(`0x28${addressOf(1).slice(2)}`)
})
