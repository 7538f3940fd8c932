// A chart with axes, drawn on a canvas. Screen readers get its title and a table of its values, which is also available to
// others.
import { useEffect, useRef, useState } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'

export type Point = {
  /** Unix seconds, or the number of a block. */
  readonly x: number
  readonly y: number
  /** The texts of `x` and `y` in the table. */
  readonly name: string
  readonly value: string
}

export type ChartProps = {
  readonly title: string
  readonly unit?: string | undefined
  readonly points: readonly Point[]
  /** The meaning of `x`. */
  readonly scale: 'time' | 'block'
  /** Bars for the change within a period, a line for the value at its end. */
  readonly form: 'bars' | 'line'
  readonly height?: number
}

const HEIGHT = 200

export default function Chart({ title, unit, points, scale, form, height = HEIGHT }: ChartProps) {
  const box = useRef<HTMLDivElement>(null)
  // The point under the cursor; else the last one.
  const [chosen, choose] = useState<number | undefined>(undefined)
  const shown = points[chosen ?? points.length - 1] ?? points.at(-1)
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const plot = new UPlot(
      optionsOf({ scale, form, height, isWhole: points.every(({ y }) => Number.isInteger(y)), choose }, element),
      dataOf(points),
      element,
    )
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    const redraw = () => plot.redraw(false, true)
    const theme = new MutationObserver(redraw)
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', redraw)
    return () => {
      sizes.disconnect()
      theme.disconnect()
      system.removeEventListener('change', redraw)
      plot.destroy()
    }
  }, [points, scale, form, height])
  const heading = scale === 'time' ? 'From (UTC)' : 'Block'
  return (
    <figure class="plot">
      <figcaption>
        <span>
          {title} {unit !== undefined && <span class="faint">{unit}</span>}
        </span>
        {shown && (
          <span class="readout" aria-hidden="true">
            <span class="faint">{scale === 'block' ? `block ${shown.name}` : shown.name}</span> {shown.value}
          </span>
        )}
      </figcaption>
      <div ref={box} class="canvas" aria-hidden="true" style={{ minHeight: `${height}px` }} />
      <details class="more">
        <summary>
          As a table<span class="unseen">: {title}</span>
        </summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by the keyboard */}
        <section class="values-table" tabIndex={0} aria-label={`Values of ${title}`}>
          <table>
            <thead>
              <tr>
                <th>{heading}</th>
                <th class="number">{unit ?? title}</th>
              </tr>
            </thead>
            <tbody>
              {points.map(({ x, name, value }) => (
                <tr key={x}>
                  <td>{name}</td>
                  <td class="number">{value}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </figure>
  )
}

const dataOf = (points: readonly Point[]): UPlot.AlignedData => [points.map(({ x }) => x), points.map(({ y }) => y)]

const GRID = { width: 1 }
/** Size of the two axes, in pixels. */
const ROOM = { x: 30, y: 62 }
/** Width of a bar: a fraction of its slot, and the maximum in pixels. */
const BARS: [number, number] = [0.7, 28]
/** Extends the range so that the first and the last bar fit; `one`: the width of a single one. */
const margin =
  (one: number) =>
  (_: UPlot, least: number | null, most: number | null): [number, number] => {
    const from = least ?? 0
    const to = most ?? 1
    const pad = from === to ? one : (to - from) * 0.03
    return [from - pad, to + pad]
  }
const fromZero = (_: UPlot, __: number, most: number): [number, number] => [0, most > 0 ? most * 1.08 : 1]

/** Seconds. */
const DAY = 86_400
/** Days between marks: up to years, whose marks are days, too. */
const DAY_STEPS = [1, 2, 5, 10, 30, 60, 90, 180, 365, 730]

type Form = Required<Pick<ChartProps, 'scale' | 'form' | 'height'>> & {
  /** Called with the index of the point under the cursor. */
  readonly choose: (index: number | undefined) => void
  /** Whether all values are whole numbers, so that the marks of their axis are, too. */
  readonly isWhole: boolean
}

/** 1, 2, 5, 10, …: distances between marks. */
const WHOLE_STEPS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((of) => of * 10 ** power)).flat()

function optionsOf({ scale, form, height, isWhole, choose }: Form, element: HTMLElement): UPlot.Options {
  const faint = () => colour(element, '--faint')
  const line = () => colour(element, '--line')
  const accent = () => colour(element, '--accent')
  const axis = { stroke: faint, grid: { ...GRID, stroke: line }, ticks: { ...GRID, stroke: line } }
  // Marks of days, on one line each: a year has no room below them, and the table has it.
  const days = scale === 'time' && { incrs: DAY_STEPS.map((of) => of * DAY), space: 60 }
  const bars = UPlot.paths.bars?.({ size: BARS })
  return {
    width: element.clientWidth,
    height,
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => choose(idx ?? undefined)] },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { x: { time: scale === 'time', range: margin(scale === 'time' ? 2 * DAY : 1) }, y: { range: fromZero } },
    axes: [
      { ...axis, size: ROOM.x, values: (_, splits) => splits.map(scale === 'block' ? wholeText : dayText), ...days },
      { ...axis, size: ROOM.y, values: (_, splits) => splits.map(shortText), ...(isWhole && { incrs: WHOLE_STEPS }) },
    ],
    series: [
      {},
      {
        stroke: accent,
        width: form === 'bars' ? 0 : 2,
        points: { show: form === 'line' },
        ...(form === 'bars' && { fill: accent, ...(bars !== undefined && { paths: bars }) }),
      },
    ],
  }
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const shortText = (value: number): string => short.format(value)
const dayText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const wholeText = (value: number): string => (Number.isInteger(value) ? String(value) : '')

/** A colour of the style sheet for the canvas: only an element resolves properties with `light-dark()`. */
function colour(element: HTMLElement, property: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(${property})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
