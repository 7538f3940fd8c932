// A file of records: intact ones are read even after torn or damaged ones, and the file is then rewritten without those.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ChainError } from '../../src/lib/errors.ts'
import { openRecordLog } from '../../src/state/record-log.ts'

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'record-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'journal')
}
const record = (n: number): Uint8Array => new Uint8Array(n + 1).fill(n)
const reopened = (path: string): Uint8Array[] => {
  const log = openRecordLog(path)
  const { records } = log.read()
  log.close()
  return [...records]
}

test('a record log returns everything appended, in order, also without a close', () => {
  const path = place()
  const log = openRecordLog(path)
  expect(log.read().records).toEqual([])
  log.append([record(1), record(0)])
  log.append([record(300)])
  expect(reopened(path)).toEqual([record(1), record(0), record(300)])
  // A header of twelve bytes for each: magic number, length, checksum.
  expect(log.size).toBe(2 + 1 + 301 + 3 * 12)
  log.close()
})

test('a replaced record log has the new records and can be appended to', () => {
  const path = place()
  const log = openRecordLog(path)
  log.append([record(1), record(2)])
  log.replace([record(3)])
  log.append([record(4)])
  expect(reopened(path)).toEqual([record(3), record(4)])
  log.replace([])
  expect([log.size, readFileSync(path).length]).toEqual([0, 0])
  log.append([record(5)])
  expect(reopened(path)).toEqual([record(5)])
  log.close()
})

test('a record log that is cut anywhere keeps the intact records before the cut', () => {
  const path = place()
  const log = openRecordLog(path)
  log.append([record(10), record(20)])
  log.close()
  const bytes = readFileSync(path)
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    const torn = openRecordLog(path)
    const whole = length < 12 + 11 ? [] : [record(10)]
    expect(torn.read().records).toEqual(whole)
    torn.append([record(30)])
    torn.close()
    expect(reopened(path)).toEqual([...whole, record(30)])
  }
})

/** A log of records of these sizes: its bytes, and where each frame begins. */
function written(path: string, sizes: readonly number[]): { bytes: Buffer; starts: number[] } {
  const log = openRecordLog(path)
  log.append(sizes.map(record))
  log.close()
  const frames = sizes.map((size) => 12 + size + 1)
  return { bytes: readFileSync(path), starts: frames.map((_, n) => frames.slice(0, n).reduce((sum, x) => sum + x, 0)) }
}

test('a damaged byte costs only its record and is reported with its offset', () => {
  const path = place()
  const sizes = [10, 20, 30]
  const { bytes, starts } = written(path, sizes)
  for (let at = 0; at < bytes.length; at++) {
    const damaged = Buffer.from(bytes)
    damaged[at] = (damaged[at] ?? 0) ^ 0x10
    writeFileSync(path, damaged)
    const hit = starts.findLastIndex((start) => start <= at)
    const whole = sizes.filter((_, n) => n !== hit).map(record)
    const log = openRecordLog(path)
    expect(log.read()).toEqual({
      records: whole,
      damaged: [{ at: starts[hit], length: 12 + (sizes[hit] ?? 0) + 1 }],
    })
    // The file now has the intact records only, and new ones are appended to them.
    expect(log.read()).toEqual({ records: whole, damaged: [] })
    log.append([record(5)])
    log.close()
    expect(reopened(path)).toEqual([...whole, record(5)])
  }
})

test('zeros in the middle cost the records that they cover; zeros and garbage at the end cost none', () => {
  const path = place()
  const sizes = Array.from({ length: 200 }, () => 100)
  const { bytes, starts } = written(path, sizes)
  // A frame has 113 bytes: 512 zeros from record 100 on reach into record 104.
  bytes.fill(0, starts[100], (starts[100] ?? 0) + 512)
  writeFileSync(path, bytes)
  const log = openRecordLog(path)
  const { records, damaged } = log.read()
  expect([records.length, damaged]).toEqual([195, [{ at: 100 * 113, length: 5 * 113 }]])
  log.close()
  for (const tail of [Buffer.alloc(4096), Buffer.alloc(4096, 0xff), bytes.subarray(0, 60)]) {
    appendFileSync(path, tail)
    const padded = openRecordLog(path)
    expect(padded.read()).toEqual({ records, damaged: [{ at: 195 * 113, length: tail.length }] })
    padded.close()
    expect(readFileSync(path).length).toBe(195 * 113)
  }
})

test('a record log in a missing folder is a disk failure', () => {
  expect(() => openRecordLog(join(place(), 'nowhere', 'journal'))).toThrow(ChainError)
})
