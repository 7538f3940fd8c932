// Random control-flow graphs instead of structured programs, and opcodes with each of their outcomes. A driver calls the code with gas
// that varies by one, so that it ends at nearly every opcode.
import { forkTable } from '../../../src/evm/opcode-table.ts'
import { forkRules } from '../../../src/spec/fork-rules.ts'
import { forkOf } from '../../../test/conformance/fork-names.ts'
import type { Random } from '../code.ts'
import { Code, OP } from '../code.ts'
import { nonceFor, opcodeCase, outcomesOf } from '../opcode-ends.ts'
import { CONTRACTS, gasWith, randomBytes, type Scenario, type Setting } from '../scenario.ts'
import { ladder, program } from './programs.ts'

const SIZE = 40

/** Opcodes of a block: they may raise or lower the stack, so that joins have different heights, and often fail by it. */
function blockBody(random: Random, code: Code): void {
  for (let i = random.below(8); i > 0; i--) {
    const choice = random.below(12)
    if (choice < 3) code.push(random.pick([0, 1, 2, 31, 32, 64, 255]))
    else if (choice === 3) code.op(random.pick([OP.PC, OP.GAS, OP.MSIZE, OP.CALLDATASIZE, OP.RETURNDATASIZE]))
    else if (choice === 4) code.op(random.pick([OP.ADD, OP.SUB, OP.MUL, OP.LT, OP.EQ]))
    else if (choice === 5) code.op(OP.DUP1 + random.below(6))
    else if (choice === 6) code.op(OP.SWAP1 + random.below(5))
    else if (choice === 7) code.op(OP.POP)
    else if (choice === 8) code.push(32 * random.below(5)).op(random.pick([OP.MSTORE, OP.MLOAD, OP.MSTORE8]))
    else if (choice === 9) code.push(random.below(3)).op(random.pick([OP.SLOAD, OP.SSTORE, OP.TLOAD, OP.CALLDATALOAD]))
    else if (choice === 10)
      code.pushes(random.below(70), random.below(70), random.below(70)).op(random.pick([OP.MCOPY, OP.CODECOPY]))
    else code.op(random.pick([OP.ISZERO, OP.KECCAK256, 0x19]))
  }
}

/** A jump to a block: by a constant, by an address from memory or arithmetic, or by one that is wrong or wrapped. */
function target(random: Random, code: Code, place: number): void {
  const choice = random.below(12)
  if (choice < 7) code.push(place, 2)
  else if (choice < 9)
    code
      .push(place - 3 < 0 ? 0 : place - 3, 2)
      .push(place - 3 < 0 ? place : 3)
      .op(OP.ADD)
  else if (choice === 9) code.push(place, 2).push(0x200).op(OP.MSTORE).push(0x200).op(OP.MLOAD)
  else if (choice === 10) code.push(BigInt(place) + 2n ** BigInt(random.pick([32, 64, 128])))
  else code.push(random.below(SIZE * 20), 2)
}

/** Blocks of a fixed size in bytes, each ending in a jump to a random one, a branch, a fall through, or an end. */
export function controlFlow(random: Random): Uint8Array {
  const count = 3 + random.below(10)
  const all = new Code()
  for (let block = 0; block < count; block++) {
    const code = new Code().op(OP.JUMPDEST)
    blockBody(random, code)
    const to = (): number => SIZE * 2 * random.below(count)
    const ending = random.below(10)
    if (ending < 4) {
      target(random, code, to())
      code.op(OP.JUMP)
    } else if (ending < 8) {
      if (random.oneIn(2))
        code
          .op(OP.GAS)
          .push(random.pick([3, 7, 64]))
          .op(0x06)
      target(random, code, to())
      code.op(OP.JUMPI)
    } else if (ending === 8) code.pushes(32, 0).op(random.pick([OP.RETURN, OP.REVERT, OP.RETURN]))
    // The rest is a fall through, padded by bytes that run; sometimes a PUSH that reaches over the next block.
    const left = SIZE * 2 - code.bytes.length
    for (let i = 0; i < left - 1; i++) code.op(OP.JUMPDEST)
    if (left > 0) code.op(random.oneIn(8) ? 0x60 + random.below(4) : OP.JUMPDEST)
    all.op(...code.bytes.slice(0, SIZE * 2))
  }
  if (random.oneIn(4)) all.op(0x60 + random.below(32), ...randomBytes(random, random.below(4)))
  return all.build()
}

/** Runs a code with gas that varies by one, from a random amount on. */
export function graphs(setting: Setting): Scenario {
  const { random } = setting
  const data = [new Uint8Array(0), randomBytes(random, 64)]
  return {
    codes: [ladder(random, random.below(400), 120, 1), controlFlow(random), program(setting)],
    data,
    gasLimits: [gasWith(data[1] ?? new Uint8Array(0), 3_000_000)],
  }
}

/** An opcode of the fork with one of its outcomes; for lack of gas the gas varies by one. */
export function opcodeOutcomes(setting: Setting): Scenario {
  const { random, fork } = setting
  const { operations } = forkTable(forkRules(forkOf(fork) ?? 'osaka'))
  const number = random.below(256)
  const operation = operations[number]
  const outcome = random.pick(outcomesOf(operation))
  const { code, isStatic, extra } = opcodeCase(random, operation, number, outcome)
  const caller = new Code()
  for (let i = 1 + random.below(3); i > 0; i--) {
    caller.pushes(0, 0, 0, 0)
    if (!isStatic) caller.push(random.below(2))
    caller
      .push(BigInt(CONTRACTS[1] ?? 0))
      .op(OP.GAS, isStatic ? OP.STATICCALL : OP.CALL)
      .store(i)
  }
  const isLadder = outcome === 'out of gas'
  return {
    codes: [isLadder ? ladder(random, random.below(200), 150, 1) : caller.build(), code],
    data: [new Uint8Array(0)],
    gasLimits: [gasWith(new Uint8Array(0), 3_000_000), gasWith(new Uint8Array(0), random.below(60_000))],
    extra,
    nonce: nonceFor(outcome),
  }
}
