import { generate } from '../src/evm/compiler/compile.ts'
import { forkRules } from '../test/evm/engine/differential.ts'
import { rulesOf } from '../src/evm/engine/rules.ts'
const { common, table } = forkRules('osaka')
const rules = rulesOf(table, common)
const rep = (pattern: number[], head: number[] = []) => { const b = Buffer.alloc(24576); let i = 0; for (const x of head) b[i++] = x; for (; i + pattern.length <= b.length;) for (const x of pattern) b[i++] = x; return b }
const J = (f: (i: number) => number[]) => { const out: number[] = []; while (out.length < 24560) out.push(...f(out.length)); return Buffer.from(out.slice(0, 24576)) }
const cases: Record<string, Uint8Array> = {
  jumpdests: rep([0x5b]),
  'jumpi next': J((at) => [0x5b, 0x36, 0x61, (at + 5) >> 8, (at + 5) & 255, 0x57].concat()),
  'jumpi random': J((at) => { const t = Math.floor(Math.random() * 4000) * 6; return [0x5b, 0x36, 0x61, t >> 8, t & 255, 0x57] }),
  'deep exits': J((at) => { const t = Math.floor(Math.random() * 2000) * 12; return at % 12 === 0 ? [0x5b, 0x36, 0x36, 0x36, 0x36, 0x36, 0x36, 0x36, 0x61, t >> 8, t & 255, 0x57] : [0] }),
  'mul': rep([0x80, 0x81, 0x02, 0x90], [0x36, 0x36, 0x36, 0x36]),
  'mulmod': rep([0x80, 0x81, 0x82, 0x09, 0x90], [0x36, 0x36, 0x36, 0x36]),
  'gas calls': rep([0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x5a, 0xf1]),
  'pushes': rep([0x61, 0x00, 0x10, 0x5b]),
  'sstore': rep([0x5a, 0x5a, 0x55, 0x5a, 0x54]),
  'mload': rep([0x36, 0x51]),
}
for (let r = 0; r < 1; r++) for (const [n, c] of Object.entries(cases)) {
  const t = process.cpuUsage(); const g = generate(c, rules.opcodes); const d = process.cpuUsage(t)
  const rss0 = process.memoryUsage().rss; const t9 = performance.now(); const u = process.cpuUsage(); let ok = 'ok'; try { new WebAssembly.Module(g.bytes) } catch (e: any) { ok = e.message.slice(0, 100) } const v = process.cpuUsage(u)
  console.log(n.padEnd(14), 'wasm', g.bytes.length, 'gen', ((d.user + d.system) / 1000).toFixed(0), 'module', ((v.user+v.system)/1000).toFixed(0), (performance.now()-t9).toFixed(0), 'rss+', (process.memoryUsage().rss - rss0) >> 20, ok)
}
