// Bytecode from opcodes, for the generator: numbers as the shortest PUSH, jump destinations, and the opcodes of a fork. Code
// runs on every fork by default, so zero is PUSH1 0 and not PUSH0.

/** Compared forks, oldest first, with the names of Ethereum's tests. */
export const OLD_FORKS = [
  ...['Frontier', 'Homestead', 'EIP150', 'EIP158', 'Byzantium', 'Constantinople', 'ConstantinopleFix', 'Istanbul'],
  ...['Berlin', 'London'],
] as const
export const NEW_FORKS = ['Paris', 'Shanghai', 'Cancun', 'Prague', 'Osaka', 'Amsterdam'] as const
const ORDER: readonly string[] = [...OLD_FORKS, ...NEW_FORKS]

/** Whether `fork` is `other` or a later one. */
export const isSince = (fork: string, other: string): boolean => ORDER.indexOf(fork) >= ORDER.indexOf(other)

/** The fork that introduced an opcode; those of Frontier are not listed. */
const SINCE: Readonly<Record<number, string>> = {
  244: 'Homestead',
  61: 'Byzantium',
  62: 'Byzantium',
  250: 'Byzantium',
  253: 'Byzantium',
  27: 'Constantinople',
  28: 'Constantinople',
  29: 'Constantinople',
  63: 'Constantinople',
  245: 'Constantinople',
  70: 'Istanbul',
  71: 'Istanbul',
  72: 'London',
  95: 'Shanghai',
  73: 'Cancun',
  74: 'Cancun',
  92: 'Cancun',
  93: 'Cancun',
  94: 'Cancun',
  30: 'Osaka',
  75: 'Amsterdam',
  230: 'Amsterdam',
  231: 'Amsterdam',
  232: 'Amsterdam',
}

/** Whether a fork has an opcode. */
export const hasOpcode = (fork: string, opcode: number): boolean => isSince(fork, SINCE[opcode] ?? 'Frontier')

export const OP = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  LT: 0x10,
  GT: 0x11,
  EQ: 0x14,
  ISZERO: 0x15,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  DUP1: 0x80,
  SWAP1: 0x90,
  LOG0: 0xa0,
  LOG1: 0xa1,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff,
} as const

export class Code {
  readonly bytes: number[] = []

  /** Appends opcodes and bytes unchanged. */
  op(...codes: readonly number[]): this {
    for (const code of codes) this.bytes.push(code)
    return this
  }

  /** The shortest PUSH of each number that has at least `width` bytes. */
  push(value: bigint | number, width = 1): this {
    const digits = value.toString(16)
    const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
    const padded = Math.max(bytes.length, width)
    this.op(0x5f + padded)
    for (let i = bytes.length; i < padded; i++) this.op(0)
    return this.op(...bytes)
  }

  /** Pushes several numbers; the last is on top. */
  pushes(...values: readonly (bigint | number)[]): this {
    for (const value of values) this.push(value)
    return this
  }

  /** Adds a JUMPDEST; returns its offset. */
  dest(): number {
    this.op(OP.JUMPDEST)
    return this.bytes.length - 1
  }

  /** Jumps back to an offset if the top of the stack is not zero. */
  loopTo(place: number): this {
    return this.push(place, 2).op(OP.JUMPI)
  }

  /** Stores the top of the stack in a slot. */
  store(slot: number): this {
    return this.push(slot).op(OP.SSTORE)
  }

  /** Writes bytes to memory at a word boundary. */
  memory(at: number, bytes: Uint8Array): this {
    for (let i = 0; i < bytes.length; i += 32) {
      const word = Buffer.alloc(32)
      word.set(bytes.subarray(i, i + 32))
      this.push(BigInt(`0x${word.toString('hex')}`))
        .push(at + i)
        .op(OP.MSTORE)
    }
    return this
  }

  build(): Uint8Array {
    return Uint8Array.from(this.bytes)
  }
}

/** Init code that returns a code, which is appended to it. */
export function deploying(runtime: Uint8Array): Uint8Array {
  const header = (at: number) =>
    new Code().push(runtime.length, 3).push(at, 2).push(0).op(OP.CODECOPY).push(runtime.length, 3).push(0).op(OP.RETURN)
  const { length } = header(0).bytes
  return Uint8Array.from([...header(length).bytes, ...runtime])
}

// Generators of random code that `npm run fuzz` uses too; they are in the engine's tests.

export { Program, Random } from '../../test/evm/wasm/random-programs.ts'
export { ArithmeticCode, inputOf } from '../../test/evm/wasm-compiler/arithmetic-code.ts'
