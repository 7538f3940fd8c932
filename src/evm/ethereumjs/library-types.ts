// The library's types under our names. Other folders of evm/ import them only from here.
import type { getOpcodesForHF } from '@ethereumjs/evm'

export type LibraryOpcodes = ReturnType<typeof getOpcodesForHF>
/** One opcode in the library's table. */
export type LibraryOpcode = LibraryOpcodes['opcodeMap'][number]
/** An opcode that is added to the library's table, or replaces one of it (`customOpcodes`). */
export type CustomOpcode = Extract<
  NonNullable<Parameters<typeof getOpcodesForHF>[1]>[number],
  { logicFunction: unknown }
>
/** The library's frame. */
export type RunState = Parameters<LibraryOpcode['opHandler']>[0]
