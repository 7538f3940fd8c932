// A copy of an open database contains every batch written before one moment, and no part of a later one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { copyDatabaseInUse } from '../../src/state/disk-check.ts'
import { openStore, openUnchecked } from '../../src/state/kv.ts'
import { temporaryFolder } from '../support/process.ts'

const COUNT = Buffer.from('Z')
const row = (number: number) => Buffer.from(`A${number % 400}-${number}`)

test('a copy of a database in use has every batch that was written before it, and no part of a batch', {
  timeout: 60_000,
}, async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const original = join(path, 'original')
  const copy = join(path, 'copy')
  const store = await openStore(original)
  // 400 batches of 256 KB: 100 MB, six times the write buffer, so that LevelDB starts logs and compacts tables during the
  // copies.
  let written = 0
  const writing = (async () => {
    for (let number = 1; number <= 400; number++) {
      const value = Buffer.alloc(256 * 1024, number % 251)
      await store.write([
        { type: 'put', key: COUNT, value: Buffer.from(String(number)) },
        { type: 'put', key: row(number), value },
      ])
      written = number
    }
  })()
  let copies = 0
  while (written < 400) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const before = written
    copyDatabaseInUse(original, copy)
    const found = await openUnchecked(copy)
    const count = Number(Buffer.from(found.get(COUNT) ?? Buffer.from('0')).toString())
    expect(count).toBeGreaterThanOrEqual(before)
    expect(found.get(row(count + 1))).toBeUndefined()
    for (let number = 1; number <= count; number++) expect(found.get(row(number))?.[0]).toBe(number % 251)
    await found.close()
    copies++
  }
  await writing
  await store.close()
  expect(copies).toBeGreaterThan(3)
})

test('opening a copy changes no table that the original begins later', async () => {
  const { path, remove } = await temporaryFolder()
  onTestFinished(remove)
  const original = join(path, 'original')
  const copy = join(path, 'copy')
  const store = await openStore(original)
  onTestFinished(() => store.close())
  await store.write([{ type: 'put', key: COUNT, value: Buffer.from('1') }])
  // Tables that LevelDB has begun in a compaction, and has not named in its MANIFEST: it takes the numbers that follow.
  const newest = Math.max(...readdirSync(original).map((name) => Number(/\d+/.exec(name)?.[0] ?? 0)))
  const begun = Array.from({ length: 8 }, (_, index) => `${String(newest + 1 + index).padStart(6, '0')}.ldb`)
  for (const name of begun) writeFileSync(join(original, name), name)
  copyDatabaseInUse(original, copy)
  // It writes the log of the copy into a new table, with the next number that the copy's MANIFEST has.
  const found = await openUnchecked(copy)
  expect(Buffer.from(found.get(COUNT) ?? '').toString()).toBe('1')
  await found.close()
  expect(readdirSync(copy).some((name) => name.endsWith('.ldb'))).toBe(true)
  expect(begun.map((name) => readFileSync(join(original, name), 'utf8'))).toEqual(begun)
})
