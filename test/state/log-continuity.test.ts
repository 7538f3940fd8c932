// The sequence numbers of LevelDB's log records are continuous. A database after a crash opens. One that has lost records is
// refused, and a copy made during writes is refused or has a state that the database once had.
// `KESTREL_KILLS=200 npx vitest run test/state/log-continuity.test.ts` kills 200 writers and prints the results of the copies.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { acceptLoss, requireIntact } from '../../src/state/disk-check.ts'
import { KEY } from '../../src/state/keyspace.ts'
import { openStore } from '../../src/state/kv.ts'
import { maskedCrc32c, u32At, u64At } from '../../src/state/leveldb/coding.ts'
import { readLog } from '../../src/state/leveldb/log-file.ts'

const KILLS = Number(process.env.KESTREL_KILLS ?? 3)
const BLOCK = 32 * 1024

/** Records as LevelDB's log writer writes them (doc/log_format.md). */
function encodeLog(records: readonly Uint8Array[]): Buffer {
  const parts: Buffer[] = []
  let at = 0
  for (const record of records) {
    let from = 0
    do {
      const left = BLOCK - (at % BLOCK)
      if (left < 7) {
        parts.push(Buffer.alloc(left))
        at += left
      }
      const size = Math.min(BLOCK - (at % BLOCK) - 7, record.length - from)
      const isLast = from + size === record.length
      const fragment = Buffer.alloc(7 + size)
      fragment[6] = from === 0 ? (isLast ? 1 : 2) : isLast ? 4 : 3
      fragment.writeUInt16LE(size, 4)
      fragment.set(record.subarray(from, from + size), 7)
      fragment.writeUInt32LE(maskedCrc32c(fragment.subarray(6)), 0)
      parts.push(fragment)
      at += fragment.length
      from += size
    } while (from < record.length)
  }
  return Buffer.concat(parts)
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kestrel-logs-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return join(made, 'chain')
}

/** A database with 40 batches of two changes, numbered 1 to 80, in one log, which it returns. */
async function database(directory: string): Promise<{ path: string; next: string; records: readonly Uint8Array[] }> {
  const store = await openStore(directory)
  for (let block = 0; block < 40; block++)
    await store.write([
      { type: 'put', key: KEY.header(BigInt(block)), value: new Uint8Array(2_000).fill(block) },
      { type: 'put', key: KEY.meta('head'), value: Buffer.from(JSON.stringify([`${block}`, block])) },
    ])
  await store.close()
  const [log = ''] = readdirSync(directory).filter((file) => file.endsWith('.log'))
  const next = `${String(Number.parseInt(log, 10) + 10).padStart(6, '0')}.log`
  const { records } = readLog(readFileSync(join(directory, log)))
  return { path: join(directory, log), next: join(directory, next), records }
}

const numberOf = (record: Uint8Array): number => u64At(record, 0)

test('two logs are accepted when the second continues the first, and refused when records are missing or duplicated', async () => {
  const directory = folder()
  const { path, next, records } = await database(directory)
  const split = (before: number, from: number): void => {
    writeFileSync(path, encodeLog(records.slice(0, before)))
    writeFileSync(next, encodeLog(records.slice(from)))
  }
  split(20, 20)
  expect(requireIntact(directory).isKnown).toBe(true)
  split(17, 20)
  await expect(openStore(directory)).rejects.toThrow(
    /^chain\/\d+\.log: 6 changes are missing before byte 0, or it is a copy of a running node/,
  )
  split(20, 19)
  await expect(openStore(directory)).rejects.toThrow(
    new RegExp(
      `\\.log: the change at byte 0 has number ${numberOf(records[19] ?? expect.fail('no record'))}, which is before`,
    ),
  )
})

test('a log is refused when records are missing in it, including at its beginning', async () => {
  const directory = folder()
  const { path, records } = await database(directory)
  writeFileSync(path, encodeLog([...records.slice(0, 10), ...records.slice(12)]))
  const { ends } = readLog(readFileSync(path))
  await expect(openStore(directory)).rejects.toThrow(`4 changes are missing before byte ${ends[9]}`)
  writeFileSync(path, encodeLog(records.slice(1)))
  const [first] = records
  const lost = first === undefined ? 0 : u32At(first, 8)
  await expect(openStore(directory)).rejects.toThrow(`${lost} changes are missing before byte 0`)
})

