import { compileSolidity } from '../test/support/solc.ts'
import { trace } from '../src/evm/compiler/flow.ts'
import { Trace } from '../src/evm/compiler/trace.ts'
import { Stack } from '../src/evm/compiler/stack.ts'
import { Blocks } from '../src/evm/compiler/blocks.ts'
import { Emitter } from '../src/evm/compiler/emitter.ts'
import { FIXED } from '../src/evm/compiler/locals.ts'
import { forkRules } from '../test/evm/engine/differential.ts'
import { rulesOf } from '../src/evm/engine/rules.ts'
const { common, table } = forkRules('osaka')
const rules = rulesOf(table, common)
const { contracts } = compileSolidity('bench/contracts')
const acc: Record<string, [number, number]> = {}
const wrap = (proto: any, name: string) => { const f = proto[name]; proto[name] = function (...a: any[]) { const e = this.emit ?? a[0]; const b = e.bytes.length; const r = f.apply(this, a); const x = (acc[name] ??= [0, 0]); x[0]++; x[1] += e.bytes.length - b; return r } }
for (const n of ['enter', 'leave', 'goTo', 'fall']) wrap(Trace.prototype, n)
for (const [name, c] of contracts) {
  const hex = (c as any).deployedBytecode ?? c.bytecode
  let code = Buffer.from(hex.slice(2), 'hex')
  if (!(c as any).deployedBytecode) { const i = hex.indexOf('f3fe'); code = Buffer.from(hex.slice(i+4), 'hex') }
  for (const k in acc) delete acc[k]
  const blocks = new Blocks(code, rules.opcodes)
  const emit = new Emitter(2, FIXED)
  const pieces = trace(emit, blocks, () => 0)
  console.log(name, code.length, 'bytes', pieces.reduce((n, p) => n + p.bytes.length, 0), 'traces', pieces.length, JSON.stringify(acc))
}
