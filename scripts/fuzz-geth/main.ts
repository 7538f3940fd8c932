// Runs random state tests on every engine and on go-ethereum's `evm` until the time is up: state roots and logs must be equal.
// A difference is shrunk, saved as a state test and printed with its seed; then the exit code is 1. If `evm` is neither found
// nor can be built, one line says so and the exit code is 0.
// tsx scripts/fuzz-geth/main.ts [--seconds 60] [--executions MOST] [--seed FIRST] [--stress] [--kind NAME] [--batch TESTS] [--out FOLDER]
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FOUND } from './found.ts'
import { Fuzzing, MAX_DIFFERENCES } from './fuzzing.ts'
import { GETH_VERSION, gethProgram } from './geth.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    executions: { type: 'string' },
    seed: { type: 'string' },
    stress: { type: 'boolean', default: false },
    kind: { type: 'string' },
    batch: { type: 'string', default: '48' },
    out: { type: 'string', default: FOUND },
  },
})

async function run(evm: string): Promise<void> {
  const { out, stress, kind } = values
  const size = Number(values.batch)
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-geth-'))
  const fuzzing = new Fuzzing({ evm, folder, out, size, stress, kind })
  const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
  const wanted = values.executions === undefined ? Infinity : Number(values.executions)
  const began = performance.now()
  const end = began + Number(values.seconds) * 1000
  try {
    let seed = first
    // The interpreter runs the next batch while the others run this one.
    let next: Promise<Awaited<ReturnType<typeof fuzzing.prepare>>> | undefined = fuzzing.prepare(seed)
    while (next !== undefined) {
      const prepared = await next
      const isLast =
        performance.now() > end || fuzzing.counts.executions >= wanted || fuzzing.differences >= MAX_DIFFERENCES
      next = isLast ? undefined : fuzzing.prepare(seed + size)
      // Awaited after the judgement; a failure until then must not count as unhandled.
      next?.catch(() => undefined)
      if (!(await fuzzing.judge(prepared, seed))) break
      seed += size
    }
  } finally {
    fuzzing.close()
    await rm(folder, { recursive: true, force: true })
  }
  const { executions, stress: stressed, tests, geth, rejected } = fuzzing.counts
  const rate = Math.round(executions / ((performance.now() - began) / 1000))
  console.log(
    `${executions} executions (${stressed} in the stress build) of ${tests} tests from seed ${first}, judged by ${geth} of ` +
      `geth ${GETH_VERSION}, ${rejected} transactions refused; ${rate} a second; ${fuzzing.differences} differences`,
  )
  if (fuzzing.differences > 0) process.exitCode = 1
  process.send?.({ executions, differences: fuzzing.differences })
  process.disconnect?.()
}

const evm = await gethProgram('evm')
if (evm === undefined)
  console.log(`fuzz:geth is skipped: there is no evm ${GETH_VERSION} of go-ethereum, and no Go to build it`)
else await run(evm)
