import { compileSolidity } from '../test/support/solc.ts'
import { trace } from '../src/evm/compiler/flow.ts'
import { Blocks } from '../src/evm/compiler/blocks.ts'
import { Emitter } from '../src/evm/compiler/emitter.ts'
import { FIXED } from '../src/evm/compiler/locals.ts'
import { generate } from '../src/evm/compiler/compile.ts'
import { forkRules } from '../test/evm/engine/differential.ts'
import { rulesOf } from '../src/evm/engine/rules.ts'
const { common, table } = forkRules('osaka')
const rules = rulesOf(table, common)
const { contracts } = compileSolidity('bench/contracts')
for (const [name, c] of contracts) {
  const hex = (c as any).deployedBytecode ?? c.bytecode
  let code = Buffer.from(hex.slice(2), 'hex')
  if (!(c as any).deployedBytecode) { const i = hex.indexOf('f3fe'); code = Buffer.from(hex.slice(i+4), 'hex') }
  for (let k = 0; k < 3; k++) {
    const t0 = performance.now(); const g = generate(code, rules.opcodes); const t1 = performance.now()
    const m = new WebAssembly.Module(g.bytes); const t2 = performance.now()
    console.log(name, code.length, 'wasm', g.bytes.length, 'gen', (t1-t0).toFixed(1), 'module', (t2-t1).toFixed(1))
  }
  const blocks = new Blocks(code, rules.opcodes)
  const emit = new Emitter(2, FIXED)
  const pieces = trace(emit, blocks, () => 0)
  const sizes = pieces.map((p) => p.bytes.length).sort((a, b) => b - a)
  console.log(' traces', pieces.length, 'locals', emit.locals.length, 'largest', sizes.slice(0, 10).join(' '), 'links', pieces.reduce((n,p)=>n+p.links.length,0))
}
