// The opcodes around the current step, read in pages.
import { useRef } from 'preact/hooks'
import { withCommas } from '../format.ts'
import { VirtualList } from '../parts/virtual-list.tsx'
import type { Position, Session } from './session.ts'

/** Pixels; `.opcode` has it, too. */
const ROW_HEIGHT = 20
/** Steps in the list: browsers limit the height of a list to less than two million rows. */
const WINDOW = 20_000
/** The list begins elsewhere when fewer steps than this are left before or after the current one. */
const MARGIN = 500

export function Opcodes({
  session,
  at: { step, steps },
  first,
  version,
  onStep,
}: {
  session: Session
  at: Position
  first: number
  version: unknown
  onStep: (step: number) => void
}) {
  const start = useRef(first)
  const isInside = step >= start.current + MARGIN && step < start.current + WINDOW - MARGIN
  if (!isInside) start.current = Math.max(first, Math.min(step - WINDOW / 2, steps - WINDOW))
  const from = start.current
  return (
    <VirtualList
      label="Opcodes"
      count={Math.min(WINDOW, steps - from)}
      height={ROW_HEIGHT}
      shown={step - from}
      version={version}
      onRange={(begin, end) => session.read(from + begin, from + end)}
      row={(i, tabIndex) => {
        const [pc, name, gas, depth] = session.step(from + i) ?? []
        return (
          <button
            type="button"
            class="opcode"
            key={from + i}
            tabIndex={tabIndex}
            aria-current={from + i === step ? 'step' : undefined}
            title={`Step ${withCommas(from + i)}${depth === undefined ? '' : `, depth ${depth}`}`}
            onClick={() => onStep(from + i)}
          >
            <span class="faint">{pc === undefined ? '' : pc.toString(16).padStart(4, '0')}</span>
            <span>{name ?? '…'}</span>
            <span class="faint">{gas === undefined ? '' : withCommas(gas)}</span>
          </button>
        )
      }}
    />
  )
}
