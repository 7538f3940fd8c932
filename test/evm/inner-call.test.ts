// Messages from native code to contracts behave like those of call opcodes: checkpoint, gas, refunds, log order,
// self-destructs, depth, tracers. These tests detect changes of the library.

import { decodeFunctionResult, encodeFunctionData, getAddress, hexToBytes, parseAbi, toHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { buildTable } from '../../src/evm/jump-table.ts'
import { Machine } from '../../src/evm/machine.ts'
import { runNative } from '../../src/evm/run-native.ts'
import { Substate } from '../../src/evm/substate.ts'
import { type CallFrame, CallTreeTracer } from '../../src/evm/tracer.ts'
import { Deadline } from '../../src/lib/deadline.ts'
import { type Address, hexToAddress, ZERO_ADDRESS } from '../../src/lib/hex.ts'
import { createNativeAccount } from '../../src/modules/module.ts'
import { definePrecompile, implement } from '../../src/precompiles/define.ts'
import { namedAbi } from '../../src/precompiles/named-abi.ts'
import { SimulatedLogs } from '../../src/runtime/simulate.ts'
import { NATIVE_CONTRACT } from '../../src/spec/addresses.ts'
import { forkRules } from '../../src/spec/fork-rules.ts'
import { presets } from '../../src/spec/presets.ts'
import type { StateView } from '../../src/state/types.ts'
import { asm, returnTop } from '../support/assembler.ts'
import { messageTo } from '../support/messages.ts'
import { alice, bob, emptyView, nativeSpec } from '../support/native.ts'

const abi = parseAbi([
  'function passOn(address to, bool isStatic) returns (uint256 answer)',
  'function tryFirst(address to) returns (bool failed)',
  'event Before(address to)',
  'event After(address to)',
])
/** A native contract that calls a contract as bob, between two logs. */
const trial = definePrecompile({
  name: 'trial',
  address: NATIVE_CONTRACT.bank,
  since: 0n,
  abi: namedAbi(abi),
  functions: implement(namedAbi(abi), {
    gas: { passOn: 0n, tryFirst: 0n },
    functions: {
      async passOn(call, to, isStatic) {
        call.modules.bank.adjustSupply(1n)
        call.emit('Before', { to })
        const answer = await call.callContract({ from: bob, to, input: new Uint8Array(0), isStatic })
        call.emit('After', { to })
        return [answer.length === 0 ? 0n : BigInt(toHex(answer))]
      },
      async tryFirst(call, to) {
        try {
          await call.callContract({ from: bob, to, input: new Uint8Array(0), isStatic: false })
          return [false]
        } catch {
          return [true]
        }
      },
    },
  }),
})

const at = (tail: string): Address => hexToAddress(`0x${'c0'.repeat(18)}${tail}`)
const target = at('0001')
const below = at('0002')
const forwarder = at('0003')
/** Gas of the trial without the called contract: 2,000, 30 per byte of two words, a read and a new slot. */
const OWN_GAS = 2_000n + 30n * 64n + 200n + 22_100n

let view: StateView
beforeEach(async () => {
  view = await emptyView()
  createNativeAccount(view, trial.address)
})
const put = (of: Address, ...lines: string[]) => view.setCode(of, hexToBytes(asm(...lines)))
const rules = forkRules('prague')
const passOn = (to: Address, isStatic = false) =>
  encodeFunctionData({ abi, functionName: 'passOn', args: [to, isStatic] })

type Running = { gasLimit?: bigint; to?: Address; machine?: (machine: Machine) => void }

const machineOf = () =>
  new Machine({
    spec: presets.kestrel(),
    view,
    table: buildTable(rules),
    blockHash: () => undefined,
    deadline: undefined,
    natives: new Map([[trial.address, trial.on(nativeSpec, (message) => expect.fail(message))]]),
    block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
  })

async function run(data: `0x${string}`, { gasLimit = 1_000_000n, to = trial.address, machine }: Running = {}) {
  const made = machineOf()
  machine?.(made)
  const result = await made.run(messageTo(to, { from: alice, data: hexToBytes(data), gasLimit }))
  return {
    error: result.failure?.message,
    output: Buffer.from(result.output).toString('hex'),
    logs: result.logs.map(({ address }) => address),
    gas: result.gasUsed,
    refund: result.refund,
    destroyed: [...result.destroyed.keys()],
  }
}
const word = (value: bigint) => value.toString(16).padStart(64, '0')
const noted = () => view.storage(trial.address, 0n)
/** Runtime code that calls `of` with all its calldata. */
const calling = (of: Address) => `0x365f5f375f5f365f5f73${of.slice(2)}5af13d5f5f3e602a573d5ffd5b3d5ff3` as const

describe('a contract called by native code', () => {
  it('sees its caller, and its return data are passed back', async () => {
    view.setCode(target, hexToBytes('0x335f5260205ff3')) // return(caller)
    const result = await run(passOn(target))
    expect([result.error, result.output]).toEqual([undefined, word(BigInt(bob))])
    // CALLER 2, PUSH0 2, MSTORE 3 and memory 3, PUSH1 3, PUSH0 2, RETURN 0.
    expect(result.gas).toBe(OWN_GAS + 15n)
  })

  it('logs in order with the native contract’s logs', async () => {
    put(target, 'PUSH0', 'PUSH0', 'LOG0', 'STOP')
    expect((await run(passOn(target))).logs).toEqual([trial.address, target, trial.address])
    view.setCode(forwarder, hexToBytes(calling(trial.address)))
    expect((await run(passOn(target), { to: forwarder })).logs).toEqual([trial.address, target, trial.address])
  })

  it('reverts together with the native contract, and its reason is passed on', async () => {
    put(below, 'PUSH1 0x07', 'PUSH0', 'SSTORE', 'PUSH1 0x2a', 'PUSH0', 'MSTORE', 'PUSH1 0x20', 'PUSH0', 'REVERT')
    const result = await run(passOn(below))
    expect(result).toMatchObject({ error: 'execution reverted', output: word(42n), logs: [] })
    expect([view.storage(below, 0n), noted()]).toEqual([0n, 0n])
  })

  it('can fail without failing the native contract', async () => {
    put(below, 'PUSH1 0x07', 'PUSH0', 'SSTORE', 'PUSH0', 'PUSH0', 'LOG0', 'PUSH0', 'PUSH0', 'REVERT')
    const data = encodeFunctionData({ abi, functionName: 'tryFirst', args: [below] })
    const result = await run(data)
    expect(result).toMatchObject({ error: undefined, logs: [], refund: 0n })
    expect(decodeFunctionResult({ abi, functionName: 'tryFirst', data: `0x${result.output}` })).toBe(true)
    expect(view.storage(below, 0n)).toBe(0n)
  })

  it('cannot write when it is called statically', async () => {
    put(target, 'PUSH1 0x07', 'PUSH0', 'SSTORE', 'STOP')
    const result = await run(passOn(target, true))
    expect(result.error).toBe('execution reverted')
    expect(Buffer.from(result.output, 'hex').toString()).toContain(
      `call of ${getAddress(target)} failed: write protection`,
    )
    expect((await run(passOn(target))).error).toBeUndefined()
    expect(view.storage(target, 0n)).toBe(7n)
  })

  it('gets all but one 64th of the gas, and cannot use more', async () => {
    put(target, 'INVALID')
    const left = 1_000_000n - OWN_GAS
    const result = await run(passOn(target))
    expect([result.error, result.gas]).toEqual(['execution reverted', OWN_GAS + left - left / 64n])
  })

  it('has its refunds counted', async () => {
    view.setNonce(target, 1n)
    view.setStorage(target, 0n, 1n)
    view.beginTransaction()
    put(target, 'PUSH0', 'PUSH0', 'SSTORE', 'STOP')
    // EIP-3529: clearing a slot refunds 4,800.
    expect((await run(passOn(target))).refund).toBe(4_800n)
    view.setStorage(target, 0n, 1n)
    view.beginTransaction()
    view.setCode(forwarder, hexToBytes(calling(trial.address)))
    expect((await run(passOn(target), { to: forwarder })).refund).toBe(4_800n)
  })

  it('can self-destruct, unless it is reverted', async () => {
    put(target, `PUSH20 ${bob}`, 'SELFDESTRUCT')
    expect((await run(passOn(target))).destroyed).toEqual([target])
    view.setCode(forwarder, hexToBytes(calling(trial.address)))
    expect((await run(passOn(target), { to: forwarder })).destroyed).toEqual([target])
    view.setCode(below, hexToBytes(calling(target).replace('602a573d5ffd5b3d5ff3', '5f5ffd') as `0x${string}`))
    expect((await run(passOn(below))).destroyed).toEqual([])
  })

  it('is not called beyond the maximum depth', async () => {
    put(target, 'STOP')
    const at = async (depth: number) => {
      const message = {
        kind: 'CALL' as const,
        sender: alice,
        recipient: trial.address,
        codeAddress: trial.address,
        value: 0n,
        gas: 1_000_000n,
        input: hexToBytes(passOn(target)),
        depth,
        isStatic: false,
      }
      const block = { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS }
      const native = trial.on(nativeSpec, () => undefined)
      const { output } = await runNative(machineOf(), alice, block, native, message, new Substate())
      return Buffer.from(output).toString()
    }
    expect(await at(1024)).toContain(`call of ${getAddress(target)} failed: max call depth exceeded`)
    // One frame higher the machine gets the message, and refuses it only because no message is running.
    await expect(at(1023)).rejects.toThrow('a message within none')
  })

  it('cannot outlast the deadline by being called from native code', async () => {
    put(target, 'JUMPDEST', 'PUSH0', 'JUMP')
    const running = run(passOn(target), {
      gasLimit: 10n ** 12n,
      machine: (machine) => {
        machine.deadline = new Deadline(40)
      },
    })
    await expect(running).rejects.toMatchObject({ code: 'limit-exceeded' })
  })
})

describe('tracers of a call by native code', () => {
  beforeEach(() => put(target, 'PUSH0', 'PUSH0', 'LOG0', 'PUSH1 0x05', ...returnTop))

  it('see the call as a child of the native contract', async () => {
    const tracer = new CallTreeTracer({ left: 1_000_000 })
    await run(passOn(target, false), {
      machine: (machine) => {
        machine.tracer = tracer
      },
    })
    const short = ({ type, from, to, calls }: CallFrame): unknown => ({ type, from, to, calls: calls.map(short) })
    expect(tracer.root && short(tracer.root)).toEqual({
      type: 'CALL',
      from: alice,
      to: trial.address,
      calls: [{ type: 'CALL', from: bob, to: target, calls: [] }],
    })
    expect(tracer.root?.calls[0]?.gasUsed).toBe(tracer.root && tracer.root.gasUsed - OWN_GAS)
  })

  it('get each log once', async () => {
    const tracer = new SimulatedLogs(false)
    await run(passOn(target), {
      machine: (machine) => {
        machine.tracer = tracer
      },
    })
    expect(
      tracer
        .take()
        .map(({ log }) => log.address)
        .sort(),
    ).toEqual([trial.address, trial.address, target].sort())
  })
})

describe('voucher contracts of the state', () => {
  const found = definePrecompile({ ...trial, name: 'found', address: below, abi: namedAbi([]), functions: {} })
  const lookups: string[] = []
  const natives = Object.assign(new Map(), {
    find: (_view: StateView, address: Address) => {
      lookups.push(address)
      return address === below ? found.on(nativeSpec, (message) => expect.fail(message)) : undefined
    },
  })

  it('are looked up only if the code is a single INVALID', async () => {
    createNativeAccount(view, below)
    createNativeAccount(view, forwarder)
    put(target, 'STOP')
    lookups.length = 0
    const machine = new Machine({
      spec: presets.kestrel(),
      view,
      natives,
      blockHash: () => undefined,
      deadline: undefined,
      table: buildTable(rules),
      block: { number: 1n, timestamp: 1n, proposer: ZERO_ADDRESS },
    })
    const call = async (to: Address) => {
      const { failure, output } = await machine.run(
        messageTo(to, { from: alice, gasLimit: 100_000n, data: hexToBytes('0x12345678') }),
      )
      return [failure?.message, Buffer.from(output).toString()]
    }
    expect(await call(target)).toEqual([undefined, ''])
    expect(await call(bob)).toEqual([undefined, ''])
    expect(lookups).toEqual([])
    expect(await call(forwarder)).toEqual(['invalid opcode: INVALID', ''])
    const [error, output] = await call(below)
    expect([error, output?.includes('unknown method: 0x12345678')]).toEqual(['execution reverted', true])
    expect(lookups).toEqual([forwarder, below])
  })
})
