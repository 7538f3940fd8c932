// JSON in pieces is the JSON of JSON.stringify, however it is cut.
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PreserializedJson } from '../../src/lib/preserialized-json.ts'
import { isLight, jsonPieces, Pieces } from '../../src/rpc/pieces.ts'

const joined = async (value: unknown): Promise<string> => (await jsonPieces(value)).map(String).join('')
const row = (index: number) => ({
  index,
  word: `0x${index.toString(16).padStart(64, '0')}`,
  none: undefined,
  null: null,
})

describe('a long answer in chunks', () => {
  it('is what JSON.stringify would have written', async () => {
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
      expect(isLight(value)).toBe(false)
      expect(await joined(value)).toBe(JSON.stringify(value))
    }
  })

  it('is the same for any value', async () => {
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

  it('includes preserialized JSON anywhere', async () => {
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
    expect(isLight({ structLogs: written })).toBe(false)
    expect(await jsonPieces(written, '{"result":', '}')).toEqual(['{"result":[1,{"a":"é"}]}'])
  })

  it('yields to other requests', async () => {
    let turns = 0
    let isDone = false
    const others = (async () => {
      while (!isDone) {
        await setImmediate()
        turns++
      }
    })()
    await jsonPieces(Array.from({ length: 300_000 }, (_, index) => row(index)))
    isDone = true
    await others
    expect(turns).toBeGreaterThan(1)
  })

  it('comes in pieces of moderate length', async () => {
    const pieces = await jsonPieces(Array.from({ length: 100_000 }, (_, index) => row(index)))
    expect(pieces.length).toBeGreaterThan(10)
    for (const piece of pieces) expect(piece.length).toBeLessThan(2 ** 20)
  })
})

it('short values are written at once', () => {
  for (const value of [null, 1, '0x1', [], {}, row(1), Array.from({ length: 500 }, (_, index) => row(index))]) {
    expect(isLight(value)).toBe(true)
  }
})

it('chunks join short texts, and refuse an answer that is too long', () => {
  const pieces = new Pieces(400_000)
  for (const text of ['[', 'a'.repeat(300_000), ',', 'b', ']']) pieces.add(text)
  expect(() => pieces.add('c'.repeat(200_000))).toThrow(RangeError)
  const short = new Pieces()
  for (const text of ['[', '1', ']']) short.add(text)
  expect(short.length).toBe(3)
  expect(short.end()).toEqual(['[1]'])
  expect(new Pieces().end()).toEqual([])
})
