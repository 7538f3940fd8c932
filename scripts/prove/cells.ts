// The table of a proof: opcodes, their outcomes, and the states of the engine in which these were seen.
import type { OpcodeTable } from '../../src/evm/opcode-table.ts'
import { type Outcome, outcomesOf } from '../fuzz-geth/opcode-ends.ts'
import { type EngineState, STATES } from './witness.ts'

export type Cell = Record<EngineState, number>
/** By the name of the opcode, and by outcome. */
export type Cells = Record<string, Partial<Record<Outcome, Cell>>>

const UNDEFINED = 'not an opcode'

export const rowNameOf = ({ operations }: OpcodeTable, opcode: number): string => operations[opcode]?.name ?? UNDEFINED

export function cellOf(cells: Cells, row: string, outcome: Outcome): Cell {
  const outcomes = cells[row] ?? {}
  cells[row] = outcomes
  const cell = outcomes[outcome] ?? { interpreted: 0, compiled: 0, paused: 0 }
  outcomes[outcome] = cell
  return cell
}

export function addCells(sum: Cells, more: Cells): void {
  for (const [row, outcomes] of Object.entries(more)) {
    for (const [outcome, counts] of Object.entries(outcomes)) {
      const cell = cellOf(sum, row, outcome as Outcome)
      for (const state of STATES) cell[state] += counts[state]
    }
  }
}

/** The cells that can occur and were not seen, as `ADD, out of gas, paused`. */
export const emptyCells = (cells: Cells, table: OpcodeTable): string[] =>
  [...table.operations.filter((operation) => operation !== undefined), undefined].flatMap((operation) => {
    const row = operation?.name ?? UNDEFINED
    return outcomesOf(operation).flatMap((outcome) =>
      STATES.filter((state) => (cells[row]?.[outcome]?.[state] ?? 0) === 0).map(
        (state) => `${row}, ${outcome}, ${state}`,
      ),
    )
  })

/** The table as text: a line for each opcode, `interpreted/compiled/paused` for each outcome that it can have. */
export function tableText(cells: Cells, table: OpcodeTable): string {
  const short = (count: number): string => (count < 1000 ? String(count) : `${Math.floor(count / 1000)}k`)
  const lines = [...table.operations.filter((operation) => operation !== undefined), undefined].map((operation) => {
    const row = operation?.name ?? UNDEFINED
    const parts = outcomesOf(operation).map((outcome) => {
      const counts = STATES.map((state) => short(cells[row]?.[outcome]?.[state] ?? 0)).join('/')
      return `${outcome === 'none' ? 'succeeds' : outcome} ${counts}`
    })
    return `${row.padEnd(14)} ${parts.join(' · ')}`
  })
  return lines.join('\n')
}
