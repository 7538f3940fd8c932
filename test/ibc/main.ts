// `npm run test:ibc -- light --mutations N --seed S`: mutations of messages and proofs beside the rules of the model.
// `npm run test:ibc -- go --mutations N --seed S`: the same mutations, packets and signatures beside Cosmos' own code, which Go builds.
// `npm run test:ibc -- chaos --transfers N --seed S`: transfers between two networks whose parts are killed; COMETBFT names the engine.
// `npm run test:ibc -- eureka`: contracts of solidity-ibc-eureka on a network, over its client of another one; COMETBFT names the engine.
// `npm run test:ibc -- simd --simd PROGRAM --transfers N`: transfers with an unmodified chain of the Cosmos SDK (`test/network/simd.test.ts`).
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { goCases } from './go-cases.ts'
import { runMutations } from './mutations/run.ts'

const { values, positionals } = parseArgs({
  options: {
    mutations: { type: 'string' },
    transfers: { type: 'string' },
    seed: { type: 'string' },
    simd: { type: 'string' },
  },
  allowPositionals: true,
})
const { mutations, transfers, seed, part, simd } = z
  .object({
    part: z.enum(['light', 'go', 'chaos', 'eureka', 'simd']),
    mutations: z.coerce.number().int().positive().default(10_000),
    /** By default 1,000 of chaos, and 100 each way with simd. */
    transfers: z.coerce.number().int().positive().optional(),
    simd: z.string().optional(),
    seed: z.coerce
      .number()
      .int()
      .nonnegative()
      .default(randomInt(2 ** 31)),
  })
  .parse({ ...values, part: positionals[0] })
if (part !== 'simd' && part !== 'eureka') console.log(`seed ${seed}`)
if (part === 'light') await light()
else if (part === 'go') await go()
else if (part === 'chaos') network('ibc-chaos', { IBC_TRANSFERS: String(transfers ?? 1_000), IBC_SEED: String(seed) })
else if (part === 'eureka') network('eureka', {})
else if (simd === undefined) throw new Error('--simd names no program')
else network('simd', { SIMD: resolve(simd), TRANSFERS: String(transfers ?? 100) })

async function light(): Promise<void> {
  const { originals, answers, differences, slowest } = await runMutations(mutations, seed)
  for (const [answer, times] of [...answers].toSorted(([, a], [, b]) => b - a))
    console.log(`${String(times).padStart(6)} ${answer}`)
  for (const { number, from, expected, got, message } of differences)
    console.log(`\nmutation ${number} of ${from}: expected ${expected}, got ${got}\n${message.slice(0, 4_000)}`)
  if (differences.length > 0) {
    console.log(`again: npm run test:ibc -- light --mutations ${mutations} --seed ${seed}`)
    process.exitCode = 1
  }
  const summary = `${originals} originals, ${mutations} mutations, slowest ${slowest.toFixed(1)} ms`
  console.log(`${summary}: ${differences.length} differences`)
}

/** Fails if Go is missing, or if a verdict differs. */
async function go(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kestrel-ibc-'))
  try {
    const file = join(folder, 'cases.json')
    writeFileSync(file, await goCases(mutations, seed))
    const { status, error } = spawnSync('go', ['run', '.', file], {
      cwd: join(import.meta.dirname, 'go'),
      stdio: 'inherit',
    })
    if (error !== undefined) throw error
    process.exitCode = status ?? 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Runs a file of `test/network/`. Fails without an engine, where the test would be skipped. */
function network(name: string, env: Readonly<Record<string, string>>): void {
  if (process.env.COMETBFT === undefined) throw new Error('COMETBFT names no consensus engine')
  const { status, error } = spawnSync('npx', ['vitest', 'run', `test/network/${name}.test.ts`], {
    env: { ...process.env, ...env },
    stdio: 'inherit',
  })
  if (error !== undefined) throw error
  process.exitCode = status ?? 1
}
