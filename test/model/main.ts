// `npm run test:model -- --blocks N --seed S`: a random history of N blocks on a real node, compared with the model after each block.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import type { Block } from './history.ts'
import { type Result, randomHistory, runHistory, texts } from './run.ts'

/** Milliseconds for the search of a smaller history. */
const SHRINKING = 90_000

const { values } = parseArgs({ options: { blocks: { type: 'string' }, seed: { type: 'string' } } })
const { blocks, seed } = z
  .object({
    blocks: z.coerce.number().int().positive().default(200),
    seed: z.coerce
      .number()
      .int()
      .nonnegative()
      .default(randomInt(2 ** 31)),
  })
  .parse(values)
console.log(`seed ${seed}`)
const began = performance.now()
const result = await randomHistory(blocks, seed)
const minutes = (performance.now() - began) / 60_000
for (const [name, { succeeded, failed }] of [...result.seen].sort())
  console.log(`${name.padEnd(20)} ${succeeded} succeeded, ${failed} refused`)
console.log(`${Math.round(result.history.length / minutes)} blocks a minute`)
if (result.differences.length > 0) {
  await explain(result)
  process.exitCode = 1
}
console.log(
  `${result.history.length} blocks, ${result.actions} actions, seed ${seed}: ${result.differences.length} differences`,
)

async function explain({ history, differences }: Result): Promise<void> {
  console.log(`\nblock ${history.length}:`)
  for (const difference of differences) console.log(`  ${difference}`)
  print('the last blocks', history.slice(-3))
  print('the shortest history found that differs', await shrink(history))
  console.log(`again: npm run test:model -- --blocks ${history.length} --seed ${seed}\n`)
}

function print(title: string, history: readonly Block[]): void {
  console.log(`\n${title}:`)
  for (const [index, { seconds, reports, transactions }] of history.entries()) {
    if (reports.length + transactions.length === 0) continue
    console.log(`  block ${history.length - index - 1} before the last, after ${seconds} s`)
    for (const report of reports) console.log(`    report ${texts(report)}`)
    for (const { from, via, steps } of transactions) {
      console.log(`    ${from}${via === undefined ? '' : ` through ${via}`}`)
      for (const { mode, operation } of steps) console.log(`      ${mode} ${texts(operation)}`)
    }
  }
}

/** Leaves out ever smaller parts of a history as long as the rest differs. */
async function shrink(history: readonly Block[]): Promise<readonly Block[]> {
  let smallest = history
  const until = performance.now() + SHRINKING
  /** Empties some blocks: their time passes, nothing else happens. */
  const without = (from: number, to: number): Block[] =>
    smallest.map((block, index) =>
      index >= from && index < to ? { seconds: block.seconds, reports: [], transactions: [] } : block,
    )
  for (let size = Math.ceil(history.length / 2); size >= 1 && performance.now() < until; size = Math.floor(size / 2))
    for (let from = 0; from < smallest.length && performance.now() < until; from += size) {
      const isEmpty = smallest
        .slice(from, from + size)
        .every((one) => one.transactions.length + one.reports.length === 0)
      if (isEmpty) continue
      const candidate = without(from, from + size)
      const { differences } = await runHistory((_, index) => candidate[index])
      if (differences.length > 0) smallest = candidate
    }
  return smallest
}
