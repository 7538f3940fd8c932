// Ratios as bars on a logarithmic axis, as SVG text: to the right of the line at 1 kestrel is faster, to the left anvil.
import { formatRatio } from './statistics.ts'

export type Bar = {
  readonly group: string
  readonly name: string
  readonly ratio: number
  /** Ratio of CPU, drawn as a thin bar below the other. */
  readonly cpu?: number | undefined
}

const WIDTH = 860
const LABELS = 290
const RIGHT = 130
const TOP = 74
const BAR = 16
/** Height of a bar of CPU. */
const THIN = 5
const LINE = 22
const HEADING = 30
const BOTTOM = 34
/** Minimum number of powers of ten that the axis shows in each direction. */
const LEAST_DECADES = 1

const COLOURS = {
  faster: '#2a7f62',
  slower: '#b5533c',
  text: '#1f2328',
  faint: '#6e7781',
  grid: '#d8dee4',
  ground: '#ffffff',
}

/** The chart of ratios above 0; others (a row that failed) are left out. */
export function chart(title: string, subtitle: string, all: readonly Bar[]): string {
  const isDrawn = (ratio: number) => ratio > 0 && Number.isFinite(ratio)
  const bars = all.filter(({ ratio, cpu = ratio }) => isDrawn(ratio) && isDrawn(cpu))
  const logs = bars.flatMap(({ ratio, cpu = ratio }) => [Math.log10(ratio), Math.log10(cpu)])
  const low = Math.min(-LEAST_DECADES, Math.floor(Math.min(0, ...logs)))
  const high = Math.max(LEAST_DECADES, Math.ceil(Math.max(0, ...logs)))
  const x = (log: number): number => fixed(LABELS + ((log - low) / (high - low)) * (WIDTH - LABELS - RIGHT))

  const parts: string[] = []
  let y = TOP
  let group = ''
  for (const bar of bars) {
    if (bar.group !== group) {
      group = bar.group
      y += HEADING
      parts.push(text(16, y - 8, group, 'font-weight="600"'))
    }
    parts.push(...barAt(bar, x, y))
    y += LINE
  }
  const height = y + BOTTOM
  const decades = Array.from({ length: high - low + 1 }, (_, index) => low + index)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="${COLOURS.text}">`,
    `<rect width="${WIDTH}" height="${height}" fill="${COLOURS.ground}"/>`,
    text(16, 28, `${title}: above 1, kestrel is faster; thin bars: uses less CPU`, 'font-size="17" font-weight="600"'),
    text(16, 50, subtitle, `font-size="12" fill="${COLOURS.faint}"`),
    ...decades.flatMap((decade) => gridLine(decade, x(decade), y)),
    ...parts,
    '</svg>',
  ].join('\n')}\n`
}

function gridLine(decade: number, x: number, bottom: number): string[] {
  const colour = decade === 0 ? COLOURS.text : COLOURS.grid
  return [
    `<line x1="${x}" y1="${TOP}" x2="${x}" y2="${bottom}" stroke="${colour}"/>`,
    text(x, bottom + 18, String(10 ** decade), `text-anchor="middle" font-size="12" fill="${COLOURS.faint}"`),
  ]
}

function barAt({ name, ratio, cpu }: Bar, x: (log: number) => number, y: number): string[] {
  const middle = y + BAR / 2 + 4
  const rect = (of: number, top: number, height: number): string => {
    const from = x(Math.min(0, Math.log10(of)))
    const width = fixed(x(Math.max(0, Math.log10(of))) - from)
    return `<rect x="${from}" y="${top}" width="${width}" height="${height}" fill="${colourOf(of)}"/>`
  }
  // Print the figures at the right end of the longer bar, which is the line at 1 for bars to the left.
  const to = x(Math.max(0, Math.log10(ratio), Math.log10(cpu ?? ratio)))
  const figure = `${formatRatio(ratio)}×${cpu === undefined ? '' : `, CPU ${formatRatio(cpu)}×`}`
  return [
    text(LABELS - 12, middle, name, 'text-anchor="end"'),
    ...(cpu === undefined ? [rect(ratio, y, BAR)] : [rect(ratio, y, BAR - THIN - 1), rect(cpu, y + BAR - THIN, THIN)]),
    text(to + 6, middle, figure, `font-size="12" fill="${colourOf(ratio)}"`),
  ]
}

const colourOf = (ratio: number): string => (ratio >= 1 ? COLOURS.faster : COLOURS.slower)

const fixed = (value: number): number => Number(value.toFixed(1))

const text = (x: number, y: number, content: string, attributes: string): string =>
  `<text x="${x}" y="${y}" ${attributes}>${escapeText(content)}</text>`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const escapeText = (content: string): string =>
  content.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character)
