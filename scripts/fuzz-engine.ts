// Compares our engine with the library's interpreter on random programs until the time is up; seeds that differ are
// printed, and can be repeated.
// Compiled code takes part where everything is compiled before it runs (KESTREL_COMPILE=eagerly).
//   tsx scripts/fuzz-engine.ts [--seconds 60] [--seed FIRST] [--count SEEDS] [--cuts 4] [--engine wasm|compiled]
import { parseArgs } from 'node:util'
import { hasEngine } from '../src/evm/engine/pool.ts'
import { compare } from '../test/evm/engine/differential.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    count: { type: 'string' },
    cuts: { type: 'string', default: '4' },
    engine: { type: 'string', default: 'wasm' },
  },
})
if (!hasEngine()) throw new Error('there is no dist/engine.wasm: run `npm run build`')
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
const end = performance.now() + Number(values.seconds) * 1000
const most = values.count === undefined ? Infinity : Number(values.count)
let [executions, differences, seeds] = [0, 0, 0]
for (; performance.now() < end && seeds < most && differences < 10; seeds++) {
  const result = await compare(first + seeds, Number(values.cuts), values.engine === 'compiled' ? 'compiled' : 'wasm')
  executions += result.executions
  if (result.difference === undefined) continue
  differences++
  console.log(JSON.stringify(result.difference, (_, part) => (typeof part === 'bigint' ? Number(part) : part), 1))
}
console.log(`${executions} executions of ${seeds} worlds from seed ${first} compared, ${differences} differences`)
if (differences > 0) process.exitCode = 1
