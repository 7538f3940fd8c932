// Runs a random world (contracts and transactions) on two of: the library's interpreter, our interpreter, compiled code. All
// observable results must be equal.

import { expansionGas } from '../../../src/evm/gas/memory-gas.ts'
import { buildTable } from '../../../src/evm/jump-table.ts'
import { type EngineChoice, Machine } from '../../../src/evm/machine.ts'
import type { NativeContract } from '../../../src/evm/native-call.ts'
import type { Execute, Frame } from '../../../src/evm/opcode-frame.ts'
import { hasDynamicGas, type OpcodeTable } from '../../../src/evm/opcode-table.ts'
import { opcodeOf } from '../../../src/evm/opcodes.ts'
import { CallTreeTracer, type MessageTracer, type Step } from '../../../src/evm/tracer.ts'
import {
  type Address,
  bigToFixed,
  EMPTY_BYTES,
  type Hash,
  hexToAddress,
  toHash,
  ZERO_HASH,
} from '../../../src/lib/hex.ts'
import { keccakHash } from '../../../src/lib/keccak.ts'
import { delegationTo } from '../../../src/primitives/delegation.ts'
import type { Log, TransactionMessage } from '../../../src/primitives/types.ts'
import { type BlockEnv, blockEnv } from '../../../src/runtime/block-env.ts'
import { executeMessage } from '../../../src/runtime/execute-message.ts'
import { type ChainSpec, FORKS, type Fork } from '../../../src/spec/chain-spec.ts'
import { forkRules } from '../../../src/spec/fork-rules.ts'
import { openMemoryStore } from '../../../src/state/kv.ts'
import { StateStore } from '../../../src/state/state-store.ts'
import type { StateView } from '../../../src/state/types.ts'
import { plainSpec } from '../../support/plain-spec.ts'
import { ArithmeticCode, inputOf } from '../wasm-compiler/arithmetic-code.ts'
import { Program, Random } from './random-programs.ts'

export const SENDER = hexToAddress(`0x${'aa'.repeat(20)}`)
export const COINBASE = hexToAddress(`0x${'cb'.repeat(20)}`)
/** A contract that calls its caller with its input. */
const ECHO = hexToAddress(`0x${'ec'.repeat(20)}`)
/** An account with a locked balance. */
const VESTING = hexToAddress(`0x${'be'.repeat(20)}`)

const FUZZED: readonly Fork[] = FORKS.filter(
  (fork) =>
    !['dao', 'muirGlacier', 'arrowGlacier', 'grayGlacier', 'bpo3', 'bpo4', 'bpo5', 'amsterdamOpcodes'].includes(fork),
)

type ForkChain = { readonly spec: ChainSpec; readonly table: OpcodeTable }
const chains = new Map<Fork, ForkChain>()

/** A chain with all forks up to this one from block 0, and the fork's opcode table. */
export function forkChain(fork: Fork): ForkChain {
  const known = chains.get(fork)
  if (known !== undefined) return known
  const rules = forkRules(fork)
  const spec: ChainSpec = {
    ...plainSpec(SENDER),
    forks: FORKS.filter((earlier) => rules[earlier]).map((earlier) =>
      forkRules(earlier).shanghai ? { fork: earlier, time: 0n } : { fork: earlier, block: 0n },
    ),
    terminalTotalDifficulty: rules.paris ? 0n : undefined,
  }
  const made = { spec, table: buildTable(rules) }
  chains.set(fork, made)
  return made
}

const UNBOUNDED = { left: Number.POSITIVE_INFINITY }

/** Records the events of a message tracer, besides the call tree. */
class Witness extends CallTreeTracer implements MessageTracer {
  readonly logs: Log[] = []

  log(log: Log): void {
    this.logs.push(log)
  }

  refuse(frame: NonNullable<CallTreeTracer['root']>): void {
    this.attach(frame)
  }
}

/** Records the events of an opcode tracer, each as a line of text. */
class StepWitness extends Witness {
  readonly steps: string[] = []
  readonly readsMemory = true

