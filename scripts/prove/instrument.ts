// Instrumentation of our engine in this process, for the table of coverage: where compiled code was entered and left, and where a
// turn ended. It wraps the functions that are put into the engine's table, and the engine's `run`; nothing of the product knows
// of it.
import { Instance } from '../../src/evm/wasm/instance.ts'
import { F_PC, PAUSED, TURN_GAS } from '../../src/evm/wasm/layout.ts'
import { stress } from '../../src/evm/wasm/stress.ts'

/** A point in a frame: its program counter and gas. */
export type Place = { readonly pc: number; readonly gas: number }
export type Passage =
  | { readonly kind: 'compiled'; readonly from: Place; readonly to: Place; readonly reason: number }
  | { readonly kind: 'paused'; readonly at: Place }

/** A module that exports the function that it imports, which makes a JavaScript function fit for a table of WebAssembly. */
const REEXPORT = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  // Type (i32, i64) -> i32; import "h" "r"; export "r".
  ...[1, 7, 1, 0x60, 2, 0x7f, 0x7e, 1, 0x7f],
  ...[2, 7, 1, 1, 0x68, 1, 0x72, 0, 0],
  ...[7, 5, 1, 1, 0x72, 0, 0],
])

type Compiled = (frame: number, turn: bigint) => number

/** What the compiler's declarations of WebAssembly leave out. */
type Table = { set(index: number, compiled: Compiled | null): void }

/** Ends most turns of the stress build within a few opcodes, so that every opcode is soon seen after the end of a turn. */
function shortenTurns(): void {
  const { upTo, pick } = stress ?? {}
  if (stress === undefined || upTo === undefined || pick === undefined) return
  Object.assign(stress, { upTo: (most: number) => upTo(most === TURN_GAS && !pick(3) ? 40 : most) })
}

/** Reports passages of the running frame from now on. */
export function instrument(report: (passage: Passage) => void): void {
  const { Table } = WebAssembly as unknown as { Table: { prototype: Table } }
  shortenTurns()
  const module = new WebAssembly.Module(REEXPORT)
  const { run } = Instance.prototype
  const { set } = Table.prototype
  let engine: Instance | undefined
  const placeOf = (of: Instance, frame: number): Place => ({ pc: of.field(frame, F_PC), gas: of.gas(frame) })
  Instance.prototype.run = function (this: Instance): number {
    engine = this
    const reason = run.call(this)
    if (reason === PAUSED) report({ kind: 'paused', at: placeOf(this, this.current) })
    return reason
  }
  Table.prototype.set = function (this: Table, index: number, compiled: Compiled | null): void {
    const r = (frame: number, turn: bigint): number => {
      if (compiled === null || engine === undefined) throw new Error('a compiled function runs that is not installed')
      const from = placeOf(engine, frame)
      const reason = compiled(frame, turn)
      engine.refresh()
      report({ kind: 'compiled', from, to: placeOf(engine, frame), reason })
      return reason
    }
    const { r: wrapped } = new WebAssembly.Instance(module, { h: { r } }).exports
    set.call(this, index, compiled === null ? null : (wrapped as Compiled))
  }
}
