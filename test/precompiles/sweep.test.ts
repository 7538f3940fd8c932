// One million gas must not buy more than 50 ms of work, however large the state: calls every function of every precompile on a
// grown state. Functions come from the registry and calls from `matrix-samples.ts`, so new functions are included.
//
// Time depends on the machine, so reads and changes of the state are asserted instead. Measured on two cores shared with six
// other processes: 20,000 reads of mapping slots took 4 µs each; 20,000 changes took 23 µs each, 11 for the change and 12 for
// the state root. An idle core is several times faster. The rest of a call's time is proportional to its input, which is paid
// by the byte, and to its reads. One million gas may therefore buy r reads and c changes with 4 r + 23 c <= 50,000 µs. The time
// taken is printed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NativeResult } from '../../src/evm/native-call.ts'
import type { StateView } from '../../src/state/types.ts'
import { nativeCall } from '../support/native.ts'
import { GROWN_CALLS, type GrownCall } from './grown-calls.ts'
import { type Grown, grownState } from './grown-state.ts'

const READ_US = 4
const CHANGE_US = 23
/** 50 ms for 1,000,000 gas. */
const US_PER_GAS = 50_000 / 1_000_000

/** A view that counts its reads and changes, including nested ones. */
function counting(view: StateView) {
  const counts = { reads: 0, changes: 0 }
  const READS = new Set(['account', 'balance', 'nonce', 'code', 'storage', 'word', 'originalWord', 'hasStorage'])
  const CHANGES = new Set(['setAccount', 'setBalance', 'setNonce', 'setCode', 'addBalance', 'deleteAccount'])
  const proxy: StateView = new Proxy(view, {
    get(target, name) {
      if (name === 'slots') {
        return (of: Parameters<StateView['slots']>[0]) => ({
          load: (slot: bigint) => proxy.storage(of, slot),
          store: (slot: bigint, word: bigint) => proxy.setStorage(of, slot, word),
        })
      }
      if (name === 'setStorage') {
        return (...[of, slot, word]: Parameters<StateView['setStorage']>) => {
          if (target.storage(of, slot) === word) counts.reads++
          else counts.changes++
          target.setStorage(of, slot, word)
        }
      }
      if (READS.has(String(name))) counts.reads++
      if (CHANGES.has(String(name))) counts.changes++
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return { view: proxy, counts }
}

let grown: Grown
beforeAll(async () => {
  grown = await grownState()
}, 120_000)

const printed: string[] = []
afterAll(() =>
  console.info(['us for 1,000 gas: by count, as measured; call', ...printed.sort().reverse().slice(0, 25)].join('\n')),
)

const GAS = 30_000_000n

async function measured({ contract: of, input, from }: GrownCall, gasLimit: bigint) {
  const { view, counts } = counting(grown.view)
  const contract = of(grown, (message, error) => expect.fail(`${message}: ${error}`))
  const call = nativeCall(view, input, {
    caller: from,
    origin: from,
    gasLimit,
    block: { ...grown.block },
    callContract: () => Promise.resolve({ output: new Uint8Array(0), gasUsed: 0n, logs: [], error: undefined }),
  })
  grown.view.checkpoint()
  const began = performance.now()
  let result: NativeResult
  try {
    result = await contract.run(call)
  } finally {
    grown.view.revert()
  }
  const work = counts.reads * READ_US + counts.changes * CHANGE_US
  return { ...result, ...counts, work, us: (performance.now() - began) * 1_000 }
}

describe('a call on a grown state', () => {
  it.each(GROWN_CALLS)('pays for its work: $name', async (of) => {
    for (const gasLimit of [1_000_000n, GAS]) {
      const { gasUsed, work, us, reads, changes, error } = await measured(of, gasLimit)
      const per = (amount: number) => ((amount * 1_000) / Number(gasUsed)).toFixed(1).padStart(7)
      printed.push(
        `${per(work)} ${per(us)} ${of.name} ${gasUsed} gas, ${reads} reads, ${changes} changes ${error ?? ''}`,
      )
      expect(work, `${reads} reads, ${changes} changes for ${gasUsed} gas`).toBeLessThanOrEqual(
        Number(gasUsed) * US_PER_GAS,
      )
    }
  })
})
