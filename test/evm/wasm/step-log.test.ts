// The interpreter's struct log equals the text that the struct logger writes from step events (which the fuzzer compares with
// the library's): on random programs with all options, and at the limits of the log's memory.
import { afterEach, expect, test } from 'vitest'
import { Machine } from '../../../src/evm/machine.ts'
import type { MessageTracer, StepLog } from '../../../src/evm/tracer.ts'
import { hexToAddress } from '../../../src/lib/hex.ts'
import type { TransactionMessage } from '../../../src/primitives/types.ts'
import { executeMessage } from '../../../src/runtime/execute-message.ts'
import { StructLogger, type StructLogOptions } from '../../../src/runtime/tracing/struct-logger.ts'
import { asm } from '../../support/assembler.ts'
import { COINBASE, forkChain, makeWorld, SENDER, type World } from './differential.ts'
import { Random } from './random-programs.ts'

const DEFAULTS: StructLogOptions = {
  disableStack: false,
  disableStorage: false,
  enableMemory: false,
  enableReturnData: false,
  limit: 0,
}
const CONTRACT = hexToAddress(`0x${'c0'.repeat(20)}`)

/** Number of text parts from the interpreter. */
let taken = 0
afterEach(() => {
  taken = 0
})

function machineOf({ fork, view }: World): Machine {
  const { spec, table } = forkChain(fork)
  return new Machine({
    spec,
    view: view.fork(),
    table,
    engine: 'wasm',
    blockHash: () => undefined,
    deadline: undefined,
    natives: new Map(),
    block: { number: 1000n, timestamp: 1_700_000_000n, proposer: COINBASE },
  })
}

const runMessage = (machine: Machine, { fork, env }: World, message: TransactionMessage) =>
  executeMessage(machine, env, forkChain(fork).spec.chainId, message, 'call', { collector: undefined })

/** The struct log of the world's last message as JSON text: by the interpreter, or by a tracer of steps. */
async function structLog(world: World, options: StructLogOptions, by: 'interpreter' | 'steps'): Promise<string> {
  const machine = machineOf(world)
  let trace = ''
  for (const message of world.messages) {
    const logger = new StructLogger(options, { left: 2 ** 29 })
    logger.start({ machine, env: world.env, message, feeRecipient: COINBASE, position: undefined })
    const steps: MessageTracer = { readsMemory: options.enableMemory, step: (step) => logger.step(step) }
    const log: StepLog = {
      shows: logger.shows,
      get left() {
        return logger.left
      },
      add: (text, records) => {
        taken++
        logger.add(text, records)
      },
      storage: (of, key, value) => logger.storage(of, key, value),
    }
    machine.tracer = by === 'steps' ? steps : { ...steps, stepLog: log }
    const outcome = await runMessage(machine, world, message)
    trace = JSON.stringify(logger.result(outcome))
  }
  return trace
}

async function worldOf(code: Uint8Array, gasLimit = 30_000_000n): Promise<World> {
  const world = await makeWorld(7)
  const [message] = world.messages
  if (message === undefined) throw new Error('no message')
  world.view.setCode(CONTRACT, code)
  const plain = { ...message, from: SENDER, to: CONTRACT, value: 0n, blobVersionedHashes: [], gasLimit }
  return { ...world, fork: 'osaka', messages: [plain] }
}

async function expectSame(world: World, options: StructLogOptions): Promise<string> {
  const text = await structLog(world, options, 'interpreter')
  expect(text).toBe(await structLog(world, options, 'steps'))
  return text
}

test.each([1, 101, 201, 301])(
  'the struct log agrees on worlds from seed %i, with all options and with little gas',
  async (first) => {
    for (let seed = first; seed < first + 12; seed++) {
      const world = await makeWorld(seed)
      const random = new Random(seed)
      const options = {
        disableStack: random.oneIn(4),
        disableStorage: random.oneIn(4),
        enableMemory: random.oneIn(2),
        enableReturnData: random.oneIn(2),
        limit: random.oneIn(4) ? 1 + random.below(200) : 0,
      }
      for (const gasLimit of [undefined, 53_000n + BigInt(random.below(200_000))]) {
        const messages = world.messages.map((message) => ({
          ...message,
          blobVersionedHashes: [],
          gasLimit: gasLimit ?? message.gasLimit,
        }))
        await expectSame({ ...world, messages }, options)
      }
    }
    expect(taken).toBeGreaterThan(12)
  },
)