  step({ frame, opcode, cost, memorySize, error }: Step): void {
    const { pc, gas, refund, depth, address, stack, returnData } = frame
    // The library checks the bounds of return data when it computes the gas, go-ethereum when it executes the opcode.
    const isShown = opcode.name !== 'RETURNDATACOPY'
    // The library's cost of an opcode that runs out of gas may be out of range.
    const price = error === 'out of gas' ? 'out of gas' : cost
    const memory = keccakHash(frame.memory(0, memorySize))
    this.steps.push(
      [
        pc,
        opcode.name,
        gas,
        isShown && price,
        depth,
        refund,
        address,
        memorySize,
        memory,
        isShown && error,
        returnData.length,
      ]
        .concat(stack.map(String))
        .join(' '),
    )
  }
}

const echo: NativeContract = {
  address: ECHO,
  run(call) {
    const { input, caller, gasLimit } = call
    const gas = 500n + BigInt(input.length)
    if (gasLimit < gas) return { output: EMPTY_BYTES, gasUsed: gasLimit, logs: [], error: 'out of gas' }
    const first = input[0] ?? 0
    if (first % 4 === 0) return { output: input, gasUsed: gas, logs: [], error: first === 0 ? undefined : 'revert' }
    if (!call.isStatic) call.view.setStorage(ECHO, BigInt(first % 3), BigInt(first))
    const inner = {
      from: ECHO,
      to: caller,
      input: input.subarray(1),
      gasLimit: (gasLimit - gas) / 2n,
      isStatic: first % 3 === 0,
    }
    const own: Log = { address: ECHO, topics: [], data: input.subarray(0, 8) }
    return call.callContract(inner).then(({ output, gasUsed, logs, error }) => ({
      output,
      gasUsed: gas + gasUsed,
      logs: error === undefined ? [own, ...logs] : [],
      error: error === undefined ? undefined : 'revert',
    }))
  },
}

export type World = {
  readonly seed: number
  readonly fork: Fork
  readonly view: StateView
  readonly env: BlockEnv
  readonly messages: readonly TransactionMessage[]
  /** Left out: the fork's table. */
  readonly table?: OpcodeTable
}

/** Block 1,000 under the rules of a fork. */
export function envOf(fork: Fork): BlockEnv {
  const header = {
    number: 1000n,
    timestamp: 1_700_000_000n,
    coinbase: COINBASE,
    gasLimit: 30_000_000n,
    difficulty: forkRules(fork).paris ? 0n : 12_345n,
    mixHash: keccakHash(Uint8Array.of(1)),
    baseFeePerGas: forkRules(fork).london ? 7n : undefined,
    excessBlobGas: 0n,
    slotNumber: forkRules(fork).amsterdam ? 3n : undefined,
  }
  return blockEnv(forkChain(fork).spec, fork, header)
}

/**
 * The world of a seed: contracts with random code and storage, and transactions to them. `exists`: which opcodes it has, instead of
 * the fork's. `rules`: the fork, instead of a random one.
 */
