// CPU time per gas of every function of the native contracts, on states of several sizes. A call is made over and over on one view of the
// state, as a contract could do, and undone. What it changed is added at the price of a changed slot in a block of thousands: its part
// of the state root and of the rows.
import type { NativeResult } from '../../src/evm/native-call.ts'
import { bigToFixed } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import type { StateView } from '../../src/state/types.ts'
import { GROWN_CALLS, type GrownCall } from '../../test/precompiles/grown-calls.ts'
import { type Grown, grownState, type Sizes } from '../../test/precompiles/grown-state.ts'
import { nativeCall } from '../../test/support/native.ts'
import { summarize } from '../statistics.ts'
import { cpuTime } from './cpu-time.ts'
import { updateCalls } from './updates.ts'

export type FunctionRow = {
  readonly name: string
  /** Validators, delegations, entries, grants. */
  readonly size: number
  readonly gas: bigint
  /** Nanoseconds per gas, and how many times that of the keccak loop of the same round: medians. */
  readonly nsPerGas: number
  readonly ratio: number
  readonly error: string | undefined
}

/** Every part of the state has `size` items, or as many as the modules allow. */
const sizesOf = (size: number): Sizes => ({
  validators: size,
  vouchers: size,
  delegators: size,
  unbonding: Math.min(size, 100),
  redelegations: Math.min(size, 100),
  entries: Math.min(size, 100),
  slashes: size,
  receivers: Math.min(size, 400),
  steps: Math.min(2 * size, 1_990),
  proposals: Math.max(size, 3),
  votes: size,
})

const GAS_LIMIT = 1_000_000_000n
/** Microseconds of CPU time that a measurement takes at least. */
const LEAST_TIME = 10_000

export type How = {
  readonly rounds: number
  readonly nativeGas: 1 | 2
  readonly only: string
  readonly log: (line: string) => void
}

/** Measures each function beside `keccak`, which returns nanoseconds per gas. */
export async function measureFunctions(
  size: number,
  keccak: () => Promise<number>,
  { rounds, nativeGas, only, log }: How,
): Promise<readonly FunctionRow[]> {
  log(`functions: a state of ${size}`)
  const state = await grownState(sizesOf(size))
  const grown = { ...state, spec: { ...state.spec, nativeGas } }
  const calls = [...GROWN_CALLS, ...updateCalls(grown)].filter(({ name }) => name.includes(only))
  const store = await committed(grown)
  const perChange = await commitTime(store)
  log(`a changed slot in a block of ${COMMITTED}: ${perChange.toFixed(1)} µs`)
  const rows: FunctionRow[] = []
  for (const call of calls) {
    const run = runnerOf(call, grown, store)
    let changes = 0
    const { gasUsed, error } = await run((view) => {
      changes = changesOf(view)
    })
    const rest = (changes * perChange * 1000) / Number(gasUsed)
    const ours: number[] = []
    const ratios: number[] = []
    for (let round = 0; round <= rounds; round++) {
      const own = (await nsPerGas(run)) + rest
      const ratio = own / (await keccak())
      // The first round compiles.
      if (round === 0) continue
      ours.push(own)
      ratios.push(ratio)
    }
    rows.push({
      name: call.name,
      size,
      gas: gasUsed,
      nsPerGas: summarize(ours).median,
      ratio: summarize(ratios).median,
      error,
    })
  }
  return rows
}

async function committed({ view }: Grown): Promise<StateStore> {
  const { rows, codes } = await view.changes()
  const store = new StateStore(await openMemoryStore(), -1)
  const staged = store.stage(rows, codes)
  await store.store.write(staged.ops)
  staged.afterWrite()
  return store
}

async function nsPerGas(run: () => Promise<NativeResult>): Promise<number> {
  const began = cpuTime()
  for (let gas = 0n; ; ) {
    gas += (await run()).gasUsed
    const took = cpuTime() - began
    if (took >= LEAST_TIME) return (took * 1000) / Number(gas)
  }
}

/** Runs the call once and undoes it; `done` sees the view before. */
function runnerOf(call: GrownCall, grown: Grown, store: StateStore) {
  const contract = call.contract(grown, (message, error) => {
    throw new Error(message, { cause: error })
  })
  const view = store.at(0)
  return async (done: (view: StateView) => void = () => undefined): Promise<NativeResult> => {
    view.beginTransaction()
    view.checkpoint()
    const result = await contract.run(
      nativeCall(view, call.input, {
        caller: call.from,
        origin: call.from,
        gasLimit: GAS_LIMIT,
        block: { ...grown.block },
        callContract: () => Promise.resolve({ output: new Uint8Array(0), gasUsed: 0n, logs: [], error: undefined }),
      }),
    )
    if (result.error === undefined) done(view)
    view.revert()
    return result
  }
}

/** Changed slots and accounts. */
const changesOf = (view: StateView): number =>
  view.transactionDiff().reduce((sum, { slots }) => sum + 1 + slots.length, 0)

const COMMITTED = 5_000

/** Microseconds of a changed slot at the end of a block of many: state root and rows. */
async function commitTime(store: StateStore): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 8; round++) {
    const view = store.at(0)
    for (let i = 0; i < COMMITTED; i++)
      view.setStorage(NATIVE_CONTRACT.staking, BigInt(keccakHash(bigToFixed(BigInt(i), 32))), 1n)
    const began = cpuTime()
    await view.changes()
    // The first round compiles.
    if (round > 0) times.push((cpuTime() - began) / COMMITTED)
  }
  return summarize(times).median
}
