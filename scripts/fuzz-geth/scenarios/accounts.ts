// Scenarios that create, change and delete accounts: creations of all sizes and outcomes, self-destructs, delegations
// (EIP-7702), stores and their refunds, transient storage, nested calls to the depth limit.
import { fromHex, toAddress } from '../../../src/lib/hex.ts'
import { delegationTo } from '../../../src/primitives/delegation.ts'
import type { Random } from '../code.ts'
import { Code, deploying, OP } from '../code.ts'
import {
  CONTRACTS,
  gasCuts,
  gasWith,
  MISSING_ACCOUNT,
  randomBytes,
  type Scenario,
  type Setting,
  TARGETS,
} from '../scenario.ts'
import { fullBlocks } from './code-ends.ts'
import { program } from './programs.ts'

const contract = (index: number): bigint => BigInt(CONTRACTS[index] ?? 0)
const NONE = new Uint8Array(0)

/** Init code with a random kind of ending. */
export function initCode(setting: Setting): Uint8Array {
  const { random, has } = setting
  const choice = random.below(10)
  if (choice < 3) return deploying(program(setting).subarray(0, 300))
  if (choice === 3) return program(setting)
  if (choice === 4) return deploying(Uint8Array.of(0xef, ...randomBytes(random, 3)))
  if (choice === 5)
    return new Code()
      .pushes(random.below(64), 0)
      .op(has(OP.REVERT) ? OP.REVERT : OP.INVALID)
      .build()
  if (choice === 6) return new Code().push(1).store(0).pushes(BigInt(MISSING_ACCOUNT)).op(OP.SELFDESTRUCT).build()
  if (choice === 7) return fullBlocks(setting)
  if (choice === 8)
    return new Code()
      .pushes(random.below(3) + 24_575, 0)
      .op(OP.RETURN)
      .build()
  // Calls its creator during its creation.
  const code = new Code().pushes(0, 0, 0, 0, 0).op(0x33).push(20_000).op(OP.CALL).store(0)
  return code.pushes(random.below(40), 0).op(OP.RETURN).build()
}

/** CREATE or CREATE2 of the init code in memory; leaves the address on top. */
function create(code: Code, { random, has }: Setting, length: number, salt: number): void {
  const isSalted = has(OP.CREATE2) && random.oneIn(2)
  if (isSalted) code.push(salt)
  code.pushes(length, 0, random.oneIn(2) ? 0 : random.below(4)).op(isSalted ? OP.CREATE2 : OP.CREATE)
}

/** Contracts that create others, several with the same init code, and call them. */
export function creations(setting: Setting): Scenario {
  const { random, has } = setting
  const code = new Code()
  for (let i = 0; i < 3; i++) {
    const init = initCode(setting).subarray(0, 500)
    code.memory(0, init)
    for (let times = 1 + random.below(2); times > 0; times--) {
      create(code, setting, init.length, random.below(2))
      code.op(OP.DUP1).store(i * 2 + times)
      code.op(OP.DUP1, OP.EXTCODESIZE).store(10 + i)
      if (has(OP.EXTCODEHASH)) code.op(OP.DUP1, OP.EXTCODEHASH).store(14 + i)
      // Calls the created contract with one wei.
      code
        .pushes(0, 0, 32, 0, 1)
        .op(OP.DUP1 + 5)
        .push(50_000)
        .op(OP.CALL, OP.POP, OP.POP)
      if (has(OP.RETURNDATASIZE)) code.op(OP.RETURNDATASIZE).store(18 + i)
    }
  }
  const data = [NONE, randomBytes(random, 40)]
  return { codes: [code.build(), program(setting)], data, gasLimits: gasCuts(random, data, 1_500_000, 8) }
}

/** Creation transactions with init code as data, sometimes of the maximum length or longer. */
export function creationTransactions(setting: Setting): Scenario {
  const { random } = setting
  const data = Array.from({ length: 6 }, () => initCode(setting))
  const sizes = [24_575, 24_576, 24_577, 49_151, 49_152, 49_153]
  const size = random.pick(sizes)
  if (random.oneIn(6)) data[0] = size < 30_000 ? deploying(new Uint8Array(size)) : padded(initCode(setting), size)
  const most = random.oneIn(3) ? 6_000_000 : 300_000
  const gasLimits = [most, 2 ** Math.floor(random.next() * 17)].map((gas) =>
    gasWith(
      data.reduce((long, next) => (next.length > long.length ? next : long), NONE),
      gas,
      true,
    ),
  )
  return { codes: CONTRACTS.map(() => program(setting)), data, gasLimits, to: null, values: [0n, 7n] }
}

function padded(code: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  bytes.set(code.subarray(0, size))
  return bytes
}