export async function makeWorld(seed: number, exists?: (code: number) => boolean, rules?: Fork): Promise<World> {
  const random = new Random(seed)
  const fork = rules ?? (random.oneIn(2) ? random.pick(FUZZED) : random.pick(['cancun', 'prague', 'osaka'] as const))
  const contracts = Array.from({ length: 4 }, (_, i) => hexToAddress(`0x${(0xc0 + i).toString(16).repeat(20)}`))
  const delegated = hexToAddress(`0x${'de'.repeat(20)}`)
  const precompiles = Array.from({ length: 18 }, (_, i) => BigInt(i + 1))
  const targets = [...contracts, ...contracts, delegated, SENDER, ECHO, VESTING].map(BigInt)
  targets.push(random.pick(precompiles), 4n, 2n, 0xdeadn, BigInt(COINBASE))
  const { table } = forkChain(fork)
  const has = exists ?? ((code: number): boolean => table.operations[code] !== undefined)
  const program = (own = targets) => new Program(random, own, has).build()
  const state = new StateStore(await openMemoryStore(), -1)
  const view = state.at(-1)
  view.setBalance(SENDER, 10n ** 20n)
  view.setBalance(VESTING, 50n)
  view.setAccount(ECHO, { nonce: 1n, balance: 0n, codeHash: keccakHash(Uint8Array.of(0xfe)) })
  view.setCode(ECHO, Uint8Array.of(0xfe))
  if (random.oneIn(2)) view.setCode(VESTING, program())
  if (random.oneIn(2)) view.setBalance(hexToAddress(`0x${'dead'.padStart(40, '0')}`), random.oneIn(2) ? 0n : 1n)
  for (const [i, contract] of contracts.entries()) {
    view.setBalance(contract, BigInt(random.below(100)))
    if (random.below(5) > 0) view.setNonce(contract, random.oneIn(30) ? (1n << 64n) - 1n : 1n)
    // Mostly later contracts, so that calls terminate.
    const behind = [...contracts.slice(i + 1).map(BigInt), ...targets.slice(2 * contracts.length)]
    view.setCode(contract, program(random.oneIn(4) ? targets : behind))
    for (let key = 0n; key < 3n; key++) if (random.oneIn(2)) view.setStorage(contract, key, BigInt(random.below(4)))
  }
  if (forkRules(fork).prague)
    view.setCode(delegated, delegationTo(random.pick([...contracts, ECHO, hexToAddress(`0x${'2'.padStart(40, '0')}`)])))
  // New state costs ten times as much since EIP-8037.
  const scale = forkRules(fork).amsterdam ? random.pick([1n, 8n, 30n]) : 1n
  const messages = Array.from({ length: 1 + random.below(3) }, (): TransactionMessage => {
    const isCreation = random.oneIn(8)
    return {
      from: SENDER,
      to: isCreation ? null : random.oneIn(10) ? delegated : random.pick(contracts),
      nonce: 0n,
      value: random.oneIn(2) ? 0n : BigInt(random.below(50)),
      data: isCreation ? program(targets) : Uint8Array.from({ length: random.below(100) }, () => random.below(256)),
      gasLimit: scale * BigInt(random.oneIn(4) ? 60_000 + random.below(100_000) : 100_000 + random.below(1_000_000)),
      maxFeePerGas: random.oneIn(2) ? 0n : 10n,
      maxPriorityFeePerGas: 0n,
      accessList:
        forkRules(fork).berlin && random.oneIn(4)
          ? [{ address: random.pick(contracts), storageKeys: [ZERO_HASH] }]
          : [],
      blobVersionedHashes:
        !isCreation && forkRules(fork).cancun && random.oneIn(3) ? [toHash(bigToFixed(1n << 248n, 32))] : [],
      maxFeePerBlobGas: 0n,
      authorizationList: [],
    }
  })
  return { seed, fork, view, env: envOf(fork), messages }
}

const ancestor = (number: bigint): Hash => keccakHash(Buffer.from(number.toString()))

/** All observable results of running the messages in order, as comparable text. A tracer of the caller's adds nothing to them. */
export async function observe(
  world: World,
  engine: EngineChoice,
  messages: readonly TransactionMessage[],
  traced: boolean | 'steps' | MessageTracer,
): Promise<string[]> {
  const { spec, table: own } = forkChain(world.fork)
  const table = world.table ?? own
  const view = world.view.fork()
  const machine = new Machine({
    spec,
    view,
    table,
    engine,
    blockHash: ancestor,
    deadline: undefined,
    natives: new Map([[ECHO, echo]]),
    block: { number: 1000n, timestamp: 1_700_000_000n, proposer: COINBASE },
    lockedBalance: (of: Address) => (of === VESTING ? 40n : 0n),
  })
  const seen: string[] = []
  for (const message of messages) {
    const witness =
      traced === 'steps' ? new StepWitness(UNBOUNDED) : traced === true ? new Witness(UNBOUNDED) : undefined
    if (witness !== undefined) machine.tracer = witness
    else if (typeof traced === 'object') machine.tracer = traced
    const run = async () => executeMessage(machine, world.env, spec.chainId, message, 'call', { collector: undefined })
    const result = await run().catch((error: unknown) => ({
      thrown: error instanceof Error ? `${error.message}` : String(error),
    }))
    seen.push(shown(result), shown(view.transactionDiff()), `unpaid ${machine.unpaidWork}`)
    if (witness !== undefined) seen.push(shown(witness.root), shown(witness.logs))
    if (witness instanceof StepWitness) for (const step of witness.steps) seen.push(step)
    if ('thrown' in result) break
  }
  seen.push(view.root())
  return seen
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    typeof part === 'bigint' ? `${part}n` : part instanceof Uint8Array ? Buffer.from(part).toString('hex') : part,
  ) ?? 'undefined'

