// The functions of the node that a tracer's sandbox may call: the frame that runs, the state at that moment, and arithmetic
// of addresses. Addresses, words and amounts cross as hex, bytes as bytes; api.text.js makes go-ethereum's objects of them.
import type { Machine } from '../evm/machine.ts'
import { type FrameState, stackItem } from '../evm/tracer.ts'
import {
  type Address,
  EMPTY_BYTES,
  fromHex,
  hexToAddress,
  hexToHash,
  padLeft,
  toHex,
  toQuantity,
  ZERO_ADDRESS,
} from '../lib/hex.ts'
import { createdAddress, saltedAddress } from '../primitives/created-address.ts'
import type { HostFunctions } from './sandbox.ts'

/** The contract whose code runs, as its code sees it. */
export type Contract = { readonly caller: Address; readonly value: bigint; readonly input: Uint8Array }

/** The state that those functions answer from. */
export type Seen = {
  machine: Machine | undefined
  frame: FrameState | undefined
  /** As it was before the opcode. */
  stack: readonly bigint[]
  contract: Contract
  /** While an SSTORE is told of: what it has replaced already. */
  overwritten: FrameState['overwritten']
  /** Of the frame that was entered last, and of the one that was left last. */
  frameInput: Uint8Array
  frameOutput: Uint8Array
}

export const nothingSeen = (): Seen => ({
  machine: undefined,
  frame: undefined,
  stack: [],
  contract: { caller: ZERO_ADDRESS, value: 0n, input: EMPTY_BYTES },
  overwritten: undefined,
  frameInput: EMPTY_BYTES,
  frameOutput: EMPTY_BYTES,
})

type Arg = string | number
const address = (of: Arg | undefined): Address => hexToAddress(String(of))
/** A nonce of 64 bits, as go-ethereum reads any number. */
const nonceOf = (of: number): bigint => (Number.isFinite(of) ? BigInt.asUintN(64, BigInt(of)) : 0n)

/** `fail`: stops the script. The state is asked for only while a message runs, or when it has run. */
export function hostFunctions(seen: Seen, fail: (words: string) => never): HostFunctions {
  const machine = (): Machine => seen.machine ?? fail('there is no state before the transaction begins')
  const view = () => machine().view
  return {
    fail: (words) => fail(String(words)),
    peek: (index) => toQuantity(stackItem(seen, Number(index))),
    memory: (offset, length) => seen.frame?.memory(Number(offset), Number(length)) ?? new Uint8Array(Number(length)),
    caller: () => seen.contract.caller,
    self: () => seen.frame?.address ?? ZERO_ADDRESS,
    value: () => toQuantity(seen.contract.value),
    callInput: () => seen.contract.input,
    frameInput: () => seen.frameInput,
    frameOutput: () => seen.frameOutput,
    balance: (of) => toQuantity(view().balance(address(of))),
    nonce: (of) => Number(view().nonce(address(of))),
    code: (of) => view().code(address(of)),
    word(of, key) {
      const [account, slot] = [address(of), hexToHash(String(key))]
      const { overwritten, frame } = seen
      const isWritten = overwritten?.key === slot && frame?.address === account
      return toHex(padLeft(isWritten ? overwritten.word : view().word(account, slot), 32))
    },
    exists: (of) => view().account(address(of)) !== undefined,
    isPrecompiled: (of) => seen.machine?.hasPrecompile(address(of)) ?? false,
    createdAddress: (creator, nonce) => createdAddress(address(creator), nonceOf(Number(nonce))),
    saltedAddress: (creator, salt, code) =>
      saltedAddress(address(creator), fromHex(String(salt)), fromHex(String(code))),
  }
}
