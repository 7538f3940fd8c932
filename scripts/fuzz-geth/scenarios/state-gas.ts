// What Amsterdam prices by the state that it makes (EIP-8037, 8038, 2780): frames that set and clear the same slots, create accounts
// in every way and end in every way, with gas that runs out around the price of a slot, an account or a code; and opcodes with an
// index (EIP-8024).
import { type Address, hexToAddress } from '../../../src/lib/hex.ts'
import { create2Address, createAddress } from '../../../src/primitives/create-address.ts'
import type { Random } from '../code.ts'
import { Code, deploying, OP } from '../code.ts'
import {
  AUTHORITIES,
  COINBASE,
  CONTRACTS,
  type ExtraAccount,
  gasCuts,
  MISSING_ACCOUNT,
  randomBytes,
  type Scenario,
  SENDER,
  type Setting,
} from '../scenario.ts'
import { authorizationsOf } from './delegations.ts'

const NONE = new Uint8Array(0)
const DUPN = 0xe6
/** EIP-8037: gas for a byte of new state, and the bytes of a slot, of an account and of a delegation. */
const STATE_BYTE = 1530
const STATE_BYTES = [64, 120, 23, 1, 32]

/** Init code: small results, results that fail, and what changes state itself. Its bytes are fixed, so that addresses are known. */
const INITS: readonly Uint8Array[] = [
  NONE,
  deploying(Uint8Array.of(OP.STOP)),
  deploying(Uint8Array.of(0xef, 0)),
  new Code().pushes(70_000, 0).op(OP.RETURN).build(),
  new Code().pushes(300, 0).op(OP.RETURN).build(),
  new Code().push(1).store(0).pushes(0, 0).op(OP.REVERT).build(),
  new Code().push(1).store(0).op(OP.INVALID).build(),
  new Code().push(1).store(0).push(0).store(0).push(1).store(1).build(),
  new Code().push(BigInt(MISSING_ACCOUNT)).op(OP.SELFDESTRUCT).build(),
  new Code().op(OP.ADDRESS, OP.SELFDESTRUCT).build(),
  // Creates an account, and sends it a wei.
  new Code().pushes(0, 0, 0).op(OP.CREATE).store(0).pushes(0, 0, 0, 0, 1, 0xabcdef, 0).op(OP.CALL).store(1).build(),
  // Has no code in the end, but calls its creator.
  new Code().pushes(0, 0, 0, 0, 0).op(OP.CALLER, OP.GAS, OP.CALL).store(0).build(),
]
const SALTS = [0, 1]
const word = (value: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? value : 0))

/** Addresses that the contracts may create: with an account already, or to be called before and after. */
const CREATED = CONTRACTS.flatMap((creator) => [
  createAddress(creator, 1n),
  createAddress(creator, 2n),
  ...INITS.flatMap((init) => SALTS.map((salt) => create2Address(creator, word(salt), init))),
])
/** Accounts that do not exist, at least at first. */
const EMPTY = [MISSING_ACCOUNT, ...[1, 2, 3].map((i) => hexToAddress(`0xe1${String(i).padStart(38, '0')}`))]

function target(random: Random): bigint {
  const choice = random.below(10)
  if (choice < 5) return BigInt(random.pick(CONTRACTS))
  if (choice < 7) return BigInt(random.pick(EMPTY))
  if (choice < 9) return BigInt(random.pick(CREATED))
  return random.pick([...AUTHORITIES, COINBASE, SENDER, CONTRACTS[0] ?? SENDER].map(BigInt))
}

/** Gas to pass on: all, an amount around the price of some state, or a little. */
function gasToPass(random: Random, code: Code): void {
  const choice = random.below(6)
  if (choice < 2) code.op(OP.GAS)
  else if (choice < 4) code.push(random.pick(STATE_BYTES) * STATE_BYTE * (1 + random.below(3)) + random.below(30_000))
  else if (choice === 4) code.push(random.below(30_000))
  else code.push(1 + random.below(3)).op(OP.GAS, 0x04)
}

function statement(random: Random, code: Code): void {
  const choice = random.below(20)
  if (choice < 7)
    code
      .push(random.pick([0, 0, 1, 2]))
      .push(random.below(4))
      .op(OP.SSTORE)
  else if (choice < 9) code.push(random.below(4)).op(random.pick([OP.SLOAD, OP.TLOAD]), OP.POP)
  else if (choice < 14) {
    const kind = random.pick([OP.CALL, OP.CALL, OP.CALL, OP.CALLCODE, OP.DELEGATECALL, OP.STATICCALL])
    code.pushes(0, 0, 0, 0)
    if (kind === OP.CALL || kind === OP.CALLCODE) code.push(random.pick([0, 0, 1, 1, 5, 2n ** 90n]))
    code.push(target(random))
    gasToPass(random, code)
    code.op(kind, OP.POP)
  } else if (choice < 18) {
    const init = random.pick(INITS)
    code.memory(0, init)
    const isSalted = random.oneIn(2)
    if (isSalted) code.push(random.pick(SALTS))
    code.pushes(init.length, 0, random.pick([0, 0, 1, 2n ** 90n])).op(isSalted ? OP.CREATE2 : OP.CREATE)
    if (random.oneIn(2)) code.op(OP.POP)
    else code.push(random.below(4)).op(OP.SSTORE)
  } else if (choice === 18) code.push(target(random)).op(random.pick([0x31, OP.EXTCODESIZE, OP.EXTCODEHASH]), OP.POP)
  else
    code
      .op(OP.GAS)
      .push(random.below(4) + 4)
      .op(OP.SSTORE)
}

