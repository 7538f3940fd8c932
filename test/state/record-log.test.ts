// Records in a file: whole ones come back, torn or mangled ones end the log, and what follows is found.
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
  const records = log.read()
  log.close()
  return records
}

test('everything appended comes back in its order, also without a close', () => {
  const path = place()
  const log = openRecordLog(path)
  expect(log.read()).toEqual([])
  log.append([record(1), record(0)])
  log.append([record(300)])
  expect(reopened(path)).toEqual([record(1), record(0), record(300)])
  // Eight bytes before each.
  expect(log.size).toBe(2 + 1 + 301 + 3 * 8)
  log.close()
})

test('a replaced log holds the new records, and grows on', () => {
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

test('cut anywhere, the whole records before the cut are there, and what is appended then', () => {
  const path = place()
  const log = openRecordLog(path)
  log.append([record(10), record(20)])
  log.close()
  const bytes = readFileSync(path)
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(path, bytes)
    truncateSync(path, length)
    const torn = openRecordLog(path)
    const whole = length < 19 ? [] : [record(10)]
    expect(torn.read()).toEqual(whole)
    torn.append([record(30)])
    torn.close()
    expect(reopened(path)).toEqual([...whole, record(30)])
  }
})

test('a mangled record ends the log, as zeros do that a power cut has left', () => {
  const path = place()
  const log = openRecordLog(path)
  log.append([record(10), record(20), record(30)])
  log.close()
  const bytes = readFileSync(path)
  bytes[25] = (bytes[25] ?? 0) ^ 1
  writeFileSync(path, bytes)
  expect(reopened(path)).toEqual([record(10)])
  appendFileSync(path, Buffer.alloc(4096))
  const padded = openRecordLog(path)
  expect(padded.read()).toEqual([record(10)])
  padded.append([record(40)])
  padded.close()
  expect(reopened(path)).toEqual([record(10), record(40)])
})

test('a folder that is not there is an error of the storage', () => {
  expect(() => openRecordLog(join(place(), 'nowhere', 'journal'))).toThrow(ChainError)
})