test('a log of another time is refused, and its loss can be accepted', async () => {
  const directory = folder()
  const { path, records } = await database(directory)
  const late = encodeLog([...records.slice(0, 10), ...records.slice(12)])
  writeFileSync(path, late)
  expect(acceptLoss(directory)).toHaveLength(1)
  const store = await openStore(directory)
  const head = Buffer.from(store.get(KEY.meta('head')) ?? []).toString()
  await store.close()
  // The batches before the gap: up to the last of the ten records.
  expect(JSON.parse(head)[1]).toBe(JSON.parse(headIn(records[9]))[1])
  writeFileSync(join(directory, readdirSync(directory).find((file) => file.endsWith('.log')) ?? ''), late)
  await expect(openStore(directory)).rejects.toThrow(/which is before \d+: it belongs to another copy/)
})

/** The head that a batch writes: the JSON at the end of its record. */
const headIn = (record: Uint8Array | undefined): string =>
  /\["\d+",\d+\]/.exec(Buffer.from(record ?? []).toString('latin1'))?.[0] ?? ''

const writers = new Set<ChildProcess>()

/** Starts a writer and waits for its first output. `acknowledged` returns the last batch that it printed. */
async function startWriter(
  directory: string,
  mode: 'late' | 'block',
): Promise<{ child: ChildProcess; output: () => string }> {
  const script = join(import.meta.dirname, 'row-writer.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', script, directory, mode], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  writers.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  while (!output.includes('open')) {
    if (child.exitCode !== null) throw new Error(`the writer has ended: ${output}`)
    await sleep(5)
  }
  return { child, output: () => output }
}

/** Opens a database and checks that its rows are those of its head; undefined if it is refused. */
async function checkedHead(directory: string): Promise<number | undefined> {
  const store = await openStore(directory).catch(() => undefined)
  if (store === undefined) return undefined
  try {
    const head = store.get(KEY.meta('head'))
    const newest = head === undefined ? -1 : Number(JSON.parse(Buffer.from(head).toString())[1])
    for (let i = 0; i <= newest; i++) {
      expect(Buffer.from(store.get(KEY.stateVersion(BigInt(i))) ?? []).toString()).toBe(`${i}`)
      expect(store.get(KEY.body(BigInt(i)))?.length).toBe(20_000 + ((i * 7_919) % 180_000))
    }
    expect(store.get(KEY.body(BigInt(newest + 1)))).toBeUndefined()
    for (let i = Math.max(0, newest - 49); i <= newest; i++)
      expect(store.get(KEY.header(BigInt(i % 50)))?.length).toBe(20_000 + ((i * 7_919) % 180_000))
    return newest
  } finally {
    await store.close()
  }
}

/** Copies a folder file by file in random order, slowly, while it changes. */
async function copySlowly(from: string, to: string): Promise<void> {
  mkdirSync(to, { recursive: true })
  const files = readdirSync(from).filter((file) => file !== 'LOCK')
  files.sort(() => Math.random() - 0.5)
  for (const file of files) {
    try {
      copyFileSync(join(from, file), join(to, file))
    } catch {
      // LevelDB has deleted the file.
    }
    await sleep(Math.random() * 40)
  }
}

test(`${KILLS} writers, with late syncs and without, are killed: nothing acknowledged is lost; copies made during writes are complete or refused`, {
  timeout: 30_000 + KILLS * 15_000,
}, async () => {
  const directory = folder()
  const outcomes = { refused: 0, whole: 0 }
  try {
    for (let round = 0; round < KILLS; round++) {
      const { child, output } = await startWriter(directory, round % 2 === 0 ? 'late' : 'block')
      await sleep(Math.random() * 600)
      const copy = join(directory, '..', `copy ${round}`, 'chain')
      await copySlowly(directory, copy)
      child.kill('SIGKILL')
      await once(child, 'exit')
      writers.delete(child)
      // The last line may be incomplete.
      const acknowledged = Number(
        output()
          .split('\n')
          .at(-2)
          ?.replace(/^open.*/, '-1'),
      )
      const head = await checkedHead(directory)
      expect(head, `round ${round}`).toBeGreaterThanOrEqual(acknowledged)
      outcomes[(await checkedHead(copy)) === undefined ? 'refused' : 'whole']++
      rmSync(join(directory, '..', `copy ${round}`), { recursive: true, force: true })
      if ((head ?? 0) > 2_000) rmSync(directory, { recursive: true })
    }
  } finally {
    for (const child of writers) child.kill('SIGKILL')
  }
  if (process.env.KESTREL_KILLS) console.log(outcomes)
})
