// The table of `npm run prove`: which outcomes an opcode can have, and in which state of the engine a step was.
import { describe, expect, it } from 'vitest'
import { outcomesOf } from '../scripts/fuzz-geth/opcode-ends.ts'
import { type Cells, cellOf, emptyCells } from '../scripts/prove/cells.ts'
import { type SeenStep, statesOf } from '../scripts/prove/witness.ts'
import { forkTable } from '../src/evm/opcode-table.ts'
import { FALLEN } from '../src/evm/wasm/layout.ts'
import { forkRules } from '../src/spec/fork-rules.ts'

const table = forkTable(forkRules('amsterdam'))

describe('the outcomes of an opcode', () => {
  // By the Yellow Paper's W, delta and alpha, and EIP-8024.
  it.each([
    [0x00, ['none']],
    [0x01, ['none', 'out of gas', 'stack underflow']],
    [0x30, ['none', 'out of gas', 'stack overflow']],
    [0x56, ['none', 'out of gas', 'stack underflow', 'invalid jump']],
    [0xe7, ['none', 'out of gas', 'stack underflow', 'invalid opcode']],
    [0xfd, ['revert', 'out of gas', 'stack underflow']],
    [0xfe, ['invalid opcode']],
  ])('%i', (code, outcomes) => {
    expect(outcomesOf(table.operations[code])).toEqual(outcomes)
  })

  it('are empty cells until each state was seen', () => {
    const cells: Cells = {}
    Object.assign(cellOf(cells, 'STOP', 'none'), { interpreted: 1, compiled: 1 })
    expect(emptyCells(cells, table)).toContain('STOP, none, paused')
    cellOf(cells, 'STOP', 'none').paused++
    expect(emptyCells(cells, table).filter((cell) => cell.startsWith('STOP'))).toEqual([])
  })
})

describe('the states of the steps of a frame', () => {
  const step = (pc: number, gas: number, opcode: number, outcome: SeenStep['outcome'] = 'none'): SeenStep => {
    return { pc, gas, opcode, cost: 0, outcome }
  }
  // JUMPDEST, PC, PC, JUMPDEST, ADD, which lacks gas.
  const steps = [step(0, 9, 0x5b), step(1, 8, 0x58), step(2, 6, 0x58), step(3, 4, 0x5b), step(4, 3, 0x01, 'out of gas')]
  const statesAt = (passages: Parameters<typeof statesOf>[1]) =>
    statesOf(steps, passages).map((states) => [...states].join())

  it('are interpreted without compiled code', () => {
    expect(statesAt([])).toEqual(Array(5).fill('interpreted'))
  })

  it('are compiled up to where compiled code left, and at the failure for which it left', () => {
    const passage = { kind: 'compiled', from: { pc: 0, gas: 9 }, to: { pc: 3, gas: 4 }, reason: FALLEN } as const
    expect(statesAt([passage])).toEqual(Array(5).fill('compiled'))
    const earlier = { ...passage, to: { pc: 2, gas: 6 } }
    expect(statesAt([earlier])).toEqual(['compiled', 'compiled', 'compiled', 'interpreted', 'interpreted'])
  })

  it('are paused from the end of a turn to the end of the block', () => {
    expect(statesAt([{ kind: 'paused', at: { pc: 0, gas: 9 } }])).toEqual([
      ...Array(3).fill('paused,interpreted'),
      'interpreted',
      'interpreted',
    ])
  })
})