export type Difference = {
  readonly seed: number
  readonly fork: Fork
  readonly reference: EngineChoice
  readonly expected: string
  readonly found: string
  readonly world: World
  readonly messages: readonly TransactionMessage[]
  readonly traced: boolean | 'steps'
}

/** The fork of a seed's world, or Osaka for later ones: the library's draft of those disagrees about tables with changes. */
async function settledFork(seed: number): Promise<Fork> {
  const { fork } = await makeWorld(seed)
  return forkRules(fork).amsterdamOpcodes ? 'osaka' : fork
}

/** A world with a random opcode table in which most changed opcodes cost less than in the fork, or nothing. */
export async function makeCheapWorld(seed: number, fork?: Fork): Promise<World> {
  const world = await makeWorld(seed, undefined, fork ?? (await settledFork(seed)))
  const random = new Random(seed ^ 0xc4ea9)
  const table = buildTable(forkRules(world.fork), (draft) => {
    for (let changes = 1 + random.below(40); changes > 0; changes--) {
      const code = random.oneIn(2) ? random.below(0x60) : random.below(256)
      // The library charges nothing for the implied STOP.
      if (!draft.has(code) || code === 0 || code === 0xfe) continue
      const operation = draft.op(code)
      const { constantGas: own, name } = operation
      operation.setConstantGas(random.pick([0n, 0n, 0n, 1n, own / 2n, own * 2n]))
      if (!hasDynamicGas(name) || random.oneIn(2)) continue
      const price = BigInt(random.below(60))
      operation.setDynamicGas(
        random.pick([() => 0n, () => price, ({ gasLeft }: { gasLeft: bigint }) => gasLeft / 100n]),
      )
    }
  })
  return { ...world, table }
}

/** One action of a function on its frame. Words from `pick` repeat often, so that slots and memory ranges coincide. */
type Act = (frame: Frame, word: bigint) => void
const ACTS: readonly Act[] = [
  ({ stack }, word) => stack.push(word),
  ({ stack }) => stack.push(BigInt.asUintN(256, stack.pop() + stack.pop())),
  ({ stack }) => {
    for (const item of stack.popN(2)) stack.push(item)
  },
  ({ stack }) => stack.push(BigInt(stack.length) + (stack.peek(1)[0] ?? 0n) / 2n),
  ({ stack, memory }, word) => stack.push(BigInt(memory.read(word % 100n, 32).length + memory.size)),
  ({ stack, memory }, word) => memory.write(word % 300n, Uint8Array.of(Number(stack.pop() & 255n), 1, 2)),
  ({ memory }, word) => memory.write(word << (word % 40n), Uint8Array.of(7)),
  ({ stack, storage }, word) => stack.push(storage.load(word % 4n)),
  ({ stack, storage }, word) => storage.store(word % 4n, stack.pop() % 3n),
  ({ storage }, word) => storage.store(storage.load(word % 4n) % 4n, word % 3n),
  ({ stack, transient }, word) => stack.push(transient.load(word % 4n)),
  ({ transient }, word) => transient.store(word % 4n, word),
  ({ stack, gasLeft }) => stack.push(gasLeft),
  ({ chargeGas }, word) => chargeGas(word % 900n),
  ({ stack, balance }) => stack.push(balance(stack.pop())),
  ({ stack, codeOf }) => stack.push(BigInt(codeOf(stack.pop()).length)),
  ({ stack, code, programCounter }) => stack.push(BigInt((code[programCounter] ?? 0) + programCounter)),
  ({ memory, callData }, word) => memory.write(word % 64n, callData.read(word % 50n, word % 60n)),
  ({ memory, returnData }, word) => memory.write(word % 64n, returnData.read(word % 50n, word % 60n)),
  ({ stack, callData, returnData }) => stack.push(BigInt(callData.size * 1000 + returnData.size)),
  ({ log }, word) => log([word, 1n, 2n].slice(Number(word % 4n)), Uint8Array.of(1, 2, 3)),
  ({ stack, env }) => {
    const { isStatic, address, caller, origin, coinbase, ...words } = env
    for (const word of [address, caller, origin, coinbase, Number(isStatic)]) stack.push(BigInt(word))
    stack.push(Object.values(words).reduce((sum: bigint, word) => sum + BigInt(word), 0n))
  },
]
/** Actions that end a frame, mostly by failing. */
const ENDS: readonly Act[] = [
  ({ finish, memory }) => finish(memory.read(0, 40)),
  ({ revert }) => revert(Uint8Array.of(9, 9)),
  ({ fail }) => fail('out of gas'),
  () => {
    throw new Error('stop')
  },
  ({ stack }, word) => stack.push(-word - 1n),
  ({ stack, revert }) => {
    try {
      revert(Uint8Array.of(1))
    } catch {
      stack.push(1n)
    }
  },
  ({ storage }) => storage.store(0n, 1n << 256n),
  ({ stack }) => {
    for (let i = 0; i < 1024; i++) stack.push(1n)
  },
]

