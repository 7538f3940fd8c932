// Compares our engine with the reference engine, and compiled code with both, on random programs until the time is up; shrinks
// differences into files that a test reads, and prints their seeds, which can be repeated.
// tsx scripts/fuzz-engine.ts [--seconds 60] [--executions MOST] [--seed FIRST] [--count SEEDS] [--cuts 4] [--only PAIRING]
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isEngineBuilt } from '../src/evm/wasm/instance-pool.ts'
import { compilation } from '../src/evm/wasm-compiler/module-cache.ts'
import { compare, type Difference, PAIRINGS } from '../test/evm/wasm/differential.ts'
import { differenceOfFile, fileOf, type WorldFile } from '../test/evm/wasm/world-file.ts'
import { FOUND } from './fuzz-geth/found.ts'
import { shrink } from './fuzz-geth/shrink.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    executions: { type: 'string' },
    count: { type: 'string' },
    cuts: { type: 'string', default: '4' },
    only: { type: 'string' },
  },
})
if (!isEngineBuilt()) throw new Error('there is no dist/engine.wasm: run `npm run build`')
compilation.heat = 0

/** Shrinks a difference and writes it where a test reads it; returns the path. */
async function keep(pairing: keyof typeof PAIRINGS, difference: Difference): Promise<string> {
  const whole = fileOf(pairing, difference)
  const shows = async (file: WorldFile) => (await differenceOfFile(file).catch(() => undefined)) !== undefined
  const file = join(FOUND, `${pairing.replaceAll(' ', '-')}-${difference.seed}.world.json`)
  await mkdir(FOUND, { recursive: true })
  await writeFile(file, JSON.stringify((await shows(whole)) ? await shrink(whole, shows) : whole, null, 1))
  return file
}

const pairings = Object.entries(PAIRINGS).filter(([name]) => values.only === undefined || values.only === name)
if (pairings.length === 0) throw new Error(`no pairing ${values.only}`)
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
const end = performance.now() + Number(values.seconds) * 1000
const most = values.count === undefined ? Infinity : Number(values.count)
const wanted = values.executions === undefined ? Infinity : Number(values.executions)
let executions = 0
let differences = 0
let seeds = 0
for (; performance.now() < end && executions < wanted && seeds < most && differences < 10; seeds++) {
  for (const [name, pairing] of pairings) {
    const result = await compare(first + seeds, Number(values.cuts), pairing)
    executions += result.executions
    if (result.difference === undefined) continue
    differences++
    const file = await keep(name as keyof typeof PAIRINGS, result.difference)
    const { seed, fork, reference, expected, found } = result.difference
    console.log(JSON.stringify({ pairing: name, seed, fork, reference, expected, found, file }, undefined, 1))
  }
}
console.log(`${executions} executions of ${seeds} seeds from ${first} compared, ${differences} differences`)
if (differences > 0) process.exitCode = 1
process.send?.({ executions, differences })
process.disconnect?.()
