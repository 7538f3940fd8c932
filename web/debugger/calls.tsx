// The messages of an execution as an indented list, with the current one marked. A click jumps to where a message begins.
import { useMemo } from 'preact/hooks'
import { VirtualList } from '../parts/virtual-list.tsx'
import type { Call } from './session.ts'

/** Pixels; `.message` has it, too. */
const ROW_HEIGHT = 24

type Row = { readonly call: Call; readonly depth: number }

const rowsOf = (root: Call): readonly Row[] => {
  const rows: Row[] = []
  const open: Row[] = [{ call: root, depth: 0 }]
  for (let row = open.pop(); row !== undefined; row = open.pop()) {
    const depth = row.depth + 1
    rows.push(row)
    open.push(...row.call.calls.toReversed().map((call) => ({ call, depth })))
  }
  return rows
}

export function Calls({ root, step, onStep }: { root: Call; step: number; onStep: (step: number) => void }) {
  const rows = useMemo(() => rowsOf(root), [root])
  const current = rows.findLastIndex(({ call }) => call.step <= step && step < call.end)
  return (
    <VirtualList
      label="Calls"
      count={rows.length}
      height={ROW_HEIGHT}
      shown={current < 0 ? undefined : current}
      row={(i, tabIndex) => {
        const { call, depth } = rows[i] ?? { call: root, depth: 0 }
        return (
          <button
            type="button"
            class={call.error === undefined ? 'message' : 'message bad'}
            key={i}
            tabIndex={tabIndex}
            aria-current={i === current ? 'step' : undefined}
            title={[call.function, call.address, call.error].filter(Boolean).join('\n')}
            style={{ paddingLeft: `${8 + 12 * Math.min(depth, 12)}px` }}
            onClick={() => onStep(call.step)}
          >
            <bdi>{call.function}</bdi>
            {call.error !== undefined && <span class="unseen">failed: {call.error}</span>}
          </button>
        )
      }}
    />
  )
}
