// The functions of the node that a tracer's sandbox may call: they read the running frame and the state, and compute contract
// addresses. Addresses, words and amounts are passed as hex, bytes as bytes; api.text.js makes go-ethereum's objects of them.
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
import { create2Address, createAddress } from '../primitives/create-address.ts'
import type { HostFunctions } from './sandbox.ts'

/** The call context of the running frame: CALLER, CALLVALUE and CALLDATA. */
export type Contract = { readonly caller: Address; readonly value: bigint; readonly input: Uint8Array }

/** The current point of the execution; the tracer updates it before each call of the script. */
export type HostState = {
  machine: Machine | undefined
  frame: FrameState | undefined
  /** The stack before the opcode. */
  stack: readonly bigint[]
  contract: Contract
  /** During `step` of an SSTORE, which has already run: the value that it replaced. */
  overwritten: FrameState['overwritten']
  /** Input of the frame entered last, output of the frame left last. */
  frameInput: Uint8Array
  frameOutput: Uint8Array
}

export const emptyHostState = (): HostState => ({
  machine: undefined,
  frame: undefined,
  stack: [],
  contract: { caller: ZERO_ADDRESS, value: 0n, input: EMPTY_BYTES },
  overwritten: undefined,
  frameInput: EMPTY_BYTES,
  frameOutput: EMPTY_BYTES,
})

type Arg = string | number
const address = (value: Arg | undefined): Address => hexToAddress(String(value))
/** A number as a nonce: modulo 2^64, as go-ethereum converts it. */
const nonceOf = (value: number): bigint => (Number.isFinite(value) ? BigInt.asUintN(64, BigInt(value)) : 0n)

/** The functions over `state`. `fail` stops the script, for example when it reads the state before the transaction begins. */
export function hostFunctions(state: HostState, fail: (message: string) => never): HostFunctions {
  const machine = (): Machine => state.machine ?? fail('there is no state before the transaction begins')
  const view = () => machine().view
  return {
    fail: (message) => fail(String(message)),
    peek: (index) => toQuantity(stackItem(state, Number(index))),
    memory: (offset, length) => state.frame?.memory(Number(offset), Number(length)) ?? new Uint8Array(Number(length)),
    caller: () => state.contract.caller,
    self: () => state.frame?.address ?? ZERO_ADDRESS,
    value: () => toQuantity(state.contract.value),
    callInput: () => state.contract.input,
    frameInput: () => state.frameInput,
    frameOutput: () => state.frameOutput,
    balance: (account) => toQuantity(view().balance(address(account))),
    nonce: (account) => Number(view().nonce(address(account))),
    code: (account) => view().code(address(account)),
    word(account, key) {
      const contract = address(account)
      const slot = hexToHash(String(key))
      const { overwritten, frame } = state
      const isWritten = overwritten?.key === slot && frame?.address === contract
      return toHex(padLeft(isWritten ? overwritten.word : view().word(contract, slot), 32))
    },
    exists: (account) => view().account(address(account)) !== undefined,
    isPrecompiled: (account) => state.machine?.hasPrecompile(address(account)) ?? false,
    createdAddress: (creator, nonce) => createAddress(address(creator), nonceOf(Number(nonce))),
    saltedAddress: (creator, salt, code) =>
      create2Address(address(creator), fromHex(String(salt)), fromHex(String(code))),
  }
}