/** A function of random actions, which sometimes ends the frame or returns a promise. */
function randomFunction(random: Random): Execute {
  const acts = Array.from({ length: random.below(4) }, () => [random.pick(ACTS), BigInt(random.below(400))] as const)
  const end = random.oneIn(12) ? random.pick(ENDS) : undefined
  const isLate = random.oneIn(40)
  return (frame) => {
    for (const [act, word] of acts) act(frame, word)
    end?.(frame, 5n)
    return isLate ? (Promise.reject(new Error('late')) as never) : undefined
  }
}

/** A world whose opcode table has functions of proposals in place of mostly frequent opcodes, and for new opcodes. */
export async function makeProposalWorld(seed: number, fork?: Fork): Promise<World> {
  const chosen = fork ?? (await settledFork(seed))
  const rules = forkRules(chosen)
  const random = new Random(seed ^ 0x0bc0de)
  const table = buildTable(rules, (draft) => {
    for (let changes = 1 + random.below(6); changes > 0; changes--) {
      const code = random.oneIn(3) ? random.pick([0x0c, 0x21, 0xb0]) : random.below(256)
      if (code === 0 || code === 0xfe) continue
      const execute = randomFunction(random)
      const effect = random.oneIn(3) ? { pops: random.below(3), pushes: random.below(3) } : undefined
      const isNew = !draft.has(code)
      const operation = isNew
        ? draft.define(code, `NEW${code}`, { execute, ...effect })
        : draft.op(code).setExecute(execute, effect)
      if (!isNew && effect === undefined && random.oneIn(2)) operation.setMinStack(opcodeOf(code).pops)
      operation.setConstantGas(BigInt(random.below(80)))
      if (random.oneIn(3)) operation.setDynamicGas(() => 30n)
      else if (random.oneIn(6)) {
        const size = BigInt(random.below(200))
        operation.setMemorySize(() => size).setDynamicGas((state, bytes) => 5n + expansionGas(state, bytes))
      }
    }
  })
  return { ...(await makeWorld(seed, (code) => table.operations[code] !== undefined, chosen)), table }
}

/** A world of one contract with dense arithmetic code, in which bugs of the compiler are most likely. */
export async function makeArithmeticWorld(seed: number): Promise<World> {
  const random = new Random(seed)
  const fork = random.pick(['osaka', 'osaka', 'cancun'] as const)
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  view.setBalance(SENDER, 10n ** 20n)
  const contract = hexToAddress(`0x${'c0'.repeat(20)}`)
  view.setCode(contract, new ArithmeticCode(random).build())
  const message: TransactionMessage = {
    from: SENDER,
    to: contract,
    data: inputOf(random),
    gasLimit: 10_000_000n,
    ...FREE,
  }
  return { seed, fork, view, env: envOf(fork), messages: [message] }
}

