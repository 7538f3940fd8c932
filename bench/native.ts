// `npm run bench:native`: what native work costs beside its gas, in CPU time of this process: every function of the native contracts
// in nanoseconds per gas beside a keccak loop measured in turns with it, and the worst block with many due things of each kind. It runs
// bundled and with the flags of `npm start`, because a loader's marks and a small young generation cost native work a third more.
import { Command, InvalidArgumentError } from 'commander'
import { type BlockRow, measureBlocks } from './native/blocks.ts'
import { type FunctionRow, measureFunctions } from './native/functions.ts'
import { keccakLoop } from './native/keccak.ts'

type Options = { rounds: number; sizes: readonly number[]; due: number; former?: true; only: string }

await new Command('bench:native')
  .description('measure native functions beside a keccak loop, and blocks with many due things')
  .option('--rounds <number>', 'measurements of each function', wholeNumber, 5)
  .option('--sizes <list>', 'validators, delegations, entries, grants of the states', wholeNumbers, [1, 100, 1_000])
  .option('--due <number>', 'due things of each kind', wholeNumber, 10_000)
  .option('--former', 'with the prices of chains that lack the rule `nativeGas`')
  .option('--only <text>', 'functions and kinds of due things whose names contain this', '')
  .action(bench)
  .parseAsync()

async function bench({ rounds, sizes, due, former, only }: Options): Promise<void> {
  const keccak = await keccakLoop()
  const how = { rounds, nativeGas: former ? 1 : 2, only, log: console.warn } as const
  // Compiles what all functions share.
  await measureFunctions(1, keccak, { ...how, rounds: 1, log: () => undefined })
  const rows: FunctionRow[] = []
  for (const size of sizes) rows.push(...(await measureFunctions(size, keccak, how)))
  console.log(tableOf(rows))
  console.log(tableOfBlocks(await measureBlocks(due, only, console.warn)))
}

function tableOf(rows: readonly FunctionRow[]): string {
  return [
    '| function | size | gas | ns per gas | keccak loops |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows
      .toSorted((a, b) => b.ratio - a.ratio)
      .map(
        ({ name, size, gas, nsPerGas, ratio, error = '' }) =>
          `| ${name}${error && `, ${error}`} | ${size} | ${gas} | ${nsPerGas.toFixed(1)} | ${ratio.toFixed(2)} |`,
      ),
  ].join('\n')
}

function tableOfBlocks(rows: readonly BlockRow[]): string {
  return [
    '\n| due at one moment | number | worst block, ms | blocks | all, ms |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows
      .toSorted((a, b) => b.worst - a.worst)
      .map(
        ({ kind, due, worst, blocks, total }) =>
          `| ${kind} | ${due} | ${worst.toFixed(0)} | ${blocks} | ${total.toFixed(0)} |`,
      ),
  ].join('\n')
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('expected a whole number above 0')
  return Number(text)
}

function wholeNumbers(text: string): readonly number[] {
  return text.split(',').map(wholeNumber)
}
