// Code that begins with 0xef00, which the library treats as EOF. No Ethereum fork has EOF: such code reads as ordinary code,
// and its first byte is an invalid instruction, as in go-ethereum.
import type { Address } from '../../lib/hex.ts'
import { EMPTY_CODE_HASH } from '../../state/accounts.ts'
import type { StateView } from '../../state/types.ts'
import { addressOfWord } from './convert.ts'
import type { RunState } from './library-types.ts'

type Entry = { readonly opHandler: (state: RunState, common: never) => void | Promise<void> }

/**
 * CREATE and CREATE2: the library's handler, except for such init code, for which it would push zero. `salted`: CREATE2. `most`: the
 * limit of EIP-3860; the library handles longer init code.
 */
export function legacyCreate<E extends Entry>(entry: E, salted: boolean, most: bigint): E['opHandler'] {
  return (state, common) => {
    const [, offset = 0n, length = 0n] = state.stack.peek(3)
    // The memory is already paid for. The library refuses init code above the limit.
    if (length < 2n || length > most) return entry.opHandler(state, common)
    const [first, second] = state.memory.read(Number(offset), 2)
    if (first !== 0xef || second !== 0x00 || state.interpreter.isStatic()) return entry.opHandler(state, common)
    return create(state, salted)
  }
}

async function create(state: RunState, salted: boolean): Promise<void> {
  const [value = 0n, offset = 0n, length = 0n, salt = 0n] = state.stack.popN(salted ? 4 : 3)
  const code = state.memory.read(Number(offset), Number(length), true)
  // The gas handler has computed the gas of the new frame.
  const gas = state.messageGasLimit ?? 0n
  delete state.messageGasLimit
  const { interpreter } = state
  const result = salted
    ? await interpreter.create2(gas, value, code, Buffer.from(salt.toString(16).padStart(64, '0'), 'hex'))
    : await interpreter.create(gas, value, code)
  state.stack.push(result)
}

type ViewOf = (state: RunState) => StateView

/** EXTCODESIZE, EXTCODECOPY and EXTCODEHASH on our view, by opcode number. */
export const codeReaders = (viewOf: ViewOf): ReadonlyMap<number, (state: RunState) => void> =>
  new Map([
    [0x3b, (state) => state.stack.push(BigInt(viewOf(state).code(popAddress(state)).length))],
    [0x3c, (state) => copyCode(state, viewOf(state))],
    [0x3f, (state) => state.stack.push(codeHash(viewOf(state), popAddress(state)))],
  ])

const popAddress = ({ stack }: RunState): Address => addressOfWord(stack.pop())

function copyCode(state: RunState, view: StateView): void {
  const [word = 0n, to = 0n, from = 0n, length = 0n] = state.stack.popN(4)
  if (length === 0n) return
  const code = view.code(addressOfWord(word))
  const part = new Uint8Array(Number(length))
  if (from < BigInt(code.length)) part.set(code.subarray(Number(from), Number(from) + part.length))
  state.memory.write(Number(to), part.length, part)
}

/** Zero if there is no account (EIP-1052, EIP-161). */
function codeHash(view: StateView, of: Address): bigint {
  const account = view.account(of)
  if (account === undefined) return 0n
  const { balance, nonce, codeHash } = account
  return balance === 0n && nonce === 0n && codeHash === EMPTY_CODE_HASH ? 0n : BigInt(codeHash)
}