/** Contracts that self-destruct, called several times, in the transaction that created them or not. */
export function selfDestructs(setting: Setting): Scenario {
  const { random } = setting
  const heirs = [...TARGETS, contract(0), contract(1)]
  const dying = () => {
    const code = new Code()
    if (random.oneIn(2)) code.push(random.below(3)).store(0)
    // Only when called with a value, or always.
    if (random.oneIn(3)) {
      const at = code.bytes.length
      code
        .op(0x34)
        .push(at + 6, 2)
        .op(OP.JUMPI, OP.STOP, OP.JUMPDEST)
    }
    return code.push(random.pick(heirs)).op(OP.SELFDESTRUCT).build()
  }
  const code = new Code()
  if (random.oneIn(2)) {
    const init = random.oneIn(3) ? dying() : deploying(dying())
    code.memory(0, init)
    create(code, setting, init.length, 0)
    code.op(OP.DUP1).store(1)
    code
      .pushes(0, 0, 0, 0, 3)
      .op(OP.DUP1 + 5)
      .push(60_000)
      .op(OP.CALL)
      .store(2)
    code.op(OP.DUP1, OP.EXTCODESIZE).store(3)
    code.op(0x31).store(4)
  }
  const kinds = [OP.CALL, OP.CALL, OP.CALLCODE, OP.DELEGATECALL].filter(setting.has)
  for (let i = 2 + random.below(4); i > 0; i--) {
    const kind = random.pick(kinds)
    code.pushes(0, 0, 0, 0)
    if (kind !== OP.DELEGATECALL) code.push(random.below(3))
    code
      .push(contract(1 + random.below(4)))
      .push(60_000)
      .op(kind)
      .store(5 + i)
  }
  for (const target of [1, 2, 3])
    code
      .push(contract(target))
      .op(0x31)
      .store(20 + target)
  const data = [NONE]
  return {
    codes: [code.build(), dying(), dying(), dying(), program(setting)],
    data,
    gasLimits: gasCuts(random, data, 1_000_000, 6),
    values: [0n, 5n],
  }
}

/** Sequences of writes to the same slots, in calls that revert or not, in storage and transient storage. */
export function stores(setting: Setting): Scenario {
  const { random, has } = setting
  const writes = (depth: number): Uint8Array => {
    const code = new Code()
    for (let i = 4 + random.below(12); i > 0; i--) {
      const isTransient = has(OP.TSTORE) && random.oneIn(3)
      const slot = random.below(3)
      if (random.oneIn(4)) {
        code
          .push(slot)
          .op(isTransient ? OP.TLOAD : OP.SLOAD)
          .push(1)
          .op(OP.ADD)
      } else code.push(random.pick([0, 0, 1, 2, 1 + slot]))
      code.push(slot).op(isTransient ? OP.TSTORE : OP.SSTORE)
      if (!random.oneIn(5)) continue
      const kind = random.pick([OP.CALL, OP.DELEGATECALL, OP.STATICCALL, OP.CALLCODE].filter(has))
      code.pushes(0, 0, 0, 0)
      if (kind === OP.CALL || kind === OP.CALLCODE) code.push(0)
      // Rarely itself, because that uses up all of its gas.
      const target = random.oneIn(8) ? contract(depth) : contract(1 + random.below(3))
      code
        .push(target)
        .push(random.pick([2300, 2301, 10_000, 60_000]))
        .op(kind)
        .store(9)
    }
    if (depth > 0 && random.oneIn(3)) code.pushes(0, 0).op(has(OP.REVERT) ? OP.REVERT : OP.INVALID)
    return code.build()
  }
  const data = [NONE]
  return { codes: [0, 1, 2, 3].map(writes), data, gasLimits: gasCuts(random, data, 600_000, 16) }
}

/** A contract that calls itself with all but a 64th of its gas, down to the limit of 1,024 if the gas suffices. */
export function recursion(setting: Setting): Scenario {
  const { random, has } = setting
  const kind = random.pick([OP.CALL, OP.CALLCODE, OP.DELEGATECALL, OP.STATICCALL].filter(has))
  const code = new Code().pushes(0, 0, 0, 0)
  if (kind === OP.CALL || kind === OP.CALLCODE) code.push(0)
  code.op(OP.ADDRESS)
  // Before EIP-150 a call takes exactly the gas of its argument.
  if (setting.since('EIP150')) code.op(OP.GAS)
  else code.push(1000).op(OP.GAS, OP.SUB)
  code.op(kind)
  // The depth below: the result of the call, plus one.
  if (kind !== OP.STATICCALL) code.push(0).op(OP.SLOAD, OP.ADD).store(0)
  const isDeep = random.oneIn(3)
  return { codes: [code.build()], data: [NONE], gasLimits: [isDeep ? 60_000_000_000n : 800_000n, 300_000n] }
}

/** Accounts with existing delegations: in cycles, to themselves, to precompiled contracts, to an empty address. */
export function delegatedAccounts(setting: Setting): Pick<Scenario, 'extra'> {
  const { random } = setting
  const extra = new Map(
    CONTRACTS.slice(4).map((of) => {
      const target = toAddress(fromHex(`0x${random.pick(TARGETS).toString(16).padStart(40, '0')}`))
      return [of, { code: delegationTo(target), nonce: 1n, balance: BigInt(random.below(9)) }] as const
    }),
  )
  return { extra }
}

export const randomTarget = (random: Random) =>
  toAddress(fromHex(`0x${random.pick(TARGETS).toString(16).padStart(40, '0')}`))
