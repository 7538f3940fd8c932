import { compare, makeDenseWorld } from '../test/evm/engine/differential.ts'
const first = Number(process.argv[2] ?? 1), end = performance.now() + 1000 * Number(process.argv[3] ?? 20)
let n = 0, d = 0, e = 0
for (let s = first; performance.now() < end && d < 4; s++, n++) { const r = await compare(s, 3, 'compiled', makeDenseWorld, s % 20 === 0 ? 'library' : 'wasm'); e += r.executions; if (r.difference) { d++; console.log(s, r.difference.library.slice(0, 300), '\n', r.difference.wasm.slice(0, 300)) } }
console.log(n, 'worlds', e, 'executions', d, 'differences')