test.each([1, 401])(
  'a tracer of a few opcodes gets exactly the steps of these, on worlds from seed %i',
  async (first) => {
    // SLOAD, SSTORE, MLOAD, JUMPI, CALL, STATICCALL, SELFDESTRUCT
    const wanted = new Set([0x51, 0x54, 0x55, 0x57, 0xf1, 0xfa, 0xff])
    let traced = 0
    for (let seed = first; seed < first + 12; seed++) {
      const world = await makeWorld(seed)
      const messages = world.messages.map((message) => ({ ...message, blobVersionedHashes: [] }))
      const steps = async (stepsOf: ReadonlySet<number> | undefined): Promise<string[]> => {
        const machine = machineOf(world)
        const seen: string[] = []
        machine.tracer = {
          readsMemory: true,
          ...(stepsOf && { stepsOf }),
          step({ frame, opcode, cost, memorySize, error }) {
            const { pc, gas, refund, depth, address, stack, code } = frame
            if (!wanted.has(code[pc] ?? 0)) return
            const memory = Buffer.from(frame.memory(0, memorySize)).toString('hex')
            seen.push([pc, opcode.name, gas, refund, depth, address, cost, error, memory, ...stack].join(' '))
          },
        }
        for (const message of messages) await runMessage(machine, world, message)
        return seen
      }
      const expected = await steps(undefined)
      expect(await steps(wanted)).toEqual(expected)
      traced += expected.length
    }
    expect(traced).toBeGreaterThan(50)
  },
)

test('the struct log can be longer than its memory', async () => {
  // A loop of 8 opcodes that runs 5,000 times, with a word of 32 bytes on the stack.
  const loop = asm(`PUSH32 0x${'ff'.repeat(32)}`, 'PUSH2 0x1388')
  const body = asm('JUMPDEST', 'PUSH1 0x01', 'SWAP1', 'SUB', 'DUP1', 'PUSH1 0x24', 'JUMPI', 'STOP')
  const text = await expectSame(await worldOf(Buffer.from(loop.slice(2) + body.slice(2), 'hex')), DEFAULTS)
  expect(text.length).toBeGreaterThan(5_000_000)
  expect(JSON.parse(text).structLogs).toHaveLength(2 + 5000 * 7 + 1)
  expect(taken).toBeGreaterThan(5)
})

test('the struct log leaves records that are larger than its memory to the step tracer', async () => {
  // 640 KB of memory are 1.3 million digits.
  const code = asm('PUSH1 0x01', 'PUSH3 0x09ffe0', 'MSTORE', 'PUSH1 0x02', 'PUSH0', 'SSTORE', 'PUSH0', 'SLOAD', 'STOP')
  const world = await worldOf(Buffer.from(code.slice(2), 'hex'))
  const text = await expectSame(world, { ...DEFAULTS, enableMemory: true })
  const { structLogs } = JSON.parse(text)
  expect(structLogs).toHaveLength(9)
  expect(structLogs[8].memory).toHaveLength(0xa0000 / 32)
  expect(structLogs[7].storage).toEqual({ [`0x${'0'.repeat(64)}`]: `0x${'0'.repeat(63)}2` })
})

test('the struct log contains return data that are longer than the interpreter keeps', async () => {
  // The identity precompile returns 40,000 bytes.
  const code = asm('PUSH0', 'PUSH0', 'PUSH2 0x9c40', 'PUSH0', 'PUSH1 0x04', 'GAS', 'STATICCALL', 'POP', 'STOP')
  const world = await worldOf(Buffer.from(code.slice(2), 'hex'))
  const text = await expectSame(world, { ...DEFAULTS, enableReturnData: true })
  const { structLogs } = JSON.parse(text)
  expect(structLogs.at(-1).returnData).toBe(`0x${'00'.repeat(40_000)}`)
})

test('the struct log replaces the value of a slot that was recorded before', async () => {
  const store = (value: string) => [`PUSH1 ${value}`, 'PUSH1 0x05', 'SSTORE']
  const world = await worldOf(
    Buffer.from(asm(...store('0x01'), 'PUSH1 0x06', 'SLOAD', ...store('0x00')).slice(2), 'hex'),
  )
  const { structLogs } = JSON.parse(await expectSame(world, DEFAULTS))
  const slots = structLogs.flatMap(({ storage }: { storage?: Record<string, string> }) => (storage ? [storage] : []))
  const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
  expect(slots).toEqual([
    { [word(5)]: word(1) },
    { [word(5)]: word(1), [word(6)]: word(0) },
    { [word(5)]: word(0), [word(6)]: word(0) },
  ])
})
