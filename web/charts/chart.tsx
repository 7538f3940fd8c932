// A chart with axes, drawn on a canvas. Screen readers get its title and a table of its values, which is also available to
// others.
import { useEffect, useRef } from 'preact/hooks'
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
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const plot = new UPlot(
      optionsOf({ unit, scale, form, height, isWhole: points.every(({ y }) => Number.isInteger(y)) }, element),
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
  }, [points, unit, scale, form, height])
  const heading = scale === 'time' ? 'From (UTC)' : 'Block'
  return (
    <figure class="plot">
      <figcaption>
        {title} {unit !== undefined && <span class="faint">{unit}</span>}
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
const ROOM = { x: 34, y: 62 }
/** Width of a bar: a fraction of its slot, and the maximum in pixels. */
const BARS: [number, number] = [0.7, 28]
/** Extends the range so that the first and the last bar fit. */
const margin = (_: UPlot, least: number | null, most: number | null): [number, number] => {
  const from = least ?? 0
  const to = most ?? 1
  const pad = from === to ? 1 : (to - from) * 0.03
  return [from - pad, to + pad]
}
const fromZero = (_: UPlot, __: number, most: number): [number, number] => [0, most > 0 ? most * 1.08 : 1]

type Form = Required<Pick<ChartProps, 'scale' | 'form' | 'height'>> & {
  readonly unit: string | undefined
  /** Whether all values are whole numbers, so that the marks of their axis are, too. */
  readonly isWhole: boolean
}

/** 1, 2, 5, 10, …: distances between marks. */
const WHOLE_STEPS = Array.from({ length: 18 }, (_, power) => [1, 2, 5].map((of) => of * 10 ** power)).flat()

function optionsOf({ unit, scale, form, height, isWhole }: Form, element: HTMLElement): UPlot.Options {
  const faint = () => colour(element, '--faint')
  const line = () => colour(element, '--line')
  const accent = () => colour(element, '--accent')
  const axis = { stroke: faint, grid: { ...GRID, stroke: line }, ticks: { ...GRID, stroke: line } }
  const bars = UPlot.paths.bars?.({ size: BARS })
  return {
    width: element.clientWidth,
    height,
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: { x: { time: scale === 'time', range: margin }, y: { range: fromZero } },
    axes: [
      { ...axis, size: ROOM.x, ...(scale === 'block' && { values: (_, splits) => splits.map(wholeText) }) },
      { ...axis, size: ROOM.y, values: (_, splits) => splits.map(shortText), ...(isWhole && { incrs: WHOLE_STEPS }) },
    ],
    series: [
      scale === 'block' ? { label: 'Block', value: (_, x) => (x === null ? '—' : wholeText(x)) } : { label: 'UTC' },
      {
        label: unit ?? 'Value',
        value: (_, y) => (y === null ? '—' : y.toLocaleString('en-US', { maximumFractionDigits: 9 })),
        stroke: accent,
        width: form === 'bars' ? 0 : 2,
        points: { show: form === 'line' },
        ...(form === 'bars' && { fill: accent, ...(bars !== undefined && { paths: bars }) }),
      },
    ],
  }
}

const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 })
const shortText = (value: number): string =>
  value === 0 || value >= 0.001 ? short.format(value) : value.toExponential(0)
const wholeText = (value: number): string => (Number.isInteger(value) ? String(value) : '')

/** A colour of the style sheet for the canvas: only an element resolves properties with `light-dark()`. */
function colour(element: HTMLElement, property: string): string {
  const probe = element.appendChild(document.createElement('span'))
  probe.style.color = `var(${property})`
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
