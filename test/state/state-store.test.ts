// The caches that views of the newest version share, during commits and rewinds.
import { beforeEach, expect, it } from 'vitest'
import { type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { slotKey, type View } from '../../src/state/view.ts'

const one = hexToAddress(`0x${'11'.repeat(20)}`)
const two = hexToAddress(`0x${'22'.repeat(20)}`)
const first = slotKey(1n)
const second = slotKey(2n)

let state: StateStore
beforeEach(async () => {
  state = new StateStore(await openMemoryStore(), -1)
  await land((view) => write(view, 1n))
})

const write = (view: View, value: bigint): void => {
  view.setBalance(one, value)
  view.setBalance(two, value)
  view.setStorage(one, 1n, value)
  view.setStorage(one, 2n, value)
}

async function land(change: (view: View) => void): Promise<void> {
  const view = state.at(state.version)
  change(view)
  const { rows, codes } = await view.changes()
  const { ops, afterWrite } = state.stage(rows, codes)
  await state.store.write(ops)
  afterWrite()
}

async function goBack(version: number): Promise<void> {
  const { ops, afterWrite } = state.rewind(version)
  await state.store.write(ops)
  afterWrite()
}

const word = (view: View, key: Hash) => toHex(view.word(one, key))
const seen = (view: View) => [view.balance(one), view.balance(two), word(view, first), word(view, second)]

it('a view reads its own version although the caches hold newer values', async () => {
  const old = state.at(0)
  // Half of the reads before the next version is committed, half after.
  expect([old.balance(one), word(old, first)]).toEqual([1n, '0x01'])
  await land((view) => write(view, 2n))
  const fresh = state.at(1)
  expect(seen(fresh)).toEqual([2n, 2n, '0x02', '0x02'])
  expect(seen(old)).toEqual([1n, 1n, '0x01', '0x01'])
  expect(seen(state.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
  expect(seen(state.at(1))).toEqual([2n, 2n, '0x02', '0x02'])
})

it('writes of a view are invisible to other views', () => {
  const writer = state.at(0)
  write(writer, 9n)
  expect(seen(writer)).toEqual([9n, 9n, '0x09', '0x09'])
  expect(seen(state.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
})

it('rewound versions leave nothing in the caches', async () => {
  await land((view) => write(view, 2n))
  expect(seen(state.at(1))).toEqual([2n, 2n, '0x02', '0x02'])
  await goBack(0)
  expect(seen(state.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
  await land((view) => view.setBalance(one, 3n))
  expect(seen(state.at(1))).toEqual([3n, 1n, '0x01', '0x01'])
})

it('absent accounts and slots are cached until they are created', async () => {
  const absentAccount = hexToAddress(`0x${'33'.repeat(20)}`)
  const read = () => [
    state.at(state.version).account(absentAccount),
    toHex(state.at(state.version).word(absentAccount, first)),
  ]
  expect([read(), read()]).toEqual([
    [undefined, '0x'],
    [undefined, '0x'],
  ])
  await land((view) => {
    view.setBalance(absentAccount, 5n)
    view.setStorage(absentAccount, 1n, 6n)
  })
  expect(read()).toEqual([expect.objectContaining({ balance: 5n }), '0x06'])
})

it.each([1, 3, 70])(
  'a store that follows %i versions of another store reads them, and older versions as before',
  async (count) => {
    const follower = new StateStore(state.store, 0)
    expect(seen(follower.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
    for (let version = 1; version < count; version++) await land((view) => view.setBalance(two, BigInt(version + 1)))
    await land((view) => view.setStorage(one, 1n, 9n))
    // On disk, but invisible until the follower advances.
    expect(seen(follower.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
    follower.follow(count)
    expect(seen(follower.at(count))).toEqual([1n, BigInt(count), '0x09', '0x01'])
    expect(seen(follower.at(0))).toEqual([1n, 1n, '0x01', '0x01'])
  },
)
