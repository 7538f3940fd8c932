// Which logs a filter wants, tested on a bloom, on a log in a stored row, and on a decoded log. The last two agree; a bloom may
// match too much, never too little.
import { type Address, fromHex, type Hash } from '../lib/hex.ts'
import { bloomTest } from './receipt.ts'
import { HASH_ITEM, type LogTest } from './stored-rows.ts'
import type { Log } from './types.ts'

/** An empty list or a null position matches everything. A log with fewer topics than the filter has positions is not wanted. */
export type LogCriteria = {
  readonly addresses: readonly Address[]
  readonly topics: readonly (readonly Hash[] | null)[]
}

export const ALL_LOGS: LogCriteria = { addresses: [], topics: [] }

/** Tests whether a block or receipt with this bloom may have matching logs. */
export function bloomMatch({ addresses, topics }: LogCriteria): (bloom: Uint8Array) => boolean {
  const wanted = [addresses, ...topics].filter((choices) => choices !== null && choices.length > 0)
  const tests = wanted.map((choices) => bloomTest((choices ?? []).map(fromHex)))
  if (tests.length === 0) return (bloom) => bloom.some((byte) => byte !== 0)
  return (bloom) => tests.every((test) => test(bloom))
}

/** Tests logs of a row of receipts. A query with thousands of choices asks for the test of each of its blocks. */
export function storedLogMatch(criteria: LogCriteria): LogTest {
  const test = storedTests.get(criteria) ?? storedLogTest(criteria)
  storedTests.set(criteria, test)
  return test
}

const storedTests = new WeakMap<LogCriteria, LogTest>()

function storedLogTest({ addresses, topics }: LogCriteria): LogTest {
  const emitters = addresses.map(fromHex)
  const wanted = topics.map((choices) => (choices ?? []).map(fromHex))
  return (row, emitter, firstTopic, count) => {
    if (wanted.length > count || !isAnyAt(row, emitter, emitters)) return false
    let at = firstTopic
    for (const choices of wanted) {
      if (!isAnyAt(row, at, choices)) return false
      at += HASH_ITEM
    }
    return true
  }
}

/** Whether the bytes at `start` are one of the choices; without choices, anything will do. */
function isAnyAt(row: Uint8Array, start: number, choices: readonly Uint8Array[]): boolean {
  for (const bytes of choices) {
    // From the end: topics with an address or a number begin with the same zeros.
    let at = bytes.length - 1
    while (at >= 0 && row[start + at] === bytes[at]) at--
    if (at < 0) return true
  }
  return choices.length === 0
}

export function matchesLog(log: Log, { addresses, topics }: LogCriteria): boolean {
  if (topics.length > log.topics.length || (addresses.length > 0 && !addresses.includes(log.address))) return false
  return topics.every((choices, position) => {
    const topic = log.topics[position]
    return choices === null || choices.length === 0 || (topic !== undefined && choices.includes(topic))
  })
}
