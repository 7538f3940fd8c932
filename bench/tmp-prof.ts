import { compileSolidity } from '../test/support/solc.ts'
import { generate } from '../src/evm/compiler/compile.ts'
import { forkRules } from '../test/evm/engine/differential.ts'
import { rulesOf } from '../src/evm/engine/rules.ts'
const { common, table } = forkRules('osaka')
const rules = rulesOf(table, common)
const { contracts } = compileSolidity('bench/contracts')
const hex = contracts.get('Compute')!.bytecode; const i = hex.indexOf('f3fe'); const code = Buffer.from(hex.slice(i+4), 'hex')
for (let k = 0; k < 40; k++) { const c = process.cpuUsage(); generate(code, rules.opcodes); const d = process.cpuUsage(c); if (k % 8 === 0 || k < 3) console.log(k, (d.user + d.system) / 1000) }
