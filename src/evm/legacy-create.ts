// CREATE and CREATE2 of init code that begins with 0xef00. The library takes it for EOF and pushes zero, leaving the
// creator's nonce; EOF is no fork of Ethereum, so the code runs, and its first byte is an invalid instruction.
import type { RunState } from './tables.ts'

type Entry = { readonly opHandler: (state: RunState, common: never) => void | Promise<void> }

/** The library's handler, but for that init code. `salted`: CREATE2. */
export function legacyCreate<E extends Entry>(entry: E, salted: boolean): E['opHandler'] {
  return (state, common) => {
    const [, offset = 0n, length = 0n] = state.stack.peek(3)
    // Gas for the memory has been paid when a handler runs; more than init code may have is the library's to refuse.
    if (length < 2n || length > MAX_LENGTH) return entry.opHandler(state, common)
    const [first, second] = state.memory.read(Number(offset), 2)
    if (first !== 0xef || second !== 0x00 || state.interpreter.isStatic()) return entry.opHandler(state, common)
    return create(state, salted)
  }
}

/** EIP-3860's limit; longer init code is left to the library. */
const MAX_LENGTH = 49_152n

async function create(state: RunState, salted: boolean): Promise<void> {
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = state.stack.popN(salted ? 4 : 3)
  const code = state.memory.read(Number(offset), Number(length), true)
  // The gas handler has decided what the new frame gets.
  const gas = state.messageGasLimit ?? 0n
  delete state.messageGasLimit
  const { interpreter } = state
  const result = salted
    ? await interpreter.create2(gas, value, code, Buffer.from(salt.toString(16).padStart(64, '0'), 'hex'))
    : await interpreter.create(gas, value, code)
  state.stack.push(result)
}
