// Contracts that forward their calldata to another contract; tests use them to call a native contract from an inner frame.
import { concatHex, type Hex, numberToHex, size } from 'viem'

export type CallKind = 'call' | 'callcode' | 'delegatecall' | 'staticcall'

/** CALL and CALLCODE take a value, which is zero here. */
const OPCODE: Readonly<Record<CallKind, { readonly value: Hex; readonly op: Hex }>> = {
  call: { value: '0x5f', op: '0xf1' },
  callcode: { value: '0x5f', op: '0xf2' },
  delegatecall: { value: '0x', op: '0xf4' },
  staticcall: { value: '0x', op: '0xfa' },
}

/** calldatacopy(0, 0, calldatasize), then a call with this input that leaves the success flag on the stack. */
const passOn = (target: Hex, kind: CallKind, gas?: bigint): Hex => {
  const { value, op } = OPCODE[kind]
  return concatHex([
    '0x365f5f37',
    '0x5f5f365f', // where the answer goes: nowhere; the input: all of memory
    value,
    concatHex(['0x73', target]), // push20 target
    gas === undefined ? '0x5a' : concatHex(['0x63', numberToHex(gas, { size: 4 })]), // gas, or push4
    op,
  ])
}

/** returndatacopy(0, 0, returndatasize), and the arguments of RETURN or REVERT. */
const answer: Hex = '0x3d5f5f3e3d5f'

/**
 * Runtime code that calls `target` with its own calldata and returns or reverts with the result. Install it with
 * `anvil_setCode`.
 */
export function forwarder(target: Hex, kind: CallKind = 'call'): Hex {
  const head = concatHex([passOn(target, kind), '0x3d5f5f3e'])
  // push1 place of the jumpdest, jumpi, revert, jumpdest, return
  const jumpdest = numberToHex(size(head) + 6, { size: 1 })
  return concatHex([head, '0x60', jumpdest, '0x57', '0x3d5ffd', '0x5b3d5ff3'])
}

/** Like `forwarder`, but always reverts, with the return data of `target`. */
export const reverter = (target: Hex): Hex => concatHex([passOn(target, 'call'), '0x50', answer, '0xfd'])

/**
 * Like `forwarder`, but never fails: it returns one word, 1 if `target` succeeded and 0 if not.
 * `gas` limits the gas of the call.
 */
export const attempter = (target: Hex, gas?: bigint): Hex => concatHex([passOn(target, 'call', gas), '0x5f5260205ff3'])