/** A first transaction of its sender, without value, fees and lists. */
export const FREE = {
  nonce: 0n,
  value: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  accessList: [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: 0n,
  authorizationList: [],
} as const

/** Two engines to compare, and the worlds to run. */
export type Pairing = {
  readonly reference: EngineChoice
  readonly tried: EngineChoice
  readonly make: (seed: number) => Promise<World>
}

/** Compiled code takes part only if everything is compiled at once: see `compilation`. */
export const PAIRINGS = {
  interpreter: { reference: 'library', tried: 'wasm', make: makeWorld },
  compiler: { reference: 'library', tried: 'compiled', make: makeWorld },
  cheap: { reference: 'library', tried: 'wasm', make: makeCheapWorld },
  'cheap compiler': { reference: 'library', tried: 'compiled', make: makeCheapWorld },
  proposals: { reference: 'library', tried: 'wasm', make: makeProposalWorld },
  'proposals compiler': { reference: 'library', tried: 'compiled', make: makeProposalWorld },
  dense: { reference: 'wasm', tried: 'compiled', make: makeArithmeticWorld },
  amsterdam: { reference: 'wasm', tried: 'compiled', make: (seed) => makeWorld(seed, undefined, 'amsterdam') },
  'amsterdam cheap': { reference: 'wasm', tried: 'compiled', make: (seed) => makeCheapWorld(seed, 'amsterdam') },
  'amsterdam proposals': { reference: 'wasm', tried: 'compiled', make: (seed) => makeProposalWorld(seed, 'amsterdam') },
} as const satisfies Record<string, Pairing>

/** The first difference of two engines on messages of a world; undefined: none. */
export async function differenceOf(
  world: World,
  { reference, tried }: Pick<Pairing, 'reference' | 'tried'>,
  messages: readonly TransactionMessage[],
  traced: boolean | 'steps',
): Promise<Difference | undefined> {
  const expected = await observe(world, reference, messages, traced)
  const found = await observe(world, tried, messages, traced)
  // The library has no separate error for RETURNDATACOPY out of bounds (EIP-211).
  const compared = (text: string | undefined): string | undefined =>
    reference === 'library' ? text?.replaceAll('"return data out of bounds"', '"out of gas"') : text
  const at = expected.findIndex((text, i) => compared(text) !== compared(found[i]))
  if (at < 0 && expected.length === found.length) return undefined
  const { seed, fork } = world
  return { seed, fork, reference, expected: expected[at] ?? '', found: found[at] ?? '', world, messages, traced }
}

/**
 * Compares the two engines on the world of a seed, then again with the last message's gas limit reduced to `cuts` values.
 * Returns the number of compared executions, and the first difference.
 */
export async function compare(
  seed: number,
  cuts: number,
  { reference, tried, make }: Pairing = PAIRINGS.interpreter,
): Promise<{ executions: number; difference: Difference | undefined }> {
  const world = await make(seed)
  const random = new Random(seed ^ 0x5eed)
  const last = world.messages.at(-1)
  let executions = 0
  for (let cut = 0; cut <= cuts; cut++) {
    const gasLimit =
      cut === 0 || last === undefined ? last?.gasLimit : 53_000n + BigInt(random.below(Number(last.gasLimit) - 53_000))
    const messages = world.messages.map((message) =>
      message === last && gasLimit !== undefined ? { ...message, gasLimit } : message,
    )
    const picked = random.pick([false, true, 'steps'] as const)
    // The library's draft of Amsterdam charges state gas while opcodes run, so its steps, the gas of its frames and where they fail
    // differ from go-ethereum's: no trace of it is compared.
    const isDraft = reference === 'library' && forkRules(world.fork).amsterdam
    const traced = !isDraft && picked
    const difference = await differenceOf(world, { reference, tried }, messages, traced)
    executions += messages.length
    if (difference !== undefined) return { executions, difference }
  }
  return { executions, difference: undefined }
}
