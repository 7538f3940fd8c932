// Compares our engine with the reference engine, and compiled code with both, on random programs until the time is up; prints
// the seeds that differ, which can be repeated.
// tsx scripts/fuzz-engine.ts [--seconds 60] [--seed FIRST] [--count SEEDS] [--cuts 4] [--only PAIRING]
import { parseArgs } from 'node:util'
import { isEngineBuilt } from '../src/evm/wasm/instance-pool.ts'
import { compilation } from '../src/evm/wasm-compiler/module-cache.ts'
import { compare, PAIRINGS } from '../test/evm/wasm/differential.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    count: { type: 'string' },
    cuts: { type: 'string', default: '4' },
    only: { type: 'string' },
  },
})
if (!isEngineBuilt()) throw new Error('there is no dist/engine.wasm: run `npm run build`')
compilation.heat = 0
const pairings = Object.entries(PAIRINGS).filter(([name]) => values.only === undefined || values.only === name)
if (pairings.length === 0) throw new Error(`no pairing ${values.only}`)
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
const end = performance.now() + Number(values.seconds) * 1000
const most = values.count === undefined ? Infinity : Number(values.count)
let executions = 0
let differences = 0
let seeds = 0
for (; performance.now() < end && seeds < most && differences < 10; seeds++) {
  for (const [name, pairing] of pairings) {
    const result = await compare(first + seeds, Number(values.cuts), pairing)
    executions += result.executions
    if (result.difference === undefined) continue
    differences++
    const shown = { pairing: name, ...result.difference }
    console.log(JSON.stringify(shown, (_, part) => (typeof part === 'bigint' ? Number(part) : part), 1))
  }
}
console.log(`${executions} executions of ${seeds} seeds from ${first} compared, ${differences} differences`)
if (differences > 0) process.exitCode = 1
