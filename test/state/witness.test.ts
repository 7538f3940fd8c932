// A witness holds what was read of a version and answers like the state itself; what it lacks is asked for once.
import { beforeEach, expect, it } from 'vitest'
import { hexToAddress, toLatin1 } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { storedRowAsOf } from '../../src/state/history.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { slotKey, View } from '../../src/state/view.ts'
import { WitnessRecorder, WitnessRows } from '../../src/state/witness.ts'

const rich = hexToAddress(`0x${'11'.repeat(20)}`)
const contract = hexToAddress(`0x${'22'.repeat(20)}`)
const nobody = hexToAddress(`0x${'33'.repeat(20)}`)
const CODE = Uint8Array.of(0x60, 0x01)
const [first, second] = [slotKey(1n), slotKey(2n)]

let state: StateStore
beforeEach(async () => {
  state = new StateStore(await openMemoryStore(), -1)
  await land((view) => {
    view.setBalance(rich, 70n)
    view.setCode(contract, CODE)
    view.setStorage(contract, 1n, 5n)
    view.setStorage(contract, 2n, 9n)
  })
})

async function land(change: (view: View) => void): Promise<void> {
  const view = state.at(state.version)
  change(view)
  const { rows, codes } = await view.changes()
  const { ops, landed } = state.stage(rows, codes)
  await state.store.write(ops)
  landed()
}

/** What stands in for the node: rows from the store as of version 0, and the keys that were asked for. */
function missing() {
  const asked: string[] = []
  const row = (key: Uint8Array) => {
    asked.push(toLatin1(key))
    return storedRowAsOf(state.store, key, 0)
  }
  return { asked, row, code: () => CODE }
}

/** A run that reads two accounts, one that is not there, and one slot, and writes one of each. */
function run(view: View): unknown[] {
  const seen = [view.balance(rich), view.account(nobody), view.storage(contract, 1n), view.code(contract)]
  view.setBalance(rich, 71n)
  view.setStorage(contract, 1n, 6n)
  return [...seen, view.root()]
}

it('a block runs again on its witness alone, after the state has moved on', async () => {
  const recorder = new WitnessRecorder(state)
  const before = run(new View(recorder, 0))
  expect(before.slice(0, 4)).toEqual([70n, undefined, 5n, CODE])
  recorder.stop()
  await land((view) => {
    view.setBalance(rich, 1n)
    view.setBalance(nobody, 1n)
    view.clearStorage(contract)
  })
  const { asked, row, code } = missing()
  expect(run(new View(new WitnessRows(await recorder.encode(), { row, code }), 0))).toEqual(before)
  expect(asked).toEqual([])
})

it('a witness asks for what the first run has not read, at the old version, and once', async () => {
  const recorder = new WitnessRecorder(state)
  run(new View(recorder, 0))
  await land((view) => view.setStorage(contract, 2n, 10n))
  const { asked, row, code } = missing()
  const rows = new WitnessRows(await recorder.encode(), { row, code })
  for (const view of [new View(rows, 0), new View(rows, 0)]) expect(view.storage(contract, 2n)).toBe(9n)
  expect(asked).toEqual([toLatin1(KEY.slot(contract, second))])
})

it('a run without a witness asks for everything', () => {
  const { row, code } = missing()
  const view = new View(new WitnessRows(new Uint8Array(0), { row, code }), 0)
  expect([view.balance(rich), view.account(contract)?.codeHash, view.nonce(nobody)]).toEqual([
    70n,
    keccakHash(CODE),
    0n,
  ])
})

it('a witness records nothing after it has been stopped', () => {
  const recorder = new WitnessRecorder(state)
  const view = new View(recorder, 0)
  view.storage(contract, 1n)
  recorder.stop()
  view.storage(contract, 2n)
  view.balance(rich)
  expect([...recorder.read()]).toEqual([{ of: contract, keys: [first] }])
})
