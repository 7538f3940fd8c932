// The engine functions that compiled code imports, with their types, by their names as exports of `assembly/index.ts`.
import { I32, I64, type Type } from './emitter.ts'
import type { FunctionSignature } from './module-encoder.ts'

const signature = (parameters: readonly Type[], result?: Type): FunctionSignature =>
  result === undefined ? { parameters } : { parameters, result }

const ENDS_TURN = signature([I32, I32, I32, I64, I32], I32)
/** The address of the result, then the addresses of two or three operands. */
const OF_TWO = signature([I32, I32, I32])
const OF_THREE = signature([I32, I32, I32, I32])
/** The frame, the address above the top stack item, the gas. Returns the gas left, or minus a reason. */
const PRICED = signature([I32, I32, I64], I64)
const PRICED_PURE = signature([I32, I64], I64)

export const ENGINE_FUNCTIONS = {
  leave: signature([I32, I32, I32, I64, I32, I32], I32),
  touch: signature([I32, I64, I64], I64),
  div: OF_TWO,
  mod: OF_TWO,
  divSigned: OF_TWO,
  modSigned: OF_TWO,
  mul: OF_TWO,
  signExtend: OF_TWO,
  addMod: OF_THREE,
  mulMod: OF_THREE,
  shiftLeft: signature([I32, I32, I64]),
  shiftRight: signature([I32, I32, I64, I64]),
  power: PRICED_PURE,
  balance: PRICED_PURE,
  sizeOfCode: PRICED_PURE,
  hashOfCode: PRICED_PURE,
  hash: PRICED,
  copyData: PRICED,
  copyCode: PRICED,
  copyReturned: PRICED,
  copyMemory: PRICED,
  copyCodeOf: PRICED,
  loadSlot: PRICED,
  storeSlot: PRICED,
  storeTransient: PRICED,
  log: signature([I32, I32, I64, I32], I64),
  dataAt: signature([I32, I32]),
  loadTransient: signature([I32]),
  hashOfBlock: signature([I32]),
  hashOfBlob: signature([I32]),
  ownBalance: signature([I32]),
  calls: ENDS_TURN,
  creates: ENDS_TURN,
  returns: ENDS_TURN,
  destroys: ENDS_TURN,
} as const satisfies Record<string, FunctionSignature>

export type EngineFunction = keyof typeof ENGINE_FUNCTIONS
