// Contracts that pass on whatever they are called with: the way to reach a native contract from inside another frame.
import { concatHex, type Hex } from 'viem'

export type CallKind = 'call' | 'callcode' | 'delegatecall' | 'staticcall'

/** CALL and CALLCODE take a value, which is zero here. */
const OPCODE: Readonly<Record<CallKind, { readonly value: Hex; readonly op: Hex }>> = {
  call: { value: '0x5f', op: '0xf1' },
  callcode: { value: '0x5f', op: '0xf2' },
  delegatecall: { value: '0x', op: '0xf4' },
  staticcall: { value: '0x', op: '0xfa' },
}

/**
 * Runtime code that hands its calldata to `target` and gives back what comes, revert or not.
 * To be put at any address with `anvil_setCode`.
 */
export function forwarder(target: Hex, kind: CallKind = 'call'): Hex {
  const { value, op } = OPCODE[kind]
  return concatHex([
    '0x365f5f37', // calldatacopy(0, 0, calldatasize)
    '0x5f5f365f', // where the answer goes: nowhere; the input: all of memory
    value,
    concatHex(['0x73', target]), // push20 target
    '0x5a', // gas
    op,
    '0x3d5f5f3e', // returndatacopy(0, 0, returndatasize)
    jumpBy(kind),
    '0x3d5ffd', // revert
    '0x5b3d5ff3', // jumpdest, return
  ])
}

/** `push1 <place of the jumpdest>, jumpi`; the code is one byte shorter without a value. */
const jumpBy = (kind: CallKind): Hex => (OPCODE[kind].value === '0x' ? '0x602957' : '0x602a57')
