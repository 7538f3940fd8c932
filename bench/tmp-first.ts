import { compileSolidity } from '../test/support/solc.ts'
import { compilation } from '../src/evm/compiler/compiled.ts'
import { encodeFunctionData } from 'viem'
import { runCode } from '../test/evm/engine/run-code.ts'
compilation.heat = 0
const { contracts } = compileSolidity('bench/contracts')
const c = contracts.get('Compute')!
const hex = c.bytecode; const i = hex.indexOf('f3fe'); const code = Buffer.from(hex.slice(i+4), 'hex')
const data = Buffer.from(encodeFunctionData({ abi: c.abi, functionName: 'count', args: [1n] } as any).slice(2), 'hex')
await runCode(Uint8Array.of(0), 'compiled')
for (let k = 0; k < 6; k++) { const t = performance.now(); const u = process.cpuUsage(); const r = await runCode(code, (process.argv[2] ?? 'compiled') as any, { data, gasLimit: 1000000n }); const d = process.cpuUsage(u); console.log('call', k, (performance.now() - t).toFixed(1), 'ms', r.error ?? 'ok', (d.user+d.system)/1000) }
const u = process.cpuUsage()
for (let k = 0; k < 3; k++) { const big = Buffer.from(encodeFunctionData({ abi: c.abi, functionName: 'count', args: [300000n] } as any).slice(2), 'hex'); const t = performance.now(); await runCode(code, 'compiled', { data: big, gasLimit: 1n<<36n }); console.log('long', (performance.now() - t).toFixed(1)) }
await new Promise((r) => setTimeout(r, 3000)); const d = process.cpuUsage(u); console.log('cpu after', (d.user + d.system) / 1000, process.memoryUsage().rss >> 20)
