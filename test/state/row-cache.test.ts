// The row cache against its store: after any reads, writes, failures and overlaps it returns what the store has at that moment.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { memoryRecordLog } from '../../src/state/record-log.ts'
import { RowCache } from '../../src/state/row-cache.ts'
import type { KvStore, WriteOp } from '../../src/state/types.ts'

type Write = { ops: readonly WriteOp[]; land: () => void; fail: () => void }

/** A store whose writes are applied and finish when the test says so. */
class Slow implements KvStore {
  readonly log = memoryRecordLog()
  readonly rows = new Map<number, Uint8Array>()
  readonly writes: Write[] = []
  reads = 0

  get(key: Uint8Array): Uint8Array | undefined {
    this.reads++
    return this.rows.get(key[0] ?? 0)
  }

  write(ops: readonly WriteOp[]): Promise<void> {
    return new Promise((land, reject) => {
      this.writes.push({ ops, land, fail: () => reject(new Error('the disk is full')) })
    })
  }

  apply({ ops }: Write): void {
    for (const op of ops) {
      if (op.type === 'put') this.rows.set(op.key[0] ?? 0, op.value)
      else this.rows.delete(op.key[0] ?? 0)
    }
  }

  requireWritable(): void {}

  scan(): never {
    throw new Error('not asked for')
  }

  consistentReader(): never {
    throw new Error('not asked for')
  }

  async close(): Promise<void> {}
}

const KEYS = 5
/** Rows 0 to 3 of five are cached. */
const isCached = (key: Uint8Array): boolean => (key[0] ?? 0) < KEYS - 1

const op = fc.record({ key: fc.nat(KEYS - 1), value: fc.option(fc.nat(9)) }).map(({ key, value }): WriteOp => {
  const name = Uint8Array.of(key)
  return value === null
    ? { type: 'del', key: name }
    : { type: 'put', key: name, value: new Uint8Array(value).fill(key) }
})
const step = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), ops: fc.array(op, { minLength: 1, maxLength: 4 }) }),
  fc.record({ kind: fc.constantFrom('apply' as const, 'land' as const, 'fail' as const), of: fc.nat(3) }),
  fc.record({ kind: fc.constant('ask' as const), key: fc.nat(KEYS - 1) }),
)

it('the row cache returns what the store has, whatever writes are in progress', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const slow = new Slow()
      const rows = new RowCache(slow, isCached, 3)
      const applied = new Set<Write>()
      const ask = (key: number) => expect(rows.get(Uint8Array.of(key))).toEqual(slow.rows.get(key))
      for (const next of steps) {
        if (next.kind === 'begin') rows.write(next.ops).catch(() => undefined)
        else if (next.kind === 'ask') ask(next.key)
        else {
          const write = slow.writes[next.of % slow.writes.length]
          if (write === undefined) continue
          if (next.kind !== 'fail' && !applied.has(write)) slow.apply(write)
          applied.add(write)
          if (next.kind === 'apply') continue
          slow.writes.splice(slow.writes.indexOf(write), 1)
          write[next.kind]()
          await new Promise(setImmediate)
        }
      }
      for (let key = 0; key < KEYS; key++) ask(key)
    }),
    { numRuns: 1000 },
  )
})

it('the row cache reads a row from the store once, absent or not, and never one that was just written', async () => {
  const slow = new Slow()
  slow.rows.set(0, Uint8Array.of(7))
  const rows = new RowCache(slow, isCached, 10)
  for (let time = 0; time < 2; time++) {
    expect(rows.get(Uint8Array.of(0))).toEqual(Uint8Array.of(7))
    expect(rows.get(Uint8Array.of(1))).toBeUndefined()
  }
  expect(slow.reads).toBe(2)
  const written = rows.write([{ type: 'put', key: Uint8Array.of(1), value: Uint8Array.of(8) }])
  for (const write of slow.writes) {
    slow.apply(write)
    write.land()
  }
  await written
  expect(rows.get(Uint8Array.of(1))).toEqual(Uint8Array.of(8))
  expect(slow.reads).toBe(2)
})
