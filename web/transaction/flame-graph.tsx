// A flame graph: each call is a box as wide as its gas, below the call that made it. A click, or Enter, makes a box as wide as the
// graph. The graph is one stop of the Tab key, within which the arrow keys move.
import { useMemo, useRef, useState } from 'preact/hooks'
import type { GasProfile, ProfileNode } from '../../src/contracts/gas-profile.ts'
import { withCommas } from '../format.ts'

type Box = {
  readonly node: ProfileNode
  readonly key: string
  readonly depth: number
  /** From 0 to 1. */
  readonly left: number
  readonly width: number
}

/** Narrower boxes, as a share of the width, are left out. */
const NARROWEST = 0.002
/** Share of the width from which on a box shows its name. */
const NAMED = 0.03
const MOST_BOXES = 1_000
/** Levels; deeper boxes are shown after a click on one above. */
const MOST_LEVELS = 64
const ROW = 24

export function FlameGraph({ of: { total, roots } }: { of: GasProfile }) {
  const whole = useMemo<ProfileNode>(
    () => ({ name: 'all gas', gas: total, own: 0, count: 1, calls: roots }),
    [total, roots],
  )
  // The boxes from the whole to the one that is as wide as the graph.
  const [path, zoom] = useState<readonly ProfileNode[]>([whole])
  const boxes = useMemo(() => boxesOf(path), [path])
  const [focused, focus] = useState('')
  const box = useRef<HTMLDivElement>(null)
  const current = boxes.find(({ key }) => key === focused) ?? boxes[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const next = current && neighbour(boxes, current, event.key)
    if (next === undefined) return
    event.preventDefault()
    focus(next.key)
    box.current?.querySelectorAll('button')[boxes.indexOf(next)]?.focus()
  }
  const open = ({ node, key, depth }: Box) => {
    focus(key)
    zoom(depth < path.length ? path.slice(0, depth + 1) : [...path, ...pathTo(path.at(-1) ?? whole, node)])
  }
  const levels = Math.max(...boxes.map(({ depth }) => depth)) + 1
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of buttons, not of fields of a form
    <div
      class="flames"
      role="group"
      aria-label="Flame graph of the gas"
      ref={box}
      style={{ height: `${levels * ROW}px` }}
      onKeyDown={onKeyDown}
    >
      {boxes.map((each) => (
        <button
          type="button"
          key={each.key}
          class={each.depth < path.length - 1 ? 'outer' : ''}
          tabIndex={each === current ? 0 : -1}
          title={titleOf(each.node, total)}
          aria-label={titleOf(each.node, total)}
          style={{
            top: `${each.depth * ROW}px`,
            left: `${100 * each.left}%`,
            width: `${100 * each.width}%`,
            '--shade': `${shadeOf(each.node.name)}%`,
          }}
          onFocus={() => focus(each.key)}
          onClick={() => open(each)}
        >
          {each.width >= NAMED && each.node.name}
        </button>
      ))}
    </div>
  )
}

const titleOf = ({ name, gas, own, count }: ProfileNode, total: number): string => {
  const times = count === 1 ? '' : ` in ${withCommas(count)} calls`
  return `${name}: ${withCommas(gas)} gas${times}, ${total === 0 ? 0 : ((100 * gas) / total).toFixed(1)} %, itself ${withCommas(own)}`
}

/** The same colour for the same name. */
const shadeOf = (name: string): number =>
  12 + ([...name].reduce((sum, of) => (31 * sum + of.charCodeAt(0)) % 9973, 7) % 30)

/** The boxes of a path in full width, and of what its last node calls, level by level. */
function boxesOf(path: readonly ProfileNode[]): readonly Box[] {
  const boxes: Box[] = path.map((node, depth) => ({
    node,
    key: keyOf(path.slice(0, depth + 1)),
    depth,
    left: 0,
    width: 1,
  }))
  const top = boxes.at(-1)
  const whole = top?.node.gas ?? 0
  for (let at = boxes.length - 1; at < boxes.length && boxes.length < MOST_BOXES; at++) {
    const outer = boxes[at]
    if (outer === undefined || whole === 0 || outer.depth >= path.length + MOST_LEVELS) continue
    let { left } = outer
    for (const node of outer.node.calls) {
      const width = node.gas / whole
      if (width >= NARROWEST)
        boxes.push({ node, key: `${outer.key};${node.name}`, depth: outer.depth + 1, left, width })
      left += width
    }
  }
  return boxes
}

const keyOf = (path: readonly ProfileNode[]): string => path.map(({ name }) => name).join(';')

/** The nodes from below one to another; empty if it is not there. */
function pathTo(from: ProfileNode, to: ProfileNode): readonly ProfileNode[] {
  for (const call of from.calls) {
    if (call === to) return [call]
    const rest = pathTo(call, to)
    if (rest.length > 0) return [call, ...rest]
  }
  return []
}

/** The box that an arrow key leads to. */
function neighbour(boxes: readonly Box[], of: Box, key: string): Box | undefined {
  const middle = of.left + of.width / 2
  const isOver = ({ left, width }: Box) => left <= middle && middle <= left + width
  const row = (depth: number) => boxes.filter((box) => box.depth === depth)
  if (key === 'ArrowUp') return row(of.depth - 1).find(isOver)
  if (key === 'ArrowDown')
    return row(of.depth + 1).find(({ left, width }) => left + width > of.left && left < of.left + of.width)
  if (key === 'ArrowRight') return row(of.depth)[row(of.depth).indexOf(of) + 1]
  if (key === 'ArrowLeft') return row(of.depth)[row(of.depth).indexOf(of) - 1]
  return undefined
}
