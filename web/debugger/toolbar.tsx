// The buttons of the moves, as a toolbar of WAI-ARIA: one stop of the Tab key, arrow keys within. Buttons that cannot move any
// further stay focusable, so that the focus is not lost by stepping.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { withCommas } from '../format.ts'
import { type Go, MOVES, type MoveKind, shortcuts } from './moves.ts'
import type { Position } from './session.ts'

const ICONS: Readonly<Record<Go, ComponentChildren>> = {
  opcode: (
    <>
      <path d="M1.5 8h8M6.5 5l3 3-3 3" />
      <circle cx="13" cy="8" r="1.4" />
    </>
  ),
  into: (
    <>
      <path d="M8 1.5v8M5 6.5l3 3 3-3" />
      <circle cx="8" cy="13" r="1.4" />
    </>
  ),
  over: (
    <>
      <path d="M2 9.5a6 6 0 0 1 11.5-1.5M13.8 3.8v4.4H9.4" />
      <circle cx="8" cy="13" r="1.4" />
    </>
  ),
  out: (
    <>
      <path d="M8 9.5v-8M5 4.5l3-3 3 3" />
      <circle cx="8" cy="13" r="1.4" />
    </>
  ),
  run: <path d="M3.5 2.5v11l7-5.5zM13 2.5v11" />,
}

const BUTTONS: readonly { readonly kind: MoveKind; readonly back: boolean }[] = [
  ...MOVES.toReversed().map((kind) => ({ kind, back: true })),
  ...MOVES.map((kind) => ({ kind, back: false })),
]

export function Toolbar({
  at,
  first,
  onMove,
}: {
  at: Position
  first: number
  onMove: (go: Go, back: boolean) => void
}) {
  const [stop, setStop] = useState(7)
  const bar = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const next = (stop + by + BUTTONS.length) % BUTTONS.length
    setStop(next)
    bar.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div class="moves" role="toolbar" aria-label="Steps" ref={bar} onKeyDown={onKeyDown}>
      {BUTTONS.map(({ kind, back }, i) => (
        <button
          type="button"
          key={i}
          class={back ? 'back' : ''}
          title={`${back ? kind.backName : kind.name} (${shortcuts(kind, back).replace(' ', ' or ')})`}
          aria-label={back ? kind.backName : kind.name}
          aria-keyshortcuts={shortcuts(kind, back)}
          aria-disabled={back ? at.step <= first : at.isEnd}
          tabIndex={i === stop ? 0 : -1}
          onFocus={() => setStop(i)}
          onClick={() => onMove(kind.go, back)}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            {ICONS[kind.go]}
          </svg>
        </button>
      ))}
    </div>
  )
}

/** Where the position is among all steps: a slider, and a field for the number. */
export function Progress({ at, first, onStep }: { at: Position; first: number; onStep: (step: number) => void }) {
  // While the slider is dragged it is ahead of the position.
  const [chosen, setChosen] = useState<number>()
  useEffect(() => setChosen(undefined), [at])
  const last = Math.max(first, at.steps - 1)
  return (
    <div class="progress">
      <input
        type="range"
        aria-label="Step"
        aria-valuetext={`step ${withCommas(at.step)} of ${withCommas(last)}`}
        min={first}
        max={last}
        value={chosen ?? at.step}
        onInput={({ currentTarget }) => {
          setChosen(currentTarget.valueAsNumber)
          onStep(currentTarget.valueAsNumber)
        }}
      />
      <input
        type="number"
        aria-label="Number of the step"
        min={first}
        max={last}
        value={at.step}
        onChange={({ currentTarget }) => {
          const step = Math.round(currentTarget.valueAsNumber)
          if (Number.isFinite(step)) onStep(Math.min(last, Math.max(first, step)))
        }}
      />
      <span class="faint">of {withCommas(last)}</span>
    </div>
  )
}

export const Keys = () => (
  <details class="keys">
    <summary>Keys</summary>
    <div>
      <table>
        <thead>
          <tr>
            <th>Move</th>
            <th>Forward</th>
            <th>Backwards</th>
          </tr>
        </thead>
        <tbody>
          {MOVES.toReversed().map((kind) => (
            <tr key={kind.go}>
              <td>{kind.name}</td>
              {[false, true].map((back) => (
                <td key={String(back)}>
                  {shortcuts(kind, back)
                    .split(' ')
                    .map((key, i) => [i > 0 && ' or ', <kbd key={key}>{key}</kbd>])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        A click on the number of a line runs to the line, with Shift backwards. In a list arrow keys choose, and Enter
        goes there.
      </p>
    </div>
  </details>
)
