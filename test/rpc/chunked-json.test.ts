// Chunked JSON equals the JSON of JSON.stringify, for any value and any split into chunks.
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PreserializedJson } from '../../src/lib/preserialized-json.ts'
import { ChunkedJson, fitsOneChunk, jsonChunks } from '../../src/rpc/chunked-json.ts'

const joined = async (value: unknown): Promise<string> => (await jsonChunks(value)).map(String).join('')
const row = (index: number) => ({
  index,
  word: `0x${index.toString(16).padStart(64, '0')}`,
  none: undefined,
  null: null,
})

describe('JSON of a long value', () => {
  it('equals JSON.stringify for large lists, objects and strings', async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => row(index))
    const shapes: unknown[] = [
      rows,
      { gas: 1, structLogs: rows, failed: false, nothing: undefined },
      [{ result: { structLogs: rows } }, { result: null }, undefined, []],
      Object.fromEntries(rows.map((row) => [row.word, row])),
      { first: 'é'.repeat(400_000), second: [rows, rows], third: {} },
      Array.from({ length: 3 }, () => 'x"\n'.repeat(200_000)),
    ]
    for (const value of shapes) {
      expect(fitsOneChunk(value)).toBe(false)
      expect(await joined(value)).toBe(JSON.stringify(value))
    }
  })

  it('equals JSON.stringify for random values', async () => {
    const big = fc.constantFrom(
      'a'.repeat(300_000),
      Array.from({ length: 9000 }, (_, index) => row(index)),
    )
    const value = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.jsonValue(),
        big,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3 }),
      ),
    })).tree
    await fc.assert(
      fc.asyncProperty(value, async (value) => {
        expect(await joined(value)).toBe(JSON.stringify(value))
      }),
      { numRuns: 40 },
    )
  })

  it('inserts preserialized JSON at any depth', async () => {
    const written = new PreserializedJson(['[1,', '{"a":"é"}', ']'].map((part) => Buffer.from(part)))
    const deep = (value: unknown) => ({ result: [{ a: { b: { c: { d: { e: { f: { g: value } } } } } } }] })
    for (const value of [
      written,
      { gas: 1, structLogs: written, none: undefined },
      [written, [written]],
      deep(written),
    ]) {
      const plain = JSON.stringify(value)
      expect(plain).toContain('[1,{"a":"é"}]')
      expect(await joined(value)).toBe(plain)
    }
    const long = new PreserializedJson([Buffer.from('['), Buffer.from('1,'.repeat(50_000)), Buffer.from('1]')])
    expect(await joined({ long })).toBe(JSON.stringify({ long }))
    expect(fitsOneChunk({ structLogs: written })).toBe(false)
    expect(await jsonChunks(written, '{"result":', '}')).toEqual(['{"result":[1,{"a":"é"}]}'])
  })

  it('yields to other work between chunks', async () => {
    let turns = 0
    let isDone = false
    const others = (async () => {
      while (!isDone) {
        await setImmediate()
        turns++
      }
    })()
    await jsonChunks(Array.from({ length: 300_000 }, (_, index) => row(index)))
    isDone = true
    await others
    expect(turns).toBeGreaterThan(1)
  })

  it('is split into chunks of moderate length', async () => {
    const chunks = await jsonChunks(Array.from({ length: 100_000 }, (_, index) => row(index)))
    expect(chunks.length).toBeGreaterThan(10)
    for (const chunk of chunks) expect(chunk.length).toBeLessThan(2 ** 20)
  })
})

it('is one chunk when it is short', () => {
  for (const value of [null, 1, '0x1', [], {}, row(1), Array.from({ length: 500 }, (_, index) => row(index))]) {
    expect(fitsOneChunk(value)).toBe(true)
  }
})

it('ChunkedJson joins short parts and refuses more than its maximum length', () => {
  const chunks = new ChunkedJson(400_000)
  for (const text of ['[', 'a'.repeat(300_000), ',', 'b', ']']) chunks.add(text)
  expect(() => chunks.add('c'.repeat(200_000))).toThrow(RangeError)
  const short = new ChunkedJson()
  for (const text of ['[', '1', ']']) short.add(text)
  expect(short.length).toBe(3)
  expect(short.end()).toEqual(['[1]'])
  expect(new ChunkedJson().end()).toEqual([])
})
