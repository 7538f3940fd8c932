// Speed of the EVM: sequential eth_calls, each long enough that the HTTP round trip does not matter.
import { type Hex, slice } from 'viem'
import type { Group, Row } from '../bench.ts'
import { callData, deploy, transact, work } from '../contracts.ts'
import { cpuOf } from '../requests.ts'
import { formatValue } from '../statistics.ts'
import type { Target } from '../target.ts'

/** Name, function of `Compute` or `Slots`, number of repetitions in a full and in a quick run. */
const CALLS: readonly (readonly [string, 'Compute' | 'Slots', string, number, number])[] = [
  ['256-bit multiply and add', 'Compute', 'arithmetic', 200_000, 10_000],
  ['256-bit divide and mulmod', 'Compute', 'division', 50_000, 2_000],
  ['counting loop, checked', 'Compute', 'count', 100_000, 5_000],
  ['recursion (fib)', 'Compute', 'fibonacci', 23, 15],
  ['quicksort', 'Compute', 'sort', 3_000, 300],
  ['keccak', 'Compute', 'hash', 30_000, 1_000],
  ['memory words', 'Compute', 'words', 60_000, 3_000],
  ['memory copies of 32 KB', 'Compute', 'copies', 20_000, 500],
  ['calls, one after another', 'Compute', 'calls', 3_000, 100],
  ['calls, 32 deep', 'Compute', 'nested', 100, 3],
  ['ecrecover', 'Compute', 'recover', 500, 20],
  ['SLOAD, 300 slots', 'Slots', 'read', 60, 3],
  ['SSTORE, 300 slots', 'Slots', 'write', 60, 3],
]

/** Functions that take a seed. */
const SEEDED: readonly string[] = ['hash', 'recover']

/** Milliseconds of one measurement, which makes at least one call. */
const FULL_TIME = 300
const QUICK_TIME = 20

export const compute: Group = {
  name: 'compute',
  title: 'Compute, one eth_call',
  of: 'both',
  async rows(contender, bench) {
    const target = await contender.start()
    const addresses = { Compute: await deploy(target, 'Compute'), Slots: await deploy(target, 'Slots') }
    await transact(target, { to: addresses.Slots, data: callData('Slots', 'fill', [0n, 300n]), gas: 8_000_000n })
    const rows: Row[] = []
    for (const [name, contract, functionName, full, quick] of CALLS) {
      const times = BigInt(bench.size(full, quick))
      const args = SEEDED.includes(functionName) ? [times, 0n] : [times]
      // The seed is appended to the other arguments for each call.
      const data = slice(callData(contract, functionName, args), 0, 4 + 32)
      rows.push(await row(target, name, addresses[contract], data, bench.size(FULL_TIME, QUICK_TIME)))
    }
    return rows
  },
}

async function row(target: Target, name: string, to: Hex, data: Hex, time: number): Promise<Row> {
  const { result, gas, run } = await work(target, to, data)
  return {
    name,
    unit: 'ms',
    better: 'less',
    answer: `${result}, ${gas} gas`,
    note: (milliseconds) => `${formatValue(Number(gas) / 1000 / milliseconds)} Mgas/s`,
    async run() {
      let calls = 0
      let total = 0
      const cpu = await cpuOf(target, async () => {
        while (calls === 0 || total < time) {
          total += await run()
          calls++
        }
        return calls
      })
      return { value: total / calls, cpu }
    },
  }
}
