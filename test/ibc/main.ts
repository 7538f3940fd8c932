// `npm run test:ibc -- light --mutations N --seed S`
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { runMutations } from './mutations/run.ts'

const { values } = parseArgs({
  options: { mutations: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
})
const { mutations, seed } = z
  .object({
    mutations: z.coerce.number().int().positive().default(10_000),
    seed: z.coerce
      .number()
      .int()
      .nonnegative()
      .default(randomInt(2 ** 31)),
  })
  .parse(values)
console.log(`seed ${seed}`)
const { originals, answers, differences, slowest } = await runMutations(mutations, seed)
for (const [answer, times] of [...answers].toSorted(([, a], [, b]) => b - a))
  console.log(`${String(times).padStart(6)} ${answer}`)
for (const { number, from, expected, got, message } of differences.slice(0, 10))
  console.log(`\nmutation ${number} of ${from}: expected ${expected}, got ${got}\n${message.slice(0, 4_000)}`)
if (differences.length > 0) {
  console.log(`again: npm run test:ibc -- light --mutations ${mutations} --seed ${seed}`)
  process.exitCode = 1
}
console.log(
  `${originals} originals, ${mutations} mutations, slowest ${slowest.toFixed(1)} ms: ${differences.length} differences`,
)
