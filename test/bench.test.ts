// The benchmark's arithmetic and its charts, with given numbers. Nothing is measured.
import { describe, expect, it } from 'vitest'
import { chart } from '../bench/chart.ts'
import { readAnswer } from '../bench/load/http.ts'
import type { Measured } from '../bench/measure.ts'
import { cpuRatioOf, type Report, ratioOf, slowerRows, summaryOf, tableOf } from '../bench/report.ts'
import { compare, formatRatio, formatTime, formatValue, speedup, summarize } from '../bench/statistics.ts'

describe('statistics', () => {
  it('have the median of the rounds: the middle one, or the mean of the two middle ones', () => {
    expect(summarize([9, 1, 5])).toEqual({ median: 5, least: 1, most: 9 })
    expect(summarize([9, 1, 5, 7])).toEqual({ median: 6, least: 1, most: 9 })
    expect(summarize([4])).toEqual({ median: 4, least: 4, most: 4 })
    expect(() => summarize([])).toThrow(RangeError)
  })

  it('do not change their input', () => {
    const values = [3, 1, 2]
    summarize(values)
    expect(values).toEqual([3, 1, 2])
  })

  it('have ratios above 1 for the faster one, for times and for rates', () => {
    expect(speedup(200, 100, 'more')).toBe(2)
    expect(speedup(200, 100, 'less')).toBe(0.5)
  })

  it('compare the medians, and the single rounds pairwise', () => {
    expect(compare([10, 30, 20], [10, 10, 40], 'more')).toEqual({ median: 2, least: 0.5, most: 3 })
    expect(compare([10, 30, 20], [10, 10, 40], 'less')).toEqual({ median: 0.5, least: 1 / 3, most: 2 })
  })

  it('are formatted with three digits', () => {
    expect([82_912.4, 1234, 12.345, 0.012345].map(formatValue)).toEqual(['82,912', '1,234', '12.3', '0.0123'])
    expect([26.54, 1490, 1_310_000].map(formatTime)).toEqual(['26.5 µs', '1.49 ms', '1.31 s'])
    expect([123.4, 12.34, 1.234, 0.1234, 0.01234].map(formatRatio)).toEqual(['123', '12.3', '1.23', '0.12', '0.012'])
  })
})

const row: Measured = {
  group: 'reads',
  title: 'Reads',
  name: 'eth_blockNumber',
  unit: 'requests/s',
  better: 'more',
  isLoad: true,
  values: { kestrel: [1000, 3000, 2000], peer: [4000, 4000, 4000] },
  cpu: { kestrel: [20, 40, 30], peer: [45, 45, 45] },
  notes: {},
  failures: {},
}
const report: Report = {
  date: '2026-01-02T03:04:05.000Z',
  cpu: 'A processor',
  cores: 2,
  node: 'v20.19.0',
  kestrel: '0.1.0 1a2b3c4d',
  peer: 'anvil 1.7.1',
  load: 0.25,
  rounds: 3,
  isQuick: false,
  ceiling: { http: 2500, socket: 4500 },
  rows: [
    row,
    { ...row, name: 'alone', isLoad: false, values: { kestrel: [7] }, cpu: {}, notes: { kestrel: '7 Mgas/s' } },
    { ...row, name: 'broken', values: { kestrel: [7] }, cpu: { kestrel: [1500] }, failures: { peer: 'no answer' } },
  ],
}

describe('a report', () => {
  it('contains date, machine and ratios', () => {
    const [head, , ...table] = tableOf(report).split('\n')
    expect(head).toBe(
      '2026-01-02, A processor, 2 cores, Node 20.19.0, kestrel 0.1.0 1a2b3c4d, anvil 1.7.1, medians of 3 rounds, load before the run 0.3.',
    )
    const cells = table.slice(2, 5).map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    )
    expect(cells).toEqual([
      [
        'reads',
        'eth_blockNumber †',
        'requests/s',
        '2,000',
        '4,000*',
        '0.50 ▼',
        '0.25–0.75',
        '30 µs',
        '45 µs',
        '1.50 ▲',
      ],
      ['reads', 'alone', 'requests/s', '7 (7 Mgas/s)', '', '', '', '', '', ''],
      ['reads', 'broken', 'requests/s', '7', 'failed', '', '', '1.5 ms', '', ''],
    ])
    expect(new Set(table.slice(0, 5).map((line) => line.length)).size, 'lines of one length').toBe(1)
    expect(tableOf(report)).toContain('- reads, the other: no answer (broken)')
  })

  it('says why a row that is no lead cannot be one', () => {
    const leading: Measured = { ...row, values: { kestrel: [6000], peer: [4000] } }
    const of = (measured: Measured) => tableOf({ ...report, rows: [measured] }).split('\n')
    expect(of(row).filter((line) => line.startsWith('† eth_blockNumber: '))).toHaveLength(1)
    expect(of(leading).filter((line) => line.includes('†'))).toEqual([])
  })

  const named = (name: string, kestrel: number, peer: number): Measured => ({
    ...row,
    name,
    values: { kestrel: [kestrel], peer: [peer] },
    cpu: {},
  })
  /** The cells of a table's rows, without its heading. */
  const cellsOf = (table: string) =>
    table
      .split('\n')
      .slice(2)
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map((cells) => cells.slice(1, -1))

  it('counts the rows of each group that are not behind, by time and by CPU', () => {
    const rows = [
      named('faster', 20, 10),
      // Half as fast, with a third of the CPU.
      { ...named('slower', 5, 10), cpu: { kestrel: [10], peer: [30] } },
      { ...named('alone', 5, 10), group: 'alone', values: { kestrel: [5] } },
    ]
    // The median of 2 and 0.5 is 1.25.
    expect(cellsOf(summaryOf({ ...report, rows }))).toEqual([['reads', '1 of 2', '1.25', '1 of 1', '3.00']])
  })

  it('marks a lead from 1.5 on, and lists the rows that are behind, worst first', () => {
    const costly = { ...named('costly', 11, 10), cpu: { kestrel: [10], peer: [2] } }
    const behind = [named('slower', 9, 10), costly, named('slowest', 1, 10)]
    const rows = [named('a lead', 15, 10), named('faster', 14, 10), ...behind]
    const markedAs = (name: string) =>
      tableOf({ ...report, rows })
        .split('\n')
        .find((line) => line.includes(`| ${name} `))
        ?.match(/[▲▼]/)?.[0]
    expect(['a lead', 'faster', 'slower', 'slowest'].map(markedAs)).toEqual(['▲', undefined, '▼', '▼'])
    expect(cellsOf(slowerRows({ ...report, rows }))).toEqual([
      ['reads', 'slowest', '0.10', ''],
      ['reads', 'costly', '1.10', '0.20'],
      ['reads', 'slower', '0.90', ''],
    ])
    expect(slowerRows({ ...report, rows: rows.slice(0, 2) })).toBe('No row is behind.')
  })

  it('has no ratio if only one program was measured', () => {
    expect(report.rows.map(ratioOf)).toEqual([{ median: 0.5, least: 0.25, most: 0.75 }, undefined, undefined])
    expect(report.rows.map(cpuRatioOf)).toEqual([{ median: 1.5, least: 1.125, most: 2.25 }, undefined, undefined])
  })
})

