// Scenarios of ordinary code: contracts that call each other at random, code that computes, precompiled contracts, and one
// contract called with every amount of gas in a range.

import { ArithmeticCode, Code, inputOf, OP, Program, type Random } from '../code.ts'
import {
  CONTRACTS,
  gasCuts,
  gasWith,
  PRECOMPILES,
  randomBytes,
  type Scenario,
  type Setting,
  TARGETS,
} from '../scenario.ts'
import { fullBlocks } from './code-ends.ts'
import { precompileInput } from './precompile-inputs.ts'

/** A contract of random statements: calls of all kinds, creations, storage, loops until the gas is used up. */
export const program = ({ random, has }: Setting): Uint8Array => new Program(random, TARGETS, has).build()

/** Contracts that call each other, with gas limits that run out anywhere. */
export function programs(setting: Setting): Scenario {
  const { random } = setting
  const data = Array.from({ length: 4 }, () => randomBytes(random, random.pick([0, 4, 31, 32, 100])))
  return {
    codes: CONTRACTS.map(() => program(setting)),
    data,
    gasLimits: gasCuts(random, data, random.oneIn(4) ? 2_000_000 : 400_000, 6),
    values: [0n, BigInt(random.below(5))],
  }
}

/** Code that computes on its input, in loops and functions, and returns its whole stack. */
export function arithmetic({ random }: Setting): Scenario {
  const data = Array.from({ length: 6 }, () => inputOf(random))
  // Stores the returned words, because a transaction's output is not part of the state.
  const caller = new Code().op(OP.CALLDATASIZE).push(0).push(0).op(OP.CALLDATACOPY)
  caller
    .pushes(0x1000, 0)
    .op(OP.CALLDATASIZE)
    .pushes(0, 0, BigInt(CONTRACTS[1] ?? 0))
  caller.pushes(2500).op(OP.GAS, OP.SUB, OP.CALL).store(0)
  caller.pushes(0x1000, 0).op(OP.KECCAK256).store(1)
  return {
    codes: [caller.build(), new ArithmeticCode(random).build()],
    data,
    gasLimits: gasCuts(random, data, 600_000, 6),
  }
}

/** Input: address, gas (0: all), bytes of output, then the input of the precompiled contract. */
const precompileCaller = ({ since }: Setting): Uint8Array => {
  const code = new Code().pushes(0x60).op(OP.CALLDATASIZE, OP.SUB).pushes(0x60, 0).op(OP.CALLDATACOPY)
  // Output and input are in memory; the output follows the input, at 0x2000.
  code.push(0x40).op(OP.CALLDATALOAD).push(0x2000)
  code.push(0x60).op(OP.CALLDATASIZE, OP.SUB).pushes(0, 0)
  code.push(0).op(OP.CALLDATALOAD)
  code.push(0x20).op(OP.CALLDATALOAD, OP.CALL).push(1).op(OP.ADD).store(0)
  if (since('Byzantium')) {
    code.op(OP.RETURNDATASIZE).store(1)
    code.op(OP.RETURNDATASIZE).pushes(0, 0x3000).op(OP.RETURNDATACOPY)
  }
  code.pushes(0x2000, 0x2000).op(OP.KECCAK256).store(2)
  return code.build()
}

const word = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')

/** Precompiled contracts with inputs at the edges of their domains. */
export function precompiles(setting: Setting): Scenario {
  const { random } = setting
  const address = random.pick(PRECOMPILES)
  const one = (): Uint8Array => {
    const of = random.oneIn(5) ? random.pick(PRECOMPILES) : address
    const gas = random.oneIn(3) ? BigInt(random.below(random.pick([100, 3000, 150_000]))) : 400_000n
    const output = random.pick([0, 1, 31, 32, 33, 64, 96, 128, 256, 300])
    const input = precompileInput(random, of)
    return new Uint8Array(Buffer.concat([word(of), word(gas), word(BigInt(output)), input]))
  }
  const data = Array.from({ length: 10 }, one)
  return { codes: [precompileCaller(setting)], data, gasLimits: gasCuts(random, data, 600_000, 2), values: [0n, 3n] }
}

/** Calls one contract with each amount of gas in a range and folds the results into one slot. */
export function ladder(random: Random, start: number, steps: number, step: number): Uint8Array {
  const code = new Code().op(OP.CALLDATASIZE).pushes(0, 0).op(OP.CALLDATACOPY)
  code.push(start).push(0x800).op(OP.MSTORE)
  const loop = code.dest()
  // The output overwrites the input's first words: the result of a call is the input of the next.
  code
    .pushes(random.pick([0, 32, 64]), 0)
    .op(OP.CALLDATASIZE)
    .pushes(0, 0, BigInt(CONTRACTS[1] ?? 0))
  code.push(0x800).op(OP.MLOAD, OP.CALL)
  // sum = sum * 31 + success
  code.push(0x820).op(OP.MLOAD).push(31).op(OP.MUL, OP.ADD).push(0x820).op(OP.MSTORE)
  code.push(0x800).op(OP.MLOAD).push(step).op(OP.ADD, OP.DUP1).push(0x800).op(OP.MSTORE)
  code
    .push(start + steps * step)
    .op(OP.GT)
    .loopTo(loop)
  code.push(0x820).op(OP.MLOAD).store(0)
  code.pushes(64, 0).op(OP.KECCAK256).store(1)
  return code.build()
}

/** Gas runs out at every opcode of a code. */
export function gasLadders(setting: Setting): Scenario {
  const { random } = setting
  const target = random.pick([
    () => new ArithmeticCode(random).build(),
    () => program(setting),
    () => fullBlocks(setting),
    () => fullBlocks(setting),
  ])()
  const start = random.oneIn(2) ? random.below(100) : random.below(3000)
  const data = Array.from({ length: 3 }, () => inputOf(random).subarray(0, 128))
  return {
    codes: [ladder(random, start, 150, random.pick([1, 1, 2, 7])), target, program(setting)],
    data,
    gasLimits: [gasWith(data[0] ?? new Uint8Array(0), 3_000_000)],
  }
}