/** Ends a frame: well, by a revert, by a failure, by all of its gas, or by its destruction. */
function ending(random: Random, code: Code, isEntry: boolean): void {
  const choice = random.below(isEntry ? 14 : 9)
  if (choice === 0) code.pushes(0, 0).op(OP.REVERT)
  else if (choice === 1) code.op(OP.INVALID)
  else if (choice === 2) {
    const loop = code.dest()
    code.push(loop, 2).op(OP.JUMP)
  } else if (choice === 3) code.push(target(random)).op(OP.SELFDESTRUCT)
  else if (choice === 4) code.op(OP.ADDRESS, OP.SELFDESTRUCT)
}

/** Code of a few such statements. */
export function stateFrame(random: Random, isEntry = false): Uint8Array {
  const code = new Code()
  for (let i = 2 + random.below(9); i > 0; i--) statement(random, code)
  ending(random, code, isEntry)
  return code.build()
}

/** Frames of such statements that call each other. */
export function stateGas(setting: Setting): Scenario {
  const { random } = setting
  const frame = (isEntry: boolean) => stateFrame(random, isEntry)
  const extra = new Map<Address, ExtraAccount>()
  for (let i = random.below(4); i > 0; i--)
    extra.set(
      random.pick(CREATED),
      random.pick([{ balance: 1n }, { balance: 7n }, { nonce: 1n }, { code: Uint8Array.of(OP.STOP) }]),
    )
  if (random.oneIn(3)) extra.set(random.pick(EMPTY), { balance: 1n })
  const isCreation = random.oneIn(6)
  const data = isCreation ? [random.oneIn(2) ? frame(true) : random.pick(INITS)] : [NONE]
  return {
    codes: CONTRACTS.map((_, index) => frame(index === 0)),
    data,
    ...(isCreation && { to: null }),
    ...(!isCreation && random.oneIn(8) && { to: random.pick([...EMPTY, ...CREATED]) }),
    values: [0n, BigInt(random.pick([0, 1, 3]))],
    gasLimits: random.oneIn(2) ? gasCuts(random, data, 3_000_000, 6) : stateLimits(random, 8),
    extra,
  }
}

/** Gas in addition to the intrinsic gas: around the price of some state, and around the most execution gas of a transaction. */
function stateLimits(random: Random, count: number): bigint[] {
  return Array.from({ length: count }, () => {
    const state = random.pick(STATE_BYTES) * STATE_BYTE * random.below(5)
    const execution = random.pick([0, 0, 3000, 9000, 10_000, 12_000, 100_000, 2 ** 24 - 12_000]) + random.below(40)
    return BigInt(21_000 + state + execution)
  })
}

/** Transactions with exactly the intrinsic gas or a little more or less: plain ones, and with several authorizations of an account. */
export function exactGas(setting: Setting): Scenario {
  const { random, since } = setting
  const code = new Code().push(1).store(random.below(4)).push(0).store(1)
  const isSetting = since('Prague') && random.oneIn(2)
  const choice = random.below(4)
  const to =
    choice === 0 && !isSetting ? null : random.pick([SENDER, ...EMPTY, ...AUTHORITIES, ...CONTRACTS.slice(0, 2)])
  const around = random.pick([0, 0, 1, 2, 3]) * STATE_BYTE * random.pick(STATE_BYTES)
  return {
    codes: [code.build(), new Code().op(OP.ADDRESS, OP.SELFDESTRUCT).build()],
    data: [random.oneIn(2) ? NONE : random.pick([randomBytes(random, random.below(200)), ...INITS])],
    to,
    values: [0n, 1n],
    gasLimits: [-1, 0, 1, 100, 9000, around, around - 1, around + 1, around + random.below(30_000)].map(BigInt),
    isAboveIntrinsic: true,
    ...(isSetting && {
      type: 4 as const,
      authorizations: authorizationsOf(random, 1 + random.below(5), random.oneIn(2)),
    }),
  }
}

/** DUPN, SWAPN and EXCHANGE with each kind of immediate, also as the last byte of the code or without it, and as jump destinations. */
export function stackIndices({ random }: Setting): Scenario {
  const code = new Code()
  const items = random.pick([0, 17, 18, 30, 31, 200, 235, 236, 237, 1023, 1024])
  for (let i = 0; i < items; i++) code.op(random.pick([OP.PC, OP.PC, OP.GAS, OP.MSIZE]))
  for (let i = 1 + random.below(12); i > 0; i--) {
    const opcode = DUPN + random.below(3)
    // Valid ones are up to 90 and from 128 on; of EXCHANGE up to 81.
    const byte = random.oneIn(8) ? random.below(256) : random.pick([random.below(82), 128 + random.below(128)])
    if (random.oneIn(12)) {
      // Jumps to the immediate, which is a JUMPDEST.
      const at = code.bytes.length
      code.push(at + 5, 2).op(OP.JUMP, opcode, OP.JUMPDEST)
    } else code.op(opcode, byte)
    if (random.oneIn(3)) code.op(OP.POP)
    if (random.oneIn(6))
      code
        .push(random.below(2))
        .push(code.bytes.length + 7, 2)
        .op(OP.JUMPI, OP.PC, OP.POP, OP.JUMPDEST)
  }
  for (let i = 0; i < 3; i++) code.store(i)
  if (random.oneIn(4)) code.op(DUPN + random.below(3))
  const caller = new Code().op(0x4b).store(7)
  caller
    .pushes(0, 0, 0, 0, 0, BigInt(CONTRACTS[1] ?? 0))
    .op(OP.GAS, OP.CALL)
    .store(0)
  const data = [NONE]
  return {
    codes: [random.oneIn(2) ? caller.build() : code.build(), code.build()],
    data,
    gasLimits: gasCuts(random, data, 1_000_000, 5),
  }
}