describe('the chart', () => {
  const bars = [
    { group: 'A & B', name: 'ten times', ratio: 10 },
    { group: 'A & B', name: 'a hundredth', ratio: 0.01 },
    { group: 'C', name: 'the same', ratio: 1 },
    { group: 'C', name: 'nothing', ratio: 0 },
  ]
  const svg = chart('kestrel <and> anvil', '2026-01-02', bars)
  const widths = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)].map(([, x, width]) => [
    Number(x),
    Number(width),
  ])

  it('draws bars on a logarithmic scale, to both sides of ratio 1', () => {
    const [[right = 0, ten = 0] = [], [left = 0, hundredth = 0] = [], [middle, none] = []] = widths
    expect(widths).toHaveLength(3)
    expect(hundredth / ten).toBeCloseTo(2, 1)
    expect(left + hundredth).toBeCloseTo(right, 1)
    expect([middle, none]).toEqual([right, 0])
  })

  it('labels every bar and every decade, and escapes XML', () => {
    expect([...svg.matchAll(/>([^<>\n]+)<\/text>/g)].map(([, text]) => text)).toEqual([
      'kestrel &lt;and&gt; anvil: above 1, kestrel is faster; thin bars: uses less CPU',
      '2026-01-02',
      ...['0.01', '0.1', '1', '10'],
      ...['A &amp; B', 'ten times', '10.0×', 'a hundredth', '0.010×', 'C', 'the same', '1.00×'],
    ])
  })

  it('draws a thin bar for the CPU below the other, on the same scale', () => {
    const drawn = chart('both', '', [{ group: 'A', name: 'of both', ratio: 0.1, cpu: 10 }])
    const [wall, cpu] = [...drawn.matchAll(/<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)]
      .map((found) => found.slice(1).map(Number))
      .map(([x = 0, y = 0, width = 0, height = 0]) => ({ x, y, width, height }))
    expect(cpu?.x).toBe((wall?.x ?? 0) + (wall?.width ?? 0))
    expect(cpu?.width).toBe(wall?.width)
    expect(cpu?.y).toBeGreaterThanOrEqual((wall?.y ?? 0) + (wall?.height ?? 0))
    expect(drawn).toContain('>0.10×, CPU 10.0×<')
  })

  it('can be drawn without bars', () => {
    expect(chart('none', '', [])).toContain('</svg>')
  })
})

describe('the benchmark’s HTTP client', () => {
  const answerOf = (text: string) => {
    const answer = readAnswer(Buffer.from(text))
    return answer instanceof Buffer ? answer.toString() : answer
  }

  it('finds a body by its content length, and returns how much is missing', () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n'
    expect(answerOf('HTTP/1.1 200')).toBeUndefined()
    expect(answerOf(`${head}\r\nab`)).toBe(head.length + 2 + 5)
    expect(answerOf(`${head}\r\nabcde`)).toBe('abcde')
  })

  it('joins the chunks of a body', () => {
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    expect(answerOf(`${head}3\r\nabc\r\n`)).toBeUndefined()
    expect(answerOf(`${head}3\r\nabc\r\nb\r\ndefghijklmn\r\n0\r\n\r\n`)).toBe('abcdefghijklmn')
    expect(answerOf(`${head}0\r\n\r\n`)).toBe('')
  })

  it('treats other statuses, and responses without a length, as errors', () => {
    expect(answerOf('HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno')).toBeInstanceOf(Error)
    expect(answerOf('HTTP/1.1 200 OK\r\n\r\n')).toBeInstanceOf(Error)
  })
})
