// A source with the current line and expression, and the list of files. The number of a line is a button that runs to it.
import { useRef, useState } from 'preact/hooks'
import { VirtualList } from '../parts/virtual-list.tsx'
import type { Opened, Place } from './session.ts'
import { columnOf, SourceLines } from './source-lines.ts'

/** Pixels; `.line` has it, too. */
const LINE_HEIGHT = 20

type File = Opened['files'][number]

export function Source({
  files,
  place,
  version,
  onLine,
}: {
  files: readonly File[]
  place: Place | null
  /** Changes with the position, and with the chosen frame. */
  version: unknown
  onLine: (file: string, line: number, back: boolean) => void
}) {
  // A file that the reader has chosen stays until the next move.
  const [chosen, choose] = useState<{ readonly path: string; readonly version: unknown }>()
  const current = useRef('')
  if (place !== null) current.current = place.file
  const path = chosen !== undefined && chosen.version === version ? chosen.path : current.current
  const file = files.find((of) => of.path === path) ?? files[0]
  if (file === undefined) return null
  return (
    <>
      <div class="files">
        <select
          aria-label="File"
          value={file.path}
          onChange={({ currentTarget }) => choose({ path: currentTarget.value, version })}
        >
          {files.map((of) => (
            <option key={of.path}>{of.path}</option>
          ))}
        </select>
      </div>
      <Lines
        key={file.path}
        file={file}
        place={place?.file === file.path ? place : undefined}
        version={version}
        onLine={(line, back) => onLine(file.path, line, back)}
      />
    </>
  )
}

/** Prepared once: steps go to and fro between files. */
const prepared = new WeakMap<File, SourceLines>()

function linesOf(file: File): SourceLines {
  const lines = prepared.get(file) ?? new SourceLines(file)
  prepared.set(file, lines)
  return lines
}

function Lines({
  file,
  place,
  version,
  onLine,
}: {
  file: File
  place: Place | undefined
  version: unknown
  onLine: (line: number, back: boolean) => void
}) {
  const lines = linesOf(file)
  const current = place && place.line - 1
  return (
    <VirtualList
      label={file.path}
      count={lines.texts.length}
      height={LINE_HEIGHT}
      width={`${lines.width + 10}ch`}
      shown={current}
      version={version}
      row={(i, tabIndex) => (
        <div class={i === current ? 'line current' : 'line'} key={i} aria-current={i === current ? 'step' : undefined}>
          <button
            type="button"
            tabIndex={tabIndex}
            title={`Run to line ${i + 1}; with Shift: backwards`}
            aria-label={`Run to line ${i + 1}`}
            onClick={({ shiftKey }) => onLine(i + 1, shiftKey)}
          >
            {i + 1}
          </button>
          <code>
            {i === current && place !== undefined && <Expression of={place} line={lines.texts[i] ?? ''} />}
            {lines.shown(i)}
          </code>
        </div>
      )}
    />
  )
}

/** Marks the expression that is executed, as far as it is in its first line. */
function Expression({ of: { line: first, column, endLine, endColumn }, line }: { of: Place; line: string }) {
  const start = columnOf(line, column - 1)
  const end = columnOf(line, endLine === first ? endColumn - 1 : line.length)
  return <span class="expression" style={{ left: `${start}ch`, width: `${Math.max(1, end - start)}ch` }} />
}
