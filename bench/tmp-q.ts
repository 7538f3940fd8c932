import { makeDenseWorld, observe } from '../test/evm/engine/differential.ts'
const c: Record<string, number> = {}; let gas: number[] = []
for (let s = 1; s < 60; s++) { const w = await makeDenseWorld(s); const [r] = await observe(w, 'compiled', w.messages, false); const o = JSON.parse(r!); const k = o.error ?? (o.thrown ? 'thrown' : 'ok'); c[k] = (c[k] ?? 0) + 1; gas.push(parseInt(o.gasUsed)) }
console.log(c, gas.sort((a,b)=>a-b).join(' '))
