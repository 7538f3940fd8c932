// Fills the table of opcodes, outcomes and engine states: for each opcode and each outcome that it can have, random code with this
// outcome runs on the interpreter, step by step, and in the stress build with everything compiled, until every state of the engine
// has been seen there. Both results must be equal. Started by main.ts with KESTREL_STRESS; reports to it.
// KESTREL_STRESS=1 tsx scripts/prove/coverage.ts [--seed FIRST] [--attempts 500] [--only NAME] [--share 0/8]
import { parseArgs } from 'node:util'
import { buildTable } from '../../src/evm/jump-table.ts'
import type { OpcodeTable, Operation } from '../../src/evm/opcode-table.ts'
import { stress } from '../../src/evm/wasm/stress.ts'
import type { Fork } from '../../src/spec/chain-spec.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { envOf, FREE, forkChain, observe, SENDER, type World } from '../../test/evm/wasm/differential.ts'
import { Code, OP, Random } from '../fuzz-geth/code.ts'
import { nonceFor, type Outcome, opcodeCase, outcomesOf, SELF } from '../fuzz-geth/opcode-ends.ts'
import { CONTRACTS } from '../fuzz-geth/scenario.ts'
import { type Cells, cellOf, rowNameOf } from './cells.ts'
import { instrument } from './instrument.ts'
import { FrameWitness, StepsOfFrames, statesOf } from './witness.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    attempts: { type: 'string', default: '500' },
    only: { type: 'string' },
    share: { type: 'string', default: '0/1' },
  },
})
if (stress === undefined) throw new Error('the table needs the stress build: set KESTREL_STRESS')

const NEWEST = 'amsterdam'
/** In which a message may have as much gas as 1,024 frames need. */
const DEEP = 'prague'
const ENTRY = CONTRACTS[0] ?? SENDER
const TARGET = SELF

const cells: Cells = {}
let executions = 0
const differences: object[] = []
let watching: FrameWitness | undefined
instrument((passage) => watching?.pass(passage))

/** A contract that calls the second one in a static frame. */
const staticCaller = new Code().pushes(0, 0, 0, 0, BigInt(TARGET)).op(OP.GAS, OP.STATICCALL).store(0).build()

/** With another price the interpreter runs opcodes singly, and looks at the end of a turn before it charges them. */
const repriced = new Map<Fork, OpcodeTable>(
  ([NEWEST, DEEP] as const).map((fork) => [
    fork,
    buildTable(forkRules(fork), (draft) => draft.op(OP.ADD).setConstantGas(4n)),
  ]),
)

type Trial = { readonly world: World; readonly at: number }

async function trialOf(
  seed: number,
  operation: Operation | undefined,
  number: number,
  outcome: Outcome,
): Promise<Trial> {
  const random = new Random(seed)
  const { code, at, isStatic, extra } = opcodeCase(random, operation, number, outcome)
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  const isDeep = outcome === 'call depth'
  view.setBalance(SENDER, 10n ** 20n)
  view.setBalance(TARGET, 5n)
  view.setNonce(TARGET, nonceFor(outcome))
  view.setCode(TARGET, code)
  view.setCode(ENTRY, staticCaller)
  for (const [address, account] of extra) {
    view.setNonce(address, account.nonce ?? 0n)
    if (account.code !== undefined) view.setCode(address, account.code)
  }
  // Since Amsterdam no tracer is told of a creation that is refused before it begins, as in go-ethereum.
  const isSilent = outcome === 'insufficient balance' || outcome === 'nonce overflow'
  const fork = isDeep || (isSilent && random.oneIn(2)) ? DEEP : NEWEST
  const message = {
    from: SENDER,
    to: isStatic ? ENTRY : TARGET,
    data: new Uint8Array(0),
    gasLimit: isDeep ? 2n ** 39n : 1_000_000n,
    ...FREE,
  }
  const changed = random.oneIn(4) ? repriced.get(fork) : undefined
  return { world: { seed, fork, view, env: envOf(fork), messages: [message], ...(changed && { table: changed }) }, at }
}

/** Runs a world on both engines and adds its steps to the table; the steps of its outermost frame. */
async function run(world: World): Promise<StepsOfFrames> {
  const steps = new StepsOfFrames()
  const expected = await observe(world, 'wasm', world.messages, steps)
  const witness = new FrameWitness()
  watching = witness
  const found = await observe(world, 'compiled', world.messages, witness)
  watching = undefined
  executions += world.messages.length
  const at = expected.findIndex((text, index) => text !== found[index])
  if (at >= 0 || expected.length !== found.length)
    differences.push({ part: 'coverage', seed: world.seed, expected: expected[at], found: found[at] })
  for (const [frame, seen] of steps.frames.entries()) {
    const states = statesOf(seen ?? [], witness.passages[frame] ?? [])
    for (const [index, { opcode, outcome }] of (seen ?? []).entries()) {
      const cell = cellOf(cells, rowNameOf(forkChain(world.fork).table, opcode), outcome)
      for (const state of states[index] ?? []) cell[state]++
    }
  }
  return steps
}

/** Gas so that a message ends at the opcode at `at`, which then lacks it. */
function shortened({ world, at }: Trial, steps: StepsOfFrames, random: Random): World {
  const step = steps.frames[0]?.findLast(({ pc }) => pc === at)
  const [message] = world.messages
  if (step === undefined || message === undefined) return world
  // Of the gas that a call passes on only its own price counts: 100 since EIP-2929.
  const rest = random.below(Math.max(1, Math.min(step.cost, 100)))
  return { ...world, messages: [{ ...message, gasLimit: message.gasLimit - BigInt(step.gas - rest) }] }
}

const { table } = forkChain(NEWEST)
const first = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)
let seed = first
const undefinedCodes = table.operations.flatMap((operation, code) => (operation === undefined ? [code] : []))
const [share = 0, shares = 1] = values.share.split('/').map(Number)
const rows = [...table.operations.filter((operation) => operation !== undefined), undefined].filter(
  (_, index) => index % shares === share,
)
for (const operation of rows) {
  for (const outcome of outcomesOf(operation)) {
    if (values.only !== undefined && operation?.name !== values.only) continue
    for (let attempt = 0; attempt < Number(values.attempts); attempt++) {
      const number = operation?.code ?? new Random(seed).pick(undefinedCodes)
      const cell = cellOf(cells, rowNameOf(table, number), outcome)
      if (Math.min(cell.interpreted, cell.compiled, cell.paused) > 0) break
      const trial = await trialOf(++seed, operation, number, outcome)
      if (outcome === 'out of gas') {
        const plenty = new StepsOfFrames()
        await observe(trial.world, 'wasm', trial.world.messages, plenty)
        await run(shortened(trial, plenty, new Random(seed)))
      } else await run(trial.world)
    }
  }
}
for (const difference of differences) console.log(JSON.stringify(difference))
if (process.send === undefined) console.log(`${executions} executions, ${differences.length} differences`)
process.send?.({ executions, differences: differences.length, cells })
process.disconnect?.()
